import PatchPlatform
import TUF

/// One thing that happened to a release on this device, as the server is told it
/// (`Docs/http-api.md`). It names no person and no device.
public struct TelemetryEvent: Equatable, Sendable {
    /// What happened.
    public enum Name: String, Sendable, CaseIterable {
        /// The server was asked.
        case check
        /// A payload arrived, or did not.
        case download
        /// A payload was compared with what was signed.
        case verify
        /// A release was put in place.
        case activate
        /// A release has proved itself.
        case ready
        /// An earlier release, or what the app shipped with, took over.
        case rollback
        /// A call into a module failed.
        case trap
        /// Native code served what a patch could not.
        case fallback
        /// A function or view is served natively from now on.
        case demotion
        /// The app ended uncleanly soon after a release had proved itself.
        case crashAfterReady = "crash_after_ready"
    }

    /// The idempotency key, a UUID: however often the event is sent, it counts once.
    public var id: String
    /// What happened.
    public var name: Name
    /// When, in seconds since 1970, by the device's clock; told in whole seconds.
    public var at: Double
    /// The digest of the release that it concerns; nil for what the app shipped with.
    public var release: String?
    /// The fingerprint of the app's build.
    public var fingerprint: String
    /// The web bundle that it is about; nil for modules.
    public var bundle: String?
    /// Version of the SDK.
    public var sdk: String
    /// Name and version of the operating system.
    public var os: String?
    /// Version of the app.
    public var appVersion: String?
    /// How long it took, in milliseconds.
    public var durationMilliseconds: Int?
    /// Bytes on the wire.
    public var bytes: Int?
    /// Whether a difference was downloaded rather than the whole payload.
    public var isDelta: Bool?
    /// Whether an earlier download was continued.
    public var isResumed: Bool?
    /// The stable code of why.
    public var reason: String?
    /// What exactly was met; cut to 256 bytes when it is recorded.
    public var detail: String?

    /// An event under a fresh idempotency key.
    public init(
        _ name: Name, at time: Double, fingerprint: String, sdk: String,
        random: any RandomSource = LiveRandom()
    ) {
        id = random.uuid()
        self.name = name
        at = time
        self.fingerprint = fingerprint
        self.sdk = sdk
    }
}

/// How much of what happens is told to the server.
public enum Telemetry: Equatable, Sendable {
    /// Every install tells.
    case on
    /// A share of all installs, 0 to 1, tells; an install is in or out as a whole.
    case sampled(Double)
    /// Nothing is told and nothing is written.
    case off
}

extension TelemetryEvent {
    init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "event")
        guard let name = Name(rawValue: try fields.string("name")) else {
            throw DocumentFields.Fault("'name' is unknown")
        }
        id = try fields.string("id")
        self.name = name
        at = try fields.seconds("at")
        release = try fields.optionalString("release")
        fingerprint = try fields.string("fingerprint")
        bundle = try fields.optionalString("bundle")
        sdk = try fields.string("sdk")
        os = try fields.optionalString("os")
        appVersion = try fields.optionalString("app_version")
        durationMilliseconds = try fields.optionalInteger("duration_ms")
        bytes = try fields.optionalInteger("bytes")
        isDelta = try fields["is_delta"] == nil ? nil : fields.bool("is_delta")
        isResumed = try fields["resumed"] == nil ? nil : fields.bool("resumed")
        reason = try fields.optionalString("reason")
        detail = try fields.optionalString("detail")
    }

    var json: JSONValue {
        func text(_ value: String?) -> JSONValue? { value.map { .string($0) } }
        func number(_ value: Int?) -> JSONValue? { value.map { .integer(Int64($0)) } }
        return DocumentFields.object([
            ("id", .string(id)), ("name", .string(name.rawValue)),
            ("at", DocumentFields.seconds(at)), ("release", text(release)),
            ("fingerprint", .string(fingerprint)), ("bundle", text(bundle)), ("sdk", .string(sdk)),
            ("os", text(os)),
            ("app_version", text(appVersion)), ("duration_ms", number(durationMilliseconds)),
            ("bytes", number(bytes)), ("is_delta", isDelta.map { .bool($0) }),
            ("resumed", isResumed.map { .bool($0) }), ("reason", text(reason)),
            ("detail", text(detail)),
        ])
    }
}
