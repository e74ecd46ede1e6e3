import Rollout

/// What a start of the app should run, and what became of the starts before it.
public struct LaunchPlan: Sendable, Equatable {
    /// What this device has for the running build, after the judgement.
    public var state: BuildState
    /// Whether downloads failed so often that native code alone should run until a check has
    /// brought something new; no module is loaded then, the bundled one included.
    public var isSafeMode: Bool
    /// What was concluded from the starts that ended since the last launch.
    public var verdicts: [BootVerdict]
}

/// What the boot guard concluded about one payload.
public struct BootVerdict: Sendable, Equatable {
    /// What is done about it.
    public enum Action: Sendable, Equatable {
        /// One unclean start was counted; the payload runs again.
        case counted
        /// The payload is banned; the release with this digest runs instead, or what the app
        /// shipped with.
        case rolledBack(to: String?)
        /// The payload is banned and native code alone runs until a check brings something new.
        case safeMode
        /// The payload has proved itself.
        case confirmed
        /// Nothing changes; it is only worth reporting.
        case reported
    }

    /// The payload's digest.
    public var digest: String
    /// Why: `start_unclean`, `crash_after_ready` or `confirmed`.
    public var reason: Reason
    /// What is done about it.
    public var action: Action
}
