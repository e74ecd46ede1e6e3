#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The host's clocks, randomness and streams, as values that a test can replace.
public struct WASIHost {
    /// Nanoseconds since 1970.
    public var wallClock: () -> UInt64
    /// Nanoseconds since any fixed point.
    public var monotonicClock: () -> UInt64
    /// Fills a buffer with unpredictable bytes.
    public var random: (UnsafeMutableRawBufferPointer) -> Void
    /// Waits some nanoseconds; called with at most `maximumSleep`.
    public var sleep: (UInt64) -> Void
    /// The longest that a guest may make its caller wait in one call, in nanoseconds. What a
    /// guest asks for beyond it passes on the guest's clocks only.
    public var maximumSleep: UInt64
    /// Gives at most this many bytes of standard input; none means its end.
    public var standardInput: (Int) -> [UInt8]
    /// Takes what the guest prints; nothing is printed unless this is set.
    public var standardOutput: ([UInt8]) -> Void
    /// Takes what the guest prints as an error.
    public var standardError: ([UInt8]) -> Void

    /// The system's clocks and randomness; no input, no output, no waiting.
    public init() {
        wallClock = { Self.read(CLOCK_REALTIME) }
        monotonicClock = { Self.read(CLOCK_MONOTONIC) }
        random = { buffer in
            // Eight bytes at a time: each call of the generator may be a call of the system.
            var generator = SystemRandomNumberGenerator()
            var index = 0
            while index < buffer.count {
                withUnsafeBytes(of: generator.next() as UInt64) { word in
                    let part = min(word.count, buffer.count - index)
                    for offset in 0..<part { buffer[index + offset] = word[offset] }
                    index += part
                }
            }
        }
        sleep = { nanoseconds in
            var time = timespec()
            time.tv_sec = numericCast(nanoseconds / 1_000_000_000)
            time.tv_nsec = numericCast(nanoseconds % 1_000_000_000)
            nanosleep(&time, nil)
        }
        maximumSleep = 0
        standardInput = { _ in [] }
        standardOutput = { _ in }
        standardError = { _ in }
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(max(0, time.tv_sec)) &* 1_000_000_000 &+ UInt64(max(0, time.tv_nsec))
    }
}
