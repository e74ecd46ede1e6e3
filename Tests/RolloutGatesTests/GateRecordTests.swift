import Foundation
import Rollout
import TestSupport
import Testing

@testable import RolloutGates

@Suite("Kept decisions")
struct GateRecordTests {
    @Test("a kept decision is read back and taken again with the same outcome, whatever its inputs")
    func reproduces() throws {
        var random = SeededGenerator()
        let encoder = JSONEncoder()
        var rules: Set<GateRule> = []
        for _ in 0..<5_000 {
            let record = GateRecordTests.record(&random)
            rules.insert(record.decision.rule)
            let read = try JSONDecoder().decode(GateRecord.self, from: encoder.encode(record))
            #expect(read == record, "\(random)")
            #expect(read.again() == record.decision, "\(random)")
        }
        // Nothing would be proven by five thousand holds.
        #expect(rules.isSuperset(of: [.hard, .relative, .silence, .passed, .unproven, .stageTime]))
    }

    @Test("no inputs raise the reach above the grant, or advance while a rule halts")
    func onlyWithinTheGrant() {
        var random = SeededGenerator()
        for _ in 0..<20_000 {
            let record = GateRecordTests.record(&random)
            let inputs = record.decision.inputs
            guard case .advance(let reach) = record.decision.action else { continue }
            #expect(reach <= inputs.grant && reach > inputs.reach, "\(random)")
            #expect(record.plan.stages.contains { $0.grant >= reach }, "\(random)")
            let upper = inputs.candidate.failures.bounds(record.rules.failureConfidence).upperBound
            #expect(upper < Double(record.rules.failureLimit) / 10_000, "\(random)")
            #expect(inputs.candidate.activated >= record.rules.minimumExposures, "\(random)")
        }
    }

    @Test("more failures never turn a halt into anything else")
    func monotone() {
        var random = SeededGenerator()
        for _ in 0..<20_000 {
            let record = GateRecordTests.record(&random)
            guard record.decision.action == .halt else { continue }
            var inputs = record.decision.inputs
            inputs.candidate.failed = Int.random(
                in: inputs.candidate.failed...inputs.candidate.activated, using: &random)
            let worse = decideGate(inputs, rules: record.rules, plan: record.plan, now: record.at)
            #expect(worse.action == .halt, "\(random)")
        }
    }

    @Test("numbers of any size give a decision")
    func totality() {
        var random = SeededGenerator()
        func any() -> Int {
            [0, 1, -1, 200, .max, .min, .max - 1, Int.random(in: .min ... .max, using: &random)]
                .randomElement(using: &random) ?? 0
        }
        func cohort() -> Cohort {
            Cohort(exposed: any(), activated: any(), failed: any(), due: any(), silent: any())
        }
        for _ in 0..<20_000 {
            var inputs = GateFixture.healthy
            inputs.reach = any()
            inputs.grant = any()
            inputs.stageSince = any()
            inputs.candidate = cohort()
            inputs.control = cohort()
            inputs.exposedInStage = any()
            let decision = decideGate(inputs, rules: GateRules(), plan: .standard, now: any())
            if case .advance(let reach) = decision.action { #expect(reach <= inputs.grant) }
        }
    }

    @Test("rules and plans that cannot be meant are refused when they are read")
    func refusals() {
        func rules(_ json: String) throws -> GateRules {
            try JSONDecoder().decode(GateRules.self, from: Data(json.utf8))
        }
        func plan(_ json: String) throws -> StagePlan {
            try JSONDecoder().decode(StagePlan.self, from: Data(json.utf8))
        }
        #expect((try? rules("{}")) == GateRules())
        #expect(throws: GateError.self) { try rules(#"{"failure_limit_bps": 0}"#) }
        #expect(throws: GateError.self) { try rules(#"{"minimum_exposures": -5}"#) }
        #expect(throws: GateError.self) { try rules(#"{"return_seconds": 99999999999}"#) }
        #expect(throws: DecodingError.self) { try rules(#"{"silence_confidence_bps": 9123}"#) }
        #expect(throws: GateError.self) { try plan("[]") }
        for stages in [
            #"[{"grant_bps": 500, "seconds": 1}, {"grant_bps": 500, "seconds": 1}]"#,
            #"[{"grant_bps": 10001, "seconds": 1}]"#, #"[{"grant_bps": 0, "seconds": 1}]"#,
            #"[{"grant_bps": 1, "seconds": -1}]"#,
            #"[{"grant_bps": 9223372036854775807, "seconds": 1}]"#,
        ] {
            #expect(throws: GateError.self, "\(stages)") { try plan(stages) }
        }
        #expect(throws: GateError.self) {
            try StagePlan((1...33).map { Stage(grant: $0, seconds: 1) })
        }
    }

    /// A record of a rollout that could be, with any rules.
    static func record(_ random: inout SeededGenerator) -> GateRecord {
        func cohort(_ failure: Double) -> Cohort {
            let exposed = Int.random(
                in: 0...Int.random(in: 1...20_000, using: &random), using: &random)
            let activated = Int.random(in: exposed / 2...exposed, using: &random)
            let due = Int.random(in: 0...exposed, using: &random)
            return Cohort(
                exposed: exposed, activated: activated,
                failed: Int(Double(activated) * failure), due: due,
                silent: Int(Double(due) * Double.random(in: 0.03...0.09, using: &random)))
        }
        var rules = GateRules()
        rules.minimumExposures = Int.random(in: 1...400, using: &random)
        rules.failureLimit = Int.random(in: 50...400, using: &random)
        rules.patience = Int.random(in: 0...4, using: &random)
        let reach = [0, 100, 250, 500, 2_500, 5_000].randomElement(using: &random) ?? 0
        let now = 1_800_000_000
        var inputs = GateInputs(
            release: "a", channel: "production", fingerprint: "f", reach: reach,
            grant: Int.random(in: reach...10_000, using: &random),
            stageSince: now - Int.random(in: 0...200_000, using: &random),
            candidate: cohort(Double.random(in: 0...0.03, using: &random)), exposedInStage: 0,
            control: cohort(0.003))
        inputs.exposedInStage = Int.random(in: 0...inputs.candidate.exposed, using: &random)
        if Bool.random(using: &random) { inputs.earlierControl = cohort(0.003) }
        return GateRecord(
            at: now, decision: decideGate(inputs, rules: rules, plan: .standard, now: now),
            rules: rules, plan: .standard)
    }
}
