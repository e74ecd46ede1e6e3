import Foundation
import PatchPlatform

/// The addresses of the server and who answers at each.
final class PatchAPI: RequestHandler {
    private static let apps = "/api/v1/apps/"

    private let services: Services
    private let tree: StaticTree
    let routes: [Route]
    private let log: ServerLog
    private let changes: RateLimiter
    private let wrongTokens: RateLimiter

    init(services: Services) {
        self.services = services
        log = services.log
        let settings = services.settings
        changes = RateLimiter(
            capacity: max(1, settings.changesPerMinute / 2), perMinute: settings.changesPerMinute,
            now: services.monotonicNow)
        wrongTokens = RateLimiter(
            capacity: settings.wrongTokensPerMinute, perMinute: settings.wrongTokensPerMinute,
            now: services.monotonicNow)
        tree = StaticTree(
            layout: services.apps.layout, generation: services.apps.generation)
        routes = Self.routes(services)
    }

    func plan(for request: HTTPRequest) -> RequestPlan {
        do {
            return try route(request)
        } catch {
            return .respond(refusal(of: request, error).response)
        }
    }

    func answered(_ request: HTTPRequest, status: Int, bytes: Int, nanoseconds: UInt64) {
        services.metrics.answered(request, status: status, nanoseconds: nanoseconds)
        log.request(request, status: status, bytes: bytes, nanoseconds: nanoseconds)
    }

    private func refusal(of request: HTTPRequest, _ error: any Error) -> APIError {
        let refusal = APIError(error)
        if refusal.status == 500 {
            log.error("request_failed", ["path": request.path, "error": "\(error)"])
        }
        return refusal
    }

    private func route(_ request: HTTPRequest) throws -> RequestPlan {
        // What devices ask for comes first, and touches neither the routes nor a database.
        if request.method == "GET" || request.method == "HEAD",
            let answer = tree.remembered(request)
        {
            return .respond(answer)
        }
        if request.path.hasPrefix(Self.apps) {
            let parts = request.path.dropFirst(Self.apps.count)
                .split(separator: "/", omittingEmptySubsequences: false)
            if let path = TreePath(parts) {
                guard request.method == "GET" || request.method == "HEAD" else {
                    throw APIError.methodNotAllowed("GET, HEAD")
                }
                return .respond(tree.response(for: path, request: request))
            }
        }
        return try operate(request)
    }

    private func operate(_ request: HTTPRequest) throws -> RequestPlan {
        let parts = request.path.dropFirst().split(
            separator: "/", omittingEmptySubsequences: false)
        var allowed: [String] = []
        for route in routes {
            guard let parameters = route.parameters(parts) else { continue }
            let isRead = route.method == "GET" && request.method == "HEAD"
            guard route.method == request.method || isRead else {
                allowed.append(route.method)
                continue
            }
            return try enter(route, request, parameters)
        }
        guard !allowed.isEmpty else { throw APIError.notFound }
        if allowed.contains("GET") { allowed.append("HEAD") }
        throw APIError.methodNotAllowed(allowed.joined(separator: ", "))
    }

    private func enter(
        _ route: Route, _ request: HTTPRequest, _ parameters: [String: String]
    ) throws -> RequestPlan {
        let changesSomething = route.method != "GET" && route.access != .anybody
        if changesSomething, let seconds = changes.delay(for: request.address) {
            throw Self.tooMany(seconds)
        }
        let principal = try principal(route, request, parameters["app_key"])
        let call = Call(
            request: request, parameters: parameters, principal: principal,
            app: parameters["app_key"].flatMap { services.control.app($0) })
        switch route.handler {
        case .now(let answer): return .respond(try answer(call))
        case .body(let size, let answer):
            return .receive(
                SmallBodyReceiver(maximumSize: size) { [self] body in
                    do {
                        return try await answer(call, body)
                    } catch {
                        return refusal(of: request, error).response
                    }
                })
        case .stream(let receiver): return .receive(try receiver(call))
        }
    }

    // MARK: Tokens

    private func principal(
        _ route: Route, _ request: HTTPRequest, _ appKey: String?
    ) throws -> Principal? {
        if route.access == .anybody { return nil }
        guard let token = Token.bearer(request), let found = find(token) else {
            throw refusedToken(request)
        }
        switch route.access {
        case .anybody, .anyToken: break
        case .server: if !found.isServer { throw refusedToken(request) }
        case .app(let action):
            // The same answer for a wrong key as for a wrong token: keys of others are not told.
            guard let appKey, services.control.app(appKey) != nil,
                found.isServer ? found.actions.contains(action) : found.appKey == appKey
            else { throw refusedToken(request) }
            try found.require(action)
        }
        return found
    }

    private func find(_ token: String) -> Principal? {
        if let known = services.control.principal(token) { return known }
        return services.apps.isAdmin(token, tokenFile: services.adminTokenFile) ? .server : nil
    }

    private func refusedToken(_ request: HTTPRequest) -> APIError {
        if let seconds = wrongTokens.delay(for: request.address) { return Self.tooMany(seconds) }
        return .unauthorized
    }

    static func tooMany(_ seconds: Int) -> APIError {
        APIError(
            status: 429, code: "too_many_requests",
            message: "Too many requests from this address; try again in \(seconds) s.",
            retryAfter: seconds)
    }
}
