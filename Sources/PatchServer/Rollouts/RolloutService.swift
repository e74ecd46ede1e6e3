import Rollout
import RolloutGates

/// Rollouts as people and gates see and change them: what is published, how it is watched, what was
/// decided.
struct RolloutService: Sendable {
    let releases: ReleaseService
    let control: ControlStore
    let telemetry: TelemetryStore
    let tables: RolloutTables

    init(releases: ReleaseService, control: ControlStore, telemetry: TelemetryStore) {
        self.releases = releases
        self.control = control
        self.telemetry = telemetry
        tables = RolloutTables(control: control)
    }

    /// A rollout with all that is known of it.
    struct Status: Sendable {
        let key: RolloutKey
        let published: PublishedHead
        let settings: RolloutSettings
        let version: Int

        /// Grows with every change of head, brake, plan or rules.
        var revision: Int { published.revision + version }
        var plan: StagePlan? { settings.plan(of: published.head) }
    }

    // MARK: Reading

    /// The rollouts of an app: one for each channel and build, and for each channel and web bundle.
    func all(_ app: AppRecord) async throws -> [Status] {
        var found: [Status] = []
        for published in try await releases.publisher(app).heads() {
            found.append(try status(app, published))
        }
        return found
    }

    /// One rollout.
    /// - Parameter subject: a build by its whole fingerprint or the first 16 digits.
    /// - Throws: ``APIError`` 404 when nothing is published there.
    func find(
        _ app: AppRecord, channel: String, _ subject: RolloutSubject
    ) async throws -> Status {
        guard
            let published = try await releases.publisher(app).head(channel: channel, subject)
        else { throw APIError.notFound }
        return try status(app, published)
    }

    private func status(_ app: AppRecord, _ published: PublishedHead) throws -> Status {
        let key = RolloutKey(
            appKey: app.appKey, channel: published.head.channel, subject: published.subject)
        var (settings, version) = try tables.settings(key)
        if settings.note(published, at: control.now) {
            let noted = settings
            version = try control.database.write { connection in
                try tables.keep(noted, of: key, after: version, connection)
            }
        }
        let isWatched = settings.plan(of: published.head) != nil
        try telemetry.setStage(
            key.id, app: app.appKey, build: key.subject.name,
            since: isWatched ? settings.since : nil)
        return Status(key: key, published: published, settings: settings, version: version)
    }

    // MARK: Changing

    /// Changes how a rollout is watched.
    /// - Parameter revision: the one that the change builds on; nil for any.
    func change(
        _ app: AppRecord, _ status: Status, revision: Int?, by actor: String,
        _ edit: (inout RolloutSettings) throws -> Void
    ) async throws -> Status {
        if let revision, revision != status.revision { throw AppPublisher.changedMeanwhile }
        var settings = status.settings
        try edit(&settings)
        guard settings != status.settings else { return status }
        let changed = settings
        try control.change(
            by: actor,
            .init(
                action: "rollout.changed", appKey: app.appKey, subject: status.key.place)
        ) { _ = try tables.keep(changed, of: status.key, after: status.version, $0) }
        return try await find(app, channel: status.key.channel, status.key.subject)
    }

    /// Keeps further devices from the candidate, from their next check on.
    func halt(
        _ app: AppRecord, _ status: Status, revision: Int?, by actor: String, because reason: String
    ) async throws {
        guard let candidate = status.published.head.candidate else { throw Self.noCandidate }
        let publisher = releases.publisher(app)
        // A brake halts a channel. Where other builds roll out something else, only this release is
        // held, by a cap of nothing.
        let brakePath = status.key.brakePath
        let isAlone = try await publisher.heads().allSatisfy {
            $0.brakePath != brakePath || $0.head.candidate == nil
                || $0.head.candidate?.digest == candidate.digest
        }
        let outcome = try await publisher.changeBrake(
            channel: status.key.channel, of: status.key.subject,
            revision: revision.map { $0 - status.version }
        ) { brake in
            if isAlone { brake.halted = true } else { brake.caps[candidate.digest] = 0 }
        }
        guard outcome.isNew else { return }
        if !isAlone {
            var settings = status.settings
            settings.reachBeforeHalt = status.published.reach
            let kept = settings
            try control.database.write {
                _ = try tables.keep(kept, of: status.key, after: status.version, $0)
            }
        }
        try record("rollout.halted", app, status, ["reason": reason], by: actor)
    }

    /// Lets a halted candidate go on where it was.
    func resume(_ app: AppRecord, _ status: Status, revision: Int?, by actor: String) async throws {
        guard let candidate = status.published.head.candidate else { throw Self.noCandidate }
        let before = status.settings.reachBeforeHalt ?? candidate.stages.first?.grant
        let outcome = try await releases.publisher(app).changeBrake(
            channel: status.key.channel, of: status.key.subject,
            revision: revision.map { $0 - status.version }
        ) { brake in
            brake.halted = false
            if brake.caps[candidate.digest] == 0 { brake.caps[candidate.digest] = before }
        }
        guard outcome.isNew else { return }
        try record("rollout.resumed", app, status, [:], by: actor)
    }

    /// Lets the candidate reach so many basis points, within its grant.
    func advance(
        _ app: AppRecord, _ status: Status, to reach: Int, revision: Int?, by actor: String
    ) async throws {
        guard let candidate = status.published.head.candidate else { throw Self.noCandidate }
        let outcome = try await releases.publisher(app).changeBrake(
            channel: status.key.channel, of: status.key.subject,
            revision: revision.map { $0 - status.version }
        ) { $0.caps[candidate.digest] = min(reach, candidate.grant) }
        guard outcome.isNew else { return }
        try record("rollout.advanced", app, status, ["reach_bps": "\(reach)"], by: actor)
    }

    private func record(
        _ action: String, _ app: AppRecord, _ status: Status, _ detail: [String: String],
        by actor: String
    ) throws {
        var detail = detail
        detail["release"] = status.published.head.candidate?.digest
        detail["channel"] = status.key.channel
        detail["fingerprint"] = status.key.subject.fingerprint
        detail["bundle"] = status.key.subject.bundle
        try control.record(
            .init(
                action: action, appKey: app.appKey, subject: status.key.place, detail: detail),
            by: actor)
    }

    private static let noCandidate = APIError.conflict(
        "no_candidate", "Nothing is being rolled out there.")
}
