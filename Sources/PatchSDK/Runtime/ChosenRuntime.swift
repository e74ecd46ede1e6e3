// Which engine runs modules: this package's own, unless the package was built with OPENPATCH_WASMKIT.
// Aliases and not a generic parameter, so that calls are as direct as ever (decision 0028).
#if OPENPATCH_WASMKIT
    import WasmKitRuntime

    typealias Store = WasmKitStore
    typealias Imports = WasmKitImports
    typealias Instance = WasmKitInstance
    typealias Function = WasmKitFunction
    typealias UnownedFunction = WasmKitFunction
    typealias Memory = WasmKitMemory
    typealias Caller = WasmKitCaller
#endif
