import Foundation
import PatchPlatform

/// A web server in this process, over a folder with some files replaced: for tests that ask
/// thousands of times. Keeps to the largest size that a request allows, as the real one does.
public final class TreeTransport: HTTPTransport {
    private let folder: URL
    private let replaced = Lock<[String: [UInt8]]>([:])
    private let log = Lock<[String]>([])
    private let sent = Lock(0)
    /// Answers every conditional request with "not modified".
    public let answersNotModified = Lock(false)

    /// Serves what lies below `folder` at any host.
    public init(_ folder: URL) { self.folder = folder }

    /// Serves `bytes` in the place of a file; by the last part of its name.
    public func replace(_ files: [String: [UInt8]]) { replaced.withLock { $0 = files } }

    /// The names that were asked for since the last call.
    public func takeRequests() -> [String] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }

    /// Bytes of bodies that were sent since the last call.
    public func takeBytes() -> Int {
        sent.withLock { sent in
            defer { sent = 0 }
            return sent
        }
    }

    /// See `HTTPTransport`.
    public func stream(_ request: HTTPRequest, into receiver: any HTTPReceiver) async throws {
        let name = request.url.lastPathComponent
        log.withLock { $0.append(name) }
        if request.headers["If-None-Match"] != nil, answersNotModified.withLock({ $0 }) {
            return try receiver.begin(HTTPHead(status: 304, headers: [:]))
        }
        let file = folder.appendingPathComponent(String(request.url.path.dropFirst()))
        let found =
            replaced.withLock { $0[name] }
            ?? FileManager.default.contents(atPath: file.path).map { [UInt8]($0) }
        guard let body = found else {
            return try receiver.begin(HTTPHead(status: 404, headers: [:]))
        }
        guard body.count <= request.maximumSize else {
            throw HTTPError(.tooLarge, url: request.url)
        }
        sent.withLock { $0 += body.count }
        try receiver.begin(HTTPHead(status: 200, headers: ["etag": "\"\(body.count)\""]))
        try body.withUnsafeBytes { try receiver.receive($0) }
    }
}
