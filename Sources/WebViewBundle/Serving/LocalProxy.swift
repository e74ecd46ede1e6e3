import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passes requests on to HTTP servers, so that a page under development is seen in the app.
struct LocalProxy: Sendable {
    private let hosts: [String: String]

    init(hosts: [String: String]) {
        self.hosts = Dictionary(
            hosts.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// - Throws: ``WebViewBundleError/invalidLocalHost(_:)``.
    static func check(_ hosts: [String: String]) throws {
        for (host, address) in hosts {
            guard !host.isEmpty, let url = URL(string: address), url.host?.isEmpty == false,
                ["http", "https"].contains(url.scheme?.lowercased() ?? "")
            else { throw WebViewBundleError.invalidLocalHost(host) }
        }
    }

    /// Where a request goes: the address of its whole host, then its path and query, unchanged.
    func target(of request: BundleRequest) -> URL? {
        guard var address = hosts[request.host] else { return nil }
        while address.hasSuffix("/") { address.removeLast() }
        let path = request.path.hasPrefix("/") ? request.path : "/" + request.path
        return URL(string: address + path + (request.query.map { "?" + $0 } ?? ""))
    }

    /// Headers that belong to one connection (RFC 9110 §7.6.1) or are made anew for each.
    private static let hopByHop: Set<String> = [
        "connection", "content-length", "host", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    func respond(to request: BundleRequest) async -> BundleResponse {
        guard let url = target(of: request) else {
            return .text(404, "The host '\(request.host.printable)' is not configured.")
        }
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method
        outgoing.cachePolicy = .reloadIgnoringLocalCacheData
        outgoing.httpBody = request.body.isEmpty ? nil : Data(request.body)
        for header in request.headers where !Self.hopByHop.contains(header.name.lowercased()) {
            outgoing.addValue(header.value, forHTTPHeaderField: header.name)
        }
        do {
            let (data, response) = try await URLSession.shared.data(for: outgoing)
            guard let response = response as? HTTPURLResponse else {
                return .text(502, "\(url.absoluteString) gave no HTTP answer.")
            }
            return answer(response, data, isHead: request.method == "HEAD")
        } catch {
            return .text(
                502,
                "\(url.absoluteString) cannot be reached: \(error.localizedDescription) "
                    + "Is the development server running?")
        }
    }

    private func answer(
        _ response: HTTPURLResponse, _ data: Data, isHead: Bool
    ) -> BundleResponse {
        var headers: [HeaderField] = []
        for (name, value) in response.allHeaderFields {
            let name = "\(name)"
            // The body has been decoded already.
            if Self.hopByHop.contains(name.lowercased())
                || name.lowercased() == "content-encoding"
            {
                continue
            }
            headers.append(HeaderField(name, "\(value)"))
        }
        headers.sort { $0.name.lowercased() < $1.name.lowercased() }
        if !isHead { headers.append(HeaderField("Content-Length", "\(data.count)")) }
        return BundleResponse(status: response.statusCode, headers: headers, body: [UInt8](data))
    }
}
