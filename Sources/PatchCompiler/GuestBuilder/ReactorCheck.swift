import ModuleABI
import WebAssembly

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

    /// Checks that `wasm` is a valid module and a reactor that exports `wanted` and imports capabilities only.
    /// - Parameter allowsWASI: whether `wasi_snapshot_preview1` may be imported too, as modules of
    ///   the full SDK route do.
    /// - Throws: ``GuestBuildError/commandModule``, ``GuestBuildError/exportMissing(_:)``,
    ///   ``GuestBuildError/importRefused(module:name:)`` or
    ///   ``GuestBuildError/malformedOutput(_:)``.
    @discardableResult
    public static func check(
        _ wasm: [UInt8], wanted: [String] = [], allowsWASI: Bool = false
    ) throws -> Names {
        let module: Module
        do {
            module = try parseWasm(bytes: wasm)
            // A compiler that wrote an invalid module is found here, not on a customer's device.
            try module.validate()
        } catch {
            throw GuestBuildError.malformedOutput("\(error)")
        }
        let exports = Set(module.exports.filter { $0.kind.isFunction }.map(\.name))
        if exports.contains("_start") { throw GuestBuildError.commandModule }
        let missing = wanted.filter { !exports.contains($0) }
        guard missing.isEmpty else { throw GuestBuildError.exportMissing(missing.sorted()) }
        var imports = Set<String>()
        var capabilities = Set<CapabilityName>()
        for item in module.imports {
            if allowsWASI, item.module == "wasi_snapshot_preview1" { continue }
            guard item.kind.isFunction, item.module == CapabilityName.importModule,
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

extension ExternalKind {
    fileprivate var isFunction: Bool {
        if case .function = self { return true }
        return false
    }
}
