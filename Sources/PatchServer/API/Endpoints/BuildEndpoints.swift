/// Which store build of an app has which fingerprint, as far as somebody said so.
///
/// A version is no identity: two archives under one version and build number would each take the
/// other's releases for its own in people's heads, in tables and in support. So a number belongs to
/// one fingerprint.
struct BuildEndpoints: Sendable {
    private static let builds = "/api/v1/apps/{app_key}/builds"

    let services: Services

    var routes: [Route] {
        [
            Route("GET", Self.builds, .app(.read), .body(0, list)),
            Route(
                "PUT", "\(Self.builds)/{version}/{build}", .app(.release),
                .body(JSONBody.usual, register)),
        ]
    }

    private struct Build: Encodable {
        let version: String
        let build: String
        let fingerprint: String
        let registered: Int
    }

    private struct Listing: Encodable { let builds: [Build] }

    @Sendable private func list(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let builds = try services.control.database.read { connection in
            try connection.rows(
                """
                SELECT version, build, fingerprint, registered FROM builds WHERE app_key = ?
                ORDER BY registered DESC, version DESC, build DESC LIMIT 1000
                """, app.appKey
            ) {
                Build(
                    version: $0.text(0), build: $0.text(1), fingerprint: $0.text(2),
                    registered: $0.int(3))
            }
        }
        return .json(200, Listing(builds: builds))
    }

    private struct Registration: Decodable {
        let fingerprint: String
        let replace: Bool?
    }

    @Sendable private func register(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let request = try JSONBody.read(Registration.self, body)
        guard ReleaseRules.isDigest(request.fingerprint) else {
            throw APIError.malformed(
                "bad_fingerprint", "'fingerprint' must be 64 lower-case hexadecimal digits.")
        }
        let (version, build) = (call.parameter("version"), call.parameter("build"))
        let control = services.control
        let known = try control.database.read { connection in
            try connection.first(
                """
                SELECT fingerprint, registered FROM builds
                WHERE app_key = ? AND version = ? AND build = ?
                """, app.appKey, version, build
            ) { (fingerprint: $0.text(0), registered: $0.int(1)) }
        }
        if let known, known.fingerprint == request.fingerprint {
            return .json(
                200,
                Build(
                    version: version, build: build, fingerprint: known.fingerprint,
                    registered: known.registered))
        }
        let (now, mayReplace) = (control.now, request.replace == true)
        try control.change(
            by: call.actor,
            .init(
                action: known == nil ? "build.registered" : "build.replaced", appKey: app.appKey,
                subject: "\(version) (\(build))", detail: ["fingerprint": request.fingerprint])
        ) { connection in
            let changed = try connection.run(
                """
                INSERT INTO builds (app_key, version, build, fingerprint, registered)
                VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (app_key, version, build) DO UPDATE SET
                    fingerprint = excluded.fingerprint, registered = excluded.registered
                    WHERE ?6 OR fingerprint = excluded.fingerprint
                """, app.appKey, version, build, request.fingerprint, now, mayReplace)
            guard changed > 0 else {
                throw APIError.conflict(
                    "build_taken",
                    "Version \(version) (\(build)) is registered with another fingerprint"
                        + (known.map { ", \($0.fingerprint.prefix(16))…" } ?? "")
                        + ". Give the new build another number; 'replace' overrides this.")
            }
        }
        return .json(
            201,
            Build(
                version: version, build: build, fingerprint: request.fingerprint, registered: now))
    }
}
