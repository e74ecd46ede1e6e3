#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Bytes that are read from any position: a file or memory.
protocol BundleStorage: Sendable {
    /// Size in bytes when it was opened.
    var size: Int { get }
    /// Exactly `count` bytes from `offset` on, which the caller has checked against ``size``.
    func read(at offset: Int, count: Int) throws -> [UInt8]
}

struct MemoryStorage: BundleStorage {
    let bytes: [UInt8]
    var size: Int { bytes.count }

    func read(at offset: Int, count: Int) throws -> [UInt8] {
        guard offset >= 0, count >= 0, offset <= bytes.count - count else {
            throw BundleFormatError(.truncated, "The archive ends early.")
        }
        return Array(bytes[offset..<offset + count])
    }
}

/// A file that stays open: requests in flight finish on it though another version is installed
/// or the file removed meanwhile.
///
/// Positional reads rather than a memory map: a file that another process cuts short then gives
/// an error here, where a map would end the app with a bus error.
final class FileStorage: BundleStorage {
    let size: Int
    private let descriptor: Int32

    init(path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(path) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else {
            let error = Self.unreadable(path)
            close(descriptor)
            throw error
        }
        guard information.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw BundleFormatError(.unreadable, "'\(path.printable)' is not a file.")
        }
        size = Int(information.st_size)
    }

    deinit { close(descriptor) }

    func read(at offset: Int, count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            while used < count {
                let part = pread(
                    descriptor, buffer.baseAddress.map { $0 + used }, count - used,
                    off_t(offset + used))
                if part < 0 {
                    if errno == EINTR { continue }
                    throw BundleFormatError(
                        .unreadable, "The file cannot be read: \(String(cString: strerror(errno)))."
                    )
                }
                guard part > 0 else {
                    throw BundleFormatError(
                        .truncated, "The file became shorter while it was open.")
                }
                used += part
            }
        }
    }

    private static func unreadable(_ path: String) -> BundleFormatError {
        BundleFormatError(
            .unreadable,
            "'\(path.printable)' cannot be opened: \(String(cString: strerror(errno))).")
    }
}
