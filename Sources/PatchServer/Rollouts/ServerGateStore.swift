import Rollout
import RolloutGates

/// What the gates stand on: published heads and brakes, counts of telemetry, kept decisions.
struct ServerGateStore: GateStore {
    let rollouts: RolloutService
    let log: ServerLog

    func watchedRollouts(at now: Int) async throws -> [WatchedRollout] {
        var watched: [WatchedRollout] = []
        for app in rollouts.control.apps {
            do {
                for status in try await rollouts.all(app) {
                    if let rollout = try watch(status) { watched.append(rollout) }
                }
            } catch {
                // One app's damaged tree must not keep the others from being looked at.
                log.error("rollouts_unreadable", ["app_key": app.appKey, "error": "\(error)"])
            }
        }
        return watched
    }

    private func watch(_ status: RolloutService.Status) throws -> WatchedRollout? {
        let head = status.published.head
        guard let candidate = head.candidate, let plan = status.plan else { return nil }
        let rules = status.settings.rules
        let counted = try rollouts.telemetry.candidateCohort(
            candidate.digest, app: status.key.appKey, build: status.key.subject.name,
            returnTime: rules.returnTime, stageSince: status.settings.since)
        let control = try rollouts.telemetry.controlCohort(
            status.key.id, without: candidate.digest, app: status.key.appKey,
            returnTime: rules.returnTime)
        let inputs = GateInputs(
            release: candidate.digest, channel: head.channel, fingerprint: head.fingerprint,
            bundle: status.key.subject.bundle, reach: status.published.reach,
            grant: candidate.grant,
            stageSince: status.settings.since, isHalted: status.published.isHalted,
            isPaused: status.settings.isPaused, candidate: counted.cohort,
            exposedInStage: counted.inStage, control: control)
        return WatchedRollout(
            id: status.key.id, revision: status.revision, plan: plan, rules: rules,
            inputs: inputs,
            last: try rollouts.tables.last(status.key, about: candidate.digest))
    }

    func keep(_ record: GateRecord, of rollout: WatchedRollout) async throws {
        guard let key = RolloutKey(id: rollout.id) else { return }
        try rollouts.tables.keep(record, of: key)
    }

    func halt(_ rollout: WatchedRollout, _ record: GateRecord) async throws -> Bool {
        try await act(on: rollout) { app, status in
            try await rollouts.halt(
                app, status, revision: rollout.revision, by: "gate",
                because: "\(record.decision.rule.rawValue): \(record.decision.reason)")
        }
    }

    func advance(
        _ rollout: WatchedRollout, to reach: Int, _ record: GateRecord
    ) async throws -> Bool {
        try await act(on: rollout) { app, status in
            try await rollouts.advance(
                app, status, to: reach, revision: rollout.revision, by: "gate")
        }
    }

    /// - Returns: Whether the rollout was still of the revision that was decided about.
    private func act(
        on rollout: WatchedRollout,
        _ body: (AppRecord, RolloutService.Status) async throws -> Void
    ) async throws -> Bool {
        guard let key = RolloutKey(id: rollout.id), let app = rollouts.control.app(key.appKey)
        else { return false }
        do {
            let status = try await rollouts.find(app, channel: key.channel, key.subject)
            guard status.revision == rollout.revision else { return false }
            try await body(app, status)
            // The new stage begins now, not at the next look.
            _ = try await rollouts.find(app, channel: key.channel, key.subject)
            return true
        } catch let error as APIError where [404, 412].contains(error.status) {
            return false
        }
    }
}
