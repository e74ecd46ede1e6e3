import Foundation
import PatchCrypto
import PatchPlatform

/// Apps, people, tokens, and the log of what they changed.
///
/// What every request asks (which app, which token) is kept in memory; the database is read at the
/// start and written at each change.
final class ControlStore: Sendable {
    private struct Directory {
        var apps: [String: AppRecord] = [:]
        var tokens: [String: TokenRecord] = [:]
        var roles: [String: Role] = [:]
    }

    let database: Database
    private let clock: @Sendable () -> Date
    private let directory = Lock(Directory())

    /// Opens the database.
    /// - Throws: ``DatabaseError``, ``Database/TooNew``.
    init(path: String, clock: @escaping @Sendable () -> Date) throws {
        self.clock = clock
        database = try Database(path: path, migrations: ControlSchema.migrations)
        try reload()
    }

    /// Seconds since 1970.
    var now: Int { Int(clock().timeIntervalSince1970) }

    // MARK: Directory

    /// Reads what is kept in memory anew.
    func reload() throws {
        let read = try database.read { connection in
            var directory = Directory()
            for app in try connection.rows(
                "SELECT app_key, app_id, organisation, name, created, quota_bytes FROM apps",
                read: AppRecord.init(row:))
            {
                directory.apps[app.appKey] = app
            }
            for token in try connection.rows(
                "SELECT \(TokenRecord.columns) FROM tokens WHERE revoked IS NULL",
                read: TokenRecord.init(row:))
            {
                directory.tokens[token.sha256] = token
            }
            for member in try connection.rows(
                "SELECT app_key, login, role FROM members",
                read: { ($0.text(0), $0.text(1), $0.text(2)) })
            {
                directory.roles["\(member.0) \(member.1)"] = Role(rawValue: member.2)
            }
            return directory
        }
        directory.withLock { $0 = read }
    }

    func app(_ key: String) -> AppRecord? { directory.withLock { $0.apps[key] } }

    var apps: [AppRecord] {
        directory.withLock { $0.apps.values.sorted { $0.appKey < $1.appKey } }
    }

    /// Who a token belongs to; nil when it is none of ours, revoked or past its end.
    func principal(_ token: String) -> Principal? {
        // Looked up by hash: what an attacker could learn from the time is of the hash alone.
        let hash = Token.hash(token)
        let time = now
        return directory.withLock { directory in
            guard let record = directory.tokens[hash], record.isLive(at: time) else { return nil }
            var actions = record.actions
            // A person's token can do no more than the person, as of now.
            if let login = record.login {
                guard let role = directory.roles["\(record.appKey) \(login)"] else { return nil }
                actions.formIntersection(role.actions)
            }
            return Principal(
                actor: "token:\(record.id)", name: record.name, appKey: record.appKey,
                channel: record.channel, actions: actions, login: record.login,
                expires: record.expires)
        }
    }

    // MARK: Changes

    /// A change, as the audit log and webhooks tell of it.
    struct Change: Sendable {
        let action: String
        let appKey: String?
        let subject: String
        var detail: [String: String] = [:]
    }

    /// Makes a change and writes it down: both or neither.
    @discardableResult
    func change<Result>(
        by actor: String, _ change: Change, _ body: (SQLiteConnection) throws -> Result
    ) throws -> Result {
        let result = try database.write { connection in
            let result = try body(connection)
            try record(change, by: actor, connection)
            return result
        }
        try reload()
        return result
    }

    /// Writes a change down that was made elsewhere (in the published tree).
    func record(_ change: Change, by actor: String) throws {
        try database.write { try record(change, by: actor, $0) }
    }

    func record(
        _ change: Change, by actor: String, _ connection: SQLiteConnection
    ) throws {
        let detail = String(decoding: JSONText.encode(change.detail).dropLast(), as: UTF8.self)
        try connection.run(
            "INSERT INTO audit (at, actor, action, app_key, subject, detail) VALUES (?,?,?,?,?,?)",
            now, actor, change.action, change.appKey, change.subject, detail)
        guard let appKey = change.appKey else { return }
        try WebhookQueue.add(
            change, by: actor, auditID: connection.lastInsertID, app: appKey, at: now, connection)
    }
}

extension AppRecord {
    init(row: SQLRow) {
        self.init(
            appKey: row.text(0), appID: row.text(1), organisation: row.text(2), name: row.text(3),
            created: row.text(4), quota: row.int(5))
    }
}

extension TokenRecord {
    static let columns =
        "id, sha256, name, app_key, channel, actions, login, created, created_by, expires, revoked"

    init(row: SQLRow) {
        self.init(
            id: row.text(0), sha256: row.text(1), name: row.text(2), appKey: row.text(3),
            channel: row.optionalText(4),
            actions: Set(
                row.text(5).split(separator: " ").compactMap { Action(rawValue: "\($0)") }),
            login: row.optionalText(6), created: row.int(7), createdBy: row.text(8),
            expires: row.optionalInt(9), revoked: row.optionalInt(10))
    }
}
