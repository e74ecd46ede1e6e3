import Foundation
import PatchPlatform

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Cuts off connections that overrun their deadline, however busy they look.
///
/// The library only notices silence; a client that sends a byte every few seconds would hold a
/// connection for ever (slowloris).
final class ConnectionWatch: Sendable {
    /// One open connection.
    final class Entry: Sendable {
        let socket: Int32
        private let deadline: Lock<UInt64>

        init(socket: Int32, deadline: UInt64) {
            self.socket = socket
            self.deadline = Lock(deadline)
        }

        /// Moves the deadline to `seconds` from now.
        func allow(seconds: Double) { set(monotonicNanoseconds() &+ UInt64(seconds * 1e9)) }

        /// Waits for ever: the server itself is at work.
        func suspendDeadline() { set(.max) }

        private func set(_ value: UInt64) { deadline.withLock { $0 = value } }

        func isOverdue(at now: UInt64) -> Bool { deadline.withLock { $0 < now } }
    }

    private let entries = Lock<[ObjectIdentifier: Entry]>([:])
    private let isStopped = Lock(false)

    func start() {
        // The thread ends by itself within a quarter of a second of `stop`.
        let thread = Thread { [self] in
            while !isStopped.withLock({ $0 }) {
                cutOverdue()
                usleep(250_000)
            }
        }
        thread.start()
    }

    func stop() { isStopped.withLock { $0 = true } }

    func opened(socket: Int32, seconds: Double) -> Entry {
        let entry = Entry(socket: socket, deadline: 0)
        entry.allow(seconds: seconds)
        entries.withLock { $0[ObjectIdentifier(entry)] = entry }
        return entry
    }

    /// Must be called before the socket is closed, so that a reused number is never cut.
    func closed(_ entry: Entry) {
        entries.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(entry)) }
    }

    private func cutOverdue() {
        let now = monotonicNanoseconds()
        entries.withLock { table in
            for entry in table.values where entry.isOverdue(at: now) {
                _ = shutdown(entry.socket, Int32(SHUT_RDWR))
            }
        }
    }
}

/// Nanoseconds of a clock that never goes back.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}
