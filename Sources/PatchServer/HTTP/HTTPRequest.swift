/// What a client asks for: everything before the body.
public struct HTTPRequest: Sendable {
    /// The method, upper case as sent.
    public let method: String
    /// The path as sent, percent signs and all, without the query.
    public let path: String
    /// The query's arguments in the order sent, percent signs and all.
    public let query: [(name: String, value: String)]
    /// Header fields in the order sent; duplicates are kept.
    public let headers: HTTPHeaders
    /// The client's numeric address, empty when unknown.
    public let address: String

    /// Makes a request.
    public init(
        method: String, path: String, query: [(name: String, value: String)] = [],
        headers: HTTPHeaders = [:], address: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.address = address
    }

    /// The size that the client announced, nil for a chunked body or none.
    var contentLength: Int? { headers["content-length"].flatMap { Int($0) } }

    /// Whether a body follows the headers.
    var hasBody: Bool {
        (contentLength ?? 0) > 0 || headers["transfer-encoding"] != nil
    }
}

/// Header fields; names are compared without regard to case.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// The fields in order, names in lower case.
    public private(set) var fields: [(name: String, value: String)] = []

    /// No fields yet, with room for those of a usual request.
    static var usual: HTTPHeaders {
        var headers = HTTPHeaders()
        headers.fields.reserveCapacity(8)
        return headers
    }

    /// Makes headers from pairs.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// Adds a field, keeping others of the same name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append((Self.lowercased(name), value))
    }

    /// ASCII alone, which is what names are made of; the rules of Unicode would cost more than all
    /// else of a small request.
    private static func lowercased(_ name: String) -> String {
        if name.utf8.allSatisfy({ !(0x41...0x5A).contains($0) }) { return name }
        return String(
            decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The first value of a field.
    public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// All values of a field.
    public func all(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }
}
