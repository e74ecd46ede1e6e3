import Testing
import WebAssembly

#if OPENPATCH_WASMKIT
    import WasmKitRuntime
#endif

/// An engine to test, by its name.
struct TestedEngine: CustomTestStringConvertible, Sendable {
    let runtime: any ModuleRuntime.Type
    var testDescription: String { runtime.name }

    /// Every engine of this build: WasmKit when OPENPATCH_WASMKIT named a checkout.
    static let all: [TestedEngine] = {
        #if OPENPATCH_WASMKIT
            [
                TestedEngine(runtime: WebAssemblyRuntime.self),
                TestedEngine(runtime: WasmKitAdapter.self),
            ]
        #else
            [TestedEngine(runtime: WebAssemblyRuntime.self)]
        #endif
    }()
}

extension ModuleRuntime {
    /// An instance in a store of its own.
    static func start(
        _ bytes: [UInt8], _ configuration: EngineConfiguration = EngineConfiguration(),
        _ define: (inout Imports, Store) throws -> Void = { _, _ in }
    ) throws -> Instance {
        let store = Store(engine: Engine(configuration: configuration))
        var imports = Imports()
        try define(&imports, store)
        return try instantiate(try parseWasm(bytes: bytes), store: store, imports: imports)
    }
}

extension RuntimeInstance where Function: RuntimeFunction {
    /// Calls an export with values.
    func call(_ name: String, _ arguments: Value...) throws -> [Value] {
        try exports[function: name]?.invoke(arguments, limits: CallLimits()) ?? [.i32(0xdead)]
    }
}
