import Rollout

// The JSON of heads, brakes and releases (formats.md), for the tools and servers that write them. Here
// and not in `Rollout`, because apps read them without `Codable` (decision record 0004) and would
// carry it for nothing.

extension Reason: Codable {}
extension Reason.Band: Codable {}
extension Head.Kind: Codable {}
extension PayloadEncoding: Codable {}

extension Head: Codable {
    enum CodingKeys: String, CodingKey {
        case v, platform, channel, kind, stable, candidate, returnable, recalled
        case appID = "app_id"
        case fingerprint = "fp"
        case headSequence = "head_seq"
        case mandatorySince = "mandatory_since"
        case applyBy = "apply_by"
        case dataEpoch = "data_epoch"
        case retryGeneration = "retry_generation"
    }

    /// Reads the JSON form.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            appID: try fields.decode(String.self, forKey: .appID),
            platform: try fields.decode(String.self, forKey: .platform),
            channel: try fields.decode(String.self, forKey: .channel),
            fingerprint: try fields.decode(String.self, forKey: .fingerprint),
            kind: try fields.decode(Kind.self, forKey: .kind),
            headSequence: try fields.decode(Int.self, forKey: .headSequence),
            stable: try fields.decodeIfPresent(String.self, forKey: .stable),
            candidate: try fields.decodeIfPresent(Candidate.self, forKey: .candidate),
            returnable: try fields.decode([String].self, forKey: .returnable),
            recalled: try fields.decode([String].self, forKey: .recalled),
            mandatorySince: try fields.decodeIfPresent(Int.self, forKey: .mandatorySince),
            applyBy: try fields.decodeIfPresent(String.self, forKey: .applyBy),
            dataEpoch: try fields.decode(Int.self, forKey: .dataEpoch),
            retryGeneration: try fields.decode(Int.self, forKey: .retryGeneration))
        v = try fields.decode(Int.self, forKey: .v)
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(v, forKey: .v)
        try fields.encode(appID, forKey: .appID)
        try fields.encode(platform, forKey: .platform)
        try fields.encode(channel, forKey: .channel)
        try fields.encode(fingerprint, forKey: .fingerprint)
        try fields.encode(kind, forKey: .kind)
        try fields.encode(headSequence, forKey: .headSequence)
        try fields.encodeIfPresent(stable, forKey: .stable)
        try fields.encodeIfPresent(candidate, forKey: .candidate)
        try fields.encode(returnable, forKey: .returnable)
        try fields.encode(recalled, forKey: .recalled)
        try fields.encodeIfPresent(mandatorySince, forKey: .mandatorySince)
        try fields.encodeIfPresent(applyBy, forKey: .applyBy)
        try fields.encode(dataEpoch, forKey: .dataEpoch)
        try fields.encode(retryGeneration, forKey: .retryGeneration)
    }
}

extension Candidate: Codable {
    enum CodingKeys: String, CodingKey {
        case digest, salt, stages, require, retract
        case grant = "grant_bps"
        case haltedGrant = "halted_bps"
    }

    /// Reads the JSON form.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            digest: try fields.decode(String.self, forKey: .digest),
            grant: try fields.decode(Int.self, forKey: .grant),
            salt: try fields.decode(String.self, forKey: .salt),
            stages: try fields.decode([Stage].self, forKey: .stages),
            require: try fields.decode(Requirement.self, forKey: .require))
        haltedGrant = try fields.decodeIfPresent(Int.self, forKey: .haltedGrant)
        retract = try fields.decodeIfPresent(Bool.self, forKey: .retract)
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(digest, forKey: .digest)
        try fields.encode(grant, forKey: .grant)
        try fields.encodeIfPresent(haltedGrant, forKey: .haltedGrant)
        try fields.encodeIfPresent(retract, forKey: .retract)
        try fields.encode(salt, forKey: .salt)
        try fields.encode(stages, forKey: .stages)
        try fields.encode(require, forKey: .require)
    }
}

extension Stage: Codable {
    enum CodingKeys: String, CodingKey {
        case seconds
        case grant = "grant_bps"
    }

    /// Reads the JSON form.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            grant: try fields.decode(Int.self, forKey: .grant),
            seconds: try fields.decode(Int.self, forKey: .seconds))
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(grant, forKey: .grant)
        try fields.encode(seconds, forKey: .seconds)
    }
}

extension Requirement: Codable {
    enum CodingKeys: String, CodingKey {
        case tags, cohorts
        case minimumSystem = "min_os"
        case maximumSystem = "max_os"
        case minimumApp = "min_app"
        case maximumApp = "max_app"
    }

    /// Reads the JSON form.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            minimumSystem: try fields.decodeIfPresent(String.self, forKey: .minimumSystem),
            maximumSystem: try fields.decodeIfPresent(String.self, forKey: .maximumSystem),
            minimumApp: try fields.decodeIfPresent(String.self, forKey: .minimumApp),
            maximumApp: try fields.decodeIfPresent(String.self, forKey: .maximumApp),
            tags: try fields.decodeIfPresent([String].self, forKey: .tags),
            cohorts: try fields.decodeIfPresent([String].self, forKey: .cohorts))
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(minimumSystem, forKey: .minimumSystem)
        try fields.encodeIfPresent(maximumSystem, forKey: .maximumSystem)
        try fields.encodeIfPresent(minimumApp, forKey: .minimumApp)
        try fields.encodeIfPresent(maximumApp, forKey: .maximumApp)
        try fields.encodeIfPresent(tags, forKey: .tags)
        try fields.encodeIfPresent(cohorts, forKey: .cohorts)
    }
}

extension Brake: Codable {
    enum CodingKeys: String, CodingKey {
        case v, platform, channel, caps, halted, recalled, kind
        case appID = "app_id"
        case brakeSequence = "brake_seq"
        case returnTo = "return_to"
    }

    /// Reads the JSON form.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            appID: try fields.decode(String.self, forKey: .appID),
            platform: try fields.decode(String.self, forKey: .platform),
            channel: try fields.decode(String.self, forKey: .channel),
            brakeSequence: try fields.decode(Int.self, forKey: .brakeSequence),
            caps: try fields.decode([String: Int].self, forKey: .caps),
            halted: try fields.decode(Bool.self, forKey: .halted),
            recalled: try fields.decode([String].self, forKey: .recalled),
            returnTo: try fields.decodeIfPresent(String.self, forKey: .returnTo),
            kind: try fields.decode(Head.Kind.self, forKey: .kind))
        v = try fields.decode(Int.self, forKey: .v)
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(v, forKey: .v)
        try fields.encode(appID, forKey: .appID)
        try fields.encode(platform, forKey: .platform)
        try fields.encode(channel, forKey: .channel)
        try fields.encode(brakeSequence, forKey: .brakeSequence)
        try fields.encode(caps, forKey: .caps)
        try fields.encode(halted, forKey: .halted)
        try fields.encode(recalled, forKey: .recalled)
        try fields.encodeIfPresent(returnTo, forKey: .returnTo)
        try fields.encode(kind, forKey: .kind)
    }
}
