import ModuleABI
import WebAssembly

/// The exports of a module that are the developer's own.
enum ExportRemoval {
    static func names(_ wasm: [UInt8]) throws -> Set<String> {
        Set(try parseWasm(bytes: wasm).exports.map(\.name)).filter {
            !$0.hasPrefix("op_") && $0 != GuestExport.memory && $0 != GuestExport.initialize
        }
    }

    /// - Throws: ``PatchProjectError`` `removed` when `module` lacks an export of `base`.
    static func refuse(_ base: [UInt8], _ module: [UInt8]) throws {
        let gone = try names(base).subtracting(names(module)).sorted()
        guard !gone.isEmpty else { return }
        throw PatchProjectError(
            .removed,
            "the guest code exports no more: " + gone.map { "'\($0)'" }.joined(separator: ", ")
                + ". Apps that call it would get an error; pass --allow-removed if that is meant",
            findings: gone.map { .init("the export '\($0)' is gone") })
    }
}
