import WebAssembly

/// A system interface (WASI preview 1) for one guest: what Swift's standard library imports when
/// it is built for WebAssembly.
///
/// Nothing of the host is seen by the guest unless it is passed in here: no environment, no
/// files, no output. Every pointer that the guest passes is checked; a bad one gives `EFAULT`.
///
///     let wasi = try WASIBridgeToHost()
///     var imports = Imports()
///     wasi.link(to: &imports, store: store)
///     let instance = try module.instantiate(store: store, imports: imports)
///     try wasi.initialize(instance)
public final class WASIBridgeToHost {
    /// The wasm module that the functions are imported from.
    public static let moduleName = "wasi_snapshot_preview1"

    private let system: WASISystem

    /// Makes a system interface.
    /// - Parameters:
    ///   - args: the program's arguments; the first is its name.
    ///   - environment: its environment variables.
    ///   - grants: what of the host it may learn.
    ///   - host: clocks, randomness and streams.
    ///   - fileSystem: files kept in memory, which the guest finds under `/`; nil for none.
    /// - Throws: ``WASIError`` when a text holds NUL, or all together take more than 1 MiB.
    public init(
        args: [String] = [], environment: [String: String] = [:],
        grants: WASIGrants = .standard, host: WASIHost = WASIHost(),
        fileSystem: WASIFileSystem? = nil
    ) throws {
        let variables = environment.map { "\($0.key)=\($0.value)" }.sorted()
        for text in args + variables where text.utf8.contains(0) {
            throw WASIError.textWithNUL(text)
        }
        let bytes = (args + variables).reduce(0) { $0 + $1.utf8.count + 1 }
        guard bytes <= 1 << 20 else { throw WASIError.tooMuchText(bytes: bytes) }
        system = WASISystem(
            arguments: args, variables: variables, grants: grants, host: host,
            fileSystem: fileSystem)
    }

    /// Provides all functions of preview 1 to modules that are instantiated with `imports`.
    /// Those that this system does not have (sockets, links) answer `ENOTSUP`.
    public func link(to imports: inout Imports, store: Store) {
        link(WebAssemblyRuntime.self, to: &imports, store: store)
    }

    /// Provides all functions of preview 1 to modules that another engine runs.
    public func link<Runtime: ModuleRuntime>(
        _ runtime: Runtime.Type, to imports: inout Runtime.Imports, store: Runtime.Store
    ) {
        let system = system
        for function in WASIFunction.all {
            imports.define(
                module: Self.moduleName, name: function.name,
                Runtime.Function(store: store, type: function.type) { caller, slots in
                    try function.call(system, GuestMemory(caller.memory), slots)
                })
        }
    }

    /// Runs the `_initialize` of a library (reactor), which has to happen once and before any
    /// other call. Does nothing for a module that has none.
    /// - Throws: what the guest's initialisers throw: a `Trap`, or ``WASIExit``.
    public func initialize(_ instance: Instance) throws {
        try instance.exports[function: "_initialize"]?.invoke([])
    }

    /// Runs the `_start` of a program (command) to its end.
    /// - Returns: its exit code.
    /// - Throws: ``WASIError/notACommand`` without `_start`; a `Trap` that ended the program.
    public func start(_ instance: Instance) throws -> UInt32 {
        try start(instance, limits: nil)
    }

    /// Runs the `_start` of a program (command) to its end, within limits.
    /// - Returns: its exit code.
    /// - Throws: ``WASIError/notACommand`` without `_start`; a `Trap` that ended the program.
    public func start(_ instance: Instance, limits: CallLimits?) throws -> UInt32 {
        guard let start = instance.exports[function: "_start"] else {
            throw WASIError.notACommand
        }
        do {
            if let limits { try _ = start.invoke([], limits: limits) } else { try start.invoke([]) }
        } catch let exit as WASIExit {
            return exit.code
        }
        return 0
    }
}
