import Foundation
import PatchCrypto
import PatchPlatform

/// The apps below the server's folder: their records and their keys.
final class AppStore: Sendable {
    let layout: DataLayout
    let files: LocalFileStore
    let control: ControlStore
    private let clock: @Sendable () -> Date
    private let creating = Lock(())
    private let published = Lock<[String: Set<String>]>([:])
    /// Grows with every publication: what was read of a tree before may be old.
    let generation = TreeGeneration()

    /// Opens the server's database and takes over what an older server kept in files.
    /// - Parameter probe: lets a test fail any step on files.
    /// - Throws: ``StartFailure``, ``DatabaseError``, `FileError`.
    init(
        layout: DataLayout, clock: @escaping @Sendable () -> Date = { Date() },
        probe: LocalFileStore.Probe? = nil
    ) throws {
        self.layout = layout
        self.clock = clock
        files = LocalFileStore(folder: URL(fileURLWithPath: layout.root), probe: probe)
        try StartFailure.makeFolder(layout.root)
        control = try StartFailure.opening(layout.controlDatabase) {
            try ControlStore(path: layout.controlDatabase, clock: clock)
        }
        try takeOverLegacyApps()
    }

    /// Writes the admin token at the first start.
    /// - Returns: Whether it was new.
    func prepareAdminToken() throws -> Bool {
        if try files.size(of: "admin-token") != nil { return false }
        try files.writeAtomically(
            Array((Token.make(prefix: "opa") + "\n").utf8), to: "admin-token")
        return true
    }

    /// Whether this is the admin token. Read afresh, so that an operator may replace the file.
    func isAdmin(_ token: String, tokenFile: String? = nil) -> Bool {
        guard let stored = Self.readToken(tokenFile ?? layout.adminToken) else { return false }
        return Token.matches(token, hash: Token.hash(stored))
    }

    /// Bytes that a file with a token may have.
    static let maximumTokenFile = 4096

    static func readToken(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        guard let bytes = try? file.read(upToCount: maximumTokenFile + 1),
            bytes.count <= maximumTokenFile
        else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    /// The app with this key.
    func app(_ key: String) throws -> AppRecord? { control.app(key) }

    /// Makes an app with keys for freshness and brakes and one token.
    func create(
        name: String, appID: String?, organisation: String = "default", by actor: String
    ) throws -> (record: AppRecord, token: String) {
        // One at a time, so that two requests cannot take the same id.
        try creating.withLock { _ in
            let id = appID ?? LiveRandom().uuid()
            if control.apps.contains(where: { $0.appID == id }) {
                throw APIError.conflict(
                    "app_exists", "An app with this id is here already; use its key and token.")
            }
            let key = "pak_" + SecureRandom.bytes(12).hex
            let token = Token.make(prefix: "opt")
            let record = AppRecord(
                appKey: key, appID: id, organisation: organisation, name: name,
                created: Self.timestamp(clock()))
            // Keys first: an app without them could not be used.
            for file in ["freshness", "ops"] { try makeKey("apps/\(key)/\(file).pem") }
            try control.change(
                by: actor, .init(action: "app.created", appKey: key, subject: name)
            ) { connection in
                try Self.insert(record, connection)
                try Self.insertToken(
                    hash: Token.hash(token), app: key, name: "first token", created: control.now,
                    by: actor, connection)
            }
            return (record, token)
        }
    }

    private static func insert(_ app: AppRecord, _ connection: SQLiteConnection) throws {
        do {
            try connection.run(
                """
                INSERT INTO apps (app_key, app_id, organisation, name, created, quota_bytes)
                VALUES (?, ?, ?, ?, ?, ?)
                """, app.appKey, app.appID, app.organisation, app.name, app.created, app.quota)
        } catch let error as DatabaseError where error.isConflict {
            throw APIError.refused("unknown_organisation", "There is no such organisation.")
        }
    }

    private static func insertToken(
        hash: String, app: String, name: String, created: Int, by actor: String,
        _ connection: SQLiteConnection
    ) throws {
        try connection.run(
            """
            INSERT INTO tokens (id, sha256, name, app_key, actions, created, created_by)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, "tok_" + SecureRandom.bytes(8).hex, hash, name, app,
            Action.allCases.map(\.rawValue).joined(separator: " "), created, actor)
    }

    // MARK: What is published

    /// Takes note of the releases (digests), builds (first 16 digits) and web bundles
    /// (``RolloutSubject/name``) that an app has published.
    func setPublished(_ names: Set<String>, of appKey: String) {
        published.withLock { $0[appKey] = names }
    }

    /// Whether an app has published a release or build of that name.
    func isPublished(_ appKey: String, _ kind: TelemetrySchema.Kind, _ name: String) -> Bool {
        let isBuild = kind == .build && RolloutSubject(name: name).bundle == nil
        return published.withLock {
            $0[appKey]?.contains(isBuild ? String(name.prefix(16)) : name) ?? false
        }
    }

    // MARK: Keys

    /// The key that signs the app's snapshot and timestamp.
    func freshnessKey(_ appKey: String) throws -> SigningKey {
        guard let key = try readKey("apps/\(appKey)/freshness.pem") else {
            throw APIError.internalFailure("The app's freshness key is missing on the server.")
        }
        return key
    }

    /// The key that signs the app's brakes; apps of older servers get theirs here.
    func opsKey(_ appKey: String) throws -> SigningKey {
        let name = "apps/\(appKey)/ops.pem"
        if let key = try readKey(name) { return key }
        return try creating.withLock { _ in
            if let key = try readKey(name) { return key }
            return try makeKey(name)
        }
    }

    @discardableResult
    private func makeKey(_ name: String) throws -> SigningKey {
        let key = try SigningKey.generate()
        try files.writeAtomically(Array(key.pemRepresentation.utf8), to: name)
        return key
    }

    private func readKey(_ name: String) throws -> SigningKey? {
        guard let pem = try files.read(name, maximumSize: 16 << 10) else { return nil }
        return try SigningKey(pemRepresentation: String(decoding: pem, as: UTF8.self))
    }

    // MARK: Older folders

    /// Servers before the database kept each app and its tokens in `app.json`.
    private func takeOverLegacyApps() throws {
        for key in try files.list("apps") where SafeName.isAppKey(key) {
            let name = "apps/\(key)/app.json"
            guard let bytes = try files.read(name, maximumSize: 1 << 20) else { continue }
            if control.app(key) == nil {
                let old = try JSONDecoder().decode(LegacyAppRecord.self, from: Data(bytes))
                let record = AppRecord(
                    appKey: key, appID: old.appID, name: old.name, created: old.created)
                try control.change(
                    by: "migration", .init(action: "app.taken_over", appKey: key, subject: old.name)
                ) { connection in
                    try Self.insert(record, connection)
                    for token in old.tokens {
                        try Self.insertToken(
                            hash: token.sha256, app: key, name: "from before the database",
                            created: control.now, by: "migration", connection)
                    }
                }
            }
            try files.move(name, to: "apps/\(key)/app.json.taken-over")
        }
    }

    static func timestamp(_ date: Date) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime]
        return formatter.string(from: date)
    }
}
