/// What the boot guard remembers in the state from start to start (updates.md §4).
public struct BootMemory: Equatable, Sendable {
    /// How starts with a payload went, by digest.
    public var starts: [String: StartRecord] = [:]
    /// The digest of what the app shipped with, once it was started; the only one in `starts` that
    /// no slot holds.
    public var shipped: String?
    /// Whether `current` is what was fallen back on after another release failed.
    public var isFallback = false
    /// Until when native code alone runs, in seconds since 1970; nil for no safe mode.
    public var safeModeUntil: Double?
    /// The starts that were judged last and whose marks may not have been removed yet.
    public var judged: Set<String> = []

    /// Nothing has started yet.
    public init() {}

    mutating func remember(_ activation: StartMark.Activation, _ record: StartRecord) {
        starts[activation.digest] = record
        if activation.isShipped { shipped = activation.digest }
    }
}

/// How starts with one payload went.
public struct StartRecord: Equatable, Sendable {
    /// Unclean starts since the last one that became ready.
    public var unclean = 0
    /// Clean ends of starts that did not become ready.
    public var cleanEnds = 0
    /// Starts that became ready, counted up to ``BootJudge/watchedRuns``.
    public var readyRuns = 0

    /// No start yet.
    public init() {}
}
