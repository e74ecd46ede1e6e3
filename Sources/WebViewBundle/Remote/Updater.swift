import Foundation
import PatchPlatform

/// What a check found.
public struct BundleUpdateInfo: Sendable, Equatable {
    /// The bundle.
    public let name: String
    /// The version that the remote has deployed.
    public let version: String
    /// The version that is served now; nil when there is none.
    public let localVersion: String?
    /// Whether the remote's version is newer and was not taken back here before.
    public let isAvailable: Bool
    /// What the remote says beside that.
    public let metadata: BundleMetadata

    /// The entity tag.
    public var etag: String? { metadata.etag }
    /// The integrity string.
    public var integrity: String? { metadata.integrity }
    /// The signature over the integrity string.
    public var signature: String? { metadata.signature }
    /// When it changed.
    public var lastModified: String? { metadata.lastModified }
}

/// Checks for, downloads and installs bundles.
public final class Updater: Sendable {
    private let source: BundleSource
    private let remote: Remote
    private let channel: String?
    private let verifier: BundleVerifier
    private let onProgress: @Sendable (DownloadProgress) -> Void

    /// - Parameters:
    ///   - channel: the channel asked for; nil takes the default deployment.
    ///   - integrityPolicy: whether bundles must carry an integrity string.
    ///   - signatureVerifier: whose signature they must carry; nil demands none.
    ///   - onProgress: told of each piece of a download.
    /// - Throws: ``Error/Signature(message:)`` when the key cannot be used.
    public init(
        source: BundleSource, remote: Remote, channel: String? = nil,
        integrityPolicy: IntegrityPolicy = .strict,
        signatureVerifier: SignatureVerifierOptions? = nil,
        onProgress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
    ) throws {
        self.source = source
        self.remote = remote
        self.channel = channel
        self.onProgress = onProgress
        verifier = BundleVerifier(
            policy: integrityPolicy, signature: try signatureVerifier.map(SignatureVerifier.init))
    }

    /// The bundles that the remote has deployed.
    /// - Throws: ``Error``.
    public func listRemotes() async throws -> [RemoteBundleListing] {
        try await remote.listBundles(channel: channel)
    }

    /// Asks the remote whether there is a newer version; downloads nothing.
    /// - Throws: ``Error``.
    public func getUpdate(bundleName: String) async throws -> BundleUpdateInfo {
        let info = try await remote.getInfo(bundleName: bundleName, channel: channel)
        let local = source.loadVersion(bundleName)?.version
        let rejected = source.remoteState().bundles[bundleName]?.rejected ?? []
        let isNewer = local.map { BundleVersion.isNewer(info.version, than: $0) } ?? true
        return BundleUpdateInfo(
            name: info.name, version: info.version, localVersion: local,
            isAvailable: isNewer && !rejected.contains(info.version), metadata: info.metadata)
    }

    /// Downloads a version and stores it beside the current one, without making it current.
    ///
    /// The bytes are streamed to disk and hashed on the way; a download that was cut off goes on
    /// where it ended. What is stored has passed the integrity and signature checks and was read
    /// through.
    /// - Parameter version: nil takes what is deployed.
    /// - Throws: ``Error``, among them `downgrade_refused` for a version below the current one and
    ///   `download_running` while another download of the bundle goes on.
    public func downloadUpdate(
        bundleName: String, version: String? = nil
    ) async throws -> RemoteBundleInfo {
        do {
            return try await run(bundleName, version)
        } catch let error as Error
            where version != nil && error.code == FailureCode.forbidden.rawValue
        {
            // A remote may give out deployed versions only, under the address without a version.
            let deployed = try await remote.getInfo(bundleName: bundleName, channel: channel)
            guard deployed.version == version else { throw error }
            let info = try await run(bundleName, nil)
            guard info.version == version else {
                throw FailureCode.wrongBundle.http(
                    "The remote deployed version \(info.version) meanwhile; check again.")
            }
            return info
        }
    }

    private func run(_ bundleName: String, _ version: String?) async throws -> RemoteBundleInfo {
        let folder = try source.writable(bundleName, version)
        let source = source
        let download = BundleDownload(
            remote: remote, folder: folder, verifier: verifier, name: bundleName, version: version,
            channel: channel,
            admit: { try Self.refuseDowngrade(source, bundleName, to: $0) },
            progress: onProgress)
        return try await download.run { result in
            do {
                try source.adopt(
                    result.part, as: bundleName, result.info.version,
                    metadata: result.info.metadata)
            } catch let error as BundleFormatError {
                throw FailureCode.badBundle.core(
                    "The remote's bundle is refused: \(error.description)")
            }
            return result.info
        }
    }

    /// Makes a downloaded version the current one, after checking it again, and removes versions
    /// that nothing can fall back to.
    /// - Throws: ``Error``.
    public func install(bundleName: String, version: String) async throws {
        guard let metadata = source.metadata(.remote, bundleName, version) else {
            throw FailureCode.versionNotFound.core(
                "Version '\(version.printable)' of '\(bundleName.printable)' is not downloaded.")
        }
        try Self.refuseDowngrade(source, bundleName, to: version)
        try check(source.filepath(.remote, bundleName, version), metadata)
        do {
            try source.updateVersion(bundleName, version)
        } catch let error as BundleFormatError {
            throw FailureCode.badBundle.core("The bundle is refused: \(error.description)")
        }
        do {
            try source.pruneRemoteBundles(bundleName)
        } catch {
            // Files that stay cost space, nothing else.
            source.onError(error)
        }
    }

    /// The bytes on disk against what was stated when they were downloaded.
    private func check(_ path: String, _ metadata: BundleMetadata) throws {
        let algorithm = try verifier.algorithm(
            statedIntegrity: metadata.integrity, statedSignature: metadata.signature)
        guard let algorithm else { return }
        let digest: [UInt8]
        do {
            digest = try Integrity(ofFile: path, algorithm).digest
        } catch {
            throw FailureCode.storage.core("The downloaded bundle cannot be read: \(error)")
        }
        try verifier.check(
            digest: digest, statedIntegrity: metadata.integrity,
            statedSignature: metadata.signature)
    }

    /// Nothing in the contract is signed over name, version and time, so an old bundle is as well
    /// signed as a new one; what is below the version served is therefore refused.
    private static func refuseDowngrade(
        _ source: BundleSource, _ bundleName: String, to version: String
    ) throws {
        guard let local = source.loadVersion(bundleName)?.version,
            BundleVersion.isOlder(version, than: local)
        else { return }
        throw FailureCode.downgrade.core(
            "Version '\(version)' of '\(bundleName)' is older than '\(local)', which is served.")
    }
}
