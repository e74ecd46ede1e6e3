import Foundation
import PatchPlatform

/// Where a bundle comes from.
public enum BundleOrigin: String, Sendable, Codable {
    /// It shipped with the app.
    case builtin
    /// It was downloaded.
    case remote
}

/// The version of a bundle that is served.
public struct LoadedVersion: Sendable, Equatable {
    /// Where it comes from.
    public let type: BundleOrigin
    /// The version.
    public let version: String
}

/// One version in one of the two folders.
public struct ListedBundle: Sendable, Equatable {
    /// The folder.
    public let type: BundleOrigin
    /// The bundle.
    public let name: String
    /// The version.
    public let version: String
    /// Whether it is the current version of its folder.
    public let current: Bool
    /// What is known of it.
    public let metadata: BundleMetadata
}

/// The two folders that bundles are served from: builtin (read only) and remote (downloads).
///
/// All changes take the folder's lock, so that several processes may share it; each is written to
/// the state file first and to the manifest after that. What is served is decided anew when either
/// file has changed; a bundle that is open stays readable whatever happens to its file.
public final class BundleSource: Sendable {
    /// The builtin folder that is used when the app names none.
    public static var defaultBuiltinDir: String? { DefaultFolders.builtin }
    /// The remote folder that is used when the app names none.
    public static var defaultRemoteDir: String? { DefaultFolders.remote }

    /// The builtin folder.
    public let builtinDir: String?
    /// The remote folder.
    public let remoteDir: String?

    let limits: BundleLimits
    let onError: @Sendable (any Swift.Error) -> Void
    private let builtinManifest: StampedFile?
    let remote: RemoteFolder?
    private let open = Lock<[String: Opened]>([:])

    private struct Opened {
        let file: String
        let stamp: FileStamp
        let reader: BundleReader
    }

    /// - Parameters:
    ///   - onError: told of damage that is worked around, such as a bundle that cannot be opened.
    public init(
        options: SourceOptions = SourceOptions(), limits: BundleLimits = .standard,
        onError: @escaping @Sendable (any Swift.Error) -> Void = { _ in }
    ) {
        builtinDir = options.builtinDir ?? DefaultFolders.builtin
        remoteDir = options.remoteDir ?? DefaultFolders.remote
        self.limits = limits
        self.onError = onError
        builtinManifest = (options.builtinManifestFilepath ?? builtinDir.map(Self.manifest))
            .map(StampedFile.init)
        remote = remoteDir.map { folder in
            RemoteFolder(
                folder: folder,
                manifest: options.remoteManifestFilepath ?? Self.manifest(folder),
                onError: onError)
        }
    }

    private static func manifest(_ folder: String) -> String {
        folder + "/" + BundleManifest.fileName
    }

    // MARK: Reading

    /// Every version in both folders, builtin first, by name and version.
    public func listBundles() -> [ListedBundle] {
        func list(_ type: BundleOrigin, _ manifest: BundleManifest) -> [ListedBundle] {
            manifest.entries.sorted { $0.key < $1.key }.flatMap { name, entry in
                entry.versions.sorted { $0.key < $1.key }.map { version, metadata in
                    ListedBundle(
                        type: type, name: name, version: version,
                        current: version == entry.currentVersion, metadata: metadata)
                }
            }
        }
        return list(.builtin, builtin()) + list(.remote, remoteState().manifest)
    }

    /// The version of a bundle that is served; nil when there is none.
    ///
    /// A downloaded version wins over the builtin one, unless the app brought a newer builtin
    /// version after it was installed.
    public func loadVersion(_ bundleName: String) -> LoadedVersion? {
        let downloaded = remoteState().bundles[bundleName]
        let shipped = builtin().entries[bundleName]?.currentVersion
        guard let version = downloaded?.current else {
            return shipped.map { LoadedVersion(type: .builtin, version: $0) }
        }
        if let shipped, shipped != downloaded?.builtin,
            BundleVersion.isOlder(version, than: shipped)
        {
            return LoadedVersion(type: .builtin, version: shipped)
        }
        return LoadedVersion(type: .remote, version: version)
    }

    /// The file of the version that is served.
    /// - Throws: ``Error/Core(message:)`` `bundle_not_found`.
    public func resolveFilepath(_ bundleName: String) throws -> String {
        guard let loaded = loadVersion(bundleName) else { throw notFound(bundleName) }
        return try filepath(loaded.type, bundleName, loaded.version)
    }

    /// The file of one version, which must be listed.
    /// - Throws: ``Error/Core(message:)`` `bundle_version_not_found`.
    public func filepath(
        _ type: BundleOrigin, _ bundleName: String, _ version: String
    ) throws -> String {
        guard metadata(type, bundleName, version) != nil, let folder = folder(type) else {
            throw FailureCode.versionNotFound.core(
                "There is no \(type.rawValue) version '\(version.printable)' of "
                    + "'\(bundleName.printable)'.")
        }
        return folder + "/" + BundleManifest.file(bundleName, version)
    }

    /// What is known of one version; nil when it is not listed.
    public func metadata(
        _ type: BundleOrigin, _ bundleName: String, _ version: String
    ) -> BundleMetadata? {
        switch type {
        case .builtin: builtin().entries[bundleName]?.versions[version]
        case .remote: remoteState().bundles[bundleName]?.versions[version]
        }
    }

    /// The bundle that is served, opened.
    ///
    /// When its file is damaged or gone, that is reported and the next best one is opened: the
    /// previous version, then the builtin one.
    /// - Throws: ``Error/Core(message:)`` `bundle_not_found`, or what is wrong with the best one.
    public func fetchBundle(_ bundleName: String) throws -> BundleReader {
        guard let best = loadVersion(bundleName) else { throw notFound(bundleName) }
        do {
            return try openBundle(best, bundleName)
        } catch {
            onError(error)
            for other in alternatives(to: best, bundleName) {
                if let reader = try? openBundle(other, bundleName) { return reader }
            }
            throw error
        }
    }

    /// One version, opened.
    /// - Throws: ``Error/Core(message:)`` `bundle_version_not_found`; ``BundleFormatError``.
    public func fetchBundle(
        _ type: BundleOrigin, _ bundleName: String, _ version: String
    ) throws -> BundleReader {
        try BundleReader(path: filepath(type, bundleName, version), limits: limits)
    }

    /// Forgets the open bundle of a name, so that the next use opens its file again.
    /// - Returns: whether one was open.
    @discardableResult
    public func unloadDescriptor(_ bundleName: String) -> Bool {
        open.withLock { opened in
            let count = opened.count
            opened = opened.filter { !$0.key.hasPrefix(bundleName + "/") }
            return opened.count < count
        }
    }

    private func alternatives(
        to best: LoadedVersion, _ bundleName: String
    ) -> [LoadedVersion] {
        let downloaded = remoteState().bundles[bundleName]
        let remote = [downloaded?.current, downloaded?.confirmed, downloaded?.previous]
            .compactMap { $0 }.map { LoadedVersion(type: .remote, version: $0) }
        let builtin = builtin().entries[bundleName]?.currentVersion
            .map { LoadedVersion(type: .builtin, version: $0) }
        return (remote + [builtin].compactMap { $0 }).filter { $0 != best }
    }

    private func openBundle(_ loaded: LoadedVersion, _ bundleName: String) throws -> BundleReader {
        let file = try filepath(loaded.type, bundleName, loaded.version)
        let stamp = FileStamp(path: file)
        let key = "\(bundleName)/\(loaded.type.rawValue)"
        if let stamp, let kept = open.withLock({ $0[key] }), kept.file == file, kept.stamp == stamp
        {
            return kept.reader
        }
        let reader = try BundleReader(path: file, limits: limits)
        if let stamp {
            open.withLock { $0[key] = Opened(file: file, stamp: stamp, reader: reader) }
        }
        return reader
    }

    private func folder(_ type: BundleOrigin) -> String? {
        type == .builtin ? builtinDir : remoteDir
    }

    private func builtin() -> BundleManifest {
        do {
            return try builtinManifest?.read(BundleManifest.init(json:)) ?? BundleManifest()
        } catch {
            onError(error)
            return BundleManifest()
        }
    }

    func remoteState() -> SourceState { remote?.state() ?? SourceState() }

    func builtinVersion(_ bundleName: String) -> String? {
        builtin().entries[bundleName]?.currentVersion
    }

    func notFound(_ bundleName: String) -> Error {
        FailureCode.bundleNotFound.core("There is no bundle named '\(bundleName.printable)'.")
    }
}
