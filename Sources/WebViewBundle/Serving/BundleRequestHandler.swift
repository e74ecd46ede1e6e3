import PatchCrypto

/// How a bundle is served.
public struct BundleServingOptions: Sendable, Equatable {
    /// How paths are found.
    public var pathStyle: PathStyle = .directoryIndex
    /// The entry that answers navigations to paths that do not exist, with status 200: a page
    /// that routes by itself. Usually `/index.html`.
    public var spaFallback: String?
    /// The entry that answers navigations to paths that do not exist, with status 404.
    public var notFoundPage: String?
    /// Bytes of unpacked entries that are kept in memory.
    public var cacheSize = 4 << 20

    /// The usual options: no fallback, no page for what is not found.
    public init() {}
}

/// Answers requests from bundles: no network, no state but a cache. The same for `WKWebView`,
/// WebKitGTK, the HTTP server of `patchcli web serve` and tests.
public final class BundleRequestHandler: Sendable {
    /// Finds the bundle of a name; nil when there is none.
    public typealias Lookup = @Sendable (String) throws -> BundleReader?

    private let lookup: Lookup
    private let options: BundleServingOptions
    private let onError: @Sendable (any Swift.Error) -> Void
    private let cache: EntryCache

    /// - Parameters:
    ///   - onError: told what made a request fail with status 500.
    ///   - lookup: finds the bundle that the host of a request names.
    public init(
        options: BundleServingOptions = BundleServingOptions(),
        onError: @escaping @Sendable (any Swift.Error) -> Void = { _ in },
        lookup: @escaping Lookup
    ) {
        self.options = options
        self.onError = onError
        self.lookup = lookup
        cache = EntryCache(capacity: options.cacheSize)
    }

    /// The answer to a request, from the bundle that its host names.
    public func respond(to request: BundleRequest) -> BundleResponse {
        do {
            guard let bundle = try lookup(request.bundleName) else {
                return finish(
                    .text(404, "There is no bundle named '\(request.bundleName.printable)'."),
                    request)
            }
            return respond(to: request, from: bundle)
        } catch {
            return failed(error, request)
        }
    }

    /// The answer to a request, from a bundle that is known.
    public func respond(to request: BundleRequest, from bundle: BundleReader) -> BundleResponse {
        let answer = answer(to: request, from: bundle)
        do {
            return BundleResponse(
                status: answer.status, headers: answer.headers,
                body: try bytes(of: answer.body, in: bundle))
        } catch {
            return failed(error, request)
        }
    }

    /// As ``respond(to:from:)``, without reading the entry that is the body.
    public func answer(to request: BundleRequest, from bundle: BundleReader) -> BundleAnswer {
        guard request.method == "GET" || request.method == "HEAD" else {
            return BundleAnswer(
                .text(
                    405, "Only GET and HEAD are answered from a bundle.",
                    [HeaderField("Allow", "GET, HEAD")]))
        }
        do {
            let candidates = PathRules.candidates(request.path, style: options.pathStyle)
            for path in candidates {
                guard let entry = bundle.entry(at: path) else { continue }
                return try serve(entry, of: bundle, to: request)
            }
            if PathRules.isNavigation(request) {
                if let entry = options.spaFallback.flatMap(bundle.entry) {
                    return try serve(entry, of: bundle, to: request)
                }
                if let entry = options.notFoundPage.flatMap(bundle.entry) {
                    return try serveWhole(entry, of: bundle, to: request, status: 404)
                }
            }
            return BundleAnswer(finish(.text(404, "The bundle has no such file."), request))
        } catch {
            return BundleAnswer(failed(error, request))
        }
    }

    private func bytes(of body: BundleAnswer.Body, in bundle: BundleReader) throws -> [UInt8] {
        switch body {
        case .bytes(let bytes): return bytes
        case .part(let entry, let range):
            let contents = try contents(of: entry, in: bundle)
            return range.count == contents.count ? contents : Array(contents[range])
        }
    }

    /// Forgets unpacked entries of a bundle that is no longer served.
    public func forget(_ bundle: BundleReader) { cache.drop(bundle) }

    // MARK: One entry

    private func serve(
        _ entry: BundleEntry, of bundle: BundleReader, to request: BundleRequest
    ) throws -> BundleAnswer {
        let etag = try self.etag(of: entry, in: bundle)
        if let wanted = request.headers.first("If-None-Match"), matches(wanted, etag) {
            return BundleAnswer(status: 304, headers: validators(entry, etag))
        }
        // A range is defined for GET only, and for the version that the client has a part of.
        let isRangeWanted =
            request.method == "GET"
            && (request.headers.first("If-Range").map { $0 == etag } ?? true)
        let header = isRangeWanted ? request.headers.first("Range") : nil
        switch ByteRanges(header, size: entry.contentLength) {
        case .everything:
            return try serveWhole(entry, of: bundle, to: request, status: 200)
        case .unsatisfiable:
            return BundleAnswer(
                .text(
                    416, "The file has \(entry.contentLength) bytes; the range lies outside.",
                    [HeaderField("Content-Range", "bytes */\(entry.contentLength)")]))
        case .parts(let parts):
            let common = stored(entry) + validators(entry, etag)
            guard parts.count > 1 else { return single(parts[0], of: entry, headers: common) }
            let contents = try contents(of: entry, in: bundle)
            return several(parts, of: entry, contents: contents, headers: common, etag: etag)
        }
    }

    private func serveWhole(
        _ entry: BundleEntry, of bundle: BundleReader, to request: BundleRequest, status: Int
    ) throws -> BundleAnswer {
        var headers = stored(entry)
        // The page for what is not found is no representation of the path asked for.
        headers +=
            status == 200
            ? validators(entry, try etag(of: entry, in: bundle))
            : [HeaderField("Cache-Control", "no-store")]
        headers.append(HeaderField("Content-Type", ContentType.served(entry.contentType)))
        headers.append(HeaderField("Content-Length", "\(entry.contentLength)"))
        guard request.method == "GET" else {
            return BundleAnswer(status: status, headers: headers)
        }
        return BundleAnswer(
            status: status, headers: headers, body: .part(of: entry, 0..<entry.contentLength))
    }

    private func single(
        _ range: Range<Int>, of entry: BundleEntry, headers: [HeaderField]
    ) -> BundleAnswer {
        BundleAnswer(
            status: 206,
            headers: headers + [
                HeaderField("Content-Type", ContentType.served(entry.contentType)),
                HeaderField("Content-Range", contentRange(range, entry)),
                HeaderField("Content-Length", "\(range.count)"),
            ], body: .part(of: entry, range))
    }

    private func several(
        _ ranges: [Range<Int>], of entry: BundleEntry, contents: [UInt8], headers: [HeaderField],
        etag: String
    ) -> BundleAnswer {
        // A digest, so that no file contains the boundary by chance, and the same request has
        // the same answer.
        let boundary = SHA256.hash("\(entry.path) \(etag) \(ranges)").prefix(16).hex
        let type = ContentType.served(entry.contentType)
        var body: [UInt8] = []
        for range in ranges {
            body +=
                ("\(body.isEmpty ? "" : "\r\n")--\(boundary)\r\nContent-Type: \(type)\r\n"
                + "Content-Range: \(contentRange(range, entry))\r\n\r\n").utf8
            body += contents[range]
        }
        body += "\r\n--\(boundary)--\r\n".utf8
        return BundleAnswer(
            status: 206,
            headers: headers + [
                HeaderField("Content-Type", "multipart/byteranges; boundary=\(boundary)"),
                HeaderField("Content-Length", "\(body.count)"),
            ], body: .bytes(body))
    }

    private func contentRange(_ range: Range<Int>, _ entry: BundleEntry) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(entry.contentLength)"
    }

    private func contents(of entry: BundleEntry, in bundle: BundleReader) throws -> [UInt8] {
        try cache.contents(of: entry, in: bundle) { try bundle.contents(of: entry) }
    }

    // MARK: Headers

    /// Headers that describe how the answer is sent, which is not the archive's to say.
    private static let ownHeaders: Set<String> = [
        "accept-ranges", "connection", "content-encoding", "content-length", "content-range",
        "content-type", "etag", "keep-alive", "last-modified", "transfer-encoding", "upgrade",
    ]

    private func stored(_ entry: BundleEntry) -> [HeaderField] {
        var headers = entry.headers.filter {
            !Self.ownHeaders.contains($0.name) && $0.name != "cache-control"
        }
        if headers.first("X-Content-Type-Options") == nil {
            headers.append(HeaderField("X-Content-Type-Options", "nosniff"))
        }
        return headers
    }

    private func validators(_ entry: BundleEntry, _ etag: String) -> [HeaderField] {
        // Without a stored rule every use asks again, and is answered by 304 from memory: the
        // page after an update is then never a mixture of two bundles.
        let rules = entry.headers.filter { $0.name == "cache-control" }
        return [HeaderField("ETag", etag), HeaderField("Accept-Ranges", "bytes")]
            + (rules.isEmpty ? [HeaderField("Cache-Control", "no-cache")] : rules)
    }

    /// Names the content: equal content in two versions of a bundle has the same tag as a rule.
    private func etag(of entry: BundleEntry, in bundle: BundleReader) throws -> String {
        let checksum = BigEndian.bytes(try bundle.storedChecksum(of: entry)).hex
        return "\"\(checksum)-\(String(entry.contentLength, radix: 16))\""
    }

    private func matches(_ header: String, _ etag: String) -> Bool {
        header.split(separator: ",").contains { item in
            let tag = item.trimmingBlanks
            return tag == "*" || (tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag) == etag
        }
    }

    // MARK: Ends

    private func finish(_ response: BundleResponse, _ request: BundleRequest) -> BundleResponse {
        request.method == "HEAD" ? response.withoutBody() : response
    }

    private func failed(_ error: any Swift.Error, _ request: BundleRequest) -> BundleResponse {
        onError(error)
        return finish(.text(500, "The bundle cannot be read: \(error)"), request)
    }
}
