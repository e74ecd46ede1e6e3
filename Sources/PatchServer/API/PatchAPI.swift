import PatchPlatform

/// The addresses of the server and who answers at each.
final class PatchAPI: RequestHandler {
    private static let base = "/api/v1/apps"

    private let apps: AppStore
    private let tree: StaticTree
    private let releases: ReleaseService
    private let log: ServerLog
    private let adminTokenFile: String?
    private let changes = RateLimiter(capacity: 60, perMinute: 120)
    private let wrongTokens = RateLimiter(capacity: 20, perMinute: 20)

    init(
        apps: AppStore, releases: ReleaseService, log: ServerLog, adminTokenFile: String?
    ) {
        self.apps = apps
        self.releases = releases
        self.log = log
        self.adminTokenFile = adminTokenFile
        tree = StaticTree(layout: apps.layout)
    }

    func plan(for request: HTTPRequest) -> RequestPlan {
        do {
            return try route(request)
        } catch let error as APIError {
            return .respond(error.response)
        } catch {
            log.error("request_failed", ["path": request.path, "error": "\(error)"])
            return .respond(
                APIError.internalFailure("The server could not answer; see its log.").response)
        }
    }

    func answered(_ request: HTTPRequest, status: Int, bytes: Int, nanoseconds: UInt64) {
        log.request(request, status: status, bytes: bytes, nanoseconds: nanoseconds)
    }

    private func route(_ request: HTTPRequest) throws -> RequestPlan {
        if request.path == "/healthz" {
            try requireRead(request)
            return .respond(
                HTTPResponse(
                    status: 200,
                    headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
                    body: .bytes(Array("{\"status\":\"ok\"}\n".utf8))))
        }
        guard request.path.hasPrefix(Self.base) else { throw APIError.notFound }
        let rest = request.path.dropFirst(Self.base.count)
        if rest.isEmpty { return try createApp(request) }
        guard rest.first == "/" else { throw APIError.notFound }
        let parts = rest.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, parts[1] == "releases" {
            return try publish(String(parts[0]), request)
        }
        if parts.count == 1 { return try showApp(String(parts[0]), request) }
        guard let path = TreePath(parts) else { throw APIError.notFound }
        try requireRead(request)
        return .respond(tree.response(for: path, request: request))
    }

    private func requireRead(_ request: HTTPRequest) throws {
        guard request.method == "GET" || request.method == "HEAD" else {
            throw APIError.methodNotAllowed("GET and HEAD")
        }
    }

    private func requirePost(_ request: HTTPRequest) throws {
        guard request.method == "POST" else { throw APIError.methodNotAllowed("POST") }
        if let seconds = changes.delay(for: request.address) { throw Self.tooMany(seconds) }
    }

    private func createApp(_ request: HTTPRequest) throws -> RequestPlan {
        try requirePost(request)
        guard let token = Token.bearer(request),
            apps.isAdmin(token, tokenFile: adminTokenFile)
        else { throw refusedToken(request) }
        return .receive(
            SmallBodyReceiver(maximumSize: 16 << 10) { [apps, log] body in
                try CreateApp.answer(body, apps: apps, log: log)
            })
    }

    private func showApp(_ key: String, _ request: HTTPRequest) throws -> RequestPlan {
        try requireRead(request)
        return .respond(try ShowApp.answer(try authorizedApp(key, request), apps: apps))
    }

    private func publish(_ key: String, _ request: HTTPRequest) throws -> RequestPlan {
        try requirePost(request)
        let app = try authorizedApp(key, request)
        return .receive(
            try releases.receiver(app, contentType: request.headers["content-type"]))
    }

    /// The app that the request's token belongs to.
    private func authorizedApp(_ key: String, _ request: HTTPRequest) throws -> AppRecord {
        // The same answer for a wrong key as for a wrong token: keys of others are not told.
        guard let token = Token.bearer(request), let app = try apps.app(key), app.accepts(token)
        else { throw refusedToken(request) }
        return app
    }

    private func refusedToken(_ request: HTTPRequest) -> APIError {
        if let seconds = wrongTokens.delay(for: request.address) { return Self.tooMany(seconds) }
        return .unauthorized
    }

    private static func tooMany(_ seconds: Int) -> APIError {
        APIError(
            status: 429, code: "too_many_requests",
            message: "Too many requests from this address; try again in \(seconds) s.",
            retryAfter: seconds)
    }
}
