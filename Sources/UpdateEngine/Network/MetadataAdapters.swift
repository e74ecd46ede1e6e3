import Foundation
import PatchCrypto
import PatchPlatform
import TUF

/// Gets metadata over HTTP and remembers how the last request failed.
final class HTTPMetadataFetcher: MetadataFetcher {
    private let transport: any HTTPTransport
    private let limits: NetworkLimits
    private let place: Lock<URL>
    private let failure = Lock<(any Error)?>(nil)
    private let serverDate = Lock<Double?>(nil)

    init(transport: any HTTPTransport, base: URL, limits: NetworkLimits = NetworkLimits()) {
        self.transport = transport
        self.limits = limits
        place = Lock(base)
    }

    /// Asks another place from now on.
    func use(_ base: URL) { place.withLock { $0 = base } }

    /// What the last request failed with; nil when it did not.
    var lastFailure: (any Error)? { failure.withLock { $0 } }
    /// The server's time as last heard, in seconds since 1970.
    var lastServerDate: Double? { serverDate.withLock { $0 } }

    func fetch(
        _ name: String, maximumLength: Int, ifNoneMatch validator: String?
    ) async throws -> FetchResult {
        failure.withLock { $0 = nil }
        let base = place.withLock { $0 }
        // The name is percent-encoded already; appending it as a path component would do so again.
        guard let url = URL(string: base.absoluteString + name) else {
            throw TUFError(.metadataUnavailable, "'\(name)' makes no URL.")
        }
        let request = HTTPRequest(
            url, maximumSize: maximumLength, idleTimeout: limits.metadataIdle,
            deadline: limits.metadataDeadline
        ).ifChanged(since: Self.tag(of: validator, at: base))
        do {
            let response = try await transport.fetch(request)
            if let date = response.head.date { serverDate.withLock { $0 = date } }
            switch response.status {
            case 200:
                return .found(
                    response.body, validator: response.head.etag.map { Self.mark(base) + $0 })
            case 304: return .notModified
            case 403, 404, 410: return .missing
            default:
                throw HTTPError(
                    .badStatus, url: url, status: response.status,
                    retryAfter: response.head.retryAfter)
            }
        } catch let error as HTTPError where error.reason == .tooLarge {
            throw FetchError.tooLarge
        } catch {
            failure.withLock { $0 = error }
            throw error
        }
    }

    // Two places may give one tag to two files, so a tag is shown only to the place that gave it.

    private static func mark(_ base: URL) -> String {
        SHA256.hash(base.absoluteString).hex.prefix(8) + " "
    }

    private static func tag(of validator: String?, at base: URL) -> String? {
        guard let validator, validator.hasPrefix(mark(base)) else { return nil }
        return String(validator.dropFirst(mark(base).count))
    }
}

/// Keeps metadata in the state folder, one folder per app and base URL.
struct FileMetadataCache: MetadataCache {
    let files: any FileStore
    let folder: String

    func load(_ name: String) async throws -> [UInt8]? {
        try files.read("\(folder)/\(name)", maximumSize: 8 << 20)
    }

    func store(_ name: String, _ bytes: [UInt8]) async throws {
        try files.writeVerifiable(bytes, to: "\(folder)/\(name)")
    }

    func remove(_ name: String) async throws { try files.remove("\(folder)/\(name)") }
}
