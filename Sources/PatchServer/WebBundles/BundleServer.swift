import WebViewBundle

/// One archive over HTTP: the handler of web views behind the HTTP server.
public struct BundleServer: RequestHandler {
    private let bundle: BundleReader
    private let handler: BundleRequestHandler

    /// - Parameter handler: how entries are found and cached; its lookup is not asked.
    public init(_ bundle: BundleReader, _ handler: BundleRequestHandler) {
        self.bundle = bundle
        self.handler = handler
    }

    /// Decides the answer from the headers alone; a bundle takes no bodies.
    public func plan(for request: HTTPRequest) -> RequestPlan {
        let isHead = request.method == "HEAD"
        var headers = request.headers.fields.map { HeaderField($0.name, $0.value) }
        // The HTTP library leaves the body of an answer to HEAD out by itself and takes the
        // length from it, so the answer to GET is what it needs; a range is for GET only.
        if isHead { headers.removeAll { $0.name == "range" } }
        guard
            let inner = BundleRequest(
                method: isHead ? "GET" : request.method, url: "http://bundle" + request.path,
                headers: headers)
        else { return .respond(HTTPResponse(status: 400)) }
        let answer = handler.respond(to: inner, from: bundle)
        let fields = answer.headers.filter { $0.name.lowercased() != "content-length" }
        return .respond(
            HTTPResponse(
                status: answer.status, headers: fields.map { ($0.name, $0.value) },
                body: answer.body.isEmpty ? .empty : .bytes(answer.body)))
    }

    /// Nothing is counted here.
    public func answered(
        _ request: HTTPRequest, status: Int, bytes: Int, nanoseconds: UInt64
    ) {}
}
