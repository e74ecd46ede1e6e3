import PatchPlatform

/// How long to wait before asking again: twice as long each time, and never twice the same, so that
/// a fleet that failed together does not come back together.
struct Backoff: Sendable {
    /// The middle of the first pause, in seconds.
    var first: Double = 0.5
    /// The longest pause, in seconds.
    var longest: Double = 60

    /// The pause after `failures` failures in a row: 50 to 150 % of its middle, and at least what the
    /// server asked for.
    func pause(
        after failures: Int, retryAfter: Double?, random: any RandomSource
    ) -> Double {
        let doublings = Double(1 << min(max(0, failures - 1), 30))
        let middle = min(first * doublings, longest)
        let share = Double(random.number(below: 1001)) / 1000
        return max(middle * (0.5 + share), retryAfter ?? 0)
    }
}
