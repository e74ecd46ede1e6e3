import Foundation
import PatchPlatform
import TUF

/// Gets metadata over HTTP and remembers how the last request failed.
final class HTTPMetadataFetcher: MetadataFetcher {
    private let transport: any HTTPTransport
    private let base: URL
    private let failure = Lock<(any Error)?>(nil)
    private let serverDate = Lock<Double?>(nil)

    init(transport: any HTTPTransport, base: URL) {
        self.transport = transport
        self.base = base
    }

    /// What the last request failed with; nil when it did not.
    var lastFailure: (any Error)? { failure.withLock { $0 } }
    /// The server's time as last heard, in seconds since 1970.
    var lastServerDate: Double? { serverDate.withLock { $0 } }

    func fetch(
        _ name: String, maximumLength: Int, ifNoneMatch validator: String?
    ) async throws -> FetchResult {
        failure.withLock { $0 = nil }
        // The name is percent-encoded already; appending it as a path component would do so again.
        guard let url = URL(string: base.absoluteString + name) else {
            throw TUFError(.metadataUnavailable, "'\(name)' makes no URL.")
        }
        let request = HTTPRequest(url, maximumSize: maximumLength).ifChanged(since: validator)
        do {
            let response = try await transport.fetch(request)
            if let date = response.head.date { serverDate.withLock { $0 = date } }
            switch response.status {
            case 200: return .found(response.body, validator: response.head.etag)
            case 304: return .notModified
            case 403, 404, 410: return .missing
            default:
                throw HTTPError(
                    .badStatus, url: url, status: response.status,
                    retryAfter: response.head.headers["retry-after"].flatMap(Double.init))
            }
        } catch let error as HTTPError where error.reason == .tooLarge {
            throw FetchError.tooLarge
        } catch {
            failure.withLock { $0 = error }
            throw error
        }
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
