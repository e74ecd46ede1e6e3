import RolloutGates

/// How one simulated rollout ended.
public struct RolloutResult: Codable, Equatable, Sendable {
    /// Ways to end.
    public enum Outcome: String, Codable, Sendable {
        /// A gate halted it.
        case halted
        /// It reached the last stage and lasted there.
        case finished
        /// It stayed on a stage until nobody watched any more.
        case held
    }

    /// How it ended.
    public var outcome: Outcome
    /// The rule that ended it, or that held it last.
    public var rule: GateRule
    /// How many devices took the release until then.
    public var exposed: Int
    /// When it ended, in simulated seconds since it began.
    public var seconds: Int
    /// How far it reached at the end, in basis points.
    public var reach: Int
    /// How often a device decided.
    public var decisions: Int
    /// Every decision that changed something, in order.
    public var story: [GateRecord]

    enum CodingKeys: String, CodingKey {
        case outcome, rule, exposed, seconds, decisions, story
        case reach = "reach_bps"
    }
}

/// Rollouts over simulated fleets, through the real decision and gates.
public enum Simulation {
    /// Runs one rollout: the same seed gives the same result.
    /// - Throws: ``SimulationError`` for a model that cannot be run, `GateError` for such rules, and
    ///   `CancellationError`.
    public static func rollout(
        _ model: FleetModel, plan: StagePlan = .standard, rules: GateRules, seed: UInt64
    ) async throws -> RolloutResult {
        try model.check()
        try rules.check()
        let fleet = SimulatedFleet(model, plan: plan, rules: rules, seed: seed)
        let keeper = GateKeeper(store: fleet)
        var time = 0
        var last: GateRecord?
        // At the last stage a release is watched for as long as devices take to come by.
        var end = model.limit
        while time < end {
            try Task.checkCancellation()
            await fleet.live(from: time)
            time += model.lookEvery
            guard case .done(let record)? = try await keeper.look(at: time).first(where: isNews)
            else { continue }
            last = record
            if record.decision.action == .halt {
                return await result(.halted, record, fleet, time)
            }
            if record.decision.rule == .complete, end == model.limit {
                end = min(end, time + model.checkEvery + rules.returnTime)
            }
        }
        guard let last else { throw SimulationError(problem: "the gates never looked") }
        let outcome: RolloutResult.Outcome =
            last.decision.rule == .complete ? .finished : .held
        return await result(outcome, last, fleet, time)
    }

    private static func isNews(_ outcome: GateKeeper.Outcome) -> Bool {
        if case .done = outcome { return true }
        return false
    }

    private static func result(
        _ outcome: RolloutResult.Outcome, _ record: GateRecord, _ fleet: SimulatedFleet, _ time: Int
    ) async -> RolloutResult {
        RolloutResult(
            outcome: outcome, rule: record.decision.rule, exposed: await fleet.exposed,
            seconds: time, reach: record.decision.inputs.reach,
            decisions: await fleet.decisions, story: await fleet.story)
    }

    /// Runs many rollouts, several at a time; results come in the order of their seeds.
    /// - Parameters:
    ///   - jobs: how many at a time; the results are the same for every number.
    ///   - progress: is told how many have ended.
    public static func series(
        _ model: FleetModel, plan: StagePlan = .standard, rules: GateRules, runs: Int,
        seed: UInt64, jobs: Int = 1, progress: (Int) -> Void = { _ in }
    ) async throws -> [RolloutResult] {
        try await withThrowingTaskGroup(of: (Int, RolloutResult).self) { group in
            var results: [RolloutResult?] = Array(repeating: nil, count: max(0, runs))
            var started = 0
            var ended = 0
            func start() {
                guard started < runs else { return }
                let index = started
                started += 1
                group.addTask {
                    let seed = Self.seed(seed, index)
                    return (index, try await rollout(model, plan: plan, rules: rules, seed: seed))
                }
            }
            for _ in 0..<max(1, jobs) { start() }
            while let (index, result) = try await group.next() {
                results[index] = result
                ended += 1
                progress(ended)
                start()
            }
            return results.compactMap { $0 }
        }
    }

    /// The seed of a run within a series.
    public static func seed(_ series: UInt64, _ index: Int) -> UInt64 {
        var random = SimulationRandom(seed: series &+ UInt64(index) &* 0xD1B5_4A32_D192_ED03)
        return random.next()
    }
}
