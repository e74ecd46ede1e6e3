/// How sure a bound is, one-sided. A closed list, so that the same inputs give the same decision on
/// every machine: no library's approximation of the normal distribution takes part.
public enum Confidence: Int, Codable, CaseIterable, Sendable {
    /// One-sided 90 %.
    case percent90 = 9_000
    /// One-sided 95 %.
    case percent95 = 9_500
    /// One-sided 97.5 %: the ends of the usual 95 % interval.
    case percent97_5 = 9_750
    /// One-sided 99 %.
    case percent99 = 9_900
    /// One-sided 99.5 %.
    case percent99_5 = 9_950
    /// One-sided 99.9 %.
    case percent99_9 = 9_990

    /// The quantile of the standard normal distribution.
    var quantile: Double {
        switch self {
        case .percent90: 1.2815515655446004
        case .percent95: 1.6448536269514722
        case .percent97_5: 1.959963984540054
        case .percent99: 2.3263478740408408
        case .percent99_5: 2.5758293035489004
        case .percent99_9: 3.090232306167813
        }
    }
}

/// A share that was observed: so many of so many.
public struct Share: Codable, Equatable, Sendable {
    /// Those that show what is counted.
    public var count: Int
    /// All of them.
    public var total: Int

    /// `count` of `total`; both are brought into `0...total`.
    public init(_ count: Int, of total: Int) {
        self.total = max(0, total)
        self.count = min(max(0, count), self.total)
    }

    /// The share itself, 0 of nothing.
    public var value: Double { total == 0 ? 0 : Double(count) / Double(total) }

    /// Wilson's score interval (E. B. Wilson, 1927): unlike the share plus or minus its standard
    /// error it is right for few failures and never leaves 0...1. Of nothing it is all of 0...1.
    public func bounds(_ confidence: Confidence) -> ClosedRange<Double> {
        guard total > 0 else { return 0...1 }
        let n = Double(total)
        let z = confidence.quantile
        let middle = (value + z * z / (2 * n)) / (1 + z * z / n)
        let width =
            z / (1 + z * z / n) * (value * (1 - value) / n + z * z / (4 * n * n)).squareRoot()
        // The ends are exact at no and at all successes; rounding may miss them.
        let lower = count == 0 ? 0 : max(0, middle - width)
        let upper = count == total ? 1 : min(1, middle + width)
        return min(lower, value)...max(upper, value)
    }

    /// The lower bound of how much larger this share is than `other`: Newcombe's hybrid of two score
    /// intervals (R. G. Newcombe, 1998, method 10).
    public func excess(over other: Share, _ confidence: Confidence) -> Double {
        let down = value - bounds(confidence).lowerBound
        let up = other.bounds(confidence).upperBound - other.value
        return value - other.value - (down * down + up * up).squareRoot()
    }
}
