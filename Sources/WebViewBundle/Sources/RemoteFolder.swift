import Foundation
import PatchPlatform

/// A path in its folder and its name.
struct PathParts {
    let folder: URL
    let name: String

    init(_ path: String) {
        let url = URL(fileURLWithPath: path)
        folder = url.deletingLastPathComponent()
        name = url.lastPathComponent
    }
}

/// The writable folder: its state file, its manifest, its lock.
final class RemoteFolder: Sendable {
    static let lockName = "openpatch-bundles.lock"
    /// Downloads under way; on the same file system, so that finishing one is a rename.
    static let incoming = ".incoming"

    let files: LocalFileStore
    private let manifestFiles: LocalFileStore
    private let manifestName: String
    private let onError: @Sendable (any Swift.Error) -> Void
    private let kept = Lock<(stamps: Stamps, state: SourceState)?>(nil)

    private struct Stamps: Equatable {
        let state: FileStamp?
        let manifest: FileStamp?
    }

    init(folder: String, manifest: String, onError: @escaping @Sendable (any Swift.Error) -> Void) {
        files = LocalFileStore(folder: URL(fileURLWithPath: folder))
        let parts = PathParts(manifest)
        manifestFiles = LocalFileStore(folder: parts.folder)
        manifestName = parts.name
        self.onError = onError
    }

    /// What the folder holds, as last written by any process.
    func state() -> SourceState {
        let stamps = stamps()
        if let kept = kept.withLock({ $0 }), kept.stamps == stamps { return kept.state }
        let state = read()
        kept.withLock { $0 = (stamps, state) }
        return state
    }

    /// Changes the state under the lock of the folder, and makes it durable.
    /// - Throws: ``Error/Core(message:)`` `bundle_storage_failed`, or what `change` throws.
    func update<Result>(_ change: (inout SourceState) throws -> Result) throws -> Result {
        try storing {
            guard let lock = try manifestFiles.lock(Self.lockName, wait: true) else {
                throw FailureCode.storage.core("The folder of bundles cannot be locked.")
            }
            defer { lock.release() }
            var state = read()
            let before = state
            let result = try change(&state)
            // Also when nothing changed: the manifest may lack what a crash kept from it.
            let isManifestRight = manifestOnDisk() == state.manifest
            if state == before, isManifestRight { return result }
            if state != before {
                try manifestFiles.writeAtomically(state.encoded(), to: SourceState.fileName)
            }
            try manifestFiles.writeAtomically(state.manifest.encoded(), to: manifestName)
            kept.withLock { $0 = nil }
            return result
        }
    }

    /// Runs `body`; errors of the file system become ``Error/Core(message:)``.
    func storing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileError {
            throw FailureCode.storage.core("The folder of bundles: \(error.description)")
        }
    }

    private func stamps() -> Stamps {
        let folder = manifestFiles.folder.path + "/"
        return Stamps(
            state: FileStamp(path: folder + SourceState.fileName),
            manifest: FileStamp(path: folder + manifestName))
    }

    /// The state file; without one the manifest that another implementation left; without both,
    /// or when they are damaged, nothing: the app then goes on with its builtin bundles.
    private func read() -> SourceState {
        do {
            let bytes = try manifestFiles.read(
                SourceState.fileName, maximumSize: SourceState.maximumSize)
            if let bytes { return try SourceState(json: bytes) }
        } catch {
            onError(error)
        }
        return manifestOnDisk().map(SourceState.init) ?? SourceState()
    }

    private func manifestOnDisk() -> BundleManifest? {
        do {
            return try manifestFiles.read(manifestName, maximumSize: BundleManifest.maximumSize)
                .map(BundleManifest.init(json:))
        } catch {
            onError(error)
            return nil
        }
    }
}
