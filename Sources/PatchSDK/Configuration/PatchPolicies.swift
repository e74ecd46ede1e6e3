/// When the SDK looks for updates by itself (with `autoApply`).
public struct PatchCheckPolicy: Sendable, Equatable {
    /// Behind every ``Patch/start()``.
    public var atLaunch: Bool
    /// When the app returns to the foreground.
    public var onForeground: Bool
    /// So often while the app runs, in seconds, at least 60; nil for not at all.
    public var interval: Double?

    /// A policy.
    public init(atLaunch: Bool = true, onForeground: Bool = true, interval: Double? = nil) {
        self.atLaunch = atLaunch
        self.onForeground = onForeground
        self.interval = interval
    }

    /// At launch and on return to the foreground.
    public static let standard = PatchCheckPolicy()
    /// Only when the app asks.
    public static let manual = PatchCheckPolicy(atLaunch: false, onForeground: false)

    /// Returns to the foreground closer together than this make one check, in seconds.
    static let foregroundSpacing: Double = 60
    /// The shortest interval, in seconds.
    static let minimumInterval: Double = 60
}

/// When an update that was fetched by itself begins to run.
public enum PatchApplies: Sendable, Equatable {
    /// As soon as it is there. Calls in progress end on the old module.
    case now
    /// At the next safe point: no patched call is in progress and the app does not object
    /// (``PatchConfiguration/isSafePoint``).
    case safePoint
    /// With the next start of the app. A mandatory update does not wait that long.
    case nextLaunch
}

/// When a release counts as working, so that it is kept whatever happens later.
public enum PatchReadiness: Sendable, Equatable {
    /// When a patched call has returned and the app has run this many seconds with the release.
    case automatic(seconds: Double)
    /// When the app calls ``Patch/markReady()``.
    case manual
}

/// How much the server is told about what happens to releases.
public enum PatchTelemetry: Sendable, Equatable {
    /// Everything, from every install.
    case on
    /// Everything, from this share of installs, 0 to 1.
    case sampled(Double)
    /// Nothing; nothing is kept either.
    case off
}

/// What a background fetch led to, as the system wants to know it.
public enum PatchBackgroundResult: Sendable, Equatable {
    /// An update is on disk and runs with the next start.
    case newData
    /// There is nothing new.
    case noData
    /// It failed; what runs keeps running.
    case failed
}
