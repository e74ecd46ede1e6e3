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

    private let inspected: InspectedModule
    private let routes: [String]
    private let limits: PatchLimits
    private let host: HostFunctions
    private let pool: InstancePool

    /// Inspects, instantiates and tries a module.
    /// - Throws: ``PatchError``.
    init(
        _ bytes: [UInt8], release: Release?, identity: (ModuleSection?) -> PatchRelease,
        expected: ModuleExpectation, host: HostFunctions
    ) throws {
        inspected = try ModuleInspection(expected: expected, release: release).inspect(bytes)
        limits = expected.limits
        self.host = host
        self.release = identity(inspected.section)
        pool = InstancePool(maximumIdle: expected.limits.idleInstances)
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
        try first.smoke()
        pool.giveBack(first)
    }

    /// Lends an instance for one call. A nested call on the same thread gets the instance of the
    /// call around it.
    func withInstance<Result>(_ body: (ModuleInstance) throws -> Result) throws -> Result {
        if let frame = CallFrame.innermost(of: self) { return try body(frame.instance) }
        let instance =
            try pool.take()
            ?? ModuleInstance(inspected, routes: routes, limits: limits, host: host)
        defer { pool.giveBack(instance) }
        return try CallFrame(module: self, instance: instance).run { try body(instance) }
    }

    /// Lets go of what only future calls would need.
    func retire() { pool.drain() }
}
