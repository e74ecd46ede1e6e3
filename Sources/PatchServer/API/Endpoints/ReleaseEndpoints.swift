import Rollout

/// Publishing, and what is published.
struct ReleaseEndpoints: Sendable {
    private static let path = "/api/v1/apps/{app_key}/releases"

    let services: Services

    var routes: [Route] {
        [
            Route("GET", Self.path, .app(.read), .body(0, list)),
            Route("POST", Self.path, .app(.release), .stream(publish)),
        ]
    }

    @Sendable private func publish(_ call: Call) throws -> any BodyReceiver {
        let app = try call.requireApp()
        return try services.releases.receiver(
            app, by: call.principal, contentType: call.request.headers["content-type"],
            expected: try call.ifMatch())
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
