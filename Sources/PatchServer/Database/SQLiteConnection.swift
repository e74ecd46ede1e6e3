import CSQLite

/// One connection to a SQLite database, with its prepared statements kept.
///
/// Values reach SQLite only as bound parameters; the text of a statement is always ours.
final class SQLiteConnection: @unchecked Sendable {
    // Unchecked: opened without SQLite's own mutex, because whoever owns a connection
    // (``Database``) lets one thread at a time have it.

    /// How a database is opened.
    enum Mode {
        /// Reads and writes; the file is made when missing.
        case readWrite
        /// Reads alone.
        case readOnly
    }

    private static let keptStatements = 256
    /// Tells SQLite to copy what is bound; a macro with a cast in C.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]
    private var depth = 0

    /// Opens `path`.
    /// - Throws: ``DatabaseError``.
    init(path: String, mode: Mode = .readWrite) throws {
        var opened: OpaquePointer?
        let access =
            mode == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        let result = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX, nil)
        guard result == SQLITE_OK, let opened else {
            let error = DatabaseError(
                code: result, message: String(cString: sqlite3_errstr(result)))
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 5000)
        // A request can make no statement this long, nor a value this large.
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 64 << 20)
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA foreign_keys = ON")
        if mode == .readWrite {
            try execute("PRAGMA journal_mode = WAL")
            // What was acknowledged survives a power cut too.
            try execute("PRAGMA synchronous = FULL")
        }
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Runs statements that have no parameters, such as those of a migration.
    func execute(_ script: String) throws {
        try check(sqlite3_exec(handle, script, nil, nil, nil))
    }

    /// Runs one statement that gives no rows.
    /// - Returns: The number of rows that it changed.
    @discardableResult
    func run(_ text: String, _ values: any SQLBindable...) throws -> Int {
        let statement = try prepared(text, values)
        defer { reset(statement) }
        let result = sqlite3_step(statement)
        guard result == SQLITE_DONE || result == SQLITE_ROW else { throw failure(result) }
        return Int(sqlite3_changes(handle))
    }

    /// All rows of one statement.
    func rows<Result>(
        _ text: String, _ values: any SQLBindable..., read: (SQLRow) throws -> Result
    ) throws -> [Result] {
        let statement = try prepared(text, values)
        defer { reset(statement) }
        var results: [Result] = []
        while true {
            let result = sqlite3_step(statement)
            if result == SQLITE_DONE { return results }
            guard result == SQLITE_ROW else { throw failure(result) }
            results.append(try read(SQLRow(statement: statement)))
        }
    }

    /// The first row of one statement, nil when there is none.
    func first<Result>(
        _ text: String, _ values: any SQLBindable..., read: (SQLRow) throws -> Result
    ) throws -> Result? {
        let statement = try prepared(text, values)
        defer { reset(statement) }
        let result = sqlite3_step(statement)
        if result == SQLITE_DONE { return nil }
        guard result == SQLITE_ROW else { throw failure(result) }
        return try read(SQLRow(statement: statement))
    }

    /// The integer that a statement gives, 0 when there is no row.
    func integer(_ text: String, _ values: any SQLBindable...) throws -> Int64 {
        let statement = try prepared(text, values)
        defer { reset(statement) }
        let result = sqlite3_step(statement)
        if result == SQLITE_DONE { return 0 }
        guard result == SQLITE_ROW else { throw failure(result) }
        return sqlite3_column_int64(statement, 0)
    }

    /// The row id of the last row that was inserted.
    var lastInsertID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs `body` so that all of it is kept or nothing. Within another transaction it is a part
    /// of that one.
    @discardableResult
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        guard depth == 0 else { return try body() }
        // Immediate: a transaction that will write must not find out half-way that it cannot.
        try run("BEGIN IMMEDIATE")
        depth += 1
        defer { depth -= 1 }
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            try rollBack()
            throw error
        }
    }

    /// Ends a transaction that failed.
    func rollBack() throws {
        // SQLite may have rolled back already (sqlite.org/lang_transaction.html §2.3).
        if sqlite3_get_autocommit(handle) == 0 { try run("ROLLBACK") }
    }

    private func prepared(
        _ text: String, _ values: [any SQLBindable]
    ) throws -> OpaquePointer {
        let statement = try statement(text)
        for (index, value) in values.enumerated() {
            try check(bind(value.sqlValue, at: Int32(index + 1), of: statement))
        }
        return statement
    }

    private func statement(_ text: String) throws -> OpaquePointer {
        if let known = statements[text] { return known }
        var made: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        try check(sqlite3_prepare_v3(handle, text, -1, flags, &made, nil))
        guard let made else { throw DatabaseError(code: SQLITE_MISUSE, message: "no statement") }
        if statements.count >= Self.keptStatements {
            for statement in statements.values { sqlite3_finalize(statement) }
            statements.removeAll()
        }
        statements[text] = made
        return made
    }

    private func bind(
        _ value: SQLValue, at index: Int32, of statement: OpaquePointer
    ) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .real(let number): return sqlite3_bind_double(statement, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text(
                        statement, index, $0.baseAddress, Int32($0.count), Self.transient)
                }
            }
        case .blob(let bytes):
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
            return bytes.withUnsafeBytes {
                sqlite3_bind_blob(
                    statement, index, $0.baseAddress, Int32($0.count), Self.transient)
            }
        }
    }

    private func reset(_ statement: OpaquePointer) {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }

    private func check(_ result: Int32) throws {
        guard result == SQLITE_OK else { throw failure(result) }
    }

    private func failure(_ result: Int32) -> DatabaseError {
        DatabaseError(code: result, message: String(cString: sqlite3_errmsg(handle)))
    }
}

/// The row that a statement stands at; gone with the next step.
struct SQLRow {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }
    func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(statement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    func optionalInt(_ column: Int32) -> Int? { isNull(column) ? nil : int(column) }
    func optionalReal(_ column: Int32) -> Double? { isNull(column) ? nil : real(column) }

    func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(sqlite3_column_bytes(statement, column))
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
