import Rollout
import RolloutGates

extension TelemetryStore {
    /// Reads the stages that are kept.
    func reloadStages() throws {
        let found = try database.read { connection in
            try connection.rows("SELECT id, rollout, app, fingerprint, since FROM stages") {
                TelemetryStage(
                    id: $0.integer(0), rollout: $0.text(1), app: $0.text(2),
                    build: $0.text(3), since: $0.int(4))
            }
        }
        let byPlace = Dictionary(grouping: found) { TelemetryStage.place($0.app, $0.build) }
        stages.withLock { $0 = byPlace }
    }

    /// Says in which stage a rollout is, so that its control cohort is counted from now on; the
    /// cohort of the stage before is forgotten. Nothing happens when it is known.
    /// - Parameters:
    ///   - build: ``Event/build`` of those whom it concerns.
    ///   - since: nil when the rollout is over.
    /// - Throws: ``DatabaseError``.
    func setStage(_ rollout: String, app: String, build: String, since: Int?) throws {
        let known = stages.withLock {
            $0[TelemetryStage.place(app, build)]?.first { $0.rollout == rollout }
        }
        guard known?.since != since else { return }
        try database.write { connection in
            if let known {
                try connection.run("DELETE FROM controls WHERE stage = ?", known.id)
                try connection.run("DELETE FROM stages WHERE id = ?", known.id)
            }
            if let since {
                try connection.run(
                    "INSERT INTO stages (rollout, app, fingerprint, since) VALUES (?, ?, ?, ?)",
                    rollout, app, build, since)
            }
        }
        try reloadStages()
    }

    /// The installs that took a release, and those that took it since `stageSince`.
    /// - Throws: ``DatabaseError``.
    func candidateCohort(
        _ release: String, app: String, build: String, returnTime: Int, stageSince: Int
    ) throws -> (cohort: Cohort, inStage: Int) {
        let counts = try database.read { connection in
            try connection.first(
                """
                SELECT count(*), count(activated), coalesce(sum(word = 2), 0),
                    coalesce(sum(joined <= ?4), 0),
                    coalesce(sum(joined <= ?4
                        AND (seen_again IS NULL OR seen_again > joined + ?5)), 0),
                    coalesce(sum(joined >= ?6), 0)
                FROM states
                WHERE joined IS NOT NULL
                    AND release = (SELECT id FROM names WHERE app = ?1 AND kind = 2 AND name = ?2)
                    AND build = (SELECT id FROM names WHERE app = ?1 AND kind = 1 AND name = ?3)
                """, app, release, build, now - returnTime, returnTime, stageSince
            ) { row in (0..<6).map { row.int($0) } }
        }
        guard let counts else { return (Cohort(), 0) }
        return (
            Cohort(
                exposed: counts[0], activated: counts[1], failed: counts[2], due: counts[3],
                silent: counts[4]), counts[5]
        )
    }

    /// The installs of the build that were seen since the rollout's stage began and did not take
    /// the release.
    /// - Throws: ``DatabaseError``.
    func controlCohort(
        _ rollout: String, without release: String, app: String, returnTime: Int
    ) throws -> Cohort {
        let counts = try database.read { connection in
            try connection.first(
                """
                SELECT count(*), count(controls.failed), coalesce(sum(controls.joined <= ?4), 0),
                    coalesce(sum(controls.joined <= ?4 AND (controls.seen_again IS NULL
                        OR controls.seen_again > controls.joined + ?5)), 0)
                FROM stages JOIN controls ON controls.stage = stages.id
                JOIN names AS build ON build.app = stages.app AND build.kind = 1
                    AND build.name = stages.fingerprint
                LEFT JOIN states ON states.release =
                        (SELECT id FROM names WHERE app = ?2 AND kind = 2 AND name = ?3)
                    AND states.build = build.id AND states.install = controls.install
                    AND states.joined IS NOT NULL
                WHERE stages.rollout = ?1 AND states.install IS NULL
                """, rollout, app, release, now - returnTime, returnTime
            ) { row in (0..<4).map { row.int($0) } }
        }
        guard let counts else { return Cohort() }
        return Cohort(
            exposed: counts[0], activated: counts[0], failed: counts[1], due: counts[2],
            silent: counts[3])
    }
}
