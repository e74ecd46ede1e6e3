import Foundation
import PatchPlatform

/// A SQLite database: one connection that writes, several that read beside it (WAL).
final class Database: Sendable {
    /// A step from one version of the schema to the next.
    struct Migration: Sendable {
        /// What it does, for the log.
        let name: String
        let script: String
    }

    /// The database comes from a newer patchd than this one.
    struct TooNew: Error, CustomStringConvertible {
        let path: String
        let version: Int
        let known: Int
        var description: String {
            "'\(path)' has schema \(version), and this patchd knows \(known) only; start the newer "
                + "patchd, or restore a backup from before it."
        }
    }

    private static let keptReaders = 4

    let path: String
    private let writer: Lock<SQLiteConnection>
    private let readers = Lock<[SQLiteConnection]>([])

    /// Opens `path` and brings its schema to the newest version.
    /// - Throws: ``DatabaseError``, ``TooNew``.
    init(path: String, migrations: [Migration]) throws {
        self.path = path
        // Nobody but the server may read it; SQLite gives its other files the same rights.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        let connection = try SQLiteConnection(path: path)
        try Self.migrate(connection, path, migrations)
        writer = Lock(connection)
    }

    private static func migrate(
        _ connection: SQLiteConnection, _ path: String, _ migrations: [Migration]
    ) throws {
        let version = Int(try connection.integer("PRAGMA user_version"))
        guard version <= migrations.count else {
            throw TooNew(path: path, version: version, known: migrations.count)
        }
        for index in version..<migrations.count {
            try connection.transaction {
                try connection.execute(migrations[index].script)
                // A pragma takes no parameters.
                try connection.execute("PRAGMA user_version = \(index + 1)")
            }
        }
    }

    /// Changes the database: all of `body` or nothing of it.
    @discardableResult
    func write<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try writer.withLock { connection in
            try connection.transaction { try body(connection) }
        }
    }

    /// Runs `body` on the connection that writes, outside of a transaction.
    func maintain<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        try writer.withLock { try body($0) }
    }

    /// Reads one state of the database, beside whoever writes.
    func read<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
        let connection =
            try readers.withLock { $0.popLast() } ?? SQLiteConnection(path: path, mode: .readOnly)
        defer {
            readers.withLock { if $0.count < Self.keptReaders { $0.append(connection) } }
        }
        return try connection.snapshot { try body(connection) }
    }

    /// Whether the file is sound, as SQLite sees it; empty when it is.
    func problems() throws -> [String] {
        try read { connection in
            try connection.rows("PRAGMA quick_check") { $0.text(0) }.filter { $0 != "ok" }
        }
    }

    /// Writes a copy of the whole database to a new file, as of one moment.
    func copy(to file: String) throws {
        // On a connection of its own, because it may not run within a transaction.
        try SQLiteConnection(path: path, mode: .readOnly).run("VACUUM INTO ?", file)
    }
}

extension SQLiteConnection {
    /// Lets `body` see one state, however many statements it runs.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            try rollBack()
            throw error
        }
    }
}
