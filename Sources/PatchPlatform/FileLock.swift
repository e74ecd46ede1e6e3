import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An advisory lock between processes (`flock`), held until ``release()`` or deinit. The system
/// drops it when the process ends, however it ends.
public final class FileLock: Sendable {
    private let descriptor: Lock<Int32>

    private init(descriptor: Int32) { self.descriptor = Lock(descriptor) }

    deinit { release() }

    static func take(path: String, name: String, wait: Bool) throws -> FileLock? {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError.writing(name) }
        return try take(descriptor, LOCK_EX | (wait ? 0 : LOCK_NB), name: name)
    }

    /// The lock of a reader; `.some(nil)` when there is no such file.
    static func takeForReading(path: String, name: String) throws -> FileLock?? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR { return .some(nil) }
            throw FileError.reading(name)
        }
        return try take(descriptor, LOCK_SH | LOCK_NB, name: name).map { $0 }
    }

    /// Nil when another process holds it and `operation` does not wait.
    private static func take(
        _ descriptor: Int32, _ operation: Int32, name: String
    ) throws -> FileLock? {
        while flock(descriptor, operation) != 0 {
            if errno == EINTR { continue }
            let isHeld = errno == EWOULDBLOCK
            let error = FileError.writing(name)
            close(descriptor)
            if isHeld { return nil }
            throw error
        }
        return FileLock(descriptor: descriptor)
    }

    /// Gives the lock back; a second call does nothing.
    public func release() {
        descriptor.withLock {
            // A process that is being started may hold a copy of the descriptor for a moment, so
            // closing ours alone would leave the lock taken.
            if $0 >= 0 {
                _ = flock($0, LOCK_UN)
                close($0)
            }
            $0 = -1
        }
    }
}
