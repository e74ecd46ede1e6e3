/// A request for something in a bundle, taken apart.
public struct BundleRequest: Sendable, Equatable {
    /// `GET`, `HEAD`, …, as the client wrote it.
    public var method: String
    /// The scheme, in lower case.
    public var scheme: String
    /// The host, in lower case, without port, user and a dot at its end.
    public var host: String
    /// The path as in the URL, percent-encoded, without query and fragment; may be empty.
    public var path: String
    /// The query without its `?`, or nil.
    public var query: String?
    /// The headers.
    public var headers: [HeaderField]
    /// The body; only a local proxy looks at it.
    public var body: [UInt8] = []

    /// Takes an absolute URL apart; nil when it has no scheme and host.
    ///
    /// Custom schemes are nothing special here: `app://app.wvb/a?b#c` has a host and a path.
    public init?(method: String = "GET", url: String, headers: [HeaderField] = []) {
        guard let colon = url.range(of: "://") else { return nil }
        scheme = url[..<colon.lowerBound].lowercased()
        var rest = url[colon.upperBound...]
        if let hash = rest.firstIndex(of: "#") { rest = rest[..<hash] }
        query = nil
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        path = String(rest[slash...])
        var authority = rest[..<slash]
        if let at = authority.lastIndex(of: "@") { authority = authority[at...].dropFirst() }
        if let port = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            authority = authority[..<port]
        }
        if authority.hasSuffix(".") { authority = authority.dropLast() }
        host = authority.lowercased()
        guard !scheme.isEmpty, !host.isEmpty else { return nil }
        self.method = method
        self.headers = headers
    }

    /// The bundle that the host names: its first label.
    public var bundleName: String {
        String(host.split(separator: ".", omittingEmptySubsequences: false).first ?? "")
    }
}

extension String {
    /// The first occurrence of an ASCII text, without Foundation.
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) {
                return start..<(index(start, offsetBy: text.count, limitedBy: endIndex) ?? endIndex)
            }
            start = index(after: start)
        }
        return nil
    }
}

/// An answer, ready to be handed to a web view or a socket.
public struct BundleResponse: Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// The headers; names may repeat.
    public var headers: [HeaderField]
    /// The body; empty for HEAD and 304.
    public var body: [UInt8]

    /// Makes one of its parts.
    public init(status: Int, headers: [HeaderField], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer that is a sentence of plain text.
    static func text(_ status: Int, _ text: String, _ extra: [HeaderField] = []) -> BundleResponse {
        let body = Array((text + "\n").utf8)
        return BundleResponse(
            status: status,
            headers: extra + [
                HeaderField("Content-Type", "text/plain; charset=utf-8"),
                HeaderField("Content-Length", "\(body.count)"),
                HeaderField("Cache-Control", "no-store"),
                HeaderField("X-Content-Type-Options", "nosniff"),
            ], body: body)
    }

    /// The same answer as HEAD has it.
    func withoutBody() -> BundleResponse {
        BundleResponse(status: status, headers: headers)
    }
}
