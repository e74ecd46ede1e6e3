import Foundation

/// Hears from the system when the app comes and goes, where the system says so.
final class AppLifecycle: Sendable {
    /// What the system posts, by name: the names of UIKit and AppKit, which are not linked for it.
    struct Names: Sendable {
        var foreground: [String] = []
        var background: [String] = []
        var end: [String] = []

        /// Those of this platform.
        static var live: Names {
            #if os(iOS) || os(tvOS) || os(visionOS)
                return Names(
                    foreground: ["UIApplicationWillEnterForegroundNotification"],
                    background: ["UIApplicationDidEnterBackgroundNotification"],
                    end: ["UIApplicationWillTerminateNotification"])
            #elseif os(macOS)
                return Names(
                    foreground: ["NSApplicationDidBecomeActiveNotification"],
                    background: [], end: ["NSApplicationWillTerminateNotification"])
            #else
                return Names()
            #endif
        }
    }

    // Unchecked by the compiler only because Foundation does not say that tokens may be passed on;
    // they are made here, never changed, and removed once in deinit.
    private nonisolated(unsafe) let tokens: [any NSObjectProtocol]
    private let center: NotificationCenter

    init(
        _ names: Names, center: NotificationCenter = .default,
        foreground: @escaping @Sendable () -> Void, background: @escaping @Sendable () -> Void,
        end: @escaping @Sendable () -> Void
    ) {
        self.center = center
        var tokens: [any NSObjectProtocol] = []
        func observe(_ names: [String], _ body: @escaping @Sendable () -> Void) {
            for name in names {
                tokens.append(
                    center.addObserver(
                        forName: Notification.Name(name), object: nil, queue: nil
                    ) { _ in body() })
            }
        }
        observe(names.foreground, foreground)
        observe(names.background, background)
        observe(names.end, end)
        self.tokens = tokens
    }

    deinit {
        for token in tokens { center.removeObserver(token) }
    }
}
