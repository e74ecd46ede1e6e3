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

    init(
        apps: AppStore, log: ServerLog, clock: @escaping @Sendable () -> Date,
        checkpoint: @escaping @Sendable (PublishStep) -> Void
    ) {
        self.apps = apps
        self.log = log
        self.clock = clock
        self.checkpoint = checkpoint
    }

    /// Finishes publications that were committed when the process ended.
    func recover() throws {}

    /// Takes the body of one upload.
    func receiver(_ app: AppRecord, contentType: String?) throws -> any BodyReceiver {
        let folder = "apps/\(app.appKey)/incoming/\(SecureRandom.bytes(8).hex)"
        return try UploadReceiver(
            contentType: contentType, limits: limits, files: apps.files, folder: folder
        ) { upload in
            throw APIError.internalFailure("not built yet")
        }
    }
}
