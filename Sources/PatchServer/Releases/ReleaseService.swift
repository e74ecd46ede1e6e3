import Foundation
import PatchCrypto
import PatchPlatform

/// Points of a publication at which a test may end the process.
public enum PublishStep: String, CaseIterable, Sendable {
    /// The upload is verified and its files are on disk, nothing is committed.
    case staged
    /// The journal is on disk: from here on the publication will happen.
    case committed
    /// Targets are in place.
    case targetsPlaced
    /// Metadata but for the timestamp is in place.
    case metadataPlaced
    /// The timestamp is in place, the journal still there.
    case timestampPlaced
}

/// `POST /api/v1/apps/<appKey>/releases`: takes uploads and publishes what verifies.
final class ReleaseService: Sendable {
    private let apps: AppStore
    private let log: ServerLog
    private let clock: @Sendable () -> Date
    private let checkpoint: @Sendable (PublishStep) -> Void
    private let limits = UploadLimits()
    let uploads: PieceUploads
    private let publishers = Lock<[String: AppPublisher]>([:])

    init(
        apps: AppStore, log: ServerLog, clock: @escaping @Sendable () -> Date,
        checkpoint: @escaping @Sendable (PublishStep) -> Void
    ) {
        self.apps = apps
        uploads = PieceUploads(apps: apps)
        self.log = log
        self.clock = clock
        self.checkpoint = checkpoint
    }

    /// Finishes publications that were committed when the process ended.
    func recover() throws {
        for key in try apps.files.list("apps") where SafeName.isAppKey(key) {
            let publication = Publication(
                files: apps.files, app: "apps/\(key)", checkpoint: { _ in })
            try apps.files.remove("apps/\(key)/incoming")
            if try publication.recover() {
                log.info("publication_finished", ["app_key": key])
            }
        }
    }

    /// Signs freshness anew wherever it nears its end.
    func refreshAll() async {
        for key in (try? apps.files.list("apps")) ?? [] {
            do {
                guard let app = try apps.app(key) else { continue }
                if try await publisher(app).refresh() {
                    log.info("freshness_signed", ["app_key": key])
                }
            } catch {
                log.error("freshness_failed", ["app_key": key, "error": "\(error)"])
            }
        }
    }

    /// Seconds until the first timestamp and the first brakes of any app expire; nil when there are
    /// none.
    func secondsLeft() async -> (timestamp: Int64?, brakes: Int64?) {
        var left: (timestamp: Int64?, brakes: Int64?) = (nil, nil)
        for app in apps.control.apps {
            guard let expiries = try? await publisher(app).secondsLeft() else { continue }
            left.timestamp = [left.timestamp, expiries.timestamp].compactMap { $0 }.min()
            left.brakes = [left.brakes, expiries.brakes].compactMap { $0 }.min()
        }
        return left
    }

    /// Takes the body of one upload.
    func receiver(
        _ app: AppRecord, by principal: Principal?, contentType: String?, expected: Int? = nil
    ) throws -> any BodyReceiver {
        let folder = "apps/\(app.appKey)/incoming/\(SecureRandom.bytes(8).hex)"
        let publisher = publisher(app)
        return try UploadReceiver(
            contentType: contentType, limits: limits, files: apps.files, folder: folder,
            uploaded: { [uploads] in try uploads.target($0, path: $1, app: app.appKey) }
        ) { [self] upload in
            do {
                // A head that takes a release back must get through a full quota.
                if upload.bringsPayload { try requireRoom(for: 0, of: app) }
                let outcome = try await publisher.publish(
                    upload, by: principal, expected: expected)
                let answer = ReleaseAnswer(outcome)
                if outcome.created {
                    try uploads.forgetPublished(upload, of: app.appKey)
                    try apps.control.record(
                        .init(
                            action: "release.published", appKey: app.appKey,
                            subject: answer.release?.version ?? "heads",
                            detail: answer.detail), by: principal?.actor ?? "-")
                    log.info(
                        "published",
                        [
                            "app_key": app.appKey, "release": answer.release?.version ?? "-",
                            "snapshot": "\(answer.versions["snapshot"] ?? 0)",
                        ])
                }
                return HTTPResponse(
                    status: outcome.created ? 201 : 200,
                    headers: [
                        ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
                        ("ETag", "\"\(answer.versions["snapshot"] ?? 0)\""),
                    ],
                    body: .bytes(JSONText.encode(answer)))
            } catch let error as APIError {
                log.info("refused", ["app_key": app.appKey, "code": error.code])
                throw error
            } catch {
                log.error("publish_failed", ["app_key": app.appKey, "error": "\(error)"])
                throw error
            }
        }
    }

    /// Refuses what would take an app beyond its quota.
    /// - Throws: ``APIError`` 413 `quota_exceeded`.
    func requireRoom(for bytes: Int, of app: AppRecord) throws {
        let used = try FolderSize.bytes(below: "\(apps.layout.root)/apps/\(app.appKey)")
        guard used + bytes > app.quota else { return }
        throw APIError(
            status: 413, code: "quota_exceeded",
            message: "The app uses \(used) of \(app.quota) bytes; prune old releases, or have the "
                + "operator raise 'quota_bytes'.")
    }

    /// Who publishes for an app.
    func publisher(_ app: AppRecord) -> AppPublisher {
        publishers.withLock { table in
            if let known = table[app.appKey] { return known }
            let made = AppPublisher(
                app: app, apps: apps, clock: clock, checkpoint: checkpoint)
            table[app.appKey] = made
            return made
        }
    }
}

/// What a publisher of a release is told.
struct ReleaseAnswer: Encodable {
    struct Summary: Encodable {
        let version: String
        let sequence: Int
        let digest: String
        let fp: String
    }

    /// The newest release of the upload; absent when it brought none (a rollback, a new root).
    let release: Summary?
    /// False when everything was here already.
    let created: Bool
    /// The versions that are now published, by role.
    let versions: [String: Int]

    /// What the audit log and webhooks are told.
    var detail: [String: String] {
        var detail = ["snapshot": "\(versions["snapshot"] ?? 0)"]
        if let release {
            detail["digest"] = release.digest
            detail["sequence"] = "\(release.sequence)"
            detail["fingerprint"] = release.fp
        }
        return detail
    }

    init(_ outcome: AppPublisher.Outcome) {
        created = outcome.created
        release = outcome.release.map {
            Summary(
                version: $0.version, sequence: $0.sequence, digest: $0.raw.sha256,
                fp: $0.fingerprint)
        }
        let editor = outcome.editor
        var versions = editor.delegated.mapValues { $0.signed.version }
        versions["root"] = editor.root.signed.version
        versions["targets"] = editor.targets?.signed.version
        versions["snapshot"] = editor.snapshot?.signed.version
        versions["timestamp"] = editor.timestamp?.signed.version
        self.versions = versions
    }
}
