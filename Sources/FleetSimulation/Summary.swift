import RolloutGates

/// What became of many rollouts of one kind.
public struct Summary: Codable, Equatable, Sendable {
    /// How many there were.
    public var runs: Int
    /// How many were halted.
    public var halted: Int
    /// How many reached everybody.
    public var finished: Int
    /// How many stayed on a stage.
    public var held: Int
    /// How many were halted by each rule.
    public var rules: [String: Int]
    /// Devices that took the release, at the median of all runs.
    public var median: Int
    /// The same at the 95th percentile.
    public var percentile95: Int
    /// The same at most.
    public var maximum: Int
    /// Simulated seconds until the end, at the median.
    public var medianSeconds: Int
    /// The 95 % bounds of the share that was halted.
    public var haltedShare: [Double]

    enum CodingKeys: String, CodingKey {
        case runs, halted, finished, held, rules
        case median = "exposed_median"
        case percentile95 = "exposed_p95"
        case maximum = "exposed_max"
        case medianSeconds = "seconds_median"
        case haltedShare = "halted_share_95"
    }

    /// Counts results; of none everything is 0.
    public init(_ results: [RolloutResult]) {
        runs = results.count
        func count(_ outcome: RolloutResult.Outcome) -> Int {
            results.filter { $0.outcome == outcome }.count
        }
        halted = count(.halted)
        finished = count(.finished)
        held = count(.held)
        rules = results.filter { $0.outcome == .halted }
            .reduce(into: [:]) { $0[$1.rule.rawValue, default: 0] += 1 }
        let exposed = results.map(\.exposed).sorted()
        median = Self.quantile(exposed, 50)
        percentile95 = Self.quantile(exposed, 95)
        maximum = exposed.last ?? 0
        medianSeconds = Self.quantile(results.map(\.seconds).sorted(), 50)
        let bounds = Share(halted, of: runs).bounds(.percent97_5)
        haltedShare = [bounds.lowerBound, bounds.upperBound]
    }

    /// The smallest value that so many percent do not exceed.
    private static func quantile(_ sorted: [Int], _ percent: Int) -> Int {
        guard !sorted.isEmpty else { return 0 }
        let rank = (sorted.count * percent + 99) / 100
        return sorted[max(0, rank - 1)]
    }

    /// What does not come out as it must; empty when all does.
    public func misses(_ expectation: Scenario.Expectation) -> [String] {
        var misses: [String] = []
        let right: Int
        switch expectation.outcome {
        case .halted: right = halted
        case .finished: right = finished
        case .held: right = held
        }
        if right != runs {
            misses.append("\(right) of \(runs) \(expectation.outcome.rawValue)")
        }
        if let most = expectation.median, median > most {
            misses.append("\(median) devices exposed at the median, at most \(most)")
        }
        if let most = expectation.percentile95, percentile95 > most {
            misses.append("\(percentile95) devices exposed at the 95th percentile, at most \(most)")
        }
        return misses
    }
}
