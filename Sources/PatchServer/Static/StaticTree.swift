import Foundation
import PatchCrypto
import PatchPlatform

/// Serves published trees: strong entity tags, conditions, ranges, precompressed bodies.
final class StaticTree: Sendable {
    /// Metadata is small; nothing larger is kept in memory.
    static let largestCachedFile = 512 << 10
    private static let cachedFiles = 512

    /// Nanoseconds for which a file is taken to be as it was, while nothing is published. Only what
    /// changes files behind the server's back is served that much later.
    private static let trusted: UInt64 = 1_000_000_000

    private struct Cached {
        let stamp: FileStamp
        let bytes: [UInt8]
        let tag: String
        /// Whether there is a precompressed copy beside it.
        var isPacked: Bool
        /// The whole answers, with the file and without.
        let found: PreparedAnswer?
        let notModified: PreparedAnswer?
        var generation: Int
        var checked: UInt64
    }

    private let layout: DataLayout
    private let generation: TreeGeneration
    /// By the file's path.
    private let cache = Lock<[String: Cached]>([:])
    /// The same by the path that a client asked for, so that it need not be taken apart.
    private let asked = Lock<[String: Cached]>([:])

    init(layout: DataLayout, generation: TreeGeneration) {
        self.layout = layout
        self.generation = generation
    }

    /// The answer to GET or HEAD of a file that was looked at a moment ago; nil when it has to be
    /// looked at. Update checks are nearly all of what a server is asked, and all for one file.
    func remembered(_ request: HTTPRequest) -> HTTPResponse? {
        guard let known = known(request.path, asked), request.headers["range"] == nil else {
            return nil
        }
        return answer(known, request)
    }

    /// The answer to GET or HEAD of a published file.
    func response(for path: TreePath, request: HTTPRequest) -> HTTPResponse {
        let identity = layout.file(path)
        let wantsPart = request.headers["range"] != nil
        if !wantsPart, path.digest == nil, let known = known(identity, cache),
            let answer = answer(known, request)
        {
            asked.withLock {
                if $0.count >= Self.cachedFiles { $0.removeAll(keepingCapacity: true) }
                $0[request.path] = known
            }
            return answer
        }
        if !wantsPart, Self.acceptsBrotli(request.headers["accept-encoding"]),
            let packed = representation(of: path, at: layout.brotliFile(path), suffix: "-br")
        {
            return answer(packed, path, request, encoding: "br")
        }
        guard let plain = representation(of: path, at: identity, suffix: "") else {
            return APIError.notFound.response
        }
        return answer(plain, path, request, encoding: nil)
    }

    /// What is known of a file, while it need not be looked at.
    private func known(_ name: String, _ files: Lock<[String: Cached]>) -> Cached? {
        let (now, generation) = (monotonicNanoseconds(), generation.current)
        return files.withLock { files in
            guard let known = files[name], known.generation == generation,
                now &- known.checked < Self.trusted
            else { return nil }
            return known
        }
    }

    /// One of the whole answers; nil where the precompressed copy may be wanted.
    private func answer(_ known: Cached, _ request: HTTPRequest) -> HTTPResponse? {
        if known.isPacked, request.headers["accept-encoding"] != nil { return nil }
        let isKnown = EntityTag.matches(request.headers["if-none-match"], tag: known.tag)
        return (isKnown ? known.notModified : known.found)?.answer
    }

    private enum Contents {
        case bytes([UInt8])
        case descriptor(Int32, size: UInt64)
    }

    private struct Representation {
        let contents: Contents
        let tag: String

        func body(_ range: Range<UInt64>) -> HTTPResponse.Body {
            switch contents {
            case .bytes(let bytes):
                return .bytes(
                    range.count == bytes.count
                        ? bytes : Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
            case .descriptor(let descriptor, _):
                return .file(
                    descriptor: descriptor, offset: range.lowerBound,
                    count: range.upperBound - range.lowerBound)
            }
        }

        var size: UInt64 {
            switch contents {
            case .bytes(let bytes): return UInt64(bytes.count)
            case .descriptor(_, let size): return size
            }
        }
    }

    private func representation(
        of path: TreePath, at file: String, suffix: String
    ) -> Representation? {
        // Before the file is opened: what is published meanwhile makes it old.
        let generation = generation.current
        let descriptor = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard let stamp = FileStamp(descriptor: descriptor) else {
            close(descriptor)
            return nil
        }
        if let digest = path.digest {
            return Representation(
                contents: .descriptor(descriptor, size: UInt64(stamp.size)),
                tag: "\"\(digest)\(suffix)\"")
        }
        defer { close(descriptor) }
        let now = monotonicNanoseconds()
        let isPacked = suffix.isEmpty && access(layout.brotliFile(path), F_OK) == 0
        let known = cache.withLock { cache -> Cached? in
            guard var known = cache[file], known.stamp == stamp else { return nil }
            known.generation = generation
            known.checked = now
            known.isPacked = isPacked
            cache[file] = known
            return known
        }
        if let known { return Representation(contents: .bytes(known.bytes), tag: known.tag) }
        guard stamp.size <= Self.largestCachedFile,
            let bytes = FileStamp.readAll(descriptor, size: stamp.size)
        else { return nil }
        let tag = "\"\(SHA256.hash(bytes).prefix(16).map(hexByte).joined())\(suffix)\""
        var headers = Self.headers(path, tag: tag)
        let notModified = HTTPResponse(status: 304, headers: headers, body: .bytes(bytes))
        headers.append(("Content-Type", Self.contentType(path)))
        if !suffix.isEmpty { headers.append(("Content-Encoding", "br")) }
        let cached = Cached(
            stamp: stamp, bytes: bytes, tag: tag, isPacked: isPacked,
            found: PreparedAnswer(HTTPResponse(status: 200, headers: headers, body: .bytes(bytes))),
            notModified: PreparedAnswer(notModified), generation: generation, checked: now)
        cache.withLock {
            if $0.count >= Self.cachedFiles { $0.removeAll(keepingCapacity: true) }
            $0[file] = cached
        }
        return Representation(contents: .bytes(bytes), tag: tag)
    }

    private func answer(
        _ found: Representation, _ path: TreePath, _ request: HTTPRequest, encoding: String?
    ) -> HTTPResponse {
        var headers = Self.headers(path, tag: found.tag)
        if EntityTag.matches(request.headers["if-none-match"], tag: found.tag) {
            // The library sends no body with a 304, but takes Content-Length from it, which must
            // be that of the 200 (RFC 9110 §8.6).
            return HTTPResponse(status: 304, headers: headers, body: found.body(0..<found.size))
        }
        headers.append(("Content-Type", Self.contentType(path)))
        if let encoding { headers.append(("Content-Encoding", encoding)) }
        var range = 0..<found.size
        var status = 200
        switch Self.range(request, found) {
        case .whole: break
        case .part(let part):
            range = part
            status = 206
            headers.append(
                ("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(found.size)"))
        case .unsatisfiable:
            if case .descriptor(let descriptor, _) = found.contents { close(descriptor) }
            headers.append(("Content-Range", "bytes */\(found.size)"))
            return HTTPResponse(status: 416, headers: headers)
        }
        return HTTPResponse(status: status, headers: headers, body: found.body(range))
    }

    /// `If-Range` with another tag asks for the whole file (RFC 9110 §13.1.5).
    private static func range(_ request: HTTPRequest, _ found: Representation) -> ByteRange {
        guard request.method == "GET" else { return .whole }
        if let condition = request.headers["if-range"], condition != found.tag { return .whole }
        return ByteRange.parse(request.headers["range"], size: found.size)
    }

    private static func headers(
        _ path: TreePath, tag: String
    ) -> [(name: String, value: String)] {
        let lifetime: String
        switch path.lifetime {
        case .immutable: lifetime = "public, max-age=31536000, immutable"
        case .revalidate: lifetime = "no-cache"
        }
        return [
            ("ETag", tag), ("Cache-Control", lifetime), ("Accept-Ranges", "bytes"),
            ("Vary", "Accept-Encoding"), ("X-Content-Type-Options", "nosniff"),
        ]
    }

    private static func contentType(_ path: TreePath) -> String {
        path.names.last?.hasSuffix(".json") == true
            ? "application/json" : "application/octet-stream"
    }

    /// Whether `br` is named with a quality other than zero (RFC 9110 §12.5.3).
    static func acceptsBrotli(_ header: String?) -> Bool {
        guard let header else { return false }
        for part in header.split(separator: ",") {
            let pieces = part.split(separator: ";").map {
                $0.filter { $0 != " " && $0 != "\t" }.lowercased()
            }
            guard pieces.first == "br" else { continue }
            guard let quality = pieces.first(where: { $0.hasPrefix("q=") }) else { return true }
            return (Double(quality.dropFirst(2)) ?? 0) > 0
        }
        return false
    }
}

/// A number that grows whenever something is published.
final class TreeGeneration: Sendable {
    private let number = Lock(0)

    var current: Int { number.withLock { $0 } }
    func advance() { number.withLock { $0 += 1 } }
}

/// What tells one state of a file from another without reading it.
struct FileStamp: Equatable, Sendable {
    let device: UInt64
    let node: UInt64
    let size: Int
    let seconds: Int
    let nanoseconds: Int

    /// Nil when the descriptor is no regular file.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        node = UInt64(status.st_ino)
        size = Int(status.st_size)
        #if os(Linux)
            let changed = status.st_mtim
        #else
            let changed = status.st_mtimespec
        #endif
        seconds = changed.tv_sec
        nanoseconds = changed.tv_nsec
    }

    static func readAll(_ descriptor: Int32, size: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size)
        var done = 0
        while done < size {
            let count = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress.map { $0 + done }, size - done)
            }
            guard count > 0 else { return nil }
            done += count
        }
        return bytes
    }
}

func hexByte(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return text.count == 1 ? "0" + text : text
}
