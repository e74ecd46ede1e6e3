@_exported import PatchSDK
import WebAssembly
import WebAssemblyWASI

/// Lets modules run that a full Swift SDK for WebAssembly built: they import WASI preview 1 and get
/// a sandbox without files, arguments or environment.
///
/// ```swift
/// var configuration = PatchConfiguration(appKey: "pak_…")
/// configuration.plainModules = WASIPlainModules()
/// ```
public struct WASIPlainModules: PatchPlainModules {
    /// The sandbox.
    public init() {}

    /// See ``PatchPlainModules/importModule``.
    public var importModule: String { WASIBridgeToHost.moduleName }

    /// See ``PatchPlainModules/link(to:store:)``.
    public func link(to imports: inout Imports, store: Store) throws -> AnyObject? {
        let wasi = try WASIBridgeToHost()
        wasi.link(to: &imports, store: store)
        return wasi
    }
}
