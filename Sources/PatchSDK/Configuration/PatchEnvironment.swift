import Foundation
import PatchPlatform
import Rollout
import UpdateEngine

/// The parts of the machine and the build that the SDK stands on; tests put others in their place.
struct PatchEnvironment: Sendable {
    var transport: any HTTPTransport = URLSessionTransport()
    var clock: any SystemClock = LiveClock()
    var random: any RandomSource = LiveRandom()
    var process: any ProcessIdentity = LiveProcess()
    /// The surface compiled into the app.
    var surface: @Sendable () throws -> Surface? = { try Surface.compiledIn() }
    /// The state folder's files; nil for the live ones at the configured place.
    var files: (any FileStore)?
    /// Why this build takes no remote updates at all, if it does not.
    var remoteRefusal: Reason? = Self.liveRefusal
    /// Waits for so many seconds.
    var sleep: @Sendable (Double) async throws -> Void = { seconds in
        try await Task.sleep(nanoseconds: UInt64(min(seconds, 1e9) * 1e9))
    }
    /// What the system says of the app's coming and going.
    var lifecycle = AppLifecycle.Names.live
    var systemVersion: String? = HostPlatform.systemVersion
    /// Looked up when it is first wanted: the first look at a bundle takes long.
    var appVersion: @Sendable () -> String? = {
        Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
    }

    /// Code under development is never patched unawares.
    private static var liveRefusal: Reason? {
        #if DEBUG
            return ProcessInfo.processInfo.environment["OPENPATCH_DEV"] == "1" ? nil : .debugBuild
        #else
            return nil
        #endif
    }
}
