import UpdateEngine

/// What signed releases are trusted by.
public typealias BundleTrust = UpdateTrust

/// When a released bundle counts as working. Until then the version before it is kept, and comes
/// back when this is not met in time.
public enum BundleReadiness: Sendable, Equatable {
    /// The page says so (the bridge's `updaterConfirm`) within so many seconds after it was served,
    /// and shows something, where the web view can tell.
    case page(seconds: Double)
    /// For pages that know no bridge: it shows something within so many seconds, where the web view
    /// can tell; else it has not failed for so long.
    case visible(seconds: Double)

    var seconds: Double {
        switch self {
        case .page(let seconds), .visible(let seconds): return max(0, seconds)
        }
    }
}

/// When a release that was found by itself begins to be shown, if app or page do not ask for it
/// before. One that is mandatory, or takes a recalled one away, is shown at once in any case.
public enum BundleApplies: Sendable, Equatable {
    /// With the next start of the app.
    case nextStart
    /// As soon as it is on disk; the page is loaded anew.
    case now
}

/// How much the server is told of what happens to releases.
public enum BundleTelemetry: Sendable, Equatable {
    /// Every install tells.
    case on
    /// A share of all installs, 0 to 1, tells.
    case sampled(Double)
    /// Nothing is told.
    case off
}

/// Bundles that are delivered as signed releases (`patchcli release --bundle`): with the channels,
/// rollouts, gates, boot guard, deltas and telemetry that modules have.
public struct WebViewBundleReleasesConfig: Sendable, Equatable {
    /// The names of the bundles; other bundles are the updater's.
    public var bundles: [String]
    /// The app's key (`pak_…`); nil for that of the bundled `patch-config.json`.
    public var appKey: String?
    /// The server's `…/api/v1` or the address of a static tree; nil for the bundled one.
    public var endpoint: String?
    /// Other places of what the endpoint serves, asked in order when it fails.
    public var mirrors: [String] = []
    /// The channel; nil for the bundled one.
    public var channel: String?
    /// What releases are trusted by.
    public var trust: BundleTrust
    /// When a release counts as working.
    public var readiness: BundleReadiness
    /// When a release that was found by itself begins to be shown.
    public var applies: BundleApplies
    /// Whether the first use of a bundle looks for an update behind it.
    public var checksAtLaunch = true
    /// Looks for updates so often while the app runs, in seconds; nil for never. At least a second.
    public var checkInterval: Double?
    /// What this app offers to pages beyond the standard commands. A release that requires more is
    /// not taken (`patchcli release --bundle … --requires`).
    public var capabilities: Set<String> = []
    /// Tags that a rollout may ask for.
    public var tags: Set<String> = []
    /// The cohort that a rollout may ask for.
    public var cohort: String?
    /// The id that rollouts draw by; nil for a random one that is kept.
    public var deviceID: String?
    /// The app's sequence when its builtin bundles were made: older releases are not taken. Nil for
    /// that of the bundled configuration.
    public var embeddedSequence: Int?
    /// How much the server is told.
    public var telemetry = BundleTelemetry.on
    /// The folder of `patch-config.json` and `patch-root.json`; nil for the app's resources.
    public var resourcesDir: String?
    /// Where the state lies; nil for the platform's usual place.
    public var stateDir: String?

    /// Releases of some bundles; see the properties for what each field means.
    public init(
        bundles: [String], appKey: String? = nil, endpoint: String? = nil, channel: String? = nil,
        trust: BundleTrust = .bundledRoot, readiness: BundleReadiness = .page(seconds: 10),
        applies: BundleApplies = .nextStart
    ) {
        self.bundles = bundles
        self.appKey = appKey
        self.endpoint = endpoint
        self.channel = channel
        self.trust = trust
        self.readiness = readiness
        self.applies = applies
    }
}
