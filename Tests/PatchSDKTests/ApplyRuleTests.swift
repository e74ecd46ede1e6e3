import Testing

@testable import PatchSDK

/// When an update that waits on disk begins to run.
@Suite("P48: a mandatory update does not tear the user out of a task")
struct ApplyRuleTests {
    static let now = 1_800_000_000.0

    private func rule(
        _ applies: PatchApplies, mandatory: Bool = false, applyBy: Double? = nil,
        last: Double? = nil, isReady: Bool = true
    ) -> ApplyRule {
        ApplyRule(
            applies: applies, isMandatory: mandatory, applyBy: applyBy, now: Self.now,
            lastInterruption: last, isReady: isReady)
    }

    @Test("an ordinary update follows the app's choice alone")
    func ordinary() {
        #expect(rule(.now).answer == (.apply, false))
        #expect(rule(.safePoint).answer == (.applyIfSafe, false))
        #expect(rule(.nextLaunch).answer == (.wait, false))
        // An apply-by date of the head says nothing about a release that is not mandatory.
        #expect(rule(.nextLaunch, applyBy: Self.now - 1).answer == (.wait, false))
    }

    @Test("a mandatory update asks until it is overdue, and then does not ask")
    func overdue() {
        for applies in [PatchApplies.safePoint, .nextLaunch] {
            let early = rule(applies, mandatory: true, applyBy: Self.now + 1)
            #expect(early.answer.0 == .applyIfSafe)
            let overdue = rule(applies, mandatory: true, applyBy: Self.now)
            #expect(overdue.answer == (.apply, true))
        }
        // Without a date it is never overdue, but it does not wait for the next start either.
        #expect(rule(.nextLaunch, mandatory: true).answer == (.applyIfSafe, true))
    }

    @Test("it interrupts at most once in 24 hours")
    func onceADay() {
        let spacing = ApplyRule.interruptionSpacing
        func answer(_ last: Double) -> ApplyRule.Answer {
            rule(.nextLaunch, mandatory: true, applyBy: Self.now - 1, last: last).answer.0
        }
        #expect(answer(Self.now - spacing + 1) == .wait)
        #expect(answer(Self.now - spacing) == .apply)
        // A clock that was set back cannot hold it off for years.
        #expect(answer(Self.now + 10 * 365 * 86400) == .apply)
    }

    @Test("it never interrupts before what runs has been found to work")
    func notBeforeReady() {
        let hasty = rule(.nextLaunch, mandatory: true, applyBy: Self.now - 1, isReady: false)
        #expect(hasty.answer == (.wait, false))
        let safe = rule(.safePoint, mandatory: true, applyBy: Self.now - 1, isReady: false)
        #expect(safe.answer == (.applyIfSafe, false))
    }

    @Test(
        "in every combination: what waits for the next start interrupts only as a mandatory update")
    func allCombinations() {
        let times: [Double?] = [nil, Self.now - 200_000, Self.now - 1, Self.now + 1]
        for applies in [PatchApplies.now, .safePoint, .nextLaunch] {
            for mandatory in [false, true] {
                for applyBy in times {
                    for last in times {
                        for isReady in [false, true] {
                            let rule = rule(
                                applies, mandatory: mandatory, applyBy: applyBy, last: last,
                                isReady: isReady)
                            let (answer, isInterruption) = rule.answer
                            if isInterruption { #expect(mandatory && isReady && answer != .wait) }
                            if applies == .nextLaunch, answer != .wait { #expect(isInterruption) }
                            if applies == .now { #expect(answer == .apply) }
                            if applies == .safePoint { #expect(answer != .wait) }
                        }
                    }
                }
            }
        }
    }
}
