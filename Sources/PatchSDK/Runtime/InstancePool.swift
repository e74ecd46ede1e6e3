import PatchPlatform

/// The instances of one module. A call takes an idle one out and gives it back, so that no two
/// threads ever share an instance and nobody waits for another's call.
final class InstancePool: Sendable {
    private struct State {
        var idle: [ModuleInstance] = []
        /// Calls in progress.
        var lent = 0
        var hasBegun = false
        var hasReturned = false
        /// The longest that a call may take now, in nanoseconds.
        var callNanoseconds: UInt64
    }

    /// What a call begins with.
    struct Loan {
        /// An idle instance, if there is one.
        var instance: ModuleInstance?
        /// Whether this is the first call of all.
        var isFirst: Bool
        /// The longest that it may take, in nanoseconds.
        var callNanoseconds: UInt64
    }

    private let state: Lock<State>
    private let maximumIdle: Int

    init(maximumIdle: Int, callNanoseconds: UInt64) {
        self.maximumIdle = maximumIdle
        state = Lock(State(callNanoseconds: callNanoseconds))
    }

    /// Begins a call.
    /// - Parameter wantsInstance: whether it has none of its own.
    func take(wantsInstance: Bool = true) -> Loan {
        nonisolated(unsafe) var loan = Loan(isFirst: false, callNanoseconds: 0)
        // Moved out of the lock whole: after this nobody else holds it.
        state.withLock {
            if wantsInstance { loan.instance = $0.idle.popLast() }
            loan.isFirst = !$0.hasBegun
            loan.callNanoseconds = $0.callNanoseconds
            $0.hasBegun = true
            $0.lent += 1
        }
        return loan
    }

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
        if instance.isSound, state.idle.count < maximum { state.idle.append(instance) }
    }

    /// Gives calls more time, once the module has been found to work.
    func setCallNanoseconds(_ nanoseconds: UInt64) {
        state.withLock { $0.callNanoseconds = nanoseconds }
    }

    /// Whether no call is in progress.
    var isIdle: Bool { state.withLock { $0.lent == 0 } }

    /// Lets the idle instances go, when the module runs no more.
    func drain() { state.withLock { $0.idle.removeAll() } }
}
