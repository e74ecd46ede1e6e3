// What an app needs of an engine. This package's engine has it (``WebAssemblyRuntime``), and an
// adapter gives it to WasmKit (target WasmKitRuntime). Code that is written against the names of a
// runtime's types, with one alias for each, runs on either without a call through a protocol: the
// protocols say what the two have in common, and the tests are written over them.

/// An engine that runs modules.
public protocol ModuleRuntime: Sendable {
    /// Owns what guests use together.
    associatedtype Store: RuntimeStore
    /// What a module is given.
    associatedtype Imports: RuntimeImports where Imports.Function == Function
    /// A module with its state.
    associatedtype Instance: RuntimeInstance
    where Instance.Function == Function, Instance.Memory == Memory
    /// A function of a guest or of the host.
    associatedtype Function: RuntimeFunction
    where Function.Store == Store, Function.Caller.Memory == Memory
    /// A linear memory.
    associatedtype Memory: RuntimeMemory

    /// What people call it.
    static var name: String { get }
    /// What it can do beyond running modules.
    static var capabilities: RuntimeCapabilities { get }

    /// Makes an instance of a module and runs its start function.
    /// - Throws: ``WasmLinkError``; ``Trap``; ``WasmValidationError`` when the engine finds fault with
    ///   what this package's decoder accepted.
    static func instantiate(
        _ module: Module, store: Store, imports: Imports
    ) throws -> Instance
}

/// What an engine can do, so that nobody relies on what it cannot.
public struct RuntimeCapabilities: OptionSet, Hashable, Sendable {
    /// One bit for each.
    public let rawValue: UInt
    /// Makes a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Runs modules with 64-bit addresses.
    public static let memory64 = RuntimeCapabilities(rawValue: 1)
    /// Ends a call when its fuel is used up.
    public static let fuel = RuntimeCapabilities(rawValue: 2)
    /// Ends a call after a time, so that a guest that hangs does not hang its caller.
    public static let deadlines = RuntimeCapabilities(rawValue: 4)
    /// Ends a call from another thread.
    public static let cancellation = RuntimeCapabilities(rawValue: 8)
    /// Keeps memories and tables within ``EngineConfiguration``.
    public static let memoryLimits = RuntimeCapabilities(rawValue: 16)
    /// Traps name the frames of the guest.
    public static let backtraces = RuntimeCapabilities(rawValue: 32)
}

/// Owns what guests use together, under an engine's limits.
public protocol RuntimeStore: AnyObject {
    /// Makes an empty store.
    init(engine: Engine)
}

/// A linear memory. All access is checked.
public protocol RuntimeMemory {
    /// The present size in bytes.
    var byteCount: Int { get }
    /// Copies bytes out.
    /// - Throws: ``Trap`` with `out_of_bounds_memory_access`.
    func read(at address: UInt64, count: Int) throws -> [UInt8]
    /// Copies bytes in.
    /// - Throws: ``Trap`` with `out_of_bounds_memory_access`.
    func write(_ bytes: [UInt8], at address: UInt64) throws
    /// Gives `body` the bytes themselves; outside the memory it works on scratch bytes.
    func withUnsafeMutableBufferPointer<T>(
        offset: UInt, count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> T
    ) rethrows -> T
}

/// What a host function is told about the guest that calls it.
public protocol RuntimeCaller {
    /// A linear memory of the engine.
    associatedtype Memory: RuntimeMemory
    /// The memory of the calling instance, if it has one.
    var memory: Memory? { get }
}

/// A function of a guest or of the host.
public protocol RuntimeFunction {
    /// Owns the function.
    associatedtype Store: RuntimeStore
    /// What a host function is told.
    associatedtype Caller: RuntimeCaller
    /// A function that does not keep its store alive.
    associatedtype Unowned

    /// Makes a host function over slots, as ``Function/init(store:type:rawBody:)`` does. What `body`
    /// throws ends the guest and reaches the host's call unchanged.
    init(
        store: Store, type: FunctionType,
        rawBody: @escaping (Caller, UnsafeMutableBufferPointer<UInt64>) throws -> Void)

    /// Parameters and results.
    var type: FunctionType { get }
    /// Calls the function: arguments in `slots`, then results. Limits hold as far as the engine's
    /// ``RuntimeCapabilities`` say.
    /// - Throws: ``Trap``; ``WasmUsageError``; what a host function threw.
    func invoke(slots: UnsafeMutableBufferPointer<UInt64>, limits: CallLimits?) throws
    /// The same with a limit of its time alone.
    /// - Throws: as ``invoke(slots:limits:)``.
    func invoke(
        slots: UnsafeMutableBufferPointer<UInt64>, timeoutNanoseconds: UInt64) throws
    /// The function for callers that keep its store alive themselves.
    var unowned: Unowned { get }
    /// Calls the function with values.
    /// - Throws: as ``invoke(slots:limits:)``.
    @discardableResult func invoke(_ arguments: [Value], limits: CallLimits) throws -> [Value]
}

/// What a module is given at instantiation.
public protocol RuntimeImports {
    /// A function of the engine.
    associatedtype Function
    /// Makes an empty set.
    init()
    /// Provides a function; a later definition of the same name replaces an earlier one.
    mutating func define(module: String, name: String, _ function: Function)
}

/// A module with its state.
public protocol RuntimeInstance {
    /// What the instance offers.
    associatedtype Exports: RuntimeExports
    where Exports.Function == Function, Exports.Memory == Memory
    /// A function of the engine.
    associatedtype Function
    /// A memory of the engine.
    associatedtype Memory
    /// What it offers by name.
    var exports: Exports { get }
}

/// What an instance offers, by name.
public protocol RuntimeExports {
    /// A function of the engine.
    associatedtype Function
    /// A memory of the engine.
    associatedtype Memory
    /// The function called `name`, or nil when there is none or it is something else.
    subscript(function name: String) -> Function? { get }
    /// The memory called `name`, or nil when there is none or it is something else.
    subscript(memory name: String) -> Memory? { get }
}

/// This package's own engine.
public enum WebAssemblyRuntime: ModuleRuntime {
    /// Owns what guests use together.
    public typealias Store = WebAssembly.Store
    /// What a module is given.
    public typealias Imports = WebAssembly.Imports
    /// A module with its state.
    public typealias Instance = WebAssembly.Instance
    /// A function of a guest or of the host.
    public typealias Function = WebAssembly.Function
    /// A linear memory.
    public typealias Memory = WebAssembly.Memory

    /// What people call it.
    public static let name = "OpenPatch"
    /// All of them.
    public static let capabilities: RuntimeCapabilities = [
        .memory64, .fuel, .deadlines, .cancellation, .memoryLimits, .backtraces,
    ]

    /// Makes an instance of a module and runs its start function.
    /// - Throws: as ``Module/instantiate(store:imports:)``.
    public static func instantiate(
        _ module: Module, store: Store, imports: Imports
    ) throws -> Instance {
        try module.instantiate(store: store, imports: imports)
    }
}

extension Store: RuntimeStore {}
extension Memory: RuntimeMemory {}
extension Caller: RuntimeCaller {}
extension Function: RuntimeFunction {}
extension Imports: RuntimeImports {
    /// What ``RuntimeImports`` asks for; modules are given memories, tables and globals as well.
    public typealias Function = WebAssembly.Function
}
extension Exports: RuntimeExports {}
extension Instance: RuntimeInstance {}
