import PatchPlatform
import Rollout
import WebAssembly

/// A module that has been activated: checked, instantiated once, ready to serve calls.
final class LoadedModule: Sendable {
    /// A routed function that the module serves.
    struct RoutedFunction: Sendable {
        let index: Int
        let sig: UInt64
        let type: FunctionType
        /// The scalar arguments it takes, two bits each, in the form of ``PatchArguments``.
        let parameterTypes: UInt32
    }

    let release: PatchRelease
    /// Routed functions by id.
    let functions: [UInt64: RoutedFunction]
    /// Views that it draws: signatures by id.
    let views: [UInt64: UInt64]

    /// Hears of first calls and hangs.
    let trial: ModuleTrial?
    private let inspected: InspectedModule
    private let routes: [String]
    private let limits: PatchLimits
    private let host: HostFunctions
    private let pool: InstancePool

    /// Inspects, instantiates and tries a module.
    /// - Parameter trial: who hears how it does; nil for nobody.
    /// - Throws: ``PatchError``.
    init(
        _ bytes: [UInt8], release: Release?, identity: (ModuleSection?) -> PatchRelease,
        expected: ModuleExpectation, host: HostFunctions, trial: ModuleTrial? = nil
    ) throws {
        self.trial = trial
        inspected = try ModuleInspection(expected: expected, release: release).inspect(bytes)
        limits = expected.limits
        self.host = host
        self.release = identity(inspected.section)
        pool = InstancePool(
            maximumIdle: expected.limits.idleInstances,
            callNanoseconds: trial?.isOver == false
                ? min(limits.firstCallNanoseconds, limits.callNanoseconds)
                : limits.callNanoseconds)
        let listed = inspected.section?.functions ?? []
        routes = listed.map(\.export)
        let first = try ModuleInstance(inspected, routes: routes, limits: limits, host: host)
        var functions: [UInt64: RoutedFunction] = [:]
        for (index, function) in listed.enumerated() {
            guard let export = first.routedFunction(index) else { continue }
            functions[function.id] = RoutedFunction(
                index: index, sig: function.sig, type: export.type,
                parameterTypes: PatchArguments.packed(export.type.parameters) ?? .max)
        }
        self.functions = functions
        views = Dictionary((inspected.section?.views ?? []).map { ($0.id, $0.sig) }) { $1 }
        try first.smoke()
        pool.add(first)
    }

    /// An instance that is nobody else's.
    /// - Throws: ``PatchError``.
    func makeInstance() throws -> ModuleInstance {
        try ModuleInstance(inspected, routes: routes, limits: limits, host: host)
    }

    /// One call on an instance of ``makeInstance()``.
    func call<Result>(
        on instance: ModuleInstance, _ body: () throws -> Result
    ) throws -> Result {
        let loan = pool.take(wantsInstance: false)
        if loan.isFirst { trial?.began() }
        var hasReturned = false
        defer {
            if pool.giveBack(nil, hasReturned: hasReturned) { trial?.returned(self) }
        }
        instance.callNanoseconds = loan.callNanoseconds
        instance.natives.begin()
        let result = try CallFrame(module: self, instance: instance).run(body)
        hasReturned = true
        return result
    }

    /// Lends an instance for one call. A nested call on the same thread gets the instance of the
    /// call around it.
    func withInstance<Result>(_ body: (ModuleInstance) throws -> Result) throws -> Result {
        if let frame = CallFrame.innermost(of: self) { return try body(frame.instance) }
        var lease = Lease(of: self)
        defer { lease.end() }
        let used = try lease.instance()
        let result = try CallFrame(module: self, instance: used).run { try body(used) }
        lease.hasReturned = true
        return result
    }

    /// An instance taken out for one call, which may last over several threads.
    struct Lease {
        private let module: LoadedModule
        private let loan: InstancePool.Loan
        private var used: ModuleInstance?
        /// Whether the call returned rather than failed.
        var hasReturned = false

        /// Begins a call.
        init(of module: LoadedModule) {
            self.module = module
            loan = module.pool.take()
            used = loan.instance
            if loan.isFirst { module.trial?.began() }
        }

        /// The instance, made when none was idle.
        /// - Throws: ``PatchError``.
        mutating func instance() throws -> ModuleInstance {
            let instance =
                try used
                ?? ModuleInstance(
                    module.inspected, routes: module.routes, limits: module.limits,
                    host: module.host)
            used = instance
            instance.callNanoseconds = loan.callNanoseconds
            instance.natives.begin()
            return instance
        }

        /// Ends the call.
        func end() {
            if module.pool.giveBack(used, hasReturned: hasReturned) {
                module.trial?.returned(module)
            }
        }
    }

    /// Says that the module works: from now on its calls may take as long as others.
    func endTrial() { pool.setCallNanoseconds(limits.callNanoseconds) }

    /// Whether no call into it is in progress.
    var isIdle: Bool { pool.isIdle }

    /// Lets go of what only future calls would need.
    func retire() { pool.drain() }
}
