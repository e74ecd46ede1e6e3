import PatchPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells one state of a file from another without reading it. Files here are replaced by renaming,
/// which gives a new inode each time.
struct FileStamp: Sendable, Equatable {
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// Nil when there is no such file.
    init?(path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: information.st_dev)
        inode = UInt64(truncatingIfNeeded: information.st_ino)
        size = Int64(information.st_size)
        #if canImport(Darwin)
            let time = information.st_mtimespec
        #else
            let time = information.st_mtim
        #endif
        seconds = Int(time.tv_sec)
        nanoseconds = Int(time.tv_nsec)
    }
}

/// A manifest that is decoded once for each state of its file.
final class StampedFile: Sendable {
    let path: String
    private let kept = Lock<(stamp: FileStamp, manifest: BundleManifest)?>(nil)

    init(_ path: String) { self.path = path }

    /// Nil when there is no file.
    func read(_ decode: ([UInt8]) throws -> BundleManifest) throws -> BundleManifest? {
        guard let stamp = FileStamp(path: path) else { return nil }
        if let kept = kept.withLock({ $0 }), kept.stamp == stamp { return kept.manifest }
        let split = PathParts(path)
        let bytes = try LocalFileStore(folder: split.folder)
            .read(split.name, maximumSize: BundleManifest.maximumSize)
        guard let bytes else { return nil }
        let manifest = try decode(bytes)
        kept.withLock { $0 = (stamp, manifest) }
        return manifest
    }
}
