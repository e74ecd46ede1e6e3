/// What a client gets.
public struct HTTPResponse: Sendable {
    /// Where the body comes from.
    public enum Body: Sendable {
        /// No body.
        case empty
        /// Bytes in memory.
        case bytes([UInt8])
        /// A part of an open file; the descriptor is closed by whoever sends it.
        case file(descriptor: Int32, offset: UInt64, count: UInt64)
        /// Made before, headers and all.
        case prepared(PreparedAnswer)
    }

    /// The status code.
    public var status: Int
    /// Header fields to send.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: Body

    /// Makes a response.
    public init(
        status: Int, headers: [(name: String, value: String)] = [], body: Body = .empty
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first value of a field, compared without regard to case.
    public func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name }?.value
    }

    /// Bytes of the body.
    var bodySize: Int {
        switch body {
        case .empty: return 0
        case .bytes(let bytes): return bytes.count
        case .file(_, _, let count): return Int(clamping: count)
        case .prepared(let prepared): return prepared.plain.bodySize
        }
    }
}
