/// What devices of one channel and fingerprint should run: a target file signed through the
/// build role (formats.md, "Head").
public struct Head: Equatable, Sendable {
    /// What a head or brake wants devices to run at all.
    public enum Kind: String, Sendable {
        /// The stable release or the candidate.
        case run
        /// What the app shipped with.
        case embedded
    }

    /// Version of this object's form.
    public var v: Int
    /// The app it speaks for.
    public var appID: String
    /// The platform it speaks for.
    public var platform: String
    /// The channel it speaks for.
    public var channel: String
    /// The whole fingerprint it speaks for, or `_any`.
    public var fingerprint: String
    /// Whether releases run at all.
    public var kind: Kind
    /// Grows with every head of this channel and fingerprint.
    public var headSequence: Int
    /// Digest of the release for everybody; nil before the first one.
    public var stable: String?
    /// The release that is being rolled out, if any.
    public var candidate: Candidate?
    /// Digests of earlier stable releases that a brake may send devices back to.
    public var returnable: [String]
    /// Digests that no device may run.
    public var recalled: [String]
    /// Sequence of the newest mandatory release, if any.
    public var mandatorySince: Int?
    /// When a mandatory release should be applied at the latest (ISO 8601, UTC).
    public var applyBy: String?
    /// The data epoch of what is being run.
    public var dataEpoch: Int
    /// A larger number lifts devices' own bans of failed releases.
    public var retryGeneration: Int

    /// A head with the fields that have no default; the others start empty.
    public init(
        appID: String, platform: String, channel: String, fingerprint: String, kind: Kind = .run,
        headSequence: Int, stable: String? = nil, candidate: Candidate? = nil,
        returnable: [String] = [], recalled: [String] = [], mandatorySince: Int? = nil,
        applyBy: String? = nil, dataEpoch: Int = 0, retryGeneration: Int = 0
    ) {
        v = 1
        self.appID = appID
        self.platform = platform
        self.channel = channel
        self.fingerprint = fingerprint
        self.kind = kind
        self.headSequence = headSequence
        self.stable = stable
        self.candidate = candidate
        self.returnable = returnable
        self.recalled = recalled
        self.mandatorySince = mandatorySince
        self.applyBy = applyBy
        self.dataEpoch = dataEpoch
        self.retryGeneration = retryGeneration
    }
}

/// A release on its way to everybody.
public struct Candidate: Equatable, Sendable {
    /// Its digest.
    public var digest: String
    /// The share of devices that may run it, in basis points (10,000 = all).
    public var grant: Int
    /// The grant before a halt by the release key, for whoever resumes; the device does not read it.
    public var haltedGrant: Int?
    /// Whether devices that run it and are not drawn by the present grant go back; they keep it when
    /// this is absent.
    public var retract: Bool?
    /// 16 random bytes as lower-case hex, which draw the devices of this rollout.
    public var salt: String
    /// The plan that gates follow; the device does not read it.
    public var stages: [Stage]
    /// Which devices may take part.
    public var require: Requirement

    /// A candidate for `grant` basis points of all devices.
    public init(
        digest: String, grant: Int, salt: String, stages: [Stage] = [],
        require: Requirement = Requirement()
    ) {
        self.digest = digest
        self.grant = grant
        self.salt = salt
        self.stages = stages
        self.require = require
    }
}

/// One step of a rollout plan.
public struct Stage: Equatable, Sendable {
    /// The share of devices in basis points.
    public var grant: Int
    /// How long it lasts at least, in seconds.
    public var seconds: Int

    /// A step of a plan.
    public init(grant: Int, seconds: Int) {
        self.grant = grant
        self.seconds = seconds
    }
}

/// Bounds on the devices that may take a candidate. What is absent does not bind; versions
/// compare by their numbers, both ends included.
public struct Requirement: Equatable, Sendable {
    /// Lowest version of the operating system.
    public var minimumSystem: String?
    /// Highest version of the operating system.
    public var maximumSystem: String?
    /// Lowest version of the app.
    public var minimumApp: String?
    /// Highest version of the app.
    public var maximumApp: String?
    /// The device must carry one of these tags.
    public var tags: [String]?
    /// The device must belong to one of these cohorts.
    public var cohorts: [String]?

    /// Bounds that bind nobody until something is set.
    public init(
        minimumSystem: String? = nil, maximumSystem: String? = nil, minimumApp: String? = nil,
        maximumApp: String? = nil, tags: [String]? = nil, cohorts: [String]? = nil
    ) {
        self.minimumSystem = minimumSystem
        self.maximumSystem = maximumSystem
        self.minimumApp = minimumApp
        self.maximumApp = maximumApp
        self.tags = tags
        self.cohorts = cohorts
    }
}

/// What the server's ops key adds: it may only restrict (formats.md, "Brake").
public struct Brake: Equatable, Sendable {
    /// Version of this object's form.
    public var v: Int
    /// The app it speaks for.
    public var appID: String
    /// The platform it speaks for.
    public var platform: String
    /// The channel it speaks for.
    public var channel: String
    /// Grows with every brake of this channel.
    public var brakeSequence: Int
    /// The most that a release may reach, in basis points, by digest.
    public var caps: [String: Int]
    /// Whether candidates wait.
    public var halted: Bool
    /// Digests that no device may run.
    public var recalled: [String]
    /// A returnable digest that takes the place of the stable release.
    public var returnTo: String?
    /// `embedded` sends every device back to what it shipped with.
    public var kind: Head.Kind

    /// A brake that brakes nothing until something is set.
    public init(
        appID: String, platform: String, channel: String, brakeSequence: Int,
        caps: [String: Int] = [:], halted: Bool = false, recalled: [String] = [],
        returnTo: String? = nil, kind: Head.Kind = .run
    ) {
        v = 1
        self.appID = appID
        self.platform = platform
        self.channel = channel
        self.brakeSequence = brakeSequence
        self.caps = caps
        self.halted = halted
        self.recalled = recalled
        self.returnTo = returnTo
        self.kind = kind
    }
}
