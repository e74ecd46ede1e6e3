import Foundation
import PatchPlatform

extension BundleSource {
    /// Adds a version to the remote folder without making it current.
    ///
    /// The archive is read through first, so that what is stored can be served. A version whose
    /// files are in use is left as it is when the bytes are the same.
    /// - Throws: ``BundleFormatError``; ``Error/Core(message:)``, `bundle_version_in_use` for other
    ///   bytes under a version that is in use.
    public func writeRemoteBundle(
        _ bundleName: String, _ version: String, data: [UInt8],
        metadata: BundleMetadata = BundleMetadata()
    ) throws {
        let remote = try writable(bundleName, version)
        let part = "\(RemoteFolder.incoming)/\(bundleName)_\(version).written"
        try remote.storing { try remote.files.writeAtomically(data, to: part) }
        do {
            try adopt(part, as: bundleName, version, metadata: metadata)
        } catch {
            try? remote.files.remove(part)
            throw error
        }
    }

    /// Takes over a file of the incoming folder.
    func adopt(
        _ part: String, as bundleName: String, _ version: String, metadata: BundleMetadata
    ) throws {
        let remote = try writable(bundleName, version)
        try BundleReader(path: remote.files.path(part), limits: limits).verify()
        let target = BundleManifest.file(bundleName, version)
        try remote.update { state in
            var bundle = state.bundles[bundleName] ?? SourceState.Bundle()
            if bundle.retained.contains(version), bundle.versions[version] != nil {
                guard try isSame(part, target, remote.files) else {
                    throw FailureCode.versionInUse.core(
                        "Version '\(version)' of '\(bundleName)' is in use with other content; "
                            + "publish the new content under a new version.")
                }
                try remote.files.remove(part)
                return
            }
            // The file first: a version that is listed always has its file.
            try remote.files.move(part, to: target)
            bundle.versions[version] = metadata
            state.bundles[bundleName] = bundle
        }
    }

    /// Makes a version of the remote folder the current one; the old one stays as the previous.
    /// - Throws: ``Error/Core(message:)`` `bundle_version_not_found`; ``BundleFormatError`` when
    ///   its file cannot be opened.
    public func updateVersion(_ bundleName: String, _ version: String) throws {
        let remote = try writable(bundleName, version)
        // Opened before it becomes current: what cannot be opened must not be served.
        _ = try fetchBundle(.remote, bundleName, version)
        try remote.update { state in
            guard state.bundles[bundleName]?.versions[version] != nil else {
                throw FailureCode.versionNotFound.core(
                    "There is no remote version '\(version)' of '\(bundleName)'.")
            }
            state.bundles[bundleName]?.activate(version, builtin: builtinVersion(bundleName))
        }
        unloadDescriptor(bundleName)
    }

    /// Notes that the version that is served works. It then is what a later version falls back to.
    /// - Returns: whether a downloaded version is served.
    @discardableResult
    public func confirm(_ bundleName: String) throws -> Bool {
        guard let remote, loadVersion(bundleName)?.type == .remote else { return false }
        return try remote.update { state in
            guard let current = state.bundles[bundleName]?.current else { return false }
            state.bundles[bundleName]?.confirmed = current
            return true
        }
    }

    /// Whether the downloaded version that is current has said that it works.
    public func isConfirmed(_ bundleName: String) -> Bool {
        guard let bundle = remoteState().bundles[bundleName] else { return false }
        return bundle.current != nil && bundle.current == bundle.confirmed
    }

    /// Takes the current downloaded version back: the last one that worked is served again, else
    /// the builtin one. The bad version is not offered again.
    /// - Returns: the version served now; nil when the app has none left.
    @discardableResult
    public func revert(_ bundleName: String) throws -> LoadedVersion? {
        try remote?.update { state in _ = state.bundles[bundleName]?.revert() }
        unloadDescriptor(bundleName)
        return loadVersion(bundleName)
    }

    /// Removes a version of the remote folder.
    /// - Returns: whether there was one.
    /// - Throws: ``Error/Core(message:)`` `bundle_version_in_use` for the current version.
    @discardableResult
    public func removeRemoteBundle(_ bundleName: String, _ version: String) throws -> Bool {
        let remote = try writable(bundleName, version)
        return try remote.update { state in
            guard var bundle = state.bundles[bundleName], bundle.versions[version] != nil else {
                return false
            }
            guard bundle.current != version else {
                throw FailureCode.versionInUse.core(
                    "Version '\(version)' of '\(bundleName)' is the current one.")
            }
            bundle.versions[version] = nil
            if bundle.previous == version { bundle.previous = nil }
            if bundle.confirmed == version { bundle.confirmed = nil }
            state.bundles[bundleName] = bundle
            try remote.files.remove(BundleManifest.file(bundleName, version))
            return true
        }
    }

    /// The versions that pruning leaves: current, previous, and the last one that worked.
    public func remoteRetainedVersions(_ bundleName: String) -> [String] {
        remoteState().bundles[bundleName]?.retained.sorted() ?? []
    }

    /// Removes all versions that nothing can fall back to.
    /// - Returns: the versions removed.
    @discardableResult
    public func pruneRemoteBundles(_ bundleName: String) throws -> [String] {
        guard let remote else { return [] }
        return try remote.update { state in
            guard var bundle = state.bundles[bundleName] else { return [] }
            let stale = bundle.versions.keys.filter { !bundle.retained.contains($0) }.sorted()
            for version in stale {
                bundle.versions[version] = nil
                try remote.files.remove(BundleManifest.file(bundleName, version))
            }
            state.bundles[bundleName] = bundle
            return stale
        }
    }

    func writable(_ bundleName: String, _ version: String? = nil) throws -> RemoteFolder {
        try BundleNaming.check(name: bundleName)
        if let version { try BundleNaming.check(version: version) }
        guard let remote else {
            throw FailureCode.noRemoteFolder.core(
                "No folder for downloaded bundles is configured, and the system names none.")
        }
        return remote
    }

    private func isSame(_ one: String, _ other: String, _ files: LocalFileStore) throws -> Bool {
        guard try files.size(of: one) == files.size(of: other) else { return false }
        return try Integrity(ofFile: files.path(one)) == Integrity(ofFile: files.path(other))
    }
}
