import ModuleABI

/// What a module must be, whoever linked it, before it may be released as a patch.
public enum ReactorCheck {
    /// Names of the functions that a checked module exports and imports.
    public struct Names: Sendable, Equatable {
        /// Exported functions, sorted.
        public var exports: [String]
        /// Imported functions of the module `openpatch`, sorted.
        public var imports: [String]
        /// The capabilities of those, sorted.
        public var capabilities: [CapabilityName]
    }

    /// Checks that `wasm` is a reactor that exports `wanted` and imports capabilities only.
    /// - Parameter allowsWASI: whether `wasi_snapshot_preview1` may be imported too, as modules of
    ///   the full SDK route do.
    /// - Throws: ``GuestBuildError/commandModule``, ``GuestBuildError/exportMissing(_:)``,
    ///   ``GuestBuildError/importRefused(module:name:)`` or
    ///   ``GuestBuildError/malformedOutput(_:)``.
    @discardableResult
    public static func check(
        _ wasm: [UInt8], wanted: [String] = [], allowsWASI: Bool = false
    ) throws -> Names {
        let outline = try WasmOutline(wasm)
        let exports = Set(outline.exports.filter { $0.kind == .function }.map(\.name))
        if exports.contains("_start") { throw GuestBuildError.commandModule }
        let missing = wanted.filter { !exports.contains($0) }
        guard missing.isEmpty else { throw GuestBuildError.exportMissing(missing.sorted()) }
        var imports = Set<String>()
        var capabilities = Set<CapabilityName>()
        for item in outline.imports {
            if allowsWASI, item.module == "wasi_snapshot_preview1" { continue }
            guard item.kind == .function, item.module == CapabilityName.importModule,
                let capability = CapabilityName(importName: item.name)
            else {
                throw GuestBuildError.importRefused(module: item.module, name: item.name)
            }
            imports.insert(item.name)
            capabilities.insert(capability)
        }
        return Names(
            exports: exports.sorted(), imports: imports.sorted(),
            capabilities: capabilities.sorted { $0.rawValue < $1.rawValue })
    }
}
