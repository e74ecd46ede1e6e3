import Foundation

/// Seconds between one lap and the next.
struct Stopwatch {
    private var last = ProcessInfo.processInfo.systemUptime

    mutating func lap() -> Double {
        let now = ProcessInfo.processInfo.systemUptime
        defer { last = now }
        return now - last
    }
}
