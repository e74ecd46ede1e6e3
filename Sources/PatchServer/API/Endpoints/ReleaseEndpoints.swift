import Rollout

/// Publishing, and what is published.
struct ReleaseEndpoints: Sendable {
    private static let path = "/api/v1/apps/{app_key}/releases"

    let services: Services

    var routes: [Route] {
        [
            Route("GET", Self.path, .app(.read), .body(0, list)),
            Route("POST", Self.path, .app(.release), .stream(publish)),
            Route(
                "POST", "/api/v1/apps/{app_key}/prune", .app(.release),
                .body(JSONBody.usual, prune)),
        ]
    }

    @Sendable private func publish(_ call: Call) throws -> any BodyReceiver {
        let app = try call.requireApp()
        return try services.releases.receiver(
            app, by: call.principal, contentType: call.request.headers["content-type"],
            expected: try call.ifMatch())
    }

    private struct Pruning: Decodable { let dry_run: Bool? }

    private struct Pruned: Encodable {
        let dry_run: Bool
        let count: Int
        let bytes: Int
        /// The first of them.
        let files: [String]
    }

    private static let mostNamed = 1_000

    /// Removes what no metadata leads to; answers which files these are.
    @Sendable private func prune(_ call: Call, _ body: [UInt8]) async throws -> HTTPResponse {
        let app = try call.requireApp()
        let isDry = body.isEmpty ? false : try JSONBody.read(Pruning.self, body).dry_run ?? false
        let files = try await services.releases.publisher(app).prune(isDry: isDry)
        let bytes = files.reduce(0) { $0 + $1.size }
        if !isDry, !files.isEmpty {
            try services.control.record(
                .init(
                    action: "tree.pruned", appKey: app.appKey, subject: "\(files.count) files",
                    detail: ["bytes": "\(bytes)"]), by: call.actor)
        }
        return .json(
            200,
            Pruned(
                dry_run: isDry, count: files.count, bytes: bytes,
                files: files.prefix(Self.mostNamed).map(\.path)))
    }

    private struct Published: Encodable {
        let version: String
        let sequence: Int
        let digest: String
        let size: Int
        let fingerprint: String
        /// The web bundle; absent for modules.
        let bundle: String?
        let platform: String
        let path: String
        let mandatory: Bool
        let notes: String?
        let commit: String?
    }

    private struct Listing: Encodable {
        let snapshot: Int
        let releases: [Published]
    }

    private static func bundle(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        return parts.count == 3 && parts[0] == "bundles" ? String(parts[1]) : nil
    }

    @Sendable private func list(_ call: Call, _ body: [UInt8]) async throws -> HTTPResponse {
        let publisher = services.releases.publisher(try call.requireApp())
        let (snapshot, found) = try await publisher.releases()
        let releases = found.sorted { $0.release.sequence > $1.release.sequence }.map {
            Published(
                version: $0.release.version, sequence: $0.release.sequence,
                digest: $0.release.raw.sha256, size: $0.release.raw.size,
                fingerprint: $0.release.fingerprint, bundle: Self.bundle($0.path),
                platform: $0.release.platform,
                path: $0.path, mandatory: $0.release.mandatory, notes: $0.release.notes,
                commit: $0.release.commit)
        }
        return .json(
            200, Listing(snapshot: snapshot, releases: releases), [("ETag", "\"\(snapshot)\"")])
    }
}
