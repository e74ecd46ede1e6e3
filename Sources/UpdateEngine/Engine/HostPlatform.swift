import Foundation

/// What the platform that the app runs on is called, and where it keeps things by default.
public enum HostPlatform {
    /// The name of this platform in releases and heads.
    public static var name: String {
        #if os(Linux)
            return "linux"
        #elseif os(macOS)
            return "macos"
        #elseif os(iOS)
            return "ios"
        #elseif os(tvOS)
            return "tvos"
        #elseif os(visionOS)
            return "visionos"
        #else
            return "unknown"
        #endif
    }

    /// The folder of an app's state: `$XDG_STATE_HOME/openpatch` on Linux, Application Support, or
    /// that of an App Group's container, elsewhere.
    /// - Returns: nil when the key is no name of a folder, or the group is not the app's; then nothing
    ///   is kept.
    public static func stateFolder(appKey: String, appGroup: String? = nil) -> URL? {
        let isSafe = appKey.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || $0 == 0x5F || $0 == 0x2D
        }
        guard isSafe, !appKey.isEmpty else { return nil }
        #if os(Linux)
            let variables = ProcessInfo.processInfo.environment
            if let state = variables["XDG_STATE_HOME"], state.hasPrefix("/") {
                return URL(fileURLWithPath: state).appendingPathComponent("openpatch/\(appKey)")
            }
            return FileManager.default.homeDirectoryForCurrentUser
                .appendingPathComponent(".local/state/openpatch/\(appKey)")
        #else
            var base = FileManager.default
                .urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            if let appGroup {
                base = FileManager.default
                    .containerURL(forSecurityApplicationGroupIdentifier: appGroup)?
                    .appendingPathComponent("Library/Application Support")
            }
            return base?.appendingPathComponent("OpenPatch/\(appKey)")
        #endif
    }
}
