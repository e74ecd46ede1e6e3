import TUF

/// How long new metadata is valid, in days (updates.md §1).
public struct ExpiryPlan: Sendable, Hashable {
    /// Root.
    public var rootDays = 3 * 365
    /// The top-level targets and build roles.
    public var targetsDays = 365
    /// The brakes role.
    public var brakesDays = 30
    /// Snapshot and timestamp.
    public var freshnessDays: Int

    /// A server renews freshness by itself.
    public static let server = ExpiryPlan(freshnessDays: 7)
    /// In a static tree somebody has to run a command.
    public static let staticTree = ExpiryPlan(freshnessDays: 30)
}
