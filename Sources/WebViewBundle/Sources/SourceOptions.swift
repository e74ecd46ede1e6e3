import Foundation

/// Where bundles lie. Nil means the default place.
public struct SourceOptions: Sendable, Equatable {
    /// The folder of bundles that ship with the app; read only.
    public var builtinDir: String?
    /// The folder of downloaded bundles.
    public var remoteDir: String?
    /// The builtin folder's manifest, `manifest.json` in it by default.
    public var builtinManifestFilepath: String?
    /// The remote folder's manifest, `manifest.json` in it by default.
    public var remoteManifestFilepath: String?

    /// Makes one of its parts.
    public init(
        builtinDir: String? = nil, remoteDir: String? = nil,
        builtinManifestFilepath: String? = nil, remoteManifestFilepath: String? = nil
    ) {
        self.builtinDir = builtinDir
        self.remoteDir = remoteDir
        self.builtinManifestFilepath = builtinManifestFilepath
        self.remoteManifestFilepath = remoteManifestFilepath
    }
}

/// The places that are used when an app names none.
enum DefaultFolders {
    /// `bundles` among the resources of the app.
    static var builtin: String? {
        Foundation.Bundle.main.resourcePath.map { $0 + "/bundles" }
    }

    /// `bundles` in the app's own part of Application Support (on Linux of the user's data).
    static var remote: String? {
        #if os(Linux)
            let environment = ProcessInfo.processInfo.environment
            let named = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            guard let base = named ?? environment["HOME"].map({ $0 + "/.local/share" }) else {
                return nil
            }
            let program = ProcessInfo.processInfo.processName
            return "\(base)/\(program.isEmpty ? "WebViewBundle" : program)/bundles"
        #else
            guard
                let base = FileManager.default.urls(
                    for: .applicationSupportDirectory, in: .userDomainMask
                ).first
            else { return nil }
            let owner = Foundation.Bundle.main.bundleIdentifier ?? "WebViewBundle"
            return base.appendingPathComponent(owner).appendingPathComponent("bundles").path
        #endif
    }
}
