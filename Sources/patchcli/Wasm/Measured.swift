#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time of this process.
enum ProcessClock {
    /// The processor time that it has used, which other work on the machine does not change.
    static var nanoseconds: UInt64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// Time that goes by, which costs a tenth as much to ask for.
    static var elapsed: UInt64 { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(max(0, time.tv_sec)) &* 1_000_000_000 &+ UInt64(max(0, time.tv_nsec))
    }
}

/// Figures of repeated measurements.
enum Measured {
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    /// One digit after the point.
    static func text(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
