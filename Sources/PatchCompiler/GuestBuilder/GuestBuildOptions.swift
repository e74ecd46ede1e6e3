import Foundation

/// How guests are built.
public struct GuestBuildOptions: Sendable, Hashable {
    /// The target; wasm64 unless there is a reason.
    public var target: GuestTarget = .wasm64
    /// Name of the Swift module that the sources form.
    public var moduleName = "Guest"
    /// Where compiled runtimes and objects are kept; safe to delete, shared between processes.
    public var cacheFolder: URL = GuestBuildOptions.defaultCacheFolder
    /// Whether names and line tables are written to ``GuestModule/debug``.
    public var debugInformation = true
    /// Bytes of the guest's stack. It lies below all data, so that overflow traps.
    public var stackSize = 131_072
    /// Bytes that the guest's memory may grow to. Pointers cross the boundary as `i32`.
    public var maximumMemory = 1 << 30
    /// Seconds that one run of the compiler or linker may take.
    public var timeout: Double = 600

    /// The optimisation that Swift files are compiled with. Nothing but tests changes it: `-Osize`
    /// miscompiles String hashing on wasm64; formats.md, Docs/guests.md.
    var optimization = "-O"

    /// Where a guest finds what comparing texts beyond ASCII takes.
    public var unicode = Unicode.linked

    /// Where Unicode's tables are.
    public enum Unicode: Sendable, Hashable {
        /// In the module: 20 KB of it, compressed, when it hashes or compares texts.
        case linked
        /// In the host, which grants the capability `unicode`.
        case host
    }

    /// The usual way: wasm64, with debug information.
    public init() {}

    /// `$XDG_CACHE_HOME/openpatch/guest`, else `~/.cache/openpatch/guest`.
    public static var defaultCacheFolder: URL {
        let environment = ProcessInfo.processInfo.environment
        let base: URL
        if let named = environment["XDG_CACHE_HOME"], named.hasPrefix("/") {
            base = URL(fileURLWithPath: named)
        } else {
            base = FileManager.default.homeDirectoryForCurrentUser
                .appendingPathComponent(".cache")
        }
        return base.appendingPathComponent("openpatch/guest")
    }
}
