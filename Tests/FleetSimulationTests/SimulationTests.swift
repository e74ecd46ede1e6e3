import Rollout
import RolloutGates
import Testing

@testable import FleetSimulation

/// `patchcli simulate --table` runs all of it; here each row shows once that it can fail.
@Suite("Simulated fleets")
struct SimulationTests {
    /// A fleet a tenth of the table's, with rules to match.
    private static let small: (model: FleetModel, rules: GateRules) = {
        var model = FleetModel()
        model.devices = 10_000
        var rules = GateRules()
        rules.returnTime = 0
        rules.minimumExposures = 60
        rules.failureLimit = 800
        return (model, rules)
    }()

    private func run(
        seed: UInt64 = 1, _ change: (inout FleetModel, inout GateRules) -> Void = { _, _ in }
    ) async throws -> RolloutResult {
        var (model, rules) = Self.small
        change(&model, &rules)
        return try await Simulation.rollout(model, rules: rules, seed: seed)
    }

    @Test("a healthy release reaches everybody, stage by stage")
    func healthy() async throws {
        let result = try await run()
        #expect(result.outcome == .finished && result.rule == .complete)
        #expect(result.exposed > 9_900)
        let reaches = result.story.compactMap { record -> Int? in
            if case .advance(let reach) = record.decision.action { return reach }
            return nil
        }
        #expect(reaches == [500, 2_500, 5_000, 10_000])
        // Every device asks again after each publication only: five times, and once it holds it.
        #expect((10_000...60_000).contains(result.decisions))
    }

    @Test("the same seed gives the same rollout, another one another")
    func seeded() async throws {
        let bad: (inout FleetModel, inout GateRules) -> Void = { model, _ in
            model.candidateFailure = 0.2
        }
        let first = try await run(seed: 7, bad)
        #expect(try await run(seed: 7, bad) == first)
        #expect(try await run(seed: 8, bad) != first)
    }

    @Test("results do not depend on how many rollouts run at a time")
    func jobs() async throws {
        var (model, rules) = Self.small
        model.devices = 2_000
        rules.minimumExposures = 10
        model.limit = 7_200
        func series(_ jobs: Int) async throws -> [RolloutResult] {
            try await Simulation.series(model, rules: rules, runs: 6, seed: 3, jobs: jobs)
        }
        let alone = try await series(1)
        #expect(alone.count == 6)
        #expect(try await series(4) == alone)
    }

    @Test("a release that three in a hundred fail with is halted before 800 of 100,000 took it")
    func threePercent() async throws {
        var model = FleetModel()
        model.candidateFailure = 0.03
        var rules = GateRules()
        rules.returnTime = 0
        let result = try await Simulation.rollout(model, rules: rules, seed: 11)
        #expect(result.outcome == .halted)
        #expect(result.rule == .hard || result.rule == .relative)
        #expect(result.exposed <= 800)
    }

    @Test("a release that no device survives to report is halted, and without the rule it is not")
    func silentBrick() async throws {
        let heard = try await run { model, _ in model.brick = 1 }
        #expect(heard.outcome == .halted && heard.rule == .silence)
        #expect(heard.exposed < 100)
        let deaf = try await run { model, rules in
            model.brick = 0.1
            rules.silenceMargin = 10_000
        }
        #expect(deaf.outcome == .finished && deaf.exposed > 9_000)
    }

    @Test("where devices come back within a day, the first stage waits for them")
    func realReturns() async throws {
        let result = try await run { model, rules in
            model.returnTime = 14_400
            rules.returnTime = 14_400
        }
        #expect(result.outcome == .finished)
        let first = result.story.first { $0.decision.action != .hold }
        #expect((first?.at ?? 0) >= 14_400)
        #expect(result.story.contains { $0.decision.rule == .returns })
    }

    @Test("a brick among devices that take hours to come back goes no further than the first stage")
    func slowBrick() async throws {
        let result = try await run { model, rules in
            model.brick = 0.3
            model.returnTime = 14_400
            rules.returnTime = 14_400
        }
        #expect(result.outcome == .halted && result.rule == .silence)
        #expect(result.reach == 100)
    }

    @Test("gates stop at what the release key grants")
    func grant() async throws {
        let result = try await run { model, _ in
            model.grant = 1_000
            model.limit = 40_000
        }
        #expect(result.outcome == .held && result.rule == .granted)
        #expect(result.reach == 1_000)
        #expect((700...1_300).contains(result.exposed))
    }

    @Test("models that cannot be meant are refused")
    func refusals() async {
        for change in [
            { $0.devices = 5 }, { $0.devices = .max }, { $0.brick = 1.5 }, { $0.returns = .nan },
            { $0.checkEvery = 0 }, { $0.lookEvery = 0 }, { $0.returnTime = -1 },
            { $0.grant = 0 }, { $0.limit = .max },
        ] as [(inout FleetModel) -> Void] {
            var model = FleetModel()
            change(&model)
            await #expect(throws: SimulationError.self) {
                try await Simulation.rollout(model, rules: GateRules(), seed: 1)
            }
        }
    }
}

@Suite("Summaries")
struct SummaryTests {
    private func result(
        _ outcome: RolloutResult.Outcome, _ exposed: Int, _ rule: GateRule = .hard
    ) -> RolloutResult {
        RolloutResult(
            outcome: outcome, rule: rule, exposed: exposed, seconds: 1, reach: 1, decisions: 1,
            story: [])
    }

    @Test("quantiles are values that were seen")
    func quantiles() {
        let summary = Summary((1...100).map { result(.halted, $0) })
        #expect(summary.median == 50 && summary.percentile95 == 95 && summary.maximum == 100)
        #expect(summary.rules == ["hard": 100])
        let empty = Summary([])
        #expect(empty.median == 0 && empty.runs == 0)
    }

    @Test("what does not come out as it must is named")
    func misses() {
        let expectation = Scenario.Expectation(outcome: .halted, median: 40, percentile95: 100)
        let misses = Summary(
            (1...99).map { result(.halted, $0) } + [result(.finished, 100_000)]
        ).misses(expectation)
        #expect(
            misses == [
                "99 of 100 halted", "50 devices exposed at the median, at most 40",
            ])
        #expect(Summary([result(.halted, 40)]).misses(expectation).isEmpty)
    }

    @Test("every row of the table can be run")
    func table() throws {
        for scenario in Scenario.table {
            try scenario.model.check()
            try scenario.rules.check()
        }
        #expect(Set(Scenario.table.map(\.id)).count == Scenario.table.count)
        #expect(Scenario.table.first { $0.id == "healthy" }?.runs == 200)
    }
}
