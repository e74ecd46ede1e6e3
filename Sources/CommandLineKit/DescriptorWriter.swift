import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes texts whole to a descriptor of this process and remembers when one could not be.
final class DescriptorWriter: @unchecked Sendable {
    // Unchecked: `failure` is only touched under the lock.
    private let descriptor: Int32
    private let lock = NSLock()
    private var failure: String?

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Why something could not be written; nil while all was.
    var problem: String? {
        lock.lock()
        defer { lock.unlock() }
        return failure
    }

    func write(_ text: String) {
        lock.lock()
        defer { lock.unlock() }
        guard failure == nil else { return }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { bytes in
                #if canImport(Glibc)
                    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                #else
                    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
                #endif
            }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&ready, 1, 1000)
            } else if errno != EINTR {
                // A closed pipe is the reader's choice, not a failure of ours.
                if errno != EPIPE { failure = String(cString: strerror(errno)) }
                return
            }
        }
    }
}
