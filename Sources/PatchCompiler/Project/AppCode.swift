import Foundation

/// The app's sources, read and understood once.
struct AppCode {
    let configuration: ProjectConfiguration
    let tree: SourceTree
    let scan: FunctionScanner.Scan
    let fingerprint: Fingerprint

    /// - Throws: ``PatchProjectError``.
    init(folder: URL, configuration: ProjectConfiguration) throws {
        self.configuration = configuration
        tree = try SourceTree(folder: folder, configuration: configuration)
        try tree.checkSyntax()
        scan = FunctionScanner.scan(tree)
        fingerprint = Fingerprint(
            folder: folder, configuration: configuration, tree: tree, functions: scan.functions)
    }
}
