/// How long the network is waited for. The values are those of decision record 0069.
public struct NetworkLimits: Sendable {
    /// Seconds without a byte after which a request for metadata fails.
    public var metadataIdle: Double = 15
    /// Seconds that one metadata file may take.
    public var metadataDeadline: Double = 60
    /// Seconds without a byte after which a download fails.
    public var idle: Double = 30
    /// Bytes a second that must arrive, measured over each `rateWindow`.
    public var minimumRate = 1024
    /// Seconds over which the rate is measured.
    public var rateWindow: Double = 30
    /// Seconds that bringing a payload may take in all, retries and mirrors included, on top of a
    /// second for each 4 KiB.
    public var deadline: Double = 120
    /// How often all mirrors are asked again although no byte came.
    public var rounds = 3
    /// The most requests for one file.
    public var requests = 40
    /// The longest pause between rounds, in seconds; a server that asks for more ends the attempt.
    public var longestPause: Double = 60
    /// How long another mirror is preferred after the first one failed, in seconds.
    public var mirrorMemory: Double = 600

    /// The limits that apps have.
    public init() {}
}
