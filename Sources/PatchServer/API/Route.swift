import Foundation

/// One operation of the API: a method at an address, who may use it, and what it does.
struct Route: Sendable {
    /// Who may use it.
    enum Access: Equatable, Sendable {
        /// Anybody.
        case anybody
        /// Whoever has a token that is good for something.
        case anyToken
        /// Whoever holds the server's admin token.
        case server
        /// Whoever may do this with the app in the address.
        case app(Action)
    }

    /// What becomes of a request.
    enum Handler: Sendable {
        /// Answered from the headers alone, on the network thread: must not wait.
        case now(@Sendable (Call) throws -> HTTPResponse)
        /// Answered off the network threads, once a body of at most so many bytes is there.
        case body(Int, @Sendable (Call, [UInt8]) async throws -> HTTPResponse)
        /// Takes the body as it comes.
        case stream(@Sendable (Call) throws -> any BodyReceiver)
    }

    let method: String
    /// `/api/v1/apps/{app_key}/tokens/{id}`
    let path: String
    let access: Access
    let handler: Handler
    let segments: [Segment]

    enum Segment: Equatable, Sendable {
        case literal(String)
        case parameter(String)
    }

    init(_ method: String, _ path: String, _ access: Access, _ handler: Handler) {
        self.method = method
        self.path = path
        self.access = access
        self.handler = handler
        segments = path.split(separator: "/").map { part in
            part.first == "{"
                ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
    }

    /// The parameters of a path, nil when it is another's.
    func parameters(_ parts: [Substring]) -> [String: String]? {
        guard parts.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, parts) {
            switch segment {
            case .literal(let text): if text != part { return nil }
            case .parameter(let name):
                guard SafeName.isFileName(part) else { return nil }
                values[name] = String(part)
            }
        }
        return values
    }
}

/// One request at a route.
struct Call: Sendable {
    let request: HTTPRequest
    /// What stands in place of the `{names}` of the path.
    let parameters: [String: String]
    /// Who sent it; nil where nobody has to say.
    let principal: Principal?
    /// The app in the address, when whoever sent it may see it.
    let app: AppRecord?

    var actor: String { principal?.actor ?? "anybody" }

    /// A parameter of the path.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// The app in the address.
    func requireApp() throws -> AppRecord {
        guard let app else { throw APIError.notFound }
        return app
    }

    /// An argument of the query, percent-decoded; nil when it is not there.
    func query(_ name: String) -> String? {
        request.query.first { $0.name == name }.flatMap {
            $0.value.replacingPlus.removingPercentEncoding
        }
    }

    /// A whole number of the query within bounds.
    /// - Throws: ``APIError`` 400 `bad_query`.
    func number(_ name: String, default usual: Int, in range: ClosedRange<Int>) throws -> Int {
        guard request.query.contains(where: { $0.name == name }) else { return usual }
        guard let number = query(name).flatMap({ Int($0) }), range.contains(number) else {
            throw APIError.malformed(
                "bad_query",
                "'\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}

extension Call {
    /// The number in `If-Match: "7"`; nil when there is none or it is `*`.
    /// - Throws: ``APIError`` 400 `bad_if_match`.
    func ifMatch() throws -> Int? {
        guard let header = request.headers["if-match"], header != "*" else { return nil }
        guard header.hasPrefix("\""), header.hasSuffix("\""), header.count > 2,
            let number = Int(header.dropFirst().dropLast())
        else {
            throw APIError.malformed(
                "bad_if_match", "If-Match must be the ETag that was answered, such as \"7\".")
        }
        return number
    }
}

extension String {
    fileprivate var replacingPlus: String {
        String(map { $0 == "+" ? " " : $0 })
    }
}
