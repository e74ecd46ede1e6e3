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
        while flock(descriptor, LOCK_EX | (wait ? 0 : LOCK_NB)) != 0 {
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
