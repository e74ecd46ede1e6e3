import Foundation
import PatchCrypto
import PatchPlatform

/// The apps below the server's folder.
final class AppStore: Sendable {
    let layout: DataLayout
    let files: LocalFileStore
    private let clock: @Sendable () -> Date
    private let records = Lock<[String: AppRecord]>([:])
    private let creating = Lock(())

    init(layout: DataLayout, clock: @escaping @Sendable () -> Date = { Date() }) {
        self.layout = layout
        self.clock = clock
        files = LocalFileStore(folder: URL(fileURLWithPath: layout.root))
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

    static func readToken(_ path: String) -> String? {
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= 4096 else {
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    /// The app with this key.
    func app(_ key: String) throws -> AppRecord? {
        guard SafeName.isAppKey(key) else { return nil }
        if let known = records.withLock({ $0[key] }) { return known }
        guard let bytes = try files.read("apps/\(key)/app.json", maximumSize: 1 << 20) else {
            return nil
        }
        let record = try JSONDecoder().decode(AppRecord.self, from: Data(bytes))
        records.withLock { $0[key] = record }
        return record
    }

    /// The key of the app with this id.
    func key(forAppID appID: String) throws -> String? {
        try files.list("apps").first { try app($0)?.appID == appID }
    }

    /// Makes an app with a freshness key and one token.
    func create(name: String, appID: String?) throws -> (
        record: AppRecord, token: String, freshness: SigningKey
    ) {
        // One at a time, so that two requests cannot take the same id.
        try creating.withLock { _ in
            let id = appID ?? LiveRandom().uuid()
            if try key(forAppID: id) != nil {
                throw APIError.conflict(
                    "app_exists", "An app with this id is here already; use its key and token.")
            }
            let key = "pak_" + SecureRandom.bytes(12).hex
            let token = Token.make(prefix: "opt")
            let freshness = try SigningKey.generate()
            let now = Self.timestamp(clock())
            let record = AppRecord(
                appKey: key, appID: id, name: name, created: now,
                tokens: [.init(sha256: Token.hash(token), created: now)])
            try files.writeAtomically(
                Array(freshness.pemRepresentation.utf8), to: "apps/\(key)/freshness.pem")
            try files.writeAtomically(JSONText.encode(record), to: "apps/\(key)/app.json")
            records.withLock { $0[key] = record }
            return (record, token, freshness)
        }
    }

    /// The key that signs the app's snapshot and timestamp.
    func freshnessKey(_ appKey: String) throws -> SigningKey {
        guard
            let pem = try files.read("apps/\(appKey)/freshness.pem", maximumSize: 16 << 10)
        else {
            throw APIError.internalFailure("The app's freshness key is missing on the server.")
        }
        return try SigningKey(pemRepresentation: String(decoding: pem, as: UTF8.self))
    }

    static func timestamp(_ date: Date) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime]
        return formatter.string(from: date)
    }
}
