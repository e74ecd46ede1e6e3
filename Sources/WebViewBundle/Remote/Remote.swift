import Foundation
import PatchPlatform

/// A server of bundles (Docs/web-bundles.md, "Remotes").
public final class Remote: Sendable {
    /// The address that requests start with, without a slash at its end.
    public let endpoint: String
    let options: RemoteOptions
    let transport: any HTTPTransport

    /// - Throws: ``Error/Http(message:)`` `remote_endpoint_refused` for what is no http(s) URL, and
    ///   for plain http to another machine.
    public convenience init(endpoint: String, options: RemoteOptions = RemoteOptions()) throws {
        try self.init(endpoint: endpoint, options: options, transport: URLSessionTransport())
    }

    init(endpoint: String, options: RemoteOptions, transport: any HTTPTransport) throws {
        var text = endpoint
        while text.hasSuffix("/") { text.removeLast() }
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            let host = url.host, !host.isEmpty, scheme == "https" || scheme == "http",
            url.query == nil, url.fragment == nil
        else {
            throw FailureCode.badEndpoint.http(
                "'\(endpoint.printable)' is no address of a remote such as https://example.com.")
        }
        guard scheme == "https" || options.allowsInsecureEndpoint || Self.isLocal(host) else {
            throw FailureCode.badEndpoint.http(
                "'\(endpoint.printable)' is not encrypted; use https.")
        }
        self.endpoint = text
        self.options = options
        self.transport = transport
    }

    private static func isLocal(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host) || host.hasSuffix(".localhost") {
            return true
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    // MARK: The contract

    /// The bundles that are deployed: `GET /bundles`.
    /// - Throws: ``Error``.
    public func listBundles(channel: String? = nil) async throws -> [RemoteBundleListing] {
        var request = try request("/bundles", channel: channel)
        request.maximumSize = 4 << 20
        let response = try await Self.translating { try await transport.fetch(request) }
        try Self.check(response.head.status, response.body)
        do {
            return try JSONDecoder().decode(
                [RemoteBundleListing].self, from: Data(response.body))
        } catch {
            throw FailureCode.badAnswer.http("The remote's list of bundles is malformed.")
        }
    }

    /// What is deployed of a bundle, without its bytes: `HEAD /bundles/{name}`.
    /// - Throws: ``Error``.
    public func getInfo(
        bundleName: String, channel: String? = nil
    ) async throws -> RemoteBundleInfo {
        try BundleNaming.check(name: bundleName)
        var request = try request("/bundles/\(bundleName)", channel: channel)
        request.method = .head
        let response = try await Self.translating { try await transport.fetch(request) }
        try Self.check(response.head.status, response.body)
        return try RemoteBundleInfo(headers: response.head.headers, asked: bundleName, nil)
    }

    /// The bytes of what is deployed: `GET /bundles/{name}`. Nothing is checked or kept; use
    /// ``Updater`` for that.
    /// - Throws: ``Error``.
    public func download(
        bundleName: String, channel: String? = nil
    ) async throws -> (info: RemoteBundleInfo, data: [UInt8]) {
        try BundleNaming.check(name: bundleName)
        return try await download(
            request("/bundles/\(bundleName)", channel: channel), bundleName, nil)
    }

    /// The bytes of one version: `GET /bundles/{name}/{version}`.
    /// - Throws: ``Error``, `remote_forbidden` when the remote gives out deployed versions only.
    public func downloadVersion(
        bundleName: String, version: String
    ) async throws -> (info: RemoteBundleInfo, data: [UInt8]) {
        try BundleNaming.check(name: bundleName)
        try BundleNaming.check(version: version)
        return try await download(
            request("/bundles/\(bundleName)/\(version)", channel: nil), bundleName, version)
    }

    private func download(
        _ request: HTTPRequest, _ name: String, _ version: String?
    ) async throws -> (info: RemoteBundleInfo, data: [UInt8]) {
        let response = try await Self.translating { try await transport.fetch(request) }
        try Self.check(response.head.status, response.body)
        return (
            try RemoteBundleInfo(headers: response.head.headers, asked: name, version),
            response.body
        )
    }

    // MARK: Requests and failures

    func request(_ path: String, channel: String?) throws -> HTTPRequest {
        var text = endpoint + path
        if let channel {
            let allowed = CharacterSet(
                charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
            let encoded = channel.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
            text += "?channel=\(encoded)"
        }
        guard let url = URL(string: text) else {
            throw FailureCode.badEndpoint.http("'\(text.printable)' is no URL.")
        }
        var request = HTTPRequest(
            url, headers: options.headers, maximumSize: options.maximumBundleSize,
            idleTimeout: options.idleTimeout, deadline: options.deadline)
        // Name, version and integrity are read from the answer's headers.
        request.followsToOtherHosts = false
        return request
    }

    /// - Throws: ``Error/Http(message:)`` for every status but 2xx.
    static func check(_ status: Int, _ body: [UInt8]) throws {
        switch status {
        case 200...299: return
        case 403: throw FailureCode.forbidden.http("The remote does not give this bundle out.")
        case 404: throw FailureCode.notFound.http("The remote has no such bundle.")
        default:
            struct Message: Decodable { let message: String }
            let said = (try? JSONDecoder().decode(Message.self, from: Data(body)))?.message
            throw FailureCode.badStatus.http(
                "The remote answered with status \(status)"
                    + (said.map { ": \($0.printable)." } ?? "."))
        }
    }

    static func translating<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as HTTPError {
            throw FailureCode.transport.http(error.description)
        }
    }
}
