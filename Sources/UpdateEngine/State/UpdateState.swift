import Rollout

/// The one file that says what a device runs (`state.json`). It holds names relative to its
/// folder only.
public struct UpdateState: Equatable, Sendable {
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
}

/// What a device runs, has and remembers for one build of the app.
public struct BuildState: Equatable, Sendable {
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
    /// Sequence of the newest brake seen, by channel.
    public var brakes: [String: Int]?
    /// Stands for the keys that heads and brakes were signed with when they were seen.
    public var signers: String?
    /// The newest head's retry generation.
    public var retryGeneration = 0
    /// Whether what runs has written data in its own epoch.
    public var hasWrittenData = false
    /// How the last check ended.
    public var lastCheck: CheckRecord?
    /// What the boot guard remembers.
    public var boot = BootMemory()

    /// Nothing downloaded yet.
    public init() {}

    /// The digests whose slots are in use.
    public var digestsInUse: Set<String> {
        var digests = Set([current?.digest, previous?.digest].compactMap { $0 })
        if case .release(let slot) = staged { digests.insert(slot.digest) }
        return digests
    }

    /// Whether a payload was downloaded and has not been found to work yet.
    func isOnTrial(_ digest: String) -> Bool {
        var slots = [current, previous]
        if case .release(let slot) = staged { slots.append(slot) }
        return slots.contains { $0?.digest == digest && $0?.isConfirmed == false }
    }

    /// Makes what is staged current. What ran stays as `previous` when it had proved itself; else
    /// the release before it does, so that one known to work is always there.
    mutating func activateStaged() {
        switch staged {
        case .release(let slot):
            if current?.isConfirmed == true || previous == nil { previous = current }
            current = slot
        case .embedded:
            previous = nil
            current = nil
        case nil: return
        }
        staged = nil
        hasWrittenData = false
        boot.isFallback = false
        boot.safeModeUntil = nil
        forgetUnusedStarts()
    }

    /// Takes a payload out of every slot; what ran before it runs again.
    mutating func takeOut(_ digest: String) {
        if case .release(let slot) = staged, slot.digest == digest { staged = nil }
        if previous?.digest == digest { previous = nil }
        if current?.digest == digest {
            current = previous
            previous = nil
        }
        forgetUnusedStarts()
    }

    /// Takes a payload out and remembers it as failed until `expires`, in seconds since 1970.
    mutating func ban(_ digest: String, because reason: Reason, until expires: Double) {
        let isFallingBack = current?.digest == digest
        failed[digest] = FailedRelease(
            reason: reason, retryGeneration: retryGeneration, expires: expires)
        boot.starts[digest] = nil
        takeOut(digest)
        if isFallingBack { boot.isFallback = current != nil }
    }

    /// Drops what is remembered of payloads that no slot holds. Without a release it keeps what it
    /// knows of the app's own module, which has no slot.
    mutating func forgetUnusedStarts() {
        var used = digestsInUse
        if current == nil, let shipped = boot.shipped { used.insert(shipped) }
        boot.starts = boot.starts.filter { used.contains($0.key) }
    }
}

/// A payload on disk (`slots/<sha256>`) and what its release says.
public struct Slot: Equatable, Sendable {
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
}

/// What is to run from the next activation on.
public enum Staged: Equatable, Sendable {
    /// A release that is verified and on disk.
    case release(Slot)
    /// What the app shipped with.
    case embedded
}

/// How a check ended.
public struct CheckRecord: Equatable, Sendable {
    /// When, in seconds since 1970.
    public var time: Double
    /// The reason that it ended with.
    public var reason: Reason
    /// The head that decided, if any.
    public var headSequence: Int?
}
