/// What a process that starts says of it.
public struct StartReport: Codable, Sendable {
    /// Digest of what runs; nil for native code.
    public var runs: String?
    /// Whether native code alone should run.
    public var isSafeMode: Bool
    /// Whether what runs has been found to work.
    public var isConfirmed: Bool
    /// What was concluded from earlier starts: reason and action.
    public var verdicts: [String]

    /// A report.
    public init(runs: String?, isSafeMode: Bool, isConfirmed: Bool, verdicts: [String]) {
        self.runs = runs
        self.isSafeMode = isSafeMode
        self.isConfirmed = isConfirmed
        self.verdicts = verdicts
    }
}

/// What an extension saw of the app's state over a while.
public struct WatchReport: Codable, Sendable {
    /// Device ids.
    public var devices: Set<String>
    /// Digests of the releases whose payload it read whole.
    public var releases: Set<String>
    /// What could not be read, or not whole.
    public var faults: [String]

    /// A report.
    public init(devices: Set<String>, releases: Set<String>, faults: [String]) {
        self.devices = devices
        self.releases = releases
        self.faults = faults
    }
}
