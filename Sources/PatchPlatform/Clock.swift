import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time of day, and a time that never goes back.
public protocol SystemClock: Sendable {
    /// Seconds since 1970 (UTC), as the device believes; it may jump in either direction.
    func now() -> Double
    /// Nanoseconds since some fixed moment; never decreases while the process lives.
    func monotonicNanoseconds() -> UInt64
    /// Lets `seconds` pass.
    /// - Throws: `CancellationError`.
    func sleep(seconds: Double) async throws
}

extension SystemClock {
    /// Waits for as long as the name says.
    public func sleep(seconds: Double) async throws {
        guard seconds > 0 else { return }
        try await Task.sleep(nanoseconds: UInt64(min(seconds, 1e9) * 1e9))
    }
}

/// The clock of the machine.
public struct LiveClock: SystemClock {
    /// The clock.
    public init() {}

    /// See ``SystemClock/now()``.
    public func now() -> Double { Date().timeIntervalSince1970 }

    /// See ``SystemClock/monotonicNanoseconds()``.
    public func monotonicNanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// A clock that a test sets.
public final class ManualClock: SystemClock {
    private let time: Lock<(wall: Double, monotonic: UInt64)>

    /// Starts at `now` seconds since 1970.
    public init(now: Double = 1_750_000_000) { time = Lock((now, 0)) }

    /// See ``SystemClock/now()``.
    public func now() -> Double { time.withLock { $0.wall } }
    /// See ``SystemClock/monotonicNanoseconds()``.
    public func monotonicNanoseconds() -> UInt64 { time.withLock { $0.monotonic } }

    /// Does not wait: the time has passed at once.
    public func sleep(seconds: Double) async throws {
        try Task.checkCancellation()
        advance(by: seconds)
    }

    /// Lets `seconds` pass on both times; negative values turn only the time of day back.
    public func advance(by seconds: Double) {
        time.withLock {
            $0.wall += seconds
            if seconds > 0 { $0.monotonic += UInt64(seconds * 1e9) }
        }
    }
}
