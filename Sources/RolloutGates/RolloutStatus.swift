/// A rollout as a server tells of it: what is published, how far it reaches, how it is watched.
public struct RolloutStatus: Codable, Equatable, Sendable {
    /// Whose plan is followed.
    public enum PlanOrigin: String, Codable, Sendable {
        /// The one that was signed with the head.
        case head
        /// Another one, that was given to the server.
        case server
    }

    /// The channel.
    public var channel: String
    /// The fingerprint of the build; `_any` for what is for every build.
    public var fingerprint: String
    /// The web bundle that is rolled out; nil for modules.
    public var bundle: String?
    /// The digest of the stable release.
    public var stable: String?
    /// The digest of the candidate; nil when nothing is being rolled out.
    public var release: String?
    /// What the release key grants the candidate, in basis points.
    public var grant: Int
    /// What it reaches now, in basis points: never more than the grant.
    public var reach: Int
    /// Whether no further device takes it.
    public var isHalted: Bool
    /// Whether it is kept from advancing by itself.
    public var isPaused: Bool
    /// The plan that is followed; nil when nobody watches it.
    public var plan: StagePlan?
    /// Where that plan comes from.
    public var planOrigin: PlanOrigin?
    /// The rules of its gates.
    public var rules: GateRules
    /// Since when it reaches as far, in seconds since 1970.
    public var stageSince: Int
    /// The number of the head.
    public var headSequence: Int
    /// The number of the brake; 0 when none was signed.
    public var brakeSequence: Int
    /// Grows with every change; whoever changes it names the one that they build on.
    public var revision: Int
    /// What the gates decided last of this candidate.
    public var lastDecision: GateRecord?

    /// A rollout without a candidate, to be filled in.
    public init(channel: String, fingerprint: String, bundle: String? = nil) {
        self.channel = channel
        self.fingerprint = fingerprint
        self.bundle = bundle
        (grant, reach, isHalted, isPaused) = (0, 0, false, false)
        rules = GateRules()
        (stageSince, headSequence, brakeSequence, revision) = (0, 0, 0, 0)
    }

    enum CodingKeys: String, CodingKey {
        case channel, fingerprint, bundle, stable, release, plan, rules, revision
        case grant = "grant_bps"
        case reach = "reach_bps"
        case isHalted = "halted"
        case isPaused = "paused"
        case planOrigin = "plan_from"
        case stageSince = "stage_since"
        case headSequence = "head_seq"
        case brakeSequence = "brake_seq"
        case lastDecision = "last_decision"
    }
}
