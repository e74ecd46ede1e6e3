import PatchPlatform

/// A refusal that a client can act on: a stable code, a sentence, and the HTTP status.
public struct APIError: Error, Equatable, Sendable, CustomStringConvertible {
    /// HTTP status.
    public let status: Int
    /// Stable snake_case name.
    public let code: String
    /// One or two sentences: what happened and what to do.
    public let message: String
    /// Seconds after which trying again makes sense.
    public let retryAfter: Int?
    /// The methods that the address takes, when this is about the method.
    var allow: String?

    /// Makes one from its parts.
    public init(status: Int, code: String, message: String, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// Status, code and message in one line.
    public var description: String { "\(status) \(code): \(message)" }

    static func malformed(_ code: String, _ message: String) -> APIError {
        APIError(status: 400, code: code, message: message)
    }

    static func refused(_ code: String, _ message: String) -> APIError {
        APIError(status: 422, code: code, message: message)
    }

    static func conflict(_ code: String, _ message: String) -> APIError {
        APIError(status: 409, code: code, message: message)
    }

    static let notFound = APIError(
        status: 404, code: "not_found", message: "There is nothing at this address.")

    static func tooLarge(_ what: String, limit: Int) -> APIError {
        APIError(
            status: 413, code: "too_large",
            message: "\(what) is larger than the \(limit) bytes that are accepted.")
    }

    static func methodNotAllowed(_ allowed: String) -> APIError {
        var error = APIError(
            status: 405, code: "method_not_allowed", message: "This address takes \(allowed).")
        error.allow = allowed
        return error
    }

    static let unauthorized = APIError(
        status: 401, code: "wrong_token",
        message: "The token is missing or not valid here. Send 'Authorization: Bearer <token>'.")

    static let diskFull = APIError(
        status: 507, code: "disk_full",
        message: "The server's disk is full; the operator has to free some space.")

    static func internalFailure(_ message: String) -> APIError {
        APIError(status: 500, code: "internal", message: message)
    }
}

extension APIError {
    /// What a client is told of any error.
    init(_ error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let error as DatabaseError: self = error.refusal
        case let error as FileError where error.reason == .diskFull: self = .diskFull
        default: self = .internalFailure("The server could not answer; see its log.")
        }
    }

    /// The error as a JSON response.
    var response: HTTPResponse {
        var headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        if let retryAfter { headers.append(("Retry-After", String(retryAfter))) }
        if let allow { headers.append(("Allow", allow)) }
        if status == 401 { headers.append(("WWW-Authenticate", "Bearer")) }
        let document = ErrorDocument(error: .init(code: code, message: message))
        return HTTPResponse(
            status: status, headers: headers, body: .bytes(JSONText.encode(document)))
    }
}

private struct ErrorDocument: Encodable {
    struct Body: Encodable {
        let code: String
        let message: String
    }
    let error: Body
}
