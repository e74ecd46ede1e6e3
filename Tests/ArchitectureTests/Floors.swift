/// The floors of the house: a target may only import from floors below its own.
/// Described in CONTRIBUTING.md ("Map"); a new target is given its floor here first.
enum Floors {
    static let table: [[String]] = [
        [
            "CPatchGate", "CWebKitGTK", "CommandLineKit", "PatchCompression", "PatchCrypto",
            "PatchPlatform",
        ],
        ["CWasmCore", "PatchDelta", "Rollout", "TUF", "WebAssembly"],
        [
            "ModuleABI", "RolloutGates", "TUFRepository", "UpdateEngine", "WasmKitRuntime",
            "WebAssemblySpec", "ViewTree", "WebAssemblyWASI",
        ],
        ["FleetSimulation", "PatchSDK", "WASISuite"],
        ["PatchHTML", "PatchSDKWASI", "PatchSwiftUI", "WebViewBundle", "WebViewBundleGTK"],
        ["PatchCompiler", "PatchServer"],
        ["PatchPreview"],
        ["patchcli", "patchd", "webshell"],
    ]

    /// Pairs on one floor that belong together: a C core and the Swift target that owns it.
    static let companions: [String: Set<String>] = [
        "WebAssembly": ["CWasmCore"],
        // An adapter of another engine, with its system interface.
        "WasmKitRuntime": ["WebAssemblyWASI"],
        // The adapter of one system, apart because it links half a gigabyte.
        "WebViewBundleGTK": ["WebViewBundle"],
    ]

    static func floor(of target: String) -> Int? {
        table.firstIndex { $0.contains(target) }
    }

    /// Whether `target` may import `other`, both being targets of this package.
    static func allows(_ target: String, toImport other: String) -> Bool {
        if companions[target]?.contains(other) == true { return true }
        guard let from = floor(of: target), let to = floor(of: other) else { return false }
        return to < from
    }
}
