import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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

    /// The version of the operating system, `major.minor.patch`; on Linux the kernel's.
    package static var systemVersion: String {
        #if os(Linux)
            // What Foundation says, which takes longer to say it: the numbers of the kernel's release.
            var system = utsname()
            guard uname(&system) == 0 else { return "0.0.0" }
            let release = withUnsafeBytes(of: &system.release) {
                Array($0.prefix { $0 != 0 })
            }
            let numbers = release.prefix { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
                .split(separator: UInt8(ascii: "."))
            func number(_ index: Int) -> Int {
                guard index < numbers.count else { return 0 }
                return numbers[index].reduce(0) { $0 &* 10 &+ Int($1) - 0x30 }
            }
            return "\(number(0)).\(number(1)).\(number(2))"
        #else
            let version = ProcessInfo.processInfo.operatingSystemVersion
            return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
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
