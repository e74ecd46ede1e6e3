import Foundation

/// The app's sources, read and understood once.
struct AppCode {
    let configuration: ProjectConfiguration
    let tree: SourceTree
    let scan: FunctionScanner.Scan
    let fingerprint: Fingerprint
    /// Keys of Info.plist files and entitlements that count.
    let lists: [PropertyListInputs.Entry]

    /// - Throws: ``PatchProjectError``.
    init(folder: URL, configuration: ProjectConfiguration) throws {
        self.configuration = configuration
        tree = try SourceTree(folder: folder, configuration: configuration)
        try tree.checkSyntax()
        scan = FunctionScanner.scan(tree)
        lists =
            try configuration.infoPlists.flatMap {
                try PropertyListInputs.read(.info, $0, in: folder)
            }
            + configuration.entitlements.flatMap {
                try PropertyListInputs.read(.entitlements, $0, in: folder)
            }
        fingerprint = Fingerprint(
            folder: folder, configuration: configuration, tree: tree, functions: scan.functions,
            natives: scan.natives, views: scan.views, lists: lists)
    }
}
