import Rollout

// As in StatementCoding.swift.

extension Release: Codable {
    enum CodingKeys: String, CodingKey {
        case v, platform, kind, version, sequence, abi, needs, capabilities, mandatory, notes
        case commit, raw, encoding, deltas
        case appID = "app_id"
        case fingerprint = "fp"
        case appTargets = "app_targets"
        case dataEpoch = "data_epoch"
    }

    /// Reads the JSON form.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            appID: try fields.decode(String.self, forKey: .appID),
            platform: try fields.decode(String.self, forKey: .platform),
            kind: try fields.decode(String.self, forKey: .kind),
            version: try fields.decode(String.self, forKey: .version),
            sequence: try fields.decode(Int.self, forKey: .sequence),
            fingerprint: try fields.decode(String.self, forKey: .fingerprint),
            abi: try fields.decode(Int.self, forKey: .abi),
            needs: try fields.decode([SurfaceNeed].self, forKey: .needs),
            capabilities: try fields.decode([String].self, forKey: .capabilities),
            appTargets: try fields.decode([String].self, forKey: .appTargets),
            dataEpoch: try fields.decode(Int.self, forKey: .dataEpoch),
            mandatory: try fields.decode(Bool.self, forKey: .mandatory),
            notes: try fields.decodeIfPresent(String.self, forKey: .notes),
            commit: try fields.decodeIfPresent(String.self, forKey: .commit),
            raw: try fields.decode(RawPayload.self, forKey: .raw),
            encoding: try fields.decode(PayloadEncoding.self, forKey: .encoding),
            deltas: try fields.decode([DeltaReference].self, forKey: .deltas))
        v = try fields.decode(Int.self, forKey: .v)
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(v, forKey: .v)
        try fields.encode(appID, forKey: .appID)
        try fields.encode(platform, forKey: .platform)
        try fields.encode(kind, forKey: .kind)
        try fields.encode(version, forKey: .version)
        try fields.encode(sequence, forKey: .sequence)
        try fields.encode(fingerprint, forKey: .fingerprint)
        try fields.encode(abi, forKey: .abi)
        try fields.encode(needs, forKey: .needs)
        try fields.encode(capabilities, forKey: .capabilities)
        try fields.encode(appTargets, forKey: .appTargets)
        try fields.encode(dataEpoch, forKey: .dataEpoch)
        try fields.encode(mandatory, forKey: .mandatory)
        try fields.encodeIfPresent(notes, forKey: .notes)
        try fields.encodeIfPresent(commit, forKey: .commit)
        try fields.encode(raw, forKey: .raw)
        try fields.encode(encoding, forKey: .encoding)
        try fields.encode(deltas, forKey: .deltas)
    }
}

extension SurfaceNeed: Codable {
    enum CodingKeys: String, CodingKey { case id, sig }

    /// Reads the JSON form.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try fields.decode(String.self, forKey: .id),
            sig: try fields.decode(String.self, forKey: .sig))
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        try fields.encode(sig, forKey: .sig)
    }
}

extension RawPayload: Codable {
    enum CodingKeys: String, CodingKey { case sha256, size }

    /// Reads the JSON form.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            sha256: try fields.decode(String.self, forKey: .sha256),
            size: try fields.decode(Int.self, forKey: .size))
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(sha256, forKey: .sha256)
        try fields.encode(size, forKey: .size)
    }
}

extension DeltaReference: Codable {
    enum CodingKeys: String, CodingKey { case from, path }

    /// Reads the JSON form.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            from: try fields.decode(String.self, forKey: .from),
            path: try fields.decode(String.self, forKey: .path))
    }

    /// Writes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(from, forKey: .from)
        try fields.encode(path, forKey: .path)
    }
}
