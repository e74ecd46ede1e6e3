import CPatchGate
import PatchPlatform
import Rollout
import WebAssembly

/// Which module serves calls now. Calls in progress keep the one they began with.
final class RoutingTable: Sendable {
    private struct State {
        var active: LoadedModule?
        var surface: Surface?
        /// How often each routed function of the active module failed.
        var failures: [UInt64: Int] = [:]
        /// Calls that wait for native functions.
        var waiting = 0

        /// Makes another module the active one, inside the lock: or a demotion of the old one could
        /// close a gate of the new one.
        mutating func swap(to module: LoadedModule?) {
            active = module
            failures = [:]
            module?.table.clearDemotions()
            surface?.openGates(for: module)
        }
    }

    /// After so many failures a function is served natively until the next release.
    static let failuresToDemotion = 3

    private let state = Lock(State())
    /// Instances of the active module that calls take without the lock.
    let slots = IdleSlots()
    /// Whether any call waits, for calls that take no lock.
    let areWaiting = SharedFlag()
    /// Called with the first failure of a function, and with its demotion.
    let report: @Sendable (PatchError, PatchRelease) -> Void

    init(report: @escaping @Sendable (PatchError, PatchRelease) -> Void) {
        self.report = report
    }

    /// The module that new calls reach.
    var active: LoadedModule? { state.withLock { $0.active } }

    /// The module that a call begun now on this thread reaches.
    private var pinned: LoadedModule? {
        CallFrame.instance?.module ?? WaitingCall.module ?? active
    }

    /// The same for a routed function, unless the active module's was demoted.
    func pinned(for id: UInt64) -> LoadedModule? {
        if let instance = CallFrame.instance { return instance.module }
        let (module, areWaiting) = state.withLock { state -> (LoadedModule?, Bool) in
            if !state.failures.isEmpty, state.failures[id] ?? 0 >= Self.failuresToDemotion {
                return (nil, state.waiting > 0)
            }
            return (state.active, state.waiting > 0)
        }
        // Asked only then, because task-local values cost as much as the rest of a call.
        if areWaiting, let own = WaitingCall.module { return own }
        return module
    }

    /// Keeps an instance for the next call, if `module` is active still. One more than its limits
    /// allow is let go.
    /// - Returns: false when the module's pool may have it.
    func keep(_ instance: ModuleInstance, of module: LoadedModule) -> Bool {
        nonisolated(unsafe) let instance = instance
        return state.withLock { state in
            guard state.active === module else { return false }
            return slots.put(instance, most: module.maximumIdle)
                || module.maximumIdle <= IdleSlots.count
        }
    }

    /// Counts the calls that wait for native functions.
    func noteWaiting(_ change: Int) {
        state.withLock {
            $0.waiting += change
            areWaiting.isSet = $0.waiting > 0
        }
    }

    /// Whether no call of the active module is in progress.
    var isIdle: Bool { active?.isIdle != false && slots.isIdle }

    /// Sets the functions that the app routes.
    func setSurface(_ surface: Surface?) { state.withLock { $0.surface = surface } }

    /// Makes `module` serve the calls that begin from now on.
    func swap(to module: LoadedModule?) {
        let old = change {
            $0.swap(to: module)
            return true
        }
        if old !== module { old?.retire() }
    }

    /// Changes what is active, if `body` says that it did. Calls that took an instance of the module
    /// before keep it.
    /// - Returns: what was active.
    private func change(_ body: (inout State) -> Bool) -> LoadedModule? {
        let changed = state.withLock { state -> Changed in
            let old = state.active
            guard body(&state) else { return Changed(old: old, idle: []) }
            let (idle, busy) = slots.empty()
            if busy > 0 { old?.lend(busy) }
            return Changed(old: old, idle: idle)
        }
        // The instances are let go of here, outside the lock: that may take a while.
        return changed.old
    }

    private struct Changed {
        var old: LoadedModule?
        var idle: [ModuleInstance]
    }

    /// The active module, unless what has this id was demoted.
    func unlessDemoted(_ id: UInt64) -> LoadedModule? {
        state.withLock {
            $0.failures[id] ?? 0 >= Self.failuresToDemotion ? nil : $0.active
        }
    }

    /// Leaves what has this id to native code until the next release.
    /// - Returns: whether that is news of a module that is active.
    func markDemoted(_ id: UInt64, of module: LoadedModule) -> Bool {
        state.withLock { state in
            guard state.active === module,
                state.failures[id] ?? 0 < Self.failuresToDemotion
            else { return false }
            state.failures[id] = Self.failuresToDemotion
            state.surface?.closeGate(id)
            module.table.demote(id)
            return true
        }
    }

    /// A release that hangs before it was found to work serves nothing more in this process: the
    /// next function would cost as long again.
    func leave(_ module: LoadedModule, _ error: PatchError) {
        guard let trial = module.trial, !trial.isOver else { return }
        let old = change { state in
            guard state.active === module else { return false }
            state.swap(to: nil)
            return true
        }
        guard old === module else { return }
        module.retire()
        trial.hung(module, error)
    }

    /// Counts a failure and says what becomes of the call. What called native functions is not
    /// tried again: doing twice what should happen once is worse than a release without a function.
    func failed(
        _ id: UInt64, _ module: LoadedModule, _ error: any Error, hasEffect: Bool
    ) -> Outcome {
        let error = error as? PatchError ?? PatchError(.callFailed, "\(error)")
        if error.reason == .timeLimit { leave(module, error) }
        let weight = hasEffect ? Self.failuresToDemotion : 1
        let (before, count) = state.withLock { state -> (Int, Int) in
            guard state.active === module else { return (0, 0) }
            let before = state.failures[id] ?? 0
            let count = before + weight
            state.failures[id] = count
            if count >= Self.failuresToDemotion {
                state.surface?.closeGate(id)
                module.table.demote(id)
            }
            return (before, count)
        }
        let name = "function \(DeclarationID.hex16(id))"
        if count > 0, before == 0 || hasEffect, before < Self.failuresToDemotion {
            let reason = hasEffect ? Reason.replayedAfterEffect : error.reason
            let why = hasEffect ? "\(error.code): \(error.context)" : error.context
            report(PatchError(reason, "\(name): \(why)"), module.release)
        }
        if before < Self.failuresToDemotion, count >= Self.failuresToDemotion {
            report(PatchError(.demoted, name), module.release)
        }
        return hasEffect ? .failedAfterEffect(error) : .native
    }

    // MARK: Calls by name

    /// Calls an export of the active module.
    /// - Throws: ``PatchError``.
    func call<Result>(
        _ export: String, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> Result
    ) throws -> Result {
        guard let module = pinned else { throw PatchError(.noActiveModule) }
        return try withInstance(of: module) { instance in
            guard let function = instance.exportedFunction(export) else {
                throw PatchError(.exportMissing, "'\(export)' of \(module.release.version)")
            }
            var written = PatchArguments()
            arguments(&written)
            do {
                let shape = patch_function(function.type, at: 0)
                let placed = try instance.place(&written, for: shape, function.type)
                try written.slots.withSlots { try instance.call(function, $0) }
                let answer = try instance.read(written.slots[0], of: shape, result)
                if let placed { try instance.release(placed.pointer, placed.count) }
                return answer
            } catch let error as PatchError where error.reason == .timeLimit {
                leave(module, error)
                throw error
            }
        }
    }
}
