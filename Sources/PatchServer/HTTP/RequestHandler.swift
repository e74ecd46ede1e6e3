/// Answers requests. Called on the network threads, so `plan` must not block.
public protocol RequestHandler: Sendable {
    /// Decides what happens once the headers are in.
    func plan(for request: HTTPRequest) -> RequestPlan
    /// Told of every answered request.
    func answered(_ request: HTTPRequest, status: Int, bytes: Int, nanoseconds: UInt64)
}

/// What to do with a request.
public enum RequestPlan {
    /// Answer now; a body, if one is coming, is not read.
    case respond(HTTPResponse)
    /// Read the body first.
    case receive(any BodyReceiver)
}

/// Takes the body of one request. Calls come one after the other, from changing threads.
public protocol BodyReceiver: AnyObject, Sendable {
    /// Bytes after which the request is refused.
    var maximumSize: Int { get }
    /// Takes the next bytes; a response ends the request early.
    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPResponse?
    /// The body is complete: does the work. Runs off the network threads.
    func finish() async -> HTTPResponse
    /// The client went away before the end.
    func abandon()
}
