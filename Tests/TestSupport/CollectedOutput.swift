import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What comes out of a pipe, read by a thread of its own until the other end closes.
final class CollectedOutput: @unchecked Sendable {
    // Unchecked: everything below is read and written under the condition's lock.
    private let changed = NSCondition()
    private var bytes: [UInt8] = []
    private var isWhole = false
    private var cursor = 0

    /// Takes `descriptor` over and closes it at its end.
    init(_ descriptor: Int32) {
        Thread.detachNewThread { [self] in
            var part = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(descriptor, &part, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                changed.withLock {
                    bytes += part[..<count]
                    changed.broadcast()
                }
            }
            close(descriptor)
            changed.withLock {
                isWhole = true
                changed.broadcast()
            }
        }
    }

    /// All that came so far.
    var text: String { changed.withLock { String(decoding: bytes, as: UTF8.self) } }

    /// Waits until the text so far satisfies `condition`, the end, or `deadline`.
    /// - Returns: whether it satisfied it.
    func wait(until deadline: Date, for condition: (String) -> Bool) -> Bool {
        changed.withLock {
            while true {
                if condition(String(decoding: bytes, as: UTF8.self)) { return true }
                if isWhole || !changed.wait(until: deadline) { return false }
            }
        }
    }

    /// Waits for the end, a little: a program's own children may hold the pipe open.
    func finish() { _ = wait(until: Date().addingTimeInterval(20)) { _ in false } }

    /// The next line without its end; nil at the end of the output or at `deadline`.
    func nextLine(until deadline: Date) -> [UInt8]? {
        changed.withLock {
            var seen = cursor
            while true {
                if let end = bytes[seen...].firstIndex(of: UInt8(ascii: "\n")) {
                    defer { cursor = end + 1 }
                    return Array(bytes[cursor..<end])
                }
                seen = bytes.count
                if isWhole || !changed.wait(until: deadline) { return nil }
            }
        }
    }
}
