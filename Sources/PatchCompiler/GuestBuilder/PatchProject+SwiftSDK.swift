import Foundation

extension PatchProject {
    /// The files of the project's guest folders as a package for the full SDK route.
    /// - Throws: ``PatchProjectError``, ``GuestBuildError``.
    public func swiftSDKPackage(_ id: String) throws -> SwiftSDKPackage {
        try SwiftSDKPackage(
            name: configuration.name + "Guest", sdk: id,
            sources: try PatchSourceGenerator.guestFolders(configuration, in: folder))
    }

    /// Builds the project's guest folders with an installed WebAssembly SDK.
    ///
    /// The package stays in ``swiftSDKFolder``, so that the next build is incremental. The module
    /// imports WASI and has no section: it is for the low-level API, not for a release.
    /// - Parameter sdks: the SDKs that are installed; nil asks `swift sdk list`.
    /// - Throws: ``PatchProjectError``, ``GuestBuildError``.
    public func buildWithSwiftSDK(_ id: String, sdks: SwiftSDKs? = nil) throws -> [UInt8] {
        let package = try swiftSDKPackage(id)
        let known = try sdks ?? SwiftSDKs.list()
        try known.require(id)
        // Sources of an earlier build that were renamed would be compiled too.
        let sources = swiftSDKFolder.appendingPathComponent("Sources")
        try? FileManager.default.removeItem(at: sources)
        return try package.build(in: swiftSDKFolder, with: known)
    }

    /// Where the package of the full SDK route lies.
    public var swiftSDKFolder: URL { outputFolder.appendingPathComponent("swift-sdk") }
}
