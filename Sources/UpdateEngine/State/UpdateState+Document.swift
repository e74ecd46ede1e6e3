import Rollout
import TUF

/// `state.json`: one object, names as published in `Docs/updates.md`.
extension UpdateState {
    /// Reads a state.
    /// - Throws: ``UpdateError`` `state_unreadable` or `state_too_new`.
    public init(parsing bytes: [UInt8]) throws {
        do {
            let json = try JSONValue(parsing: bytes, limits: DocumentFields.limits(1 << 22))
            let fields = try DocumentFields(json, "state")
            let version = try fields.integer("v")
            guard version <= Self.currentVersion else {
                throw UpdateError(.stateTooNew, "version \(version)")
            }
            v = version
            deviceID = try fields.string("device_id")
            builds = try fields.object("builds").mapValues { try BuildState(json: $0) }
        } catch let error as UpdateError {
            throw error
        } catch {
            throw UpdateError(.stateUnreadable, "\(error)")
        }
    }

    /// The state as a file.
    public func encoded() -> [UInt8] {
        JSONValue.object([
            "v": .integer(Int64(v)), "device_id": .string(deviceID),
            "builds": .object(builds.mapValues(\.json)),
        ]).encoded()
    }
}

extension BuildState {
    /// What an earlier version did not know yet is as if nothing had happened.
    init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "build")
        self.init()
        current = try fields["current"].map { try Slot(json: $0) }
        previous = try fields["previous"].map { try Slot(json: $0) }
        staged = try fields["staged"].map { try Staged(json: $0) }
        failed = try fields.object("failed").mapValues { try FailedRelease(json: $0) }
        heads = try fields.integers("heads")
        brakes = try fields["brakes"] == nil ? nil : fields.integers("brakes")
        signers = fields["signers"]?.string
        retryGeneration = try fields.integer("retry_generation")
        hasWrittenData = try fields.bool("has_written_data")
        lastCheck = try fields["last_check"].map { try CheckRecord(json: $0) }
        boot = try fields["boot"].map { try BootMemory(json: $0) } ?? BootMemory()
    }

    var json: JSONValue {
        DocumentFields.object([
            ("current", current?.json), ("previous", previous?.json), ("staged", staged?.json),
            ("failed", .object(failed.mapValues(\.json))),
            ("heads", DocumentFields.integers(heads)),
            ("brakes", brakes.map { DocumentFields.integers($0) }),
            ("signers", signers.map { .string($0) }),
            ("retry_generation", .integer(Int64(retryGeneration))),
            ("has_written_data", .bool(hasWrittenData)), ("last_check", lastCheck?.json),
            ("boot", boot.json),
        ])
    }
}

extension Slot {
    init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "slot")
        digest = try fields.string("digest")
        size = try fields.integer("size")
        version = try fields.string("version")
        sequence = try fields.integer("sequence")
        channel = try fields.string("channel")
        dataEpoch = try fields.integer("data_epoch")
        isConfirmed = try fields.bool("confirmed")
    }

    var json: JSONValue {
        .object([
            "digest": .string(digest), "size": .integer(Int64(size)),
            "version": .string(version), "sequence": .integer(Int64(sequence)),
            "channel": .string(channel), "data_epoch": .integer(Int64(dataEpoch)),
            "confirmed": .bool(isConfirmed),
        ])
    }
}

extension Staged {
    /// Reads the form `{"kind": "release", "slot": …}` or `{"kind": "embedded"}`.
    init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "staged")
        switch try fields.string("kind") {
        case "release": self = .release(try Slot(json: fields["slot"] ?? .null))
        case "embedded": self = .embedded
        default: throw DocumentFields.Fault("'kind' of 'staged' is unknown")
        }
    }

    var json: JSONValue {
        switch self {
        case .release(let slot): return .object(["kind": "release", "slot": slot.json])
        case .embedded: return .object(["kind": "embedded"])
        }
    }
}

extension FailedRelease {
    init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "failed")
        self.init(
            reason: try fields.reason("reason"),
            retryGeneration: try fields.integer("retry_generation"),
            expires: try fields.seconds("expires"))
    }

    var json: JSONValue {
        .object([
            "reason": .string(reason.rawValue),
            "retry_generation": .integer(Int64(retryGeneration)),
            "expires": DocumentFields.seconds(expires),
        ])
    }
}

extension CheckRecord {
    init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "last_check")
        time = try fields.seconds("time")
        reason = try fields.reason("reason")
        headSequence = try fields["head_seq"] == nil ? nil : fields.integer("head_seq")
    }

    var json: JSONValue {
        DocumentFields.object([
            ("time", DocumentFields.seconds(time)), ("reason", .string(reason.rawValue)),
            ("head_seq", headSequence.map { .integer(Int64($0)) }),
        ])
    }
}

extension BootMemory {
    init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "boot")
        self.init()
        starts = try fields.object("starts").mapValues { try StartRecord(json: $0) }
        shipped = fields["shipped"]?.string
        isFallback = try fields.bool("is_fallback")
        safeModeUntil =
            try fields["safe_mode_until"] == nil
            ? nil : fields.seconds("safe_mode_until")
        judged = Set((fields["judged"]?.array ?? []).compactMap(\.string))
    }

    var json: JSONValue {
        DocumentFields.object([
            ("starts", .object(starts.mapValues(\.json))),
            ("shipped", shipped.map { .string($0) }), ("is_fallback", .bool(isFallback)),
            ("safe_mode_until", safeModeUntil.map { DocumentFields.seconds($0) }),
            ("judged", .array(judged.sorted().map { .string($0) })),
        ])
    }
}

extension StartRecord {
    init(json: JSONValue) throws {
        let fields = try DocumentFields(json, "start")
        self.init()
        unclean = try fields.integer("unclean")
        cleanEnds = try fields.integer("clean_ends")
        readyRuns = try fields.integer("ready_runs")
    }

    var json: JSONValue {
        DocumentFields.integers([
            "unclean": unclean, "clean_ends": cleanEnds, "ready_runs": readyRuns,
        ])
    }
}
