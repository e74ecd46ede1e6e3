import Foundation
import UpdateEngine

/// How an app uses OpenPatch. Only `appKey` is required: the rest comes from the bundled
/// configuration that `patchcli` writes, or has a default.
public struct PatchConfiguration: Sendable {
    /// The app's public key of this product (`pak_…`).
    public var appKey: String
    /// The app's id; nil for the bundled one.
    public var appID: String?
    /// Where updates are published; nil for no remote updates at all. Left out, it is the
    /// bundled configuration's (``bundledBaseURL``).
    public var apiBaseURL: URL?
    /// The fingerprint of this build; nil for the bundled one, and with none bundled the head
    /// for any build is asked for.
    public var fingerprint: String?
    /// The id that rollouts draw by; nil for a random one that is kept in the state.
    public var deviceID: String?
    /// The channel that updates come from.
    public var channel: PatchChannel
    /// Whether ``Patch/start()`` goes on to look for an update and applies it.
    public var autoApply: Bool
    /// Whether the app counts on its native code when no module runs. With false,
    /// ``Patch/call(_:_:returning:)`` throws `no_active_module`; routed functions run natively in
    /// any case.
    public var nativeFallbackEnabled: Bool
    /// The App Group whose container holds the state, shared with the app's extensions.
    public var appGroupIdentifier: String?
    /// What remote updates are trusted by.
    public var trust: PatchTrust = .bundledRoot
    /// Other places of what `apiBaseURL` serves, asked in order when it fails. Whatever they serve
    /// is verified, so they need not be trusted.
    public var mirrors: [URL] = []
    /// When to look for updates, with ``autoApply``.
    public var checkPolicy = PatchCheckPolicy.standard
    /// When an update found that way begins to run.
    public var applies = PatchApplies.safePoint
    /// Asked, on any thread, whether a swap may happen now; return false in the middle of
    /// something that should not change. A mandatory update that is overdue does not ask.
    public var isSafePoint: @Sendable () -> Bool = { true }
    /// When a release counts as working.
    public var readiness = PatchReadiness.automatic(seconds: 5)
    /// How much the server is told.
    public var telemetry = PatchTelemetry.on
    /// Bounds of every module.
    public var limits = PatchLimits()
    /// Where the bundled files lie; nil for the app's resources, then the program's folder.
    public var resources: URL?
    /// Where the state lies; nil for the platform's usual place.
    public var stateFolder: URL?
    /// What modules may import from the host.
    public var capabilities: Set<CapabilityName> {
        get { Set(granted) }
        set { granted = newValue.sorted { $0.rawValue < $1.rawValue } }
    }
    /// A list and not a set, because the first set of a type takes long to make and a start makes
    /// none.
    var granted: [CapabilityName] = [
        .log, .clock, .random, .native, .unicode, .format, .defaults,
    ]
    /// Lets modules run that have no section `openpatch`; nil for none. Product `PatchSDKWASI` has
    /// the one for modules that a full Swift SDK for WebAssembly built.
    public var plainModules: (any PatchPlainModules)?
    /// Tags that a rollout may ask for.
    public var tags: Set<String> = []
    /// The cohort that a rollout may ask for.
    public var cohort: String?

    /// Stands for the bundled configuration's URL where a URL is asked for.
    public static let bundledBaseURL = URL(string: "openpatch:bundled")

    /// A configuration; see the properties for what each field means and does when left out.
    public init(
        appKey: String, appID: String? = nil,
        apiBaseURL: URL? = PatchConfiguration.bundledBaseURL, fingerprint: String? = nil,
        deviceID: String? = nil, channel: PatchChannel = .bundled, autoApply: Bool = true,
        nativeFallbackEnabled: Bool = true, appGroupIdentifier: String? = nil
    ) {
        self.appKey = appKey
        self.appID = appID
        self.apiBaseURL = apiBaseURL
        self.fingerprint = fingerprint
        self.deviceID = deviceID
        self.channel = channel
        self.autoApply = autoApply
        self.nativeFallbackEnabled = nativeFallbackEnabled
        self.appGroupIdentifier = appGroupIdentifier
    }

    /// The same with the channel as text.
    public init(
        appKey: String, appID: String? = nil,
        apiBaseURL: URL? = PatchConfiguration.bundledBaseURL, fingerprint: String? = nil,
        deviceID: String? = nil, channelName: String, autoApply: Bool = true,
        nativeFallbackEnabled: Bool = true, appGroupIdentifier: String? = nil
    ) {
        self.init(
            appKey: appKey, appID: appID, apiBaseURL: apiBaseURL, fingerprint: fingerprint,
            deviceID: deviceID, channel: PatchChannel(name: channelName), autoApply: autoApply,
            nativeFallbackEnabled: nativeFallbackEnabled, appGroupIdentifier: appGroupIdentifier)
    }
}

extension PatchConfiguration {
    /// The configuration of the bundled `patch-config.json`, app key included.
    /// - Parameter resources: where the file lies; nil for the app's usual places.
    /// - Throws: ``PatchError`` `config_missing` when there is none, `config_malformed`.
    public static func bundled(resources: URL? = nil) throws -> PatchConfiguration {
        let found: ShippedConfiguration?
        do {
            found = try ShippedFiles(folder: resources).configuration()
        } catch {
            throw PatchError(of: error)
        }
        guard let found else { throw PatchError(.configMissing) }
        var configuration = PatchConfiguration(appKey: found.appKey)
        configuration.resources = resources
        return configuration
    }
}

/// What remote updates are trusted by.
public typealias PatchTrust = UpdateTrust

/// Bounds of every module; what exceeds one is served by native code.
public struct PatchLimits: Sendable, Equatable {
    /// The longest that one call of a function may take, in nanoseconds.
    public var callNanoseconds: UInt64 = 1_000_000_000
    /// The same before the release has been found to work. One call that takes longer sends the app
    /// back to native code for the rest of this start, so that a hang costs no more than this.
    public var firstCallNanoseconds: UInt64 = 500_000_000
    /// The longest that starting a module may take, in nanoseconds.
    public var startNanoseconds: UInt64 = 5_000_000_000
    /// The most memory that one instance may use, in bytes.
    public var memoryBytes: UInt64 = 32 << 20
    /// The stack of one instance, in bytes.
    public var stackBytes: Int = 512 << 10
    /// The largest module that is taken, in bytes.
    public var moduleBytes: Int = 32 << 20
    /// How many idle instances of a module are kept for the next calls.
    public var idleInstances: Int = 4

    /// The default bounds.
    public init() {}
}
