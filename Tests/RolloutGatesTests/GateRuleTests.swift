import Rollout
import Testing

@testable import RolloutGates

@Suite("Gate rules")
struct GateRuleTests {
    @Test("a healthy stage that has lasted long enough goes on to the next one")
    func advances() {
        let decision = GateFixture.decide()
        #expect(decision.action == .advance(to: 2_500))
        #expect(decision.rule == .passed)
        #expect(
            decision.reason == "3 of 1000 starts failed, 45 of 900 devices were not seen again.")
    }

    @Test("a release that certainly fails more often than any may is halted by the hard rule")
    func hard() {
        let decision = GateFixture.decide { $0.candidate.failed = 40 }
        #expect(decision.action == .halt)
        #expect(decision.rule == .hard)
        #expect(
            decision.reason
                == "40 of 1000 starts failed: at least 2.95 %, and no release may exceed 2 %.")
        // 26 of 1,000 are more than 2 %, but not certainly; with the control just as bad, it waits.
        let waiting = GateFixture.decide {
            $0.candidate.failed = 26
            $0.control.failed = 494
        }
        #expect(waiting.action == .hold && waiting.rule == .unproven)
    }

    @Test("five failures among the first devices halt before the minimum is reached, one does not")
    func hardBeforeTheMinimum() {
        func decide(_ failed: Int, of activated: Int) -> GateDecision {
            GateFixture.decide {
                $0.candidate = Cohort(exposed: activated, activated: activated, failed: failed)
                $0.exposedInStage = activated
            }
        }
        #expect(decide(1, of: 1).action == .hold)
        #expect(decide(4, of: 4).action == .hold)
        #expect(decide(5, of: 5).action == .halt)
        #expect(decide(5, of: 100).rule == .hard)
        #expect(decide(5, of: 190).action == .hold)
    }

    @Test("a release that fails more often than the control cohort is halted below the hard limit")
    func relative() {
        let decision = GateFixture.decide { $0.candidate.failed = 19 }
        #expect(decision.action == .halt)
        #expect(decision.rule == .relative)
        #expect(
            decision.reason.hasPrefix(
                "19 of 1000 starts failed, 57 of 19000 in the control cohort: at least 0.8"))
        // With a control that is no better, the build or the network is to blame, not the release.
        let alike = GateFixture.decide {
            $0.candidate.failed = 11
            $0.control.failed = 209
        }
        #expect(alike.action == .advance(to: 2_500))
    }

    @Test("devices that fall silent halt a release of which no failure was reported")
    func silence() {
        let decision = GateFixture.decide {
            $0.candidate.failed = 0
            $0.candidate.silent = 120
        }
        #expect(decision.action == .halt)
        #expect(decision.rule == .silence)
        // A holiday silences both alike.
        let holiday = GateFixture.decide {
            $0.candidate.silent = 300
            $0.control.silent = 6_000
        }
        #expect(holiday.action == .advance(to: 2_500))
    }

    @Test("a release whose every device falls silent never activates, and is halted all the same")
    func allSilent() {
        let decision = GateFixture.decide {
            $0.candidate = Cohort(exposed: 200, activated: 0, failed: 0, due: 200, silent: 200)
            $0.exposedInStage = 200
        }
        #expect(decision.action == .halt && decision.rule == .silence)
    }

    @Test("a stage is never passed by silence: nobody reporting means waiting")
    func nothingReported() {
        let decision = GateFixture.decide {
            $0.candidate = Cohort()
            $0.exposedInStage = 0
        }
        #expect(decision.action == .hold && decision.rule == .exposures)
    }

    @Test("each thing that a stage waits for holds it by a rule of its own")
    func waits() {
        #expect(GateFixture.decide { $0.stageSince += 1 }.rule == .stageTime)
        #expect(GateFixture.decide { $0.exposedInStage = 199 }.rule == .exposures)
        #expect(
            GateFixture.decide {
                $0.candidate.due = 199
                $0.candidate.silent = 10
            }.rule == .returns)
        #expect(GateFixture.decide { $0.control = Cohort() }.rule == .control)
        #expect(GateFixture.decide { $0.isPaused = true }.rule == .paused)
        #expect(GateFixture.decide { $0.isHalted = true }.rule == .halted)
        #expect(GateFixture.decide { $0.reach = 10_000 }.rule == .complete)
    }

    @Test("below the limit must be certain: one failure in 200 is not enough to go on")
    func proof() {
        let decision = GateFixture.decide {
            $0.candidate = Cohort(exposed: 200, activated: 200, failed: 1, due: 200, silent: 10)
            $0.exposedInStage = 200
        }
        #expect(decision.action == .hold && decision.rule == .unproven)
    }

    @Test("a stage that cannot prove itself is halted when it fails more often than the control")
    func stalled() {
        func decide(_ failed: Int, after seconds: Int) -> GateDecision {
            GateFixture.decide {
                $0.candidate.failed = failed
                $0.stageSince = GateFixture.now - seconds
            }
        }
        #expect(decide(13, after: 3 * 7_200 - 1).rule == .unproven)
        #expect(decide(13, after: 3 * 7_200).rule == .stalled)
        #expect(decide(13, after: 3 * 7_200).action == .halt)
        // A small cohort that has had one failure is not proven, and not worse either.
        let small = GateFixture.decide {
            $0.candidate = Cohort(exposed: 200, activated: 200, failed: 1, due: 200, silent: 10)
            $0.exposedInStage = 200
            $0.stageSince = 0
        }
        #expect(small.rule == .unproven)
    }

    @Test("a gate never goes beyond what the release key grants")
    func grant() {
        #expect(GateFixture.decide { $0.grant = 1_000 }.action == .advance(to: 1_000))
        let decision = GateFixture.decide { $0.grant = 500 }
        #expect(decision.action == .hold && decision.rule == .granted)
    }

    @Test("the last control that was large enough stands in when hardly anybody is left")
    func earlierControl() {
        let decision = GateFixture.decide {
            $0.earlierControl = $0.control
            $0.control = Cohort(exposed: 20, activated: 20)
            $0.reach = 5_000
            $0.stageSince = 0
            $0.candidate.failed = 19
        }
        #expect(decision.rule == .relative)
    }

    @Test("counts that contradict each other conclude nothing")
    func inconsistent() {
        #expect(GateFixture.decide { $0.candidate.failed = 2_000 }.rule == .inconsistentCounts)
        #expect(GateFixture.decide { $0.candidate.silent = -1 }.rule == .inconsistentCounts)
        #expect(GateFixture.decide { $0.control.due = .max }.rule == .inconsistentCounts)
        #expect(GateFixture.decide { $0.exposedInStage = 5_000 }.rule == .inconsistentCounts)
    }

    @Test("a clock that went back, or a time at the end of all numbers, does not end a stage")
    func clocks() {
        #expect(GateFixture.decide { $0.stageSince = GateFixture.now + 50 }.rule == .stageTime)
        #expect(GateFixture.decide(now: .min) { $0.stageSince = .max }.rule == .stageTime)
    }
}
