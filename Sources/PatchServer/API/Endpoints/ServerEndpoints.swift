import Foundation

/// What an operator and a client ask of the server itself.
struct ServerEndpoints: Sendable {
    let services: Services

    var routes: [Route] {
        [
            Route("GET", "/healthz", .anybody, .now { _ in .json(200, ["status": "ok"]) }),
            Route("GET", "/readyz", .anybody, .body(0, ready)),
            Route("GET", "/metrics", .server, .body(0, metrics)),
            Route("GET", "/api/v1/openapi.json", .anybody, .now { _ in OpenAPI.response }),
            Route("GET", "/api/v1/whoami", .anyToken, .now(whoami)),
        ]
    }

    /// Whether requests can be served: both databases answer, and there is room to write.
    @Sendable private func ready(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        do {
            _ = try services.control.database.read { try $0.integer("SELECT count(*) FROM apps") }
            _ = try services.telemetry.database.read {
                try $0.integer("SELECT count(*) FROM days")
            }
        } catch {
            services.log.error("not_ready", ["error": "\(error)"])
            throw APIError(
                status: 503, code: "not_ready",
                message: "A database does not answer; see the server's log.", retryAfter: 5)
        }
        if let free = services.apps.files.freeBytes(), free < 16 << 20 {
            throw APIError(
                status: 503, code: "not_ready", message: "Less than 16 MiB of disk are left.",
                retryAfter: 60)
        }
        return .json(200, ["status": "ready"])
    }

    @Sendable private func metrics(_ call: Call, _ body: [UInt8]) async throws -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [
                ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"),
                ("Cache-Control", "no-store"),
            ], body: .bytes(Array(await services.metrics.text(services).utf8)))
    }

    private struct Identity: Encodable {
        let actor: String
        let name: String
        let is_server: Bool
        let app_key: String?
        let channel: String?
        let actions: [String]
        let login: String?
        let expires: Int?
    }

    @Sendable private func whoami(_ call: Call) throws -> HTTPResponse {
        guard let principal = call.principal else { throw APIError.unauthorized }
        return .json(
            200,
            Identity(
                actor: principal.actor, name: principal.name, is_server: principal.isServer,
                app_key: principal.appKey, channel: principal.channel,
                actions: Action.allCases.filter { principal.actions.contains($0) }
                    .map(\.rawValue),
                login: principal.login, expires: principal.expires))
    }
}
