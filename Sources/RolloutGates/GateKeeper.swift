import Rollout

/// A rollout that is being watched.
public struct WatchedRollout: Equatable, Sendable {
    /// What the store knows it by.
    public var id: String
    /// Changes with every change of head, brake, plan or rules: a decision about one revision is never
    /// carried out on another.
    public var revision: Int
    /// Its steps.
    public var plan: StagePlan
    /// Its rules.
    public var rules: GateRules
    /// What is known of it and of the installs.
    public var inputs: GateInputs

    /// A rollout with what is known of it.
    public init(
        id: String, revision: Int, plan: StagePlan, rules: GateRules, inputs: GateInputs
    ) {
        self.id = id
        self.revision = revision
        self.plan = plan
        self.rules = rules
        self.inputs = inputs
    }
}

/// Where rollouts, installs' last states and decisions are kept.
public protocol GateStore: Sendable {
    /// Every rollout under a plan that may still advance or need to be halted, with its counts at
    /// `now` (seconds since 1970). The counts' rules are those of ``Cohort``; `due` and `silent` are
    /// counted by the rollout's `rules.returnTime`.
    func watchedRollouts(at now: Int) async throws -> [WatchedRollout]

    /// Keeps a decision, for good: nothing that acts on it happens before this has returned.
    func keep(_ record: GateRecord, of rollout: WatchedRollout) async throws

    /// Publishes a brake that halts the rollout.
    /// - Returns: False, with nothing done, when the rollout is of another revision by now.
    func halt(_ rollout: WatchedRollout, _ record: GateRecord) async throws -> Bool

    /// Publishes a brake that caps the rollout at `reach` basis points, never above its grant.
    /// - Returns: False, with nothing done, when the rollout is of another revision by now.
    func advance(
        _ rollout: WatchedRollout, to reach: Int, _ record: GateRecord
    ) async throws -> Bool
}

/// Looks at rollouts again and again, and carries out what their gates decide.
public actor GateKeeper {
    /// How one look at one rollout ended.
    public enum Outcome: Equatable, Sendable {
        /// Decided, kept, and carried out where there was something to do.
        case done(GateRecord)
        /// The same as the last time, from the same counts; nothing was kept.
        case unchanged(GateRecord)
        /// Somebody changed the rollout meanwhile; the next look decides anew.
        case overtaken(GateRecord)
        /// The store failed; the next look tries again.
        case failed(rollout: String, problem: String)
    }

    private let store: any GateStore
    private var last: [String: GateDecision] = [:]

    /// A keeper of the rollouts in `store`.
    public init(store: any GateStore) { self.store = store }

    /// Takes one look at every rollout. One that fails does not keep the others from being looked at.
    /// - Throws: What the store throws when it cannot even list the rollouts.
    public func look(at now: Int) async throws -> [Outcome] {
        let rollouts = try await store.watchedRollouts(at: now)
        let known = Set(rollouts.map(\.id))
        last = last.filter { known.contains($0.key) }
        var outcomes: [Outcome] = []
        for rollout in rollouts {
            do {
                outcomes.append(try await look(at: rollout, now))
            } catch {
                outcomes.append(.failed(rollout: rollout.id, problem: String(describing: error)))
            }
        }
        return outcomes
    }

    private func look(at rollout: WatchedRollout, _ now: Int) async throws -> Outcome {
        let decision = decideGate(
            rollout.inputs, rules: rollout.rules, plan: rollout.plan, now: now)
        let record = GateRecord(
            at: now, decision: decision, rules: rollout.rules, plan: rollout.plan)
        // A minute later nothing may have changed but the clock: that is not told again.
        if decision.action == .hold, let before = last[rollout.id], before.rule == decision.rule,
            before.inputs == decision.inputs
        {
            return .unchanged(record)
        }
        try await store.keep(record, of: rollout)
        let isDone: Bool
        switch decision.action {
        case .hold: isDone = true
        case .halt: isDone = try await store.halt(rollout, record)
        case .advance(let reach):
            isDone = try await store.advance(rollout, to: reach, record)
        }
        last[rollout.id] = isDone ? decision : nil
        return isDone ? .done(record) : .overtaken(record)
    }
}
