#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The processor time that this process has used, which other work on the machine does not
/// change.
enum ProcessClock {
    static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
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
