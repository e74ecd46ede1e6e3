/// What a release key says of one release: the `custom` object of a module or bundle target
/// (formats.md, "Tree and trust").
public struct Release: Equatable, Sendable {
    /// Version of this object's form.
    public var v: Int
    /// The app that the release belongs to.
    public var appID: String
    /// The platform it was built for, such as `linux` or `ios`.
    public var platform: String
    /// `module` or `bundle`.
    public var kind: String
    /// The name that people use; never compared.
    public var version: String
    /// One counter per app; the only order between releases.
    public var sequence: Int
    /// The whole fingerprint of the build it was made for, or `_any`.
    public var fingerprint: String
    /// Version of the calling convention between host and module.
    public var abi: Int
    /// Functions of the app's surface that it relies on.
    public var needs: [SurfaceNeed]
    /// Host functions that it imports, as `<capability>.<function>`.
    public var capabilities: [String]
    /// The parts of the app (app, widget, …) that it covers; empty means the app.
    public var appTargets: [String]
    /// Counts incompatible changes of stored data.
    public var dataEpoch: Int
    /// Whether devices should take it without waiting for the user.
    public var mandatory: Bool
    /// Release notes, if any.
    public var notes: String?
    /// The commit it was built from, if known.
    public var commit: String?
    /// The payload itself, decoded.
    public var raw: RawPayload
    /// How the published bytes encode the payload.
    public var encoding: PayloadEncoding
    /// Differences from payloads that devices may hold.
    public var deltas: [DeltaReference]

    /// A release with the fields that have no default; the others start empty.
    public init(
        appID: String, platform: String, kind: String = "module", version: String, sequence: Int,
        fingerprint: String, abi: Int = 1, needs: [SurfaceNeed] = [], capabilities: [String] = [],
        appTargets: [String] = [], dataEpoch: Int = 0, mandatory: Bool = false,
        notes: String? = nil, commit: String? = nil, raw: RawPayload,
        encoding: PayloadEncoding = .brotli, deltas: [DeltaReference] = []
    ) {
        v = 1
        self.appID = appID
        self.platform = platform
        self.kind = kind
        self.version = version
        self.sequence = sequence
        self.fingerprint = fingerprint
        self.abi = abi
        self.needs = needs
        self.capabilities = capabilities
        self.appTargets = appTargets
        self.dataEpoch = dataEpoch
        self.mandatory = mandatory
        self.notes = notes
        self.commit = commit
        self.raw = raw
        self.encoding = encoding
        self.deltas = deltas
    }
}

/// A function of the app's surface: id and signature hash, 16 hex digits each.
public struct SurfaceNeed: Hashable, Sendable {
    /// The function's id.
    public var id: String
    /// The hash of its parameter and result types.
    public var sig: String

    /// Names one function.
    public init(id: String, sig: String) {
        self.id = id
        self.sig = sig
    }
}

/// Digest and size of a payload before any encoding.
public struct RawPayload: Equatable, Sendable {
    /// SHA-256 as 64 lower-case hex digits: the identity of the payload.
    public var sha256: String
    /// Size in bytes.
    public var size: Int

    /// Names one payload.
    public init(sha256: String, size: Int) {
        self.sha256 = sha256
        self.size = size
    }
}

/// How published bytes encode a payload. Another value makes the release unusable here.
public struct PayloadEncoding: RawRepresentable, Hashable, Sendable {
    /// The name as published.
    public var rawValue: String
    /// Takes any name; only the ones below are understood.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The payload as it is.
    public static let identity = PayloadEncoding(rawValue: "identity")
    /// Brotli (RFC 7932).
    public static let brotli = PayloadEncoding(rawValue: "br")
}

/// A published difference that turns the payload `from` into the release's payload.
public struct DeltaReference: Equatable, Sendable {
    /// SHA-256 of the payload it starts from.
    public var from: String
    /// Its target path.
    public var path: String

    /// Names one delta.
    public init(from: String, path: String) {
        self.from = from
        self.path = path
    }
}
