import Foundation
import RolloutGates

/// The rows of rollouts and of what their gates decided; the column `fingerprint` holds
/// ``RolloutSubject/name``.
struct RolloutTables: Sendable {
    let control: ControlStore

    /// The settings of a rollout and their version; those of a new one when there are none.
    func settings(_ key: RolloutKey) throws -> (settings: RolloutSettings, version: Int) {
        let found = try control.database.read { connection in
            try connection.first(
                """
                SELECT document, version FROM rollouts
                WHERE app_key = ? AND channel = ? AND fingerprint = ?
                """, key.appKey, key.channel, key.subject.name
            ) { (document: $0.text(0), version: $0.int(1)) }
        }
        guard let found else { return (RolloutSettings(), 0) }
        let settings = try JSONDecoder().decode(
            RolloutSettings.self, from: Data(found.document.utf8))
        return (settings, found.version)
    }

    /// Keeps settings that build on `version`.
    /// - Returns: The new version.
    /// - Throws: ``APIError`` 412 `changed_meanwhile`.
    func keep(
        _ settings: RolloutSettings, of key: RolloutKey, after version: Int,
        _ connection: SQLiteConnection
    ) throws -> Int {
        let known = try connection.integer(
            "SELECT version FROM rollouts WHERE app_key = ? AND channel = ? AND fingerprint = ?",
            key.appKey, key.channel, key.subject.name)
        guard Int(known) == version else { throw AppPublisher.changedMeanwhile }
        let document = String(decoding: JSONText.encode(settings).dropLast(), as: UTF8.self)
        try connection.run(
            """
            INSERT INTO rollouts (app_key, channel, fingerprint, version, document, updated)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (app_key, channel, fingerprint) DO UPDATE SET
                version = excluded.version, document = excluded.document,
                updated = excluded.updated
            """, key.appKey, key.channel, key.subject.name, version + 1, document, control.now)
        return version + 1
    }

    /// Keeps a decision for good.
    func keep(_ record: GateRecord, of key: RolloutKey) throws {
        let document = String(decoding: JSONText.encode(record).dropLast(), as: UTF8.self)
        try control.database.write { connection in
            try connection.run(
                """
                INSERT INTO decisions (app_key, channel, fingerprint, at, document)
                VALUES (?, ?, ?, ?, ?)
                """, key.appKey, key.channel, key.subject.name, record.at, document)
        }
    }

    /// Decisions, newest first.
    func decisions(_ key: RolloutKey, before: Int, limit: Int) throws -> [KeptDecision] {
        let rows = try control.database.read { connection in
            try connection.rows(
                """
                SELECT id, document FROM decisions
                WHERE app_key = ? AND channel = ? AND fingerprint = ? AND id < ?
                ORDER BY id DESC LIMIT ?
                """, key.appKey, key.channel, key.subject.name, before, limit
            ) { (id: $0.int(0), document: $0.text(1)) }
        }
        return try rows.map { row in
            KeptDecision(
                id: row.id,
                record: try JSONDecoder().decode(GateRecord.self, from: Data(row.document.utf8)))
        }
    }

    /// The last decision about a release; nil before the first.
    func last(_ key: RolloutKey, about release: String) throws -> GateRecord? {
        try decisions(key, before: .max, limit: 1).first?.record.about(release)
    }
}

/// A decision with the number under which it is kept.
struct KeptDecision: Codable, Equatable, Sendable {
    let id: Int
    let record: GateRecord
}

extension GateRecord {
    fileprivate func about(_ release: String) -> GateRecord? {
        decision.inputs.release == release ? self : nil
    }
}
