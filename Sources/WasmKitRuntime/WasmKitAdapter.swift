import WasmKit
import WebAssembly

/// [WasmKit](https://github.com/swiftwasm/WasmKit) as a ``ModuleRuntime``, for those who prefer it.
///
/// Modules are decoded and checked by this package first, so that refusals are the same whatever
/// runs them. WasmKit has no fuel, no deadline and no cancellation: **a guest that hangs hangs its
/// caller**. `Docs/internals/wasmkit.md` says what else differs.
public enum WasmKitAdapter: ModuleRuntime {
    /// Owns what guests use together.
    public typealias Store = WasmKitStore
    /// What a module is given.
    public typealias Imports = WasmKitImports
    /// A module with its state.
    public typealias Instance = WasmKitInstance
    /// A function of a guest or of the host.
    public typealias Function = WasmKitFunction
    /// A linear memory.
    public typealias Memory = WasmKitMemory

    /// What people call it.
    public static let name = "WasmKit"
    /// 64-bit memories are switched on; calls cannot be limited.
    public static let capabilities: RuntimeCapabilities = [.memory64, .memoryLimits]

    /// Makes an instance of a module and runs its start function.
    /// - Throws: ``WasmLinkError``, ``Trap`` or ``WasmValidationError``.
    public static func instantiate(
        _ module: WebAssembly.Module, store: Store, imports: Imports
    ) throws -> Instance {
        try WasmKitFault.translating(.instantiation) {
            let parsed = try WasmKit.parseWasm(
                bytes: module.bytes, features: store.wasmKit.engine.configuration.features)
            return WasmKitInstance(
                try parsed.instantiate(store: store.wasmKit, imports: imports.wasmKit),
                store: store)
        }
    }
}

extension WebAssembly.Module {
    /// Makes an instance in WasmKit.
    /// - Throws: as ``WasmKitAdapter/instantiate(_:store:imports:)``.
    public func instantiate(
        store: WasmKitStore, imports: WasmKitImports
    ) throws -> WasmKitInstance {
        try WasmKitAdapter.instantiate(self, store: store, imports: imports)
    }
}
