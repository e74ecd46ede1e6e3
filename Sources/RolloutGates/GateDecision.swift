/// What a gate decided, and from what.
public struct GateDecision: Codable, Equatable, Sendable {
    /// What happens to the rollout.
    public enum Action: Equatable, Sendable {
        /// It stays as it is.
        case hold
        /// It reaches so many basis points of devices from now on.
        case advance(to: Int)
        /// No further device takes the release.
        case halt
    }

    /// What happens.
    public var action: Action
    /// Which rule decided.
    public var rule: GateRule
    /// Why, in a sentence with the numbers that matter.
    public var reason: String
    /// From what.
    public var inputs: GateInputs

    enum CodingKeys: String, CodingKey {
        case action, to, rule, reason, inputs
    }

    /// A decision of a rule.
    public init(_ action: Action, _ rule: GateRule, _ reason: String, _ inputs: GateInputs) {
        self.action = action
        self.rule = rule
        self.reason = reason
        self.inputs = inputs
    }

    /// Reads `{action, to, rule, reason, inputs}`.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        switch try values.decode(String.self, forKey: .action) {
        case "hold": action = .hold
        case "halt": action = .halt
        case "advance": action = .advance(to: try values.decode(Int.self, forKey: .to))
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .action, in: values, debugDescription: "no such action")
        }
        rule = try values.decode(GateRule.self, forKey: .rule)
        reason = try values.decode(String.self, forKey: .reason)
        inputs = try values.decode(GateInputs.self, forKey: .inputs)
    }

    /// Writes `{action, to, rule, reason, inputs}`; `to` only of an advance.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(action.name, forKey: .action)
        if case .advance(let reach) = action { try values.encode(reach, forKey: .to) }
        try values.encode(rule, forKey: .rule)
        try values.encode(reason, forKey: .reason)
        try values.encode(inputs, forKey: .inputs)
    }
}

extension GateDecision.Action {
    /// `hold`, `advance` or `halt`.
    public var name: String {
        switch self {
        case .hold: "hold"
        case .advance: "advance"
        case .halt: "halt"
        }
    }
}

/// The rules in the order in which they are asked; the first that applies decides.
public enum GateRule: String, Codable, CaseIterable, Sendable {
    /// The numbers contradict each other; nothing is concluded from them.
    case inconsistentCounts = "inconsistent_counts"
    /// It is halted already.
    case halted
    /// The release fails more often than any may.
    case hard
    /// It fails more often than what runs beside it.
    case relative
    /// More of its devices fall silent than of the others.
    case silence
    /// It has reached the last stage.
    case complete
    /// The release key allows no more.
    case granted
    /// The stage has not lasted long enough.
    case stageTime = "stage_time"
    /// Too few devices took it in this stage.
    case exposures
    /// Too few devices have had the time to come back.
    case returns
    /// No cohort is large enough to compare with.
    case control
    /// It has not proven in a multiple of the stage's time that it is safe, and fails more often than
    /// the control cohort.
    case stalled
    /// It may still fail more often than it may.
    case unproven
    /// Somebody wants to advance it by hand.
    case paused
    /// All is well.
    case passed
}

/// A decision as it is kept: with everything needed to take it again.
public struct GateRecord: Codable, Equatable, Sendable {
    /// Version of this object's form.
    public var v = 1
    /// When it was taken, in seconds since 1970.
    public var at: Int
    /// The decision with its inputs.
    public var decision: GateDecision
    /// The rules that held then.
    public var rules: GateRules
    /// The plan that held then.
    public var plan: StagePlan

    /// A record of a decision.
    public init(at: Int, decision: GateDecision, rules: GateRules, plan: StagePlan) {
        self.at = at
        self.decision = decision
        self.rules = rules
        self.plan = plan
    }

    /// Takes the decision again from what is kept.
    public func again() -> GateDecision {
        decideGate(decision.inputs, rules: rules, plan: plan, now: at)
    }
}
