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
    /// What is known of it and of the installs; the keeper fills in the earlier control.
    public var inputs: GateInputs
    /// The last decision that was kept of it, for this candidate; nil before the first.
    public var last: GateRecord?

    /// A rollout with what is known of it.
    public init(
        id: String, revision: Int, plan: StagePlan, rules: GateRules, inputs: GateInputs,
        last: GateRecord? = nil
    ) {
        self.id = id
        self.revision = revision
        self.plan = plan
        self.rules = rules
        self.inputs = inputs
        self.last = last
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

/// Looks at rollouts, and carries out what their gates decide. All that it knows is in the store: a
/// keeper that was restarted goes on as if it had not been.
public struct GateKeeper: Sendable {
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

    /// A keeper of the rollouts in `store`.
    public init(store: any GateStore) { self.store = store }

    /// Takes one look at every rollout. One that fails does not keep the others from being looked at.
    /// - Throws: What the store throws when it cannot even list the rollouts.
    public func look(at now: Int) async throws -> [Outcome] {
        let rollouts = try await store.watchedRollouts(at: now)
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
        var rollout = rollout
        let before = rollout.last?.decision
        rollout.inputs.earlierControl = before?.inputs.comparison(
            atLeast: rollout.rules.minimumExposures)
        let decision = decideGate(
            rollout.inputs, rules: rollout.rules, plan: rollout.plan, now: now)
        let record = GateRecord(
            at: now, decision: decision, rules: rollout.rules, plan: rollout.plan)
        if decision.action == .hold, let before, isRepeated(decision, before) {
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
        return isDone ? .done(record) : .overtaken(record)
    }

    /// A minute later nothing may have changed but the clock: that is not told again.
    private func isRepeated(_ decision: GateDecision, _ before: GateDecision) -> Bool {
        var inputs = decision.inputs
        inputs.earlierControl = before.inputs.earlierControl
        return before.action == .hold && before.rule == decision.rule && before.inputs == inputs
    }
}
