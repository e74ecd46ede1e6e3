import CSQLite

/// What SQLite said when it could not do as it was told.
struct DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The extended result code (sqlite.org/rescode.html).
    let code: Int32
    /// SQLite's own words.
    let message: String

    var description: String { "\(message) (SQLite \(code))" }

    /// The disk is full: nothing of the transaction was kept, and it may be tried again later.
    var isFull: Bool { code & 0xFF == SQLITE_FULL }

    /// Somebody else holds the database.
    var isBusy: Bool { code & 0xFF == SQLITE_BUSY || code & 0xFF == SQLITE_LOCKED }

    /// Two rows would have the same key.
    var isConflict: Bool { code & 0xFF == SQLITE_CONSTRAINT }

    /// The file is no database, or a damaged one.
    var isDamaged: Bool { code & 0xFF == SQLITE_CORRUPT || code & 0xFF == SQLITE_NOTADB }

    /// The system does not let the file be opened or written.
    var isRefused: Bool {
        [SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY].contains(code & 0xFF)
    }

    /// The refusal that a client gets.
    var refusal: APIError {
        if isFull { return .diskFull }
        if isBusy {
            return APIError(
                status: 503, code: "busy", message: "The server is busy; send the request again.",
                retryAfter: 1)
        }
        return .internalFailure("The server could not answer; see its log.")
    }
}
