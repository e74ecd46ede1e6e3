import Foundation
import PatchCrypto
import WebViewBundle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where published web bundles come from: a folder of their own, or the releases of an app.
protocol BundleShelf: Sendable {
    /// The names of all bundles, sorted.
    func names() throws -> [String]
    /// Which version of a bundle is deployed; nil when there is no such bundle.
    func deployment(of name: String) throws -> BundleRepository.Deployment?
    /// What is stated of a version; nil when it is not published.
    func statement(of name: String, _ version: String) throws -> BundleRepository.Statement?
    /// The path of a version's archive, which is published.
    func path(of name: String, _ version: String) throws -> String
}

extension BundleRepository: BundleShelf {}

/// Serves a repository of web bundles by the remote contract (Docs/web-bundles.md, "Remotes"),
/// with conditional requests and ranges.
public struct BundleRemoteHandler: RequestHandler {
    private let repository: any BundleShelf
    private let allowsOtherVersions: Bool
    private let prefix: String

    /// - Parameters:
    ///   - prefix: what addresses start with before `/bundles`.
    ///   - allowsOtherVersions: whether versions that are not deployed are given out.
    public init(
        _ repository: BundleRepository, prefix: String = "", allowsOtherVersions: Bool = false
    ) {
        self.repository = repository
        self.prefix = prefix
        self.allowsOtherVersions = allowsOtherVersions
    }

    init(shelf: any BundleShelf, prefix: String, allowsOtherVersions: Bool) {
        repository = shelf
        self.prefix = prefix
        self.allowsOtherVersions = allowsOtherVersions
    }

    /// Decides the answer from the headers alone; the contract has no bodies of requests.
    public func plan(for request: HTTPRequest) -> RequestPlan {
        do {
            return .respond(try answer(request))
        } catch let error as APIError {
            return .respond(error.response)
        } catch {
            return .respond(APIError.internalFailure("The bundle cannot be read.").response)
        }
    }

    /// Nothing is counted here.
    public func answered(
        _ request: HTTPRequest, status: Int, bytes: Int, nanoseconds: UInt64
    ) {}

    func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            throw APIError.methodNotAllowed("GET and HEAD")
        }
        guard request.path.hasPrefix(prefix) else { throw APIError.notFound }
        let parts = request.path.dropFirst(prefix.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.first == "", parts.dropFirst().first == "bundles" else {
            throw APIError.notFound
        }
        let channel = request.query.first { $0.name == "channel" }
            .flatMap { $0.value.removingPercentEncoding }
        switch parts.count {
        case 2: return try list(channel)
        case 3: return try bundle(String(parts[2]), nil, channel, request)
        case 4: return try bundle(String(parts[2]), String(parts[3]), channel, request)
        default: throw APIError.notFound
        }
    }

    private func list(_ channel: String?) throws -> HTTPResponse {
        let lines = try repository.names().compactMap { name in
            try repository.deployment(of: name)?.version(for: channel)
                .map { RemoteBundleListing(name: name, version: $0) }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return HTTPResponse(
            status: 200,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-cache")],
            body: .bytes([UInt8](try encoder.encode(lines))))
    }

    private func bundle(
        _ name: String, _ wanted: String?, _ channel: String?, _ request: HTTPRequest
    ) throws -> HTTPResponse {
        guard let deployment = try repository.deployment(of: name) else { throw APIError.notFound }
        if let wanted, !allowsOtherVersions, wanted != deployment.version,
            !deployment.channels.values.contains(wanted)
        {
            throw APIError(
                status: 403, code: "version_not_deployed",
                message: "Only deployed versions are given out.")
        }
        guard let version = wanted ?? deployment.version(for: channel),
            let statement = try repository.statement(of: name, version)
        else { throw APIError.notFound }
        return try archive(name, version, statement, request)
    }

    private func archive(
        _ name: String, _ version: String, _ statement: BundleRepository.Statement,
        _ request: HTTPRequest
    ) throws -> HTTPResponse {
        // The integrity string names the bytes, so it makes the entity tag.
        let tag = "\"\(SHA256.hash(statement.integrity).prefix(16).hex)\""
        var headers: [(name: String, value: String)] = [
            ("Webview-Bundle-Name", name), ("Webview-Bundle-Version", version),
            ("Webview-Bundle-Integrity", statement.integrity), ("ETag", tag),
            ("Cache-Control", "no-cache"),
        ]
        if let signature = statement.signature {
            headers.append(("Webview-Bundle-Signature", signature))
        }
        if EntityTag.matches(request.headers["if-none-match"], tag: tag) {
            return HTTPResponse(status: 304, headers: headers)
        }
        headers.append(("Content-Type", BundleFormat.mediaType))
        headers.append(("Accept-Ranges", "bytes"))
        // Opened for each answer; whoever sends it closes it.
        let descriptor = open(try repository.path(of: name, version), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw APIError.notFound }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else {
            close(descriptor)
            throw APIError.internalFailure("The bundle cannot be read.")
        }
        let size = UInt64(information.st_size)
        let mayResume = request.headers["if-range"].map { $0 == tag } ?? true
        switch ByteRange.parse(mayResume ? request.headers["range"] : nil, size: size) {
        case .whole:
            return HTTPResponse(
                status: 200, headers: headers,
                body: .file(descriptor: descriptor, offset: 0, count: size))
        case .part(let range):
            headers.append(
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"))
            return HTTPResponse(
                status: 206, headers: headers,
                body: .file(
                    descriptor: descriptor, offset: range.lowerBound,
                    count: range.upperBound - range.lowerBound))
        case .unsatisfiable:
            close(descriptor)
            return HTTPResponse(
                status: 416, headers: headers + [("Content-Range", "bytes */\(size)")])
        }
    }
}
