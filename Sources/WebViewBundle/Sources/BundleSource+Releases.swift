import PatchPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension BundleSource {
    /// A version that a release delivered, in a file of the update core.
    struct Delivered {
        let version: String
        let path: String
        let digest: [UInt8]
    }

    /// Makes what the update core decided what is served: its state is the truth, and folder and
    /// manifest are written from it, whatever they said before. Versions that nothing falls back to
    /// go.
    /// - Parameter delivered: nil for the version that the app ships.
    /// - Throws: ``Error/Core(message:)``; ``BundleFormatError`` when the archive cannot be opened.
    func show(_ delivered: Delivered?, as bundleName: String) throws {
        guard delivered != nil || remoteState().bundles[bundleName] != nil else { return }
        let remote = try writable(bundleName, delivered?.version)
        // Opened before it becomes current: what cannot be opened must not be served.
        if let delivered { _ = try BundleReader(path: delivered.path, limits: limits) }
        try remote.update { state in
            var bundle = state.bundles[bundleName] ?? SourceState.Bundle()
            if let delivered {
                try place(delivered, as: bundleName, remote)
                bundle.versions[delivered.version] = BundleMetadata(
                    integrity: Integrity(.sha256, digest: delivered.digest).description)
                if bundle.current != delivered.version {
                    bundle.previous = bundle.current
                    bundle.current = delivered.version
                }
                // The core compares it with the shipped one; here it simply counts.
                bundle.builtin = builtinVersion(bundleName)
            } else {
                bundle.current = nil
                bundle.previous = nil
            }
            bundle.confirmed = nil
            bundle.rejected = []
            for version in bundle.versions.keys where !bundle.retained.contains(version) {
                bundle.versions[version] = nil
                try remote.files.remove(BundleManifest.file(bundleName, version))
            }
            state.bundles[bundleName] = bundle
        }
        unloadDescriptor(bundleName)
    }

    /// The same file under a second name, which costs no space; a copy where there is no such thing.
    private func place(
        _ delivered: Delivered, as bundleName: String, _ remote: RemoteFolder
    ) throws {
        let target = BundleManifest.file(bundleName, delivered.version)
        let stamp = FileStamp(path: delivered.path)
        if stamp != nil, FileStamp(path: try remote.files.path(target)) == stamp { return }
        let part = "\(RemoteFolder.incoming)/\(bundleName)_\(delivered.version).released"
        try remote.files.remove(part)
        // Opening makes the folder; a link needs the name free.
        _ = try remote.files.openForWriting(part, appending: false)
        try remote.files.remove(part)
        if link(delivered.path, try remote.files.path(part)) == 0 {
            return try remote.files.move(part, to: target)
        }
        try copy(delivered.path, to: part, remote.files)
        try remote.files.move(part, to: target)
    }

    private func copy(_ path: String, to part: String, _ files: LocalFileStore) throws {
        let source = PathParts(path)
        guard let reader = try LocalFileStore(folder: source.folder).openForReading(source.name)
        else { throw FileError(.unreadable, name: source.name) }
        let writer = try files.openForWriting(part, appending: false)
        while true {
            let piece = try reader.read(upTo: 256 << 10)
            if piece.isEmpty { break }
            try piece.withUnsafeBytes { try writer.write($0) }
        }
        try writer.finish()
    }
}
