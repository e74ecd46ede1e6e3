import Foundation

/// Points in time as results show them: UTC, to the second.
enum Moment {
    /// `2026-11-30 13:00:00Z`; seconds since 1970 that no calendar holds are shown as they are.
    static func text(_ seconds: Int) -> String {
        guard (0...253_402_300_799).contains(seconds) else { return "\(seconds)" }
        return date(Double(seconds)).replacingOccurrences(of: "T", with: " ")
    }

    private static func date(_ seconds: Double) -> String {
        ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: seconds))
    }
}
