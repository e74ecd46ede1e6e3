/// Whether an update that waits on disk begins to run now (sdk-api.md, "Mandatory"). Pure, so that
/// every combination can be looked at.
struct ApplyRule: Sendable, Equatable {
    /// A mandatory update interrupts at most so often, in seconds.
    static let interruptionSpacing: Double = 86400

    /// What the app wants.
    var applies: PatchApplies
    /// Whether the update is mandatory.
    var isMandatory: Bool
    /// When a mandatory update is overdue, in seconds since 1970.
    var applyBy: Double?
    /// Seconds since 1970.
    var now: Double
    /// When a mandatory update last interrupted, in seconds since 1970.
    var lastInterruption: Double?
    /// Whether what runs has been found to work; true when nothing runs.
    var isReady: Bool

    /// What to do.
    enum Answer: Equatable, Sendable {
        /// Begin at once.
        case apply
        /// Begin once the app says that this is a safe point.
        case applyIfSafe
        /// Leave it for a later moment, at the latest the next start.
        case wait
    }

    /// What to do now, and whether it counts as an interruption.
    var answer: (Answer, isInterruption: Bool) {
        if applies == .now { return (.apply, false) }
        if isMandatory, isOverdue, isReady, mayInterrupt { return (.apply, true) }
        if applies == .safePoint { return (.applyIfSafe, false) }
        // Until it is overdue, a mandatory update cuts the wait for the next start short, but it
        // asks.
        if isMandatory, isReady, mayInterrupt { return (.applyIfSafe, true) }
        return (.wait, false)
    }

    private var isOverdue: Bool { applyBy.map { $0 <= now } ?? false }

    private var mayInterrupt: Bool {
        guard let last = lastInterruption else { return true }
        // A time in the future comes from a clock that has been set back since; believing it could
        // hold an update back for years.
        return last > now || now - last >= Self.interruptionSpacing
    }
}
