import Rollout

/// The steps that a rollout takes by itself, smallest first.
public struct StagePlan: Codable, Equatable, Sendable {
    /// The most steps a plan may have.
    public static let maximumStages = 32

    /// The steps; each reaches more devices than the one before.
    public let stages: [Stage]

    /// A plan of steps.
    /// - Throws: ``GateError`` when there is no step or more than 32, or a step does not reach further
    ///   than the one before, or its share or time is out of range (1...10,000 basis points,
    ///   0...31,536,000 s).
    public init(_ stages: [Stage]) throws {
        guard (1...Self.maximumStages).contains(stages.count) else {
            throw GateError.invalidPlan("a plan has 1 to \(Self.maximumStages) stages")
        }
        var before = 0
        for stage in stages {
            guard (before + 1...max(before + 1, Bucket.count)).contains(stage.grant),
                stage.grant <= Bucket.count
            else {
                throw GateError.invalidPlan(
                    "each stage reaches more devices than the one before, and 100 % at most")
            }
            guard (0...31_536_000).contains(stage.seconds) else {
                throw GateError.invalidPlan("a stage lasts between nothing and a year")
            }
            before = stage.grant
        }
        self.stages = stages
    }

    private init(checked stages: [Stage]) { self.stages = stages }

    /// 1 % for an hour, 5 % for two, 25 % for six, 50 % for twelve, then everybody.
    public static let standard = StagePlan(checked: [
        Stage(grant: 100, seconds: 3_600), Stage(grant: 500, seconds: 7_200),
        Stage(grant: 2_500, seconds: 21_600), Stage(grant: 5_000, seconds: 43_200),
        Stage(grant: 10_000, seconds: 0),
    ])

    /// Reads a list of steps, with the checks of ``init(_:)``.
    public init(from decoder: any Decoder) throws {
        try self.init([Stage](from: decoder))
    }

    /// Writes the list of steps.
    public func encode(to encoder: any Encoder) throws { try stages.encode(to: encoder) }

    /// The step that a rollout of this reach (basis points) is on: the last one that reaches no
    /// further, or the first.
    func stage(at reach: Int) -> Stage {
        stages.last { $0.grant <= reach } ?? stages[0]
    }

    /// The first step that reaches further.
    func next(after reach: Int) -> Stage? { stages.first { $0.grant > reach } }
}

/// What a plan or rules may not say.
public enum GateError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The stages make no plan.
    case invalidPlan(String)
    /// A rule is out of its range.
    case invalidRules(String)

    /// Stable name.
    public var code: String {
        switch self {
        case .invalidPlan: "invalid_plan"
        case .invalidRules: "invalid_rules"
        }
    }

    /// What is wrong, in a sentence.
    public var description: String {
        switch self {
        case .invalidPlan(let text), .invalidRules(let text): text
        }
    }
}
