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
    }

    /// After so many failures a function is served natively until the next release.
    static let failuresToDemotion = 3

    private let state = Lock(State())
    /// Called with the first failure of a function, and with its demotion.
    let report: @Sendable (PatchError, PatchRelease) -> Void

    init(report: @escaping @Sendable (PatchError, PatchRelease) -> Void) {
        self.report = report
    }

    /// The module that new calls reach.
    var active: LoadedModule? { state.withLock { $0.active } }

    /// The module that a call begun now on this thread reaches.
    private var pinned: LoadedModule? {
        CallFrame.current?.module ?? WaitingCall.module ?? active
    }

    /// The same for a routed function, unless the active module's was demoted.
    func pinned(for id: UInt64) -> LoadedModule? {
        if let frame = CallFrame.current { return frame.module }
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

    /// Counts the calls that wait for native functions.
    func noteWaiting(_ change: Int) { state.withLock { $0.waiting += change } }

    /// Sets the functions that the app routes.
    func setSurface(_ surface: Surface?) { state.withLock { $0.surface = surface } }

    /// Makes `module` serve the calls that begin from now on.
    func swap(to module: LoadedModule?) {
        let old = state.withLock { state in
            let old = state.active
            state.active = module
            state.failures = [:]
            // Inside the lock, or a demotion of the old module could close a new gate.
            state.surface?.openGates(for: module)
            return old
        }
        if old !== module { old?.retire() }
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
            return true
        }
    }

    // MARK: Routed functions

    /// How a call of a routed function ended.
    enum Outcome<Result> {
        case served(Result)
        /// Native code serves it.
        case native
        /// It failed after it had called native functions that may have changed something.
        case failedAfterEffect(PatchError)
    }

    /// The result of the module, or nil when native code serves the call.
    func invoke<Result>(
        _ id: UInt64, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> Result
    ) -> Result? {
        if case .served(let result) = serve(id, arguments, result) { return result }
        return nil
    }

    /// Serves a routed function.
    func serve<Result>(
        _ id: UInt64, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> Result
    ) -> Outcome<Result> {
        guard let module = pinned(for: id), let function = module.functions[id] else {
            return .native
        }
        var hasEffect = false
        do {
            return .served(
                try module.withInstance { instance in
                    defer { hasEffect = instance.natives.hasEffect }
                    guard let export = instance.routedFunction(function.index) else {
                        throw PatchError(.exportMissing, DeclarationID.hex16(id))
                    }
                    var written = PatchArguments()
                    arguments(&written)
                    return try Self.call(
                        instance, export, function.type, function.parameterTypes, &written, result)
                })
        } catch {
            return failed(id, module, error, hasEffect: hasEffect)
        }
    }

    /// An encoded argument in the guest, which is the host's to free.
    struct Placed {
        var pointer: UInt32
        var count: UInt32
    }

    /// Places the arguments, calls, and reads the result.
    static func call<Result>(
        _ instance: ModuleInstance, _ export: Function, _ type: FunctionType,
        _ parameterTypes: UInt32, _ arguments: inout PatchArguments,
        _ result: (inout PatchResult) throws -> Result
    ) throws -> Result {
        let placed = try place(instance, type, parameterTypes, &arguments)
        try arguments.slots.withSlots { try instance.call(export, $0) }
        let outcome = try read(instance, type, arguments.slots[0], result)
        if let placed { try instance.release(placed.pointer, placed.count) }
        return outcome
    }

    /// Copies an encoded argument into the guest, and checks the arguments against the export.
    static func place(
        _ instance: ModuleInstance, _ type: FunctionType, _ parameterTypes: UInt32,
        _ arguments: inout PatchArguments
    ) throws -> Placed? {
        var placed: Placed?
        if let value = arguments.encodedValue {
            guard type.parameters == [.i32, .i32] else {
                throw PatchError(.argumentMismatch, "the export is \(type)")
            }
            let here = Placed(pointer: try instance.place(value), count: UInt32(value.count))
            arguments = PatchArguments()
            arguments.i32(here.pointer)
            arguments.i32(here.count)
            placed = here
        }
        guard !arguments.isOverfull, arguments.count == type.parameters.count,
            arguments.types == parameterTypes, type.results.count <= 1
        else { throw PatchError(.argumentMismatch, "the export is \(type)") }
        return placed
    }

    static func read<Result>(
        _ instance: ModuleInstance, _ type: FunctionType, _ slot: UInt64,
        _ result: (inout PatchResult) throws -> Result
    ) throws -> Result {
        var read = PatchResult(
            slot: slot, type: type.results.first, take: { try instance.take($0) })
        do {
            return try result(&read)
        } catch let error as PatchError {
            throw error
        } catch {
            throw PatchError(.resultMalformed, "\(error)")
        }
    }

    /// A release that hangs before it was found to work serves nothing more in this process: the
    /// next function would cost as long again.
    func leave(_ module: LoadedModule, _ error: PatchError) {
        guard let trial = module.trial, !trial.isOver else { return }
        let isActive = state.withLock { state in
            guard state.active === module else { return false }
            state.active = nil
            state.failures = [:]
            state.surface?.openGates(for: nil)
            return true
        }
        guard isActive else { return }
        module.retire()
        trial.hung(module, error)
    }

    /// Counts a failure and says what becomes of the call. What called native functions is not
    /// tried again: doing twice what should happen once is worse than a release without a function.
    func failed<Result>(
        _ id: UInt64, _ module: LoadedModule, _ error: any Error, hasEffect: Bool
    ) -> Outcome<Result> {
        let error = error as? PatchError ?? PatchError(.callFailed, "\(error)")
        if error.reason == .timeLimit { leave(module, error) }
        let weight = hasEffect ? Self.failuresToDemotion : 1
        let (before, count) = state.withLock { state -> (Int, Int) in
            guard state.active === module else { return (0, 0) }
            let before = state.failures[id] ?? 0
            let count = before + weight
            state.failures[id] = count
            if count >= Self.failuresToDemotion { state.surface?.closeGate(id) }
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
        return try module.withInstance { instance in
            guard let function = instance.exportedFunction(export) else {
                throw PatchError(.exportMissing, "'\(export)' of \(module.release.version)")
            }
            guard let types = PatchArguments.packed(function.type.parameters) else {
                throw PatchError(.argumentMismatch, "'\(export)' is \(function.type)")
            }
            var written = PatchArguments()
            arguments(&written)
            do {
                return try Self.call(instance, function, function.type, types, &written, result)
            } catch let error as PatchError where error.reason == .timeLimit {
                leave(module, error)
                throw error
            }
        }
    }
}
