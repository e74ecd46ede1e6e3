import WebAssemblyWASI

extension WASIBridgeToHost {
    /// Provides all functions of preview 1 to modules that WasmKit runs.
    public func link(to imports: inout WasmKitImports, store: WasmKitStore) {
        link(WasmKitAdapter.self, to: &imports, store: store)
    }
}
