import Rollout
import RolloutGates

/// A rollout that passes its gate, for tests to change one thing of.
enum GateFixture {
    static let now = 1_800_000_000
    static let rules: GateRules = {
        var rules = GateRules()
        rules.returnTime = 3_600
        return rules
    }()

    /// The standard plan's stage of 5 %, over, with 1,000 devices that do well.
    static var healthy: GateInputs {
        GateInputs(
            release: String(repeating: "a", count: 64), channel: "production",
            fingerprint: String(repeating: "f", count: 64), reach: 500, grant: 10_000,
            stageSince: now - 7_200,
            candidate: Cohort(exposed: 1_000, activated: 1_000, failed: 3, due: 900, silent: 45),
            exposedInStage: 800,
            control: Cohort(
                exposed: 19_000, activated: 19_000, failed: 57, due: 18_000, silent: 900))
    }

    /// What the gate says when one thing is otherwise.
    static func decide(
        rules: GateRules = rules, plan: StagePlan = .standard, now: Int = now,
        _ change: (inout GateInputs) -> Void = { _ in }
    ) -> GateDecision {
        var inputs = healthy
        change(&inputs)
        return decideGate(inputs, rules: rules, plan: plan, now: now)
    }
}
