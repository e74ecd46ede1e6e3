/// What of the host a guest may learn. Arguments, environment, streams and files are granted by
/// being passed to ``WASIBridgeToHost``; a guest sees none of the process's own.
public struct WASIGrants: OptionSet, Sendable {
    /// One bit per grant.
    public let rawValue: UInt8
    /// Makes a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The time of day.
    public static let wallClock = WASIGrants(rawValue: 1)
    /// A clock that counts from the bridge's creation, so that it does not tell the host's uptime.
    public static let monotonicClock = WASIGrants(rawValue: 2)
    /// Random bytes, which Swift's hashing is seeded with.
    public static let randomness = WASIGrants(rawValue: 4)

    /// What Swift's standard library asks for when it starts.
    public static let standard: WASIGrants = [.wallClock, .monotonicClock, .randomness]
}
