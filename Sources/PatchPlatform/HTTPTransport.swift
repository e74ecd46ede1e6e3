import Foundation

/// A request.
public struct HTTPRequest: Sendable {
    /// What may be asked of a server.
    public enum Method: String, Sendable {
        /// The entity.
        case get = "GET"
        /// What the answer to GET would be, without the entity.
        case head = "HEAD"
        /// Take what the body says.
        case post = "POST"
    }

    /// Where to.
    public var url: URL
    /// What is done.
    public var method = Method.get
    /// Whether a redirect may lead to another host. False where the answer's headers are
    /// believed, which another host must not write.
    public var followsToOtherHosts = true
    /// Headers to send, by name.
    public var headers: [String: String]
    /// What is sent along; nil for nothing.
    public var body: [UInt8]?
    /// Seconds without a byte after which the request fails.
    public var idleTimeout: Double
    /// Seconds after which the request fails whatever it does.
    public var deadline: Double
    /// Bytes a second that must arrive, measured over each ``rateWindow``; less ends the request as
    /// timed out. 0 for any rate.
    public var minimumRate = 0
    /// Seconds over which ``minimumRate`` is measured.
    public var rateWindow: Double = 30
    /// The largest body that is taken, in bytes; one byte more ends the request.
    public var maximumSize: Int

    /// A request; the defaults suit small files.
    public init(
        _ url: URL, headers: [String: String] = [:], maximumSize: Int,
        idleTimeout: Double = 15, deadline: Double = 120
    ) {
        self.url = url
        self.headers = headers
        self.maximumSize = maximumSize
        self.idleTimeout = idleTimeout
        self.deadline = deadline
    }

    /// The same request, answered with 304 when the entity still carries `etag`.
    public func ifChanged(since etag: String?) -> HTTPRequest {
        guard let etag else { return self }
        var request = self
        request.headers["If-None-Match"] = etag
        return request
    }

    /// The same request for the bytes from `offset` on, if the entity still carries `etag`.
    public func resuming(at offset: Int, etag: String?) -> HTTPRequest {
        guard offset > 0 else { return self }
        var request = self
        request.headers["Range"] = "bytes=\(offset)-"
        if let etag { request.headers["If-Range"] = etag }
        return request
    }
}

/// Status and headers of an answer.
public struct HTTPHead: Sendable {
    /// The status code.
    public let status: Int
    /// Names in lower case.
    public let headers: [String: String]

    /// A head; names in lower case.
    public init(status: Int, headers: [String: String]) {
        self.status = status
        self.headers = headers
    }

    /// The entity tag, if the server sent one.
    public var etag: String? { headers["etag"] }
    /// The size that the server announces for the body, if it does.
    public var contentLength: Int? { headers["content-length"].flatMap { Int($0) } }
    /// The server's time, seconds since 1970, if it says.
    public var date: Double? { headers["date"].flatMap(HTTPDate.seconds) }
    /// Seconds to wait before asking again, if the server says (as a number, or as a date that is
    /// read against the server's own clock).
    public var retryAfter: Double? {
        guard let text = headers["retry-after"] else { return nil }
        if let seconds = Double(text) { return seconds.isFinite ? max(0, seconds) : nil }
        guard let until = HTTPDate.seconds(text), let date else { return nil }
        return max(0, until - date)
    }
}

/// A whole answer.
public struct HTTPResponse: Sendable {
    /// Status and headers.
    public let head: HTTPHead
    /// The body, whole.
    public let body: [UInt8]

    /// An answer.
    public init(head: HTTPHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    /// The status code.
    public var status: Int { head.status }
}

/// The network, as far as an updater needs it.
public protocol HTTPTransport: Sendable {
    /// Sends `request` and hands the answer out as it arrives, from one thread at a time: first
    /// the head, then the body in pieces. What the receiver throws ends the request and is
    /// thrown on.
    /// - Throws: ``HTTPError`` for all that goes wrong on the way; an answer with an error status
    ///   is no error here.
    func stream(_ request: HTTPRequest, into receiver: any HTTPReceiver) async throws
}

/// Takes an answer piece by piece.
public protocol HTTPReceiver: AnyObject, Sendable {
    func begin(_ head: HTTPHead) throws
    func receive(_ bytes: UnsafeRawBufferPointer) throws
}

extension HTTPTransport {
    /// Reads a whole answer into memory, at most `request.maximumSize` bytes of body.
    public func fetch(_ request: HTTPRequest) async throws -> HTTPResponse {
        let receiver = BodyCollector()
        try await stream(request, into: receiver)
        return try receiver.response(of: request.url)
    }
}

private final class BodyCollector: HTTPReceiver {
    private let state = Lock<(head: HTTPHead?, body: [UInt8])>((nil, []))

    func begin(_ head: HTTPHead) throws { state.withLock { $0 = (head, []) } }

    func receive(_ bytes: UnsafeRawBufferPointer) throws {
        state.withLock { $0.body.append(contentsOf: bytes) }
    }

    func response(of url: URL) throws -> HTTPResponse {
        let (head, body) = state.withLock { $0 }
        guard let head else { throw HTTPError(.noAnswer, url: url) }
        return HTTPResponse(head: head, body: body)
    }
}
