import PatchPlatform
import WebViewBundle

/// One archive over HTTP: the handler of web views behind the HTTP server.
public final class BundleServer: RequestHandler {
    /// An answer to a plain GET, which is the same each time.
    private struct Known {
        let headers: [(name: String, value: String)]
        let place: EntrySpool.Place
    }

    private let bundle: BundleReader
    private let handler: BundleRequestHandler
    private let spool: EntrySpool?
    private let known = Lock<[String: Known]>([:])

    /// - Parameters:
    ///   - handler: how entries are found; its lookup is not asked.
    ///   - keeping: the most bytes of unpacked entries that are kept, in a temporary file without
    ///     a name.
    public init(
        _ bundle: BundleReader, _ handler: BundleRequestHandler, keeping: Int = 1 << 30
    ) {
        self.bundle = bundle
        self.handler = handler
        spool = EntrySpool(capacity: keeping)
    }

    /// Decides the answer from the headers alone; a bundle takes no bodies.
    public func plan(for request: HTTPRequest) -> RequestPlan {
        let isPlain = request.method == "GET" && Self.isPlain(request.headers)
        if isPlain, let known = known.withLock({ $0[request.path] }),
            let body = spool?.body(at: known.place, 0..<known.place.size)
        {
            return .respond(HTTPResponse(status: 200, headers: known.headers, body: body))
        }
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
        let answer = handler.answer(to: inner, from: bundle)
        guard case .part(let entry, let range) = answer.body else {
            return .respond(Self.response(handler.respond(to: inner, from: bundle)))
        }
        guard !range.isEmpty, let place = place(of: entry),
            let body = spool?.body(at: place, range)
        else { return .respond(Self.response(handler.respond(to: inner, from: bundle))) }
        let fields = Self.fields(answer.headers)
        // What stands in for a path that does not exist depends on more than the path.
        if isPlain, answer.status == 200, range.count == place.size {
            remember(request.path, entry, Known(headers: fields, place: place))
        }
        return .respond(HTTPResponse(status: answer.status, headers: fields, body: body))
    }

    /// Nothing is counted here.
    public func answered(
        _ request: HTTPRequest, status: Int, bytes: Int, nanoseconds: UInt64
    ) {}

    /// Headers that could make the answer another one than the whole entry.
    private static let conditions: Set<String> = [
        "if-none-match", "if-range", "range",
    ]

    private static func isPlain(_ headers: HTTPHeaders) -> Bool {
        !headers.fields.contains { conditions.contains($0.name) }
    }

    private func remember(_ path: String, _ entry: BundleEntry, _ fresh: Known) {
        // Clients choose how they write a path; only the entry's own way of writing is kept, so
        // that there are no more than entries.
        guard path == entry.path else { return }
        known.withLock { $0[path] = fresh }
    }

    private func place(of entry: BundleEntry) -> EntrySpool.Place? {
        // An entry that cannot be read is the handler's to report.
        spool?.place(of: entry.path) { try? bundle.contents(of: entry) }
    }

    private static func response(_ answer: BundleResponse) -> HTTPResponse {
        HTTPResponse(
            status: answer.status, headers: fields(answer.headers),
            body: answer.body.isEmpty ? .empty : .bytes(answer.body))
    }

    private static func fields(_ headers: [HeaderField]) -> [(name: String, value: String)] {
        headers.filter { $0.name.lowercased() != "content-length" }.map { ($0.name, $0.value) }
    }
}
