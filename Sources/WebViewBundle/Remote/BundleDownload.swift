import Foundation
import PatchCrypto
import PatchPlatform
import UpdateEngine

/// Brings a bundle into the incoming folder: streamed to disk, hashed on the way, continued where
/// an earlier attempt ended.
struct BundleDownload: Sendable {
    let remote: Remote
    let folder: RemoteFolder
    let verifier: BundleVerifier
    let name: String
    /// The version wanted; nil takes what is deployed.
    let version: String?
    let channel: String?
    /// Whether the answer's version may be installed at all; throws when not.
    let admit: @Sendable (String) throws -> Void
    let progress: @Sendable (DownloadProgress) -> Void

    /// What is kept beside a part, to go on with it.
    struct Sidecar: Codable, Equatable {
        let version: String
        let metadata: BundleMetadata
    }

    /// What was brought in.
    struct Result: Sendable {
        let info: RemoteBundleInfo
        /// Relative to the remote folder.
        let part: String
    }

    /// One part a bundle: a newer version replaces what is left of an older one.
    private var part: String { "\(RemoteFolder.incoming)/\(name).part" }
    private var sidecar: String { "\(RemoteFolder.incoming)/\(name).json" }
    private var lockName: String { "\(RemoteFolder.incoming)/\(name).lock" }

    /// - Throws: ``Error``. What arrived stays after a lost connection; all else is removed.
    func run<Outcome>(_ take: (Result) throws -> Outcome) async throws -> Outcome {
        let lock = try folder.storing { try folder.files.lock(lockName, wait: false) }
        guard let lock else {
            throw FailureCode.downloadRunning.core(
                "Another download of '\(name)' is under way; wait for it.")
        }
        defer { lock.release() }
        do {
            let info = try await receive()
            let outcome = try take(Result(info: info, part: part))
            discard()
            return outcome
        } catch let error as Error where Self.isWorthKeeping(error) {
            throw error
        } catch {
            discard()
            throw error
        }
    }

    private static func isWorthKeeping(_ error: Error) -> Bool {
        error.code == FailureCode.transport.rawValue
    }

    private func discard() {
        try? folder.files.remove(part)
        try? folder.files.remove(sidecar)
        // Also a sidecar that a killed process was writing.
        Leftovers(files: folder.files, folders: [RemoteFolder.incoming]).remove()
    }

    private func receive() async throws -> RemoteBundleInfo {
        do {
            return try await attempt(continuing: true)
        } catch is CannotContinue {
            discard()
            return try await attempt(continuing: false)
        }
    }

    private func attempt(continuing: Bool) async throws -> RemoteBundleInfo {
        let earlier = continuing ? try leftOver() : nil
        var plain = try request()
        if let earlier {
            plain = plain.resuming(at: earlier.size, etag: earlier.sidecar.metadata.etag)
        } else {
            discard()
        }
        let receiver = DownloadReceiver(self, earlier: earlier)
        do {
            try await folderErrors {
                try await Remote.translating {
                    try await remote.transport.stream(plain, into: receiver)
                }
            }
        } catch {
            // Bytes in the writer's hands are on disk only now; the next attempt reads them.
            receiver.keep()
            throw error
        }
        return try folder.storing { try receiver.finish() }
    }

    /// A version by its own address, or what is deployed.
    private func request() throws -> HTTPRequest {
        guard let version else { return try remote.request("/bundles/\(name)", channel: channel) }
        return try remote.request("/bundles/\(name)/\(version)", channel: nil)
    }

    struct LeftOver {
        let size: Int
        let sidecar: Sidecar
    }

    /// What an earlier attempt left, when it can be continued: a part of the version wanted with a
    /// strong entity tag, by which the server knows whether its bytes are still the same.
    private func leftOver() throws -> LeftOver? {
        try folder.storing {
            guard let size = try folder.files.size(of: part), size > 0,
                size < remote.options.maximumBundleSize,
                let json = try folder.files.read(sidecar, maximumSize: 64 << 10),
                let kept = try? JSONDecoder().decode(Sidecar.self, from: Data(json)),
                let etag = kept.metadata.etag, etag.hasPrefix("\""),
                version == nil || version == kept.version
            else { return nil }
            return LeftOver(size: size, sidecar: kept)
        }
    }

    private func folderErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as FileError {
            throw FailureCode.storage.core("The folder of bundles: \(error.description)")
        }
    }

    // MARK: For the receiver

    func openPart(appending: Bool) throws -> any FileWriter {
        try folder.files.openForWriting(part, appending: appending)
    }

    func keepSidecar(_ sidecar: Sidecar) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try folder.files.writeAtomically([UInt8](encoder.encode(sidecar)), to: self.sidecar)
    }

    func partPath() throws -> String { try folder.files.path(part) }
    func freeBytes() -> UInt64? { folder.files.freeBytes() }
}

/// How far a download is.
public struct DownloadProgress: Sendable, Equatable {
    /// The bundle.
    public let bundleName: String
    /// Bytes on disk.
    public let receivedBytes: Int
    /// Bytes in all, if the remote says.
    public let totalBytes: Int?
}

/// The server cannot go on where the last attempt ended.
struct CannotContinue: Swift.Error {}
