import CWasmCore

// A guest that waits for its host without keeping a thread. The interpreter's frames lie on the
// store's own stack, not on the thread's, so a call can be left at a host function and go on
// later, on any thread.

/// Thrown by a host function that cannot answer yet. In a call made with
/// ``Function/start(slots:limits:)`` the guest stays where it is until ``Store/resume(reply:slots:limits:)``;
/// any other call ends with this error.
public struct HostCallPending: Error {
    /// Leaves the guest.
    public init() {}
}

/// A call that waits for its host.
struct Suspension {
    /// The interpreter's state at the call of the host function.
    var context: wc_context
    /// Where the host function's result belongs.
    var reply: UnsafeMutablePointer<UInt64>
    /// Where the results of the call will be.
    var base: UnsafeMutablePointer<UInt64>
    /// Results of the call.
    var results: Int
    /// Whether the store needs no bookkeeping when nothing runs.
    var wasIdle: Bool
}

extension Function {
    /// Calls the function, as ``invoke(slots:limits:)`` does, and lets host functions suspend it by
    /// throwing ``HostCallPending``. Until it has been resumed to its end the store runs no other
    /// call. What no other call is made inside of can be suspended.
    /// - Returns: whether the call is done and its results are in `slots`.
    /// - Throws: as ``invoke(_:)``.
    public func start(
        slots: UnsafeMutableBufferPointer<UInt64>, limits: CallLimits? = nil
    ) throws -> Bool {
        let wasIdle = store.isIdle
        let maySuspend = store.maySuspend
        store.maySuspend = store.nesting == 0
        defer { store.maySuspend = maySuspend }
        do {
            try invoke(slots: slots, limits: limits)
            return true
        } catch let error as HostCallPending {
            guard store.suspension != nil, store.nesting == 0 else { throw error }
            store.suspension?.results = type.results.count
            store.suspension?.wasIdle = wasIdle
            return false
        }
    }
}

extension Store {
    /// Whether a call waits for its host.
    public var isSuspended: Bool { suspension != nil }

    /// Goes on with the suspended call: the host function that suspended it returns `reply`.
    /// - Parameters:
    ///   - reply: the bits of its one result; ignored when it has none.
    ///   - slots: room for the results of the call.
    ///   - limits: bounds of this leg of the call.
    /// - Returns: whether the call is done; otherwise it waits for its host again.
    /// - Throws: as ``Function/invoke(_:)``; ``WasmUsageError`` when nothing is suspended.
    public func resume(
        reply: UInt64 = 0, slots: UnsafeMutableBufferPointer<UInt64>, limits: CallLimits
    ) throws -> Bool {
        guard let waiting = suspension, nesting == 0 else {
            throw WasmUsageError(
                code: "not_suspended", message: "no call of this store waits for its host")
        }
        if isPoisoned { throw Trap(.hostAccessOutOfBounds) }
        suspension = nil
        maySuspend = true
        let (idle, outer) = (context.pointee, budget)
        budget = Budget(limits)
        context.pointee = waiting.context
        context.pointee.fuel = budget.nextSlice()
        waiting.reply.pointee = reply
        nesting = 1
        defer {
            nesting = 0
            maySuspend = false
            context.pointee = idle
            budget = outer
            if suspension == nil {
                top = waiting.base
                isIdle = waiting.wasIdle && !isPoisoned
            }
        }
        do {
            var exit = wc_resume_after(context)
            while exit != UInt32(WC_EXIT_done) { exit = try attend(exit) }
        } catch let error as HostCallPending {
            guard suspension != nil else { throw error }
            suspension?.results = waiting.results
            suspension?.wasIdle = waiting.wasIdle
            return false
        }
        for index in 0..<min(waiting.results, slots.count) { slots[index] = waiting.base[index] }
        return true
    }

    /// Notes where the guest waits, when it may.
    func suspend(at reply: UnsafeMutablePointer<UInt64>) {
        guard maySuspend, nesting == 1, observer == nil else { return }
        suspension = Suspension(
            context: context.pointee, reply: reply, base: stack, results: 0, wasIdle: false)
    }
}
