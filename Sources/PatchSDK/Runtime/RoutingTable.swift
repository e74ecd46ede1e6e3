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
    private var pinned: LoadedModule? { CallFrame.current?.module ?? active }

    /// The same for a routed function, unless the active module's was demoted.
    private func pinned(for id: UInt64) -> LoadedModule? {
        if let frame = CallFrame.current { return frame.module }
        return state.withLock { state in
            if !state.failures.isEmpty, state.failures[id] ?? 0 >= Self.failuresToDemotion {
                return nil
            }
            return state.active
        }
    }

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

    // MARK: Routed functions

    func invoke<Result>(
        _ id: UInt64, _ arguments: (inout PatchArguments) -> Void,
        _ result: (inout PatchResult) throws -> Result
    ) -> Result? {
        guard let module = pinned(for: id), let function = module.functions[id] else {
            return nil
        }
        do {
            return try module.withInstance { instance in
                guard let export = instance.routedFunction(function.index) else {
                    throw PatchError(.exportMissing, DeclarationID.hex16(id))
                }
                var written = PatchArguments()
                arguments(&written)
                return try Self.call(
                    instance, export, function.type, function.parameterTypes, &written, result)
            }
        } catch {
            failed(id, module, error)
            return nil
        }
    }

    /// Places the arguments, calls, and reads the result.
    static func call<Result>(
        _ instance: ModuleInstance, _ export: Function, _ type: FunctionType,
        _ parameterTypes: UInt32, _ arguments: inout PatchArguments,
        _ result: (inout PatchResult) throws -> Result
    ) throws -> Result {
        if let value = arguments.encodedValue {
            guard type.parameters == [.i32, .i32] else {
                throw PatchError(.argumentMismatch, "the export is \(type)")
            }
            let pointer = try instance.place(value)
            arguments = PatchArguments()
            arguments.i32(pointer)
            arguments.i32(UInt32(value.count))
            let outcome = try call(
                instance, export, type, parameterTypes, &arguments, result)
            // The argument is the host's to free, the same as a result.
            try instance.release(pointer, UInt32(value.count))
            return outcome
        }
        guard !arguments.isOverfull, arguments.count == type.parameters.count,
            arguments.types == parameterTypes, type.results.count <= 1
        else { throw PatchError(.argumentMismatch, "the export is \(type)") }
        try arguments.slots.withSlots { try instance.call(export, $0) }
        var read = PatchResult(
            slot: arguments.slots[0], type: type.results.first,
            take: { try instance.take($0) })
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
    private func leave(_ module: LoadedModule, _ error: PatchError) {
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

    private func failed(_ id: UInt64, _ module: LoadedModule, _ error: any Error) {
        let error = error as? PatchError ?? PatchError(.callFailed, "\(error)")
        if error.reason == .timeLimit { leave(module, error) }
        let count = state.withLock { state -> Int in
            guard state.active === module else { return 0 }
            let count = (state.failures[id] ?? 0) + 1
            state.failures[id] = count
            if count >= Self.failuresToDemotion { state.surface?.closeGate(id) }
            return count
        }
        let name = "function \(DeclarationID.hex16(id))"
        if count == 1 {
            report(PatchError(error.reason, "\(name): \(error.context)"), module.release)
        } else if count == Self.failuresToDemotion {
            report(PatchError(.demoted, name), module.release)
        }
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
