/// Bounds that hold for every connection.
public struct ServerLimits: Sendable {
    /// Threads that serve connections.
    public var threads = 2
    /// Open connections in all.
    public var connections = 4_000
    /// Bytes for request line and headers of a connection. The library clears as much after each
    /// request, so more of it costs every request.
    public var headerBytes = 16 << 10
    /// Seconds without any traffic after which a connection is closed.
    public var idleSeconds = 20
    /// Seconds for a whole header to arrive.
    public var headerSeconds = 10
    /// Seconds for a body or an answer, beside the time that its size takes at `slowestRate`.
    public var transferSeconds = 20
    /// Seconds for a client to end a body that is already refused, and to read the refusal.
    public var refusalSeconds = 2
    /// Bytes a second below which a transfer is cut off.
    public var slowestRate = 8 << 10

    /// Addresses of proxies whose `X-Forwarded-For` is believed.
    public var trustedProxies: Set<String> = []

    /// The defaults.
    public init() {}

    func transferSeconds(for bytes: Int) -> Double {
        Double(transferSeconds) + Double(bytes) / Double(max(1, slowestRate))
    }
}
