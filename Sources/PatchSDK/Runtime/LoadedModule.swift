import PatchPlatform
import Rollout
import WebAssembly

/// A module that has been activated: checked, instantiated once, ready to serve calls.
final class LoadedModule: Sendable {
    let release: PatchRelease
    /// Routed functions that it serves: signatures by id.
    let functions: [UInt64: UInt64]
    /// How they are called.
    let table: FunctionTable
    /// Views that it draws: signatures by id.
    let views: [UInt64: UInt64]

    /// Hears of first calls and hangs.
    let trial: ModuleTrial?
    private let inspected: InspectedModule
    private let limits: PatchLimits
    private let host: HostFunctions
    private let pool: InstancePool
    /// How many idle instances are kept.
    var maximumIdle: Int { limits.idleInstances }

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
        // Of many, the first ones lie in slots.
        let most = expected.limits.idleInstances
        pool = InstancePool(maximumIdle: most > IdleSlots.count ? most - IdleSlots.count : most)
        let listed = inspected.section?.functions ?? []
        functions = Dictionary(listed.map { ($0.id, $0.sig) }) { $1 }
        table = FunctionTable(
            listed.map { ($0.id, $0.export) }, of: inspected.module,
            callNanoseconds: trial?.isOver == false
                ? min(limits.firstCallNanoseconds, limits.callNanoseconds)
                : limits.callNanoseconds)
        let first = try ModuleInstance(inspected, table: table, limits: limits, host: host)
        views = Dictionary((inspected.section?.views ?? []).map { ($0.id, $0.sig) }) { $1 }
        try first.smoke()
        pool.add(first)
    }

    /// An instance that is nobody else's.
    /// - Throws: ``PatchError``.
    func makeInstance() throws -> ModuleInstance {
        let instance = try ModuleInstance(inspected, table: table, limits: limits, host: host)
        instance.module = self
        return instance
    }

    /// One call on an instance of ``makeInstance()``.
    func call<Result>(
        on instance: ModuleInstance, _ body: () throws -> Result
    ) throws -> Result {
        let loan = pool.take(wantsInstance: false)
        if loan.isFirst { trial?.began() }
        var hasReturned = false
        defer {
            instance.natives.end()
            giveBack(nil, hasReturned: hasReturned)
        }
        instance.callNanoseconds = table.callNanoseconds
        instance.natives.begin()
        let result = try CallFrame.run(instance, body)
        hasReturned = true
        return result
    }

    /// An instance taken out for one call, which may last over several threads.
    struct Lease {
        let module: LoadedModule
        private(set) var used: ModuleInstance?
        /// Whether the call returned rather than failed.
        var hasReturned = false

        /// Begins a call. ``LoadedModule/giveBack(_:hasReturned:)`` ends it.
        /// - Parameter instance: an idle one of the module, if the caller knows one.
        init(of module: LoadedModule, _ instance: ModuleInstance? = nil) {
            self.module = module
            let loan = module.pool.take(wantsInstance: instance == nil)
            used = instance ?? loan.instance
            if loan.isFirst { module.trial?.began() }
        }

        /// The instance, made when none was idle.
        /// - Throws: ``PatchError``.
        mutating func instance() throws -> ModuleInstance {
            let instance = try used ?? module.makeInstance()
            used = instance
            instance.module = module
            instance.callNanoseconds = module.table.callNanoseconds
            instance.natives.begin()
            return instance
        }
    }

    /// Ends a call.
    /// - Parameter instance: what the pool is to keep, if the call returned.
    func giveBack(_ instance: ModuleInstance?, hasReturned: Bool) {
        if pool.giveBack(instance, hasReturned: hasReturned) { trial?.returned(self) }
    }

    /// Counts calls that go on with instances which they took without a lock.
    func lend(_ count: Int) { pool.lend(count) }

    /// Says that the module works: from now on its calls may take as long as others.
    func endTrial() { table.callNanoseconds = limits.callNanoseconds }

    /// Whether no call into it is in progress, but for those that ``IdleSlots`` know of.
    var isIdle: Bool { pool.isIdle }

    /// Lets go of what only future calls would need.
    func retire() { pool.drain() }
}
