import Rollout
import TUF

/// Heads, brakes and releases as their documents say them. What their types write with `Codable`,
/// for the tools that publish, is read here without it (decision record 0004).
extension Head {
    init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "head")
        self.init(
            appID: try fields.string("app_id"), platform: try fields.string("platform"),
            channel: try fields.string("channel"), fingerprint: try fields.string("fp"),
            kind: try Kind(fields), headSequence: try fields.integer("head_seq"),
            stable: try fields.optionalString("stable"),
            candidate: try fields["candidate"].map { try Candidate(json: $0) },
            returnable: try fields.strings("returnable"),
            recalled: try fields.strings("recalled"),
            mandatorySince: try fields.optionalInteger("mandatory_since"),
            applyBy: try fields.optionalString("apply_by"),
            dataEpoch: try fields.integer("data_epoch"),
            retryGeneration: try fields.integer("retry_generation"))
        v = try fields.integer("v")
    }
}

extension Head.Kind {
    fileprivate init(_ fields: DocumentFields) throws {
        guard let kind = Self(rawValue: try fields.string("kind")) else {
            throw DocumentFields.Fault("'kind' is unknown")
        }
        self = kind
    }
}

extension Candidate {
    fileprivate init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "candidate")
        self.init(
            digest: try fields.string("digest"), grant: try fields.integer("grant_bps"),
            salt: try fields.string("salt"),
            stages: try fields.array("stages").map {
                let stage = try DocumentFields($0, "stages")
                return Stage(
                    grant: try stage.integer("grant_bps"), seconds: try stage.integer("seconds"))
            },
            require: try Requirement(json: fields["require"] ?? .null))
        haltedGrant = try fields.optionalInteger("halted_bps")
        retract = try fields["retract"] == nil ? nil : fields.bool("retract")
    }
}

extension Requirement {
    fileprivate init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "require")
        self.init(
            minimumSystem: try fields.optionalString("min_os"),
            maximumSystem: try fields.optionalString("max_os"),
            minimumApp: try fields.optionalString("min_app"),
            maximumApp: try fields.optionalString("max_app"),
            tags: try fields.optionalStrings("tags"),
            cohorts: try fields.optionalStrings("cohorts"))
    }
}

extension Brake {
    init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "brake")
        self.init(
            appID: try fields.string("app_id"), platform: try fields.string("platform"),
            channel: try fields.string("channel"), brakeSequence: try fields.integer("brake_seq"),
            caps: try fields.integers("caps"), halted: try fields.bool("halted"),
            recalled: try fields.strings("recalled"),
            returnTo: try fields.optionalString("return_to"), kind: try Head.Kind(fields))
        v = try fields.integer("v")
    }
}

extension Release {
    init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "release")
        let raw = try DocumentFields(fields["raw"], "raw")
        self.init(
            appID: try fields.string("app_id"), platform: try fields.string("platform"),
            kind: try fields.string("kind"), version: try fields.string("version"),
            sequence: try fields.integer("sequence"), fingerprint: try fields.string("fp"),
            abi: try fields.integer("abi"),
            needs: try fields.array("needs").map {
                let need = try DocumentFields($0, "needs")
                return SurfaceNeed(id: try need.string("id"), sig: try need.string("sig"))
            },
            capabilities: try fields.strings("capabilities"),
            appTargets: try fields.strings("app_targets"),
            dataEpoch: try fields.integer("data_epoch"), mandatory: try fields.bool("mandatory"),
            notes: try fields.optionalString("notes"), commit: try fields.optionalString("commit"),
            raw: RawPayload(sha256: try raw.string("sha256"), size: try raw.integer("size")),
            encoding: PayloadEncoding(rawValue: try fields.string("encoding")),
            deltas: try fields.array("deltas").map {
                let delta = try DocumentFields($0, "deltas")
                return DeltaReference(
                    from: try delta.string("from"), path: try delta.string("path"))
            })
        v = try fields.integer("v")
    }
}
