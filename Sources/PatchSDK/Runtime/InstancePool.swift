import PatchPlatform

/// The idle instances of one module that no call may take without a lock (``IdleSlots``), and how
/// many calls are in progress. No two threads ever share an instance, and nobody waits for another's
/// call.
final class InstancePool: Sendable {
    private struct State {
        var idle: [ModuleInstance] = []
        /// Calls in progress that did not take their instance without a lock.
        var lent = 0
        var hasBegun = false
        var hasReturned = false
    }

    /// What a call begins with.
    struct Loan {
        /// An idle instance, if there is one.
        var instance: ModuleInstance?
        /// Whether this is the first call of all.
        var isFirst: Bool
    }

    private let state = Lock(State())
    private let maximumIdle: Int

    init(maximumIdle: Int) { self.maximumIdle = maximumIdle }

    /// Begins a call.
    /// - Parameter wantsInstance: whether it has none of its own.
    func take(wantsInstance: Bool = true) -> Loan {
        nonisolated(unsafe) var loan = Loan(isFirst: false)
        // Moved out of the lock whole: after this nobody else holds it.
        state.withLock {
            if wantsInstance { loan.instance = $0.idle.popLast() }
            loan.isFirst = !$0.hasBegun
            $0.hasBegun = true
            $0.lent += 1
        }
        return loan
    }

    /// Counts calls that go on with an instance which they took without a lock, and end with
    /// ``giveBack(_:hasReturned:)``. They may have done so before this.
    func lend(_ count: Int) { state.withLock { $0.lent += count } }

    /// Ends a call. Its instance is kept for the next one, unless the call failed: it may hold
    /// arguments that nobody freed, or wait for a native function still.
    /// - Parameter hasReturned: whether the call returned rather than failed.
    /// - Returns: whether it is the first that returned.
    func giveBack(_ instance: ModuleInstance?, hasReturned: Bool) -> Bool {
        nonisolated(unsafe) let instance = instance
        return state.withLock { state in
            if let instance, hasReturned { Self.keep(instance, &state, maximumIdle) }
            state.lent -= 1
            let isFirst = hasReturned && !state.hasReturned
            if hasReturned { state.hasReturned = true }
            return isFirst
        }
    }

    /// Keeps an instance that no call has used yet.
    func add(_ instance: ModuleInstance) {
        nonisolated(unsafe) let instance = instance
        state.withLock { Self.keep(instance, &$0, maximumIdle) }
    }

    private static func keep(_ instance: ModuleInstance, _ state: inout State, _ maximum: Int) {
        guard instance.isSound, state.idle.count < maximum else { return }
        // The module keeps the pool, so an instance of the pool must not keep the module.
        instance.module = nil
        state.idle.append(instance)
    }

    /// Whether no call is in progress, but for those that took their instance without a lock.
    var isIdle: Bool { state.withLock { $0.lent <= 0 } }

    /// Lets the idle instances go, when the module runs no more.
    func drain() {
        nonisolated(unsafe) var idle: [ModuleInstance] = []
        state.withLock { swap(&idle, &$0.idle) }
    }
}
