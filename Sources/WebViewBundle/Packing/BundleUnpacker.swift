import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes the entries of an archive as files.
///
/// Paths that could climb do not get past the reader; here links that already lie in the folder
/// are not followed, and no file is written twice.
public struct BundleUnpacker: Sendable {
    /// Whether a folder that is not empty is taken, and files in it are replaced.
    public var overwrites = false

    /// An unpacker that wants an empty folder.
    public init() {}

    /// Writes every entry of `bundle` below `folder`, which is made when missing.
    ///
    /// All entries are read before the first file is written, so a damaged archive leaves nothing.
    /// - Returns: number of files written.
    /// - Throws: ``BundleFormatError``; ``Error/Core(message:)`` `bundle_storage_failed`.
    @discardableResult
    public func unpack(_ bundle: BundleReader, to folder: String) throws -> Int {
        try bundle.verify()
        try makeFolder(folder)
        if !overwrites, try !FileManager.default.contentsOfDirectory(atPath: folder).isEmpty {
            throw FailureCode.storage.core(
                "The folder '\(folder.printable)' is not empty; name another one or overwrite it.")
        }
        var written: Set<String> = []
        for entry in bundle.entries {
            let segments = entry.path.split(separator: "/").map(String.init)
            var place = folder
            for segment in segments.dropLast() {
                place += "/" + segment
                try makeFolder(place)
            }
            let target = folder + entry.path
            try write(bundle.contents(of: entry), to: target, isNew: !written.contains(target))
            written.insert(target)
        }
        return bundle.count
    }

    private func makeFolder(_ path: String) throws {
        if mkdir(path, 0o777) == 0 { return }
        let failure = errno
        var information = stat()
        guard failure == EEXIST, lstat(path, &information) == 0 else {
            throw failed(path, failure)
        }
        switch information.st_mode & S_IFMT {
        case S_IFDIR: return
        case S_IFLNK:
            throw FailureCode.storage.core(
                "'\(path.printable)' is a link, which is not followed; remove it first.")
        default:
            throw FailureCode.storage.core(
                "'\(path.printable)' is a file where the bundle has a folder.")
        }
    }

    private func write(_ bytes: [UInt8], to path: String, isNew: Bool) throws {
        // Removed first when it may be replaced: what is then created is never a link.
        if overwrites, isNew { unlink(path) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            if errno == EEXIST {
                throw FailureCode.storage.core(
                    "'\(path.printable)' exists already; two names of the bundle may be one on "
                        + "this file system.")
            }
            throw failed(path, errno)
        }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                systemWrite(descriptor, raw.baseAddress.map { $0 + written }, raw.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw failed(path, errno)
            }
            written += count
        }
    }

    private func failed(_ path: String, _ number: Int32) -> Error {
        FailureCode.storage.core(
            "'\(path.printable)' cannot be written: \(String(cString: strerror(number))).")
    }
}

// Named apart from the method `write`, which would hide the C function.
private func systemWrite(_ file: Int32, _ from: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, from, count)
}
