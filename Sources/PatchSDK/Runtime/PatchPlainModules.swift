import WebAssembly

/// Lets modules run that say nothing of themselves (no section `openpatch`), and gives them what
/// they import beyond the SDK's own functions. A module of its own, so that apps without such
/// modules do not carry it; the product `PatchSDKWASI` has the one for WASI.
public protocol PatchPlainModules: Sendable {
    /// The WebAssembly module whose functions it provides.
    var importModule: String { get }

    /// Provides them to one instance.
    /// - Returns: what must live as long as the instance; nil for nothing.
    func link(to imports: inout Imports, store: Store) throws -> AnyObject?
}
