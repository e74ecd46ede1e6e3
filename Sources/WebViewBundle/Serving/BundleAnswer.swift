/// An answer whose body need not be in memory: for servers that send entries from elsewhere.
public struct BundleAnswer: Sendable {
    /// Where the body comes from.
    public enum Body: Sendable {
        /// These bytes.
        case bytes([UInt8])
        /// A part of an entry's uncompressed bytes; never more than the entry has.
        case part(of: BundleEntry, Range<Int>)
    }

    /// The HTTP status.
    public var status: Int
    /// The headers; names may repeat.
    public var headers: [HeaderField]
    /// The body; no bytes for HEAD and 304.
    public var body: Body

    init(status: Int, headers: [HeaderField], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    init(_ response: BundleResponse) {
        self.init(status: response.status, headers: response.headers, body: .bytes(response.body))
    }
}
