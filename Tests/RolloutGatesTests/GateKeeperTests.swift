import Rollout
import Testing

@testable import RolloutGates

@Suite("Gate keeper")
struct GateKeeperTests {
    /// A store of one rollout in memory, which can fail or be overtaken where a test wants it.
    actor Store: GateStore {
        struct Broken: Error {}

        var rollout: WatchedRollout
        var kept: [GateRecord] = []
        var carriedOut: [GateDecision.Action] = []
        var failsToKeep = false
        var isOvertaken = false

        init(_ inputs: GateInputs) {
            rollout = WatchedRollout(
                id: "one", revision: 1, plan: .standard, rules: GateFixture.rules, inputs: inputs)
        }

        func change(_ change: @Sendable (isolated Store) -> Void) { change(self) }

        func watchedRollouts(at now: Int) -> [WatchedRollout] {
            var other = rollout
            other.id = "other"
            return [rollout, other]
        }

        func keep(_ record: GateRecord, of rollout: WatchedRollout) throws {
            if failsToKeep, rollout.id == "one" { throw Broken() }
            kept.append(record)
            self.rollout.last = record
        }

        func halt(_ rollout: WatchedRollout, _ record: GateRecord) -> Bool {
            if !isOvertaken { carriedOut.append(.halt) }
            return !isOvertaken
        }

        func advance(_ rollout: WatchedRollout, to reach: Int, _ record: GateRecord) -> Bool {
            if !isOvertaken { carriedOut.append(.advance(to: reach)) }
            return !isOvertaken
        }
    }

    @Test(
        "a decision is kept before it is carried out, and is not carried out when it cannot be kept"
    )
    func keepsFirst() async throws {
        let store = Store(GateFixture.healthy)
        await store.change { $0.failsToKeep = true }
        let outcomes = try await GateKeeper(store: store).look(at: GateFixture.now)
        guard case .failed("one", _) = outcomes[0], case .done(let record) = outcomes[1] else {
            Issue.record("\(outcomes)")
            return
        }
        // The rollout that failed kept the other one from nothing.
        #expect(await store.carriedOut == [.advance(to: 2_500)])
        #expect(record.again() == record.decision)
    }

    @Test("a rollout that somebody changed meanwhile is left to the next look")
    func overtaken() async throws {
        var bad = GateFixture.healthy
        bad.candidate.failed = 500
        let store = Store(bad)
        await store.change { $0.isOvertaken = true }
        guard case .overtaken = try await GateKeeper(store: store).look(at: GateFixture.now)[0]
        else {
            Issue.record("carried out")
            return
        }
        await store.change { $0.isOvertaken = false }
        _ = try await GateKeeper(store: store).look(at: GateFixture.now + 60)
        #expect(await store.carriedOut.first == .halt)
    }

    @Test("a hold from the same counts is kept once, also by a keeper that was restarted")
    func repeats() async throws {
        var waiting = GateFixture.healthy
        waiting.exposedInStage = 10
        let store = Store(waiting)
        _ = try await GateKeeper(store: store).look(at: GateFixture.now)
        let first = await store.kept.count
        for minute in 1...5 {
            let outcome = try await GateKeeper(store: store).look(at: GateFixture.now + minute * 60)
            guard case .unchanged = outcome[0] else {
                Issue.record("\(outcome)")
                return
            }
        }
        #expect(await store.kept.count == first)
        await store.change { $0.rollout.inputs.exposedInStage = 11 }
        _ = try await GateKeeper(store: store).look(at: GateFixture.now + 600)
        #expect(await store.kept.count > first)
    }

    @Test("a control cohort that was large enough is remembered through the records")
    func remembersControl() async throws {
        let store = Store(GateFixture.healthy)
        let keeper = GateKeeper(store: store)
        _ = try await keeper.look(at: GateFixture.now)
        await store.change {
            $0.rollout.inputs.reach = 5_000
            $0.rollout.inputs.control = Cohort(exposed: 3, activated: 3)
            $0.rollout.inputs.candidate.failed = 19
        }
        _ = try await keeper.look(at: GateFixture.now + 60)
        await store.change { $0.rollout.inputs.control = Cohort() }
        _ = try await keeper.look(at: GateFixture.now + 120)
        let last = await store.kept.last
        #expect(last?.decision.rule == .relative)
        #expect(last?.decision.inputs.earlierControl == GateFixture.healthy.control)
    }
}
