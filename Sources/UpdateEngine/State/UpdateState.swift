import Rollout

/// The one file that says what a device runs (`state.json`). It holds names relative to its
/// folder only.
public struct UpdateState: Codable, Equatable, Sendable {
    /// The form that this version writes.
    public static let currentVersion = 1

    /// Version of the form.
    public var v = Self.currentVersion
    /// The id that rollouts draw by.
    public var deviceID: String
    /// What is known of each build of the app, by fingerprint. Only the running build's is used:
    /// after a store update the modules of the old one are out of reach.
    public var builds: [String: BuildState] = [:]

    /// A fresh state.
    public init(deviceID: String) { self.deviceID = deviceID }

    enum CodingKeys: String, CodingKey {
        case v, builds
        case deviceID = "device_id"
    }
}

/// What a device runs, has and remembers for one build of the app.
public struct BuildState: Codable, Equatable, Sendable {
    /// The release that runs; nil for what the app shipped with.
    public var current: Slot?
    /// The release that ran before, kept until `current` is confirmed.
    public var previous: Slot?
    /// What runs from the next activation on.
    public var staged: Staged?
    /// Releases that failed here, by digest.
    public var failed: [String: FailedRelease] = [:]
    /// Sequence of the newest head seen, by channel.
    public var heads: [String: Int] = [:]
    /// The newest head's retry generation.
    public var retryGeneration = 0
    /// Whether what runs has written data in its own epoch.
    public var hasWrittenData = false
    /// How the last check ended.
    public var lastCheck: CheckRecord?
    /// The start in progress, for the boot guard.
    public var boot: BootRecord?

    /// Nothing downloaded yet.
    public init() {}

    enum CodingKeys: String, CodingKey {
        case current, previous, staged, failed, heads, boot
        case retryGeneration = "retry_generation"
        case hasWrittenData = "has_written_data"
        case lastCheck = "last_check"
    }

    /// The digests whose slots are in use.
    public var digestsInUse: Set<String> {
        var digests = Set([current?.digest, previous?.digest].compactMap { $0 })
        if case .release(let slot) = staged { digests.insert(slot.digest) }
        return digests
    }
}

/// A payload on disk (`slots/<sha256>`) and what its release says.
public struct Slot: Codable, Equatable, Sendable {
    /// SHA-256 of the payload, 64 hex digits; also the file's name.
    public var digest: String
    /// Its size in bytes.
    public var size: Int
    /// The version, as people call it.
    public var version: String
    /// The only order between releases.
    public var sequence: Int
    /// The channel that it came from.
    public var channel: String
    /// The data epoch of the release.
    public var dataEpoch: Int
    /// Whether a start with it has gone well.
    public var isConfirmed: Bool

    enum CodingKeys: String, CodingKey {
        case digest, size, version, sequence, channel
        case dataEpoch = "data_epoch"
        case isConfirmed = "confirmed"
    }
}

/// What is to run from the next activation on.
public enum Staged: Equatable, Sendable {
    /// A release that is verified and on disk.
    case release(Slot)
    /// What the app shipped with.
    case embedded
}

extension Staged: Codable {
    enum CodingKeys: String, CodingKey { case kind, slot }
    private enum Kind: String, Codable { case release, embedded }

    /// Reads the form `{"kind": "release", "slot": …}` or `{"kind": "embedded"}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .kind) {
        case .release: self = .release(try container.decode(Slot.self, forKey: .slot))
        case .embedded: self = .embedded
        }
    }

    /// Writes the form that ``init(from:)`` reads.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .release(let slot):
            try container.encode(Kind.release, forKey: .kind)
            try container.encode(slot, forKey: .slot)
        case .embedded: try container.encode(Kind.embedded, forKey: .kind)
        }
    }
}

/// How a check ended.
public struct CheckRecord: Codable, Equatable, Sendable {
    /// When, in seconds since 1970.
    public var time: Double
    /// The reason that it ended with.
    public var reason: Reason
    /// The head that decided, if any.
    public var headSequence: Int?

    enum CodingKeys: String, CodingKey {
        case time, reason
        case headSequence = "head_seq"
    }
}

/// A start that has not been confirmed yet (boot guard, updates.md §4).
public struct BootRecord: Codable, Equatable, Sendable {
    /// The digest that was activated.
    public var digest: String
    /// Which boot of the device it was, if known.
    public var deviceBoot: String?
    /// The process that started.
    public var pid: Int32
    /// How many unclean starts in a row.
    public var uncleanStarts: Int

    enum CodingKeys: String, CodingKey {
        case digest, pid
        case deviceBoot = "device_boot"
        case uncleanStarts = "unclean_starts"
    }
}
