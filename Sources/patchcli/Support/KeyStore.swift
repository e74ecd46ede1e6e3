import CommandLineKit
import Foundation
import PatchCrypto
import PatchPlatform
import TUF
import TUFRepository

/// Private keys and tokens of this user: `$XDG_CONFIG_HOME/openpatch`, files of mode 0600.
struct KeyStore: Sendable {
    /// Who signs what (updates.md §1).
    enum Role: String, CaseIterable, ArgumentValue {
        /// Which keys count.
        case root
        /// The spare root key, to be moved to a safe place.
        case rootBackup = "root-backup"
        /// Releases: targets and build roles.
        case targets
        /// Snapshot and timestamp of a static tree.
        case freshness
    }

    /// A key in the store.
    struct Entry {
        let role: Role
        let key: SigningKey
        let path: String

        var tufKey: TUFKey { TUFKey(key.publicKey) }
        var signer: TUFSigner { TUFSigner(key) }
    }

    let folder: URL

    init(environment: [String: String]) {
        let base: URL
        if let named = environment["XDG_CONFIG_HOME"], named.hasPrefix("/") {
            base = URL(fileURLWithPath: named)
        } else if let home = environment["HOME"], !home.isEmpty {
            base = URL(fileURLWithPath: home).appendingPathComponent(".config")
        } else {
            base = FileManager.default.homeDirectoryForCurrentUser
                .appendingPathComponent(".config")
        }
        folder = base.appendingPathComponent("openpatch")
    }

    private func name(_ app: String, _ role: Role) -> String { "keys/\(app)/\(role.rawValue).pem" }

    private var files: LocalFileStore { LocalFileStore(folder: folder) }

    /// The key of a role, or nil.
    func key(_ app: String, _ role: Role) throws -> Entry? {
        let name = name(app, role)
        guard let bytes = try files.read(name, maximumSize: 64 << 10) else { return nil }
        let path = folder.appendingPathComponent(name).path
        do {
            let key = try SigningKey(pemRepresentation: String(decoding: bytes, as: UTF8.self))
            return Entry(role: role, key: key, path: path)
        } catch {
            throw CommandFailure(
                "key_unreadable", "The key '\(path)' cannot be read", why: Explain.text(error),
                fix: "restore the file from your backup", exit: .configuration)
        }
    }

    /// The key of a role.
    /// - Throws: ``CommandFailure`` `key_missing`.
    func require(_ app: String, _ role: Role) throws -> Entry {
        if let entry = try key(app, role) { return entry }
        throw CommandFailure(
            "key_missing", "There is no \(role.rawValue) key for this app on this machine",
            why: "It was looked for at \(folder.appendingPathComponent(name(app, role)).path).",
            fix: "copy it there from the machine that ran 'patchcli init'", exit: .configuration)
    }

    /// The key of a role, made when there is none.
    /// - Returns: The key, and whether it is new.
    func obtain(_ app: String, _ role: Role) throws -> (entry: Entry, isNew: Bool) {
        if let entry = try key(app, role) { return (entry, false) }
        try makePrivateFolder(app)
        let key = try SigningKey.generate()
        let name = name(app, role)
        try files.writeAtomically(Array(key.pemRepresentation.utf8), to: name)
        let path = folder.appendingPathComponent(name).path
        return (Entry(role: role, key: key, path: path), true)
    }

    /// A new key for a role that has one, beside it until ``promote(_:_:)``; the same one when asked
    /// again, so that an interrupted rotation goes on with the key that it may have published.
    func stage(_ app: String, _ role: Role) throws -> Entry {
        let name = stagedName(app, role)
        if try files.read(name, maximumSize: 64 << 10) == nil {
            try makePrivateFolder(app)
            let key = try SigningKey.generate()
            try files.writeAtomically(Array(key.pemRepresentation.utf8), to: name)
        }
        return try requireStaged(app, role)
    }

    /// The staged key of a role, or nil.
    func staged(_ app: String, _ role: Role) throws -> Entry? {
        let name = stagedName(app, role)
        guard try files.size(of: name) != nil else { return nil }
        let path = folder.appendingPathComponent(name).path
        return Entry(role: role, key: try KeyFile.privateKey(path), path: path)
    }

    /// The staged key of a role.
    /// - Throws: ``CommandFailure`` `key_missing`.
    func requireStaged(_ app: String, _ role: Role) throws -> Entry {
        if let entry = try staged(app, role) { return entry }
        throw CommandFailure(
            "key_missing", "The new \(role.rawValue) key is gone", fix: "patchcli keys rotate",
            exit: .configuration)
    }

    /// Puts the staged key in the place of the role's key, which stays beside it under its own id.
    func promote(_ app: String, _ role: Role) throws {
        let old = try key(app, role)
        if let old {
            let kept = "keys/\(app)/\(role.rawValue)-\(old.tufKey.keyID.prefix(8)).old"
            try files.move(name(app, role), to: kept)
        }
        try files.move(stagedName(app, role), to: name(app, role))
    }

    private func stagedName(_ app: String, _ role: Role) -> String {
        "keys/\(app)/\(role.rawValue).next"
    }

    /// All keys of an app, in the order of the roles.
    func list(_ app: String) throws -> [Entry] { try Role.allCases.compactMap { try key(app, $0) } }

    /// Apps with keys here.
    func apps() throws -> [String] { try files.list("keys") }

    /// The token that publishes to a server: `OPENPATCH_TOKEN`, else the stored one.
    func token(_ app: String, environment: [String: String]) throws -> String {
        if let named = environment["OPENPATCH_TOKEN"], !named.isEmpty { return named }
        if let bytes = try files.read("tokens/\(app)", maximumSize: 4096) {
            return String(decoding: bytes, as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        throw CommandFailure(
            "token_missing", "There is no token for this app on this machine",
            why: "It was looked for in OPENPATCH_TOKEN and in \(folder.path)/tokens/\(app).",
            fix: "OPENPATCH_TOKEN=… patchcli …", exit: .noPermission)
    }

    /// Keeps the token that a server gave.
    func store(token: String, for app: String) throws {
        try makePrivateFolder(app)
        try files.writeAtomically(Array((token + "\n").utf8), to: "tokens/\(app)")
    }

    private func makePrivateFolder(_ app: String) throws {
        for path in ["keys/\(app)", "tokens"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(path), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
    }
}
