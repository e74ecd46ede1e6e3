/// All that the decision knows of a device. The same value gives the same answer everywhere.
public struct Device: Equatable, Sendable {
    /// The id that rollouts draw by; nil keeps the device out of every partial rollout.
    public var deviceID: String?
    /// The app that runs.
    public var appID: String
    /// The platform it runs on.
    public var platform: String
    /// The channel it subscribes to.
    public var channel: String
    /// The fingerprint of the build that runs, or `_any`.
    public var fingerprint: String
    /// The calling convention of the SDK inside.
    public var abi: Int
    /// The capabilities that the app grants to modules.
    public var capabilities: Set<String>
    /// Functions of the compiled-in surface, id to signature; nil leaves `needs` unchecked.
    public var surface: [String: String]?
    /// Version of the operating system, if known.
    public var systemVersion: String?
    /// Version of the app, if known.
    public var appVersion: String?
    /// Tags that a rollout may ask for.
    public var tags: Set<String>
    /// The cohort that a rollout may ask for.
    public var cohort: String?
    /// What it runs now.
    public var current: Running
    /// Whether what runs has written data in its own epoch.
    public var hasWrittenData: Bool
    /// Releases that failed here, by digest.
    public var failed: [String: FailedRelease]
    /// Sequence number of the newest head it has seen for this channel; 0 for none.
    public var heldHeadSequence: Int
    /// Sequence number of the newest brake it has seen for this channel; 0 for none.
    public var heldBrakeSequence: Int
    /// Digests of releases whose payload is on its disk.
    public var held: Set<String>
    /// The lowest sequence that may run (root and bundled configuration).
    public var floor: Int
    /// The app's sequence when this build was made: releases up to it are older than the build.
    public var embeddedSequence: Int
    /// The data epoch of the code that the app shipped with.
    public var embeddedDataEpoch: Int
    /// Seconds since 1970; only the expiry of ``failed`` looks at it.
    public var now: Double

    /// A device that runs what it shipped with, with nothing special about it.
    public init(
        deviceID: String?, appID: String, platform: String, channel: String, fingerprint: String,
        abi: Int = 1, capabilities: Set<String> = [], current: Running = .embedded,
        now: Double = 0
    ) {
        self.deviceID = deviceID
        self.appID = appID
        self.platform = platform
        self.channel = channel
        self.fingerprint = fingerprint
        self.abi = abi
        self.capabilities = capabilities
        self.current = current
        self.now = now
        tags = []
        hasWrittenData = false
        failed = [:]
        heldHeadSequence = 0
        heldBrakeSequence = 0
        held = []
        floor = 0
        embeddedSequence = 0
        embeddedDataEpoch = 0
    }
}

/// What a device runs.
public enum Running: Equatable, Sendable {
    /// What the app shipped with.
    case embedded
    /// A downloaded release: its digest, its sequence, and the channel that it came from.
    case release(digest: String, sequence: Int, channel: String)

    /// The digest, if it is a release.
    public var digest: String? {
        if case .release(let digest, _, _) = self { return digest }
        return nil
    }
}

/// A release that did not work on this device.
public struct FailedRelease: Equatable, Sendable {
    /// Why it failed.
    public var reason: Reason
    /// The head's retry generation at that time; a larger one lifts the ban.
    public var retryGeneration: Int
    /// When the ban ends by itself, in seconds since 1970.
    public var expires: Double

    /// A ban.
    public init(reason: Reason, retryGeneration: Int, expires: Double) {
        self.reason = reason
        self.retryGeneration = retryGeneration
        self.expires = expires
    }
}
