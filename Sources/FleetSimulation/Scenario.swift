import RolloutGates

/// A row of the researched table: a kind of release, and what must become of it
/// (research/ota-peers.md §7).
public struct Scenario: Sendable {
    /// What the release is like.
    public var name: String
    /// The word that selects it.
    public var id: String
    /// The fleet and the release.
    public var model: FleetModel
    /// The rules.
    public var rules: GateRules
    /// How many rollouts the table stands on.
    public var runs: Int
    /// What must come out.
    public var expectation: Expectation

    /// What must become of every rollout of a scenario.
    public struct Expectation: Codable, Equatable, Sendable {
        /// How each must end.
        public var outcome: RolloutResult.Outcome
        /// The most devices that may have been exposed at the median; nil for no bound.
        public var median: Int?
        /// The same at the 95th percentile.
        public var percentile95: Int?

        /// What must come out.
        public init(
            outcome: RolloutResult.Outcome, median: Int? = nil, percentile95: Int? = nil
        ) {
            self.outcome = outcome
            self.median = median
            self.percentile95 = percentile95
        }

        enum CodingKeys: String, CodingKey {
            case outcome, median
            case percentile95 = "p95"
        }
    }

    /// A kind of release of one's own.
    public init(
        name: String, id: String, model: FleetModel, rules: GateRules, runs: Int,
        expectation: Expectation
    ) {
        self.name = name
        self.id = id
        self.model = model
        self.rules = rules
        self.runs = runs
        self.expectation = expectation
    }

    private static func rules(_ change: (inout GateRules) -> Void = { _ in }) -> GateRules {
        var rules = GateRules()
        // The table's devices report at once.
        rules.returnTime = 0
        change(&rules)
        return rules
    }

    private static func model(_ change: (inout FleetModel) -> Void) -> FleetModel {
        var model = FleetModel()
        change(&model)
        return model
    }

    /// All rows, in the table's order.
    public static let table: [Scenario] = [
        Scenario(
            name: "healthy", id: "healthy", model: FleetModel(), rules: rules(), runs: 200,
            expectation: .init(outcome: .finished)),
        Scenario(
            name: "1.5 % fail", id: "fail-1.5", model: model { $0.candidateFailure = 0.015 },
            rules: rules(), runs: 60,
            expectation: .init(outcome: .halted, median: 1_700, percentile95: 4_800)),
        Scenario(
            name: "3 % fail", id: "fail-3", model: model { $0.candidateFailure = 0.03 },
            rules: rules(), runs: 100,
            expectation: .init(outcome: .halted, median: 375, percentile95: 800)),
        Scenario(
            name: "all brick, none reports", id: "brick-all", model: model { $0.brick = 1 },
            rules: rules(), runs: 30,
            // The first look at which 200 were exposed; about 17 more come by until then.
            expectation: .init(outcome: .halted, median: 220, percentile95: 250)),
        Scenario(
            name: "10 % brick, none reports", id: "brick-10", model: model { $0.brick = 0.1 },
            rules: rules(), runs: 60,
            expectation: .init(outcome: .halted, median: 220, percentile95: 525)),
        Scenario(
            name: "10 % brick, silence rule off", id: "brick-10-deaf",
            model: model { $0.brick = 0.1 }, rules: rules { $0.silenceMargin = 10_000 }, runs: 8,
            expectation: .init(outcome: .finished)),
    ]
}
