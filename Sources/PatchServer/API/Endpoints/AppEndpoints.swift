import Foundation
import TUF

/// Apps: making, listing, showing, changing them.
struct AppEndpoints: Sendable {
    let services: Services

    var routes: [Route] {
        [
            Route("GET", "/api/v1/apps", .server, .now(list)),
            Route("POST", "/api/v1/apps", .server, .body(JSONBody.usual, create)),
            Route("GET", "/api/v1/apps/{app_key}", .app(.read), .now(show)),
            Route("PATCH", "/api/v1/apps/{app_key}", .server, .body(JSONBody.usual, change)),
        ]
    }

    // MARK: Documents

    private struct Creation: Decodable {
        let name: String
        let app_id: String?
        let organisation: String?
    }

    private struct Changes: Decodable {
        let name: String?
        let quota_bytes: Int?
    }

    private struct Listing: Encodable {
        struct App: Encodable {
            let app_key: String
            let app_id: String
            let name: String
            let organisation: String
            let created: String
            let quota_bytes: Int
        }
        let apps: [App]
    }

    // MARK: Operations

    @Sendable private func list(_ call: Call) throws -> HTTPResponse {
        .json(
            200,
            Listing(
                apps: services.control.apps.map {
                    .init(
                        app_key: $0.appKey, app_id: $0.appID, name: $0.name,
                        organisation: $0.organisation, created: $0.created, quota_bytes: $0.quota)
                }))
    }

    @Sendable private func create(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let request = try JSONBody.read(Creation.self, body)
        try JSONBody.checkName(request.name)
        if let id = request.app_id, UUID(uuidString: id) == nil || id != id.lowercased() {
            throw APIError.malformed("bad_app_id", "'app_id' must be a lower-case UUID.")
        }
        let made = try services.apps.create(
            name: request.name, appID: request.app_id,
            organisation: request.organisation ?? "default", by: call.actor)
        services.log.info(
            "app_created", ["app_key": made.record.appKey, "app_id": made.record.appID])
        return try document(made.record, status: 201, token: made.token)
    }

    /// What a publisher needs to begin or go on with an app.
    @Sendable private func show(_ call: Call) throws -> HTTPResponse {
        try document(try call.requireApp(), status: 200, token: nil)
    }

    @Sendable private func change(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        guard let app = call.app else { throw APIError.notFound }
        let request = try JSONBody.read(Changes.self, body)
        if let name = request.name { try JSONBody.checkName(name) }
        if let quota = request.quota_bytes, !(0...(1 << 50)).contains(quota) {
            throw APIError.malformed("bad_quota", "'quota_bytes' must be 0 to 2^50.")
        }
        let name = request.name ?? app.name
        let quota = request.quota_bytes ?? app.quota
        try services.control.change(
            by: call.actor,
            .init(
                action: "app.changed", appKey: app.appKey, subject: name,
                detail: ["quota_bytes": "\(quota)"])
        ) { connection in
            try connection.run(
                "UPDATE apps SET name = ?, quota_bytes = ? WHERE app_key = ?", name, quota,
                app.appKey)
        }
        guard let changed = services.control.app(app.appKey) else { throw APIError.notFound }
        return try document(changed, status: 200, token: nil)
    }

    private func document(
        _ app: AppRecord, status: Int, token: String?
    ) throws -> HTTPResponse {
        let key = app.appKey
        var document: [String: JSONValue] = [
            "app_key": .string(key), "app_id": .string(app.appID), "name": .string(app.name),
            "organisation": .string(app.organisation), "quota_bytes": .integer(Int64(app.quota)),
            "freshness_keys": [TUFKey(try services.apps.freshnessKey(key).publicKey).json],
            "ops_keys": [TUFKey(try services.apps.opsKey(key).publicKey).json],
        ]
        if let token { document["token"] = .string(token) }
        return .json(status, JSONValue.object(document).encoded() + [0x0A])
    }
}
