import Foundation

/// What an engine needs to know of its app; fixed while it lives.
public struct UpdateSettings: Sendable {
    /// What remote metadata is trusted by.
    public enum Trust: Sendable {
        /// Signed metadata under this root.
        case root([UInt8])
        /// The root that a server on this machine offers, taken unseen.
        case firstUse
        /// Nothing remote.
        case none(UpdateError)
    }

    /// The app's public key of this product.
    public var appKey: String
    /// The app's id; nil takes the one that the trusted root names.
    public var appID: String?
    /// The platform that releases must be for.
    public var platform: String
    /// The channel that updates come from.
    public var channel: String
    /// The whole fingerprint of this build, or `_any`.
    public var fingerprint: String
    /// Where `apps/<appKey>/…` lies; nil for no remote updates.
    public var baseURL: URL?
    /// Other places of the same tree, asked in this order when `baseURL` fails. Whatever they serve
    /// is verified like the rest, so they need not be trusted.
    public var mirrors: [URL] = []
    /// What remote metadata is trusted by.
    public var trust: Trust
    /// The id that rollouts draw by; nil for a random one kept in the state.
    public var deviceID: String?
    /// The calling convention that payloads must use.
    public var abi = 1
    /// The capabilities that the app grants.
    public var capabilities: Set<String> = []
    /// Functions compiled into the app, id to signature; nil when it has no surface.
    public var surface: [String: String]?
    /// Version of the operating system, if known.
    public var systemVersion: String?
    /// Version of the app, if known.
    public var appVersion: @Sendable () -> String? = { nil }
    /// Tags that a rollout may ask for.
    public var tags: Set<String> = []
    /// The cohort that a rollout may ask for.
    public var cohort: String?
    /// The app's sequence when this build was made.
    public var embeddedSequence = 0
    /// The lowest sequence that this build accepts.
    public var minimumSequence = 0
    /// The lowest version of the targets metadata that this build accepts.
    public var minimumTargetsVersion = 0
    /// Gives the module that the app shipped with (`base.wasm`), which a delta may start from;
    /// called only when a release offers one. Nil when there is none.
    public var baseModule: (@Sendable () -> [UInt8]?)?
    /// The largest payload, in bytes.
    public var maximumPayload = 32 << 20
    /// How long the network is waited for.
    public var network = NetworkLimits()
    /// How long to wait for another process that writes the state, in seconds.
    public var patience: Double = 2
    /// How long a failed release is banned, in seconds.
    public var banSeconds: Double = 7 * 86400

    /// Settings with the fields that have no default.
    public init(
        appKey: String, appID: String?, platform: String, channel: String, fingerprint: String,
        baseURL: URL?, trust: Trust
    ) {
        self.appKey = appKey
        self.appID = appID
        self.platform = platform
        self.channel = channel
        self.fingerprint = fingerprint
        self.baseURL = baseURL
        self.trust = trust
    }

    /// The part of the fingerprint that names files and roles: its first 16 digits, or `_any`.
    public var build: String { String(fingerprint.prefix(16)) }
    /// The delegated role that speaks for this build.
    public var buildRole: String { fingerprint == Self.anyBuild ? "build-any" : "build-\(build)" }
    /// The fingerprint of a build that names none.
    public static let anyBuild = "_any"
}
