/// What a device should do.
public struct Decision: Equatable, Sendable {
    /// What to run.
    public enum Target: Equatable, Sendable {
        /// What runs already.
        case current
        /// What the app shipped with.
        case embedded
        /// The release with this digest.
        case release(String)
    }

    /// A release that was considered and not taken.
    public struct Exclusion: Equatable, Sendable {
        /// Its digest.
        public var digest: String
        /// Why not.
        public var reason: Reason
    }

    /// What to run.
    public var target: Target
    /// Whether to do it without waiting for the user.
    public var isMandatory: Bool
    /// Which rule decided.
    public var reason: Reason
    /// The values that a mismatch is about, for a log; may be empty.
    public var context: String
    /// The head that decided, if any.
    public var headSequence: Int?
    /// What was considered first and why it was left out.
    public var excluded: [Exclusion]

    static func stay(
        _ reason: Reason, context: String = "", head: Head?, excluded: [Exclusion] = []
    ) -> Decision {
        Decision(
            target: .current, isMandatory: false, reason: reason, context: context,
            headSequence: head?.headSequence, excluded: excluded)
    }
}
