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

/// How much memory of this process is resident.
enum ResidentMemory {
    /// In units of 1,024 bytes; nil where the system has no file that says it.
    static var kilobytes: Int? {
        #if os(Linux)
            guard let file = fopen("/proc/self/statm", "r") else { return nil }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 128)
            guard fgets(&line, Int32(line.count), file) != nil else { return nil }
            let fields = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split(separator: " ")
            guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
            return pages * (sysconf(Int32(_SC_PAGESIZE)) / 1_024)
        #else
            return nil
        #endif
    }
}
