import Foundation

/// Hears from the system when the app comes and goes, where the system says so.
final class BundleLifecycle: Sendable {
    // Unchecked by the compiler only because Foundation does not say that tokens may be passed on;
    // they are made here, never changed, and removed once in deinit.
    private nonisolated(unsafe) let tokens: [any NSObjectProtocol]

    /// Names of UIKit and AppKit, which are not linked for it.
    private static var names: (foreground: [String], background: [String], end: [String]) {
        #if os(iOS) || os(tvOS) || os(visionOS)
            return (
                ["UIApplicationWillEnterForegroundNotification"],
                ["UIApplicationDidEnterBackgroundNotification"],
                ["UIApplicationWillTerminateNotification"]
            )
        #elseif os(macOS)
            return (
                ["NSApplicationDidBecomeActiveNotification"], [],
                ["NSApplicationWillTerminateNotification"]
            )
        #else
            return ([], [], [])
        #endif
    }

    init(_ releases: BundleReleases) {
        var tokens: [any NSObjectProtocol] = []
        func observe(_ names: [String], _ body: @escaping @Sendable (BundleReleases) -> Void) {
            for name in names {
                tokens.append(
                    NotificationCenter.default.addObserver(
                        forName: Notification.Name(name), object: nil, queue: nil
                    ) { [weak releases] _ in
                        if let releases { body(releases) }
                    })
            }
        }
        let names = Self.names
        observe(names.foreground) { $0.didEnterForeground() }
        observe(names.background) { $0.didEnterBackground() }
        observe(names.end) { $0.didEndCleanly() }
        self.tokens = tokens
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }
}
