import Foundation
import Rollout

extension TelemetryStore {
    /// Forgets an install and everything that it told, the counts that it is part of included.
    /// - Returns: Whether there was such an install.
    /// - Throws: ``DatabaseError``.
    func erase(install: [UInt8], app: String) throws -> Bool {
        let found = try database.write { connection -> Bool in
            guard
                let found = try connection.first(
                    """
                    SELECT installs.id, installs.app FROM installs
                    JOIN names ON names.id = installs.app
                    WHERE names.app = ? AND names.kind = 0 AND installs.install = ?
                    """, app, install, read: { (id: $0.integer(0), app: $0.integer(1)) })
            else { return false }
            for table in try Self.eventTables(connection) {
                try Self.uncount(connection, table, found.id, found.app)
                try connection.run("DELETE FROM \(table) WHERE install = ?", found.id)
            }
            try connection.run("DELETE FROM hours WHERE count <= 0")
            try connection.run("DELETE FROM states WHERE install = ?", found.id)
            try connection.run(
                "DELETE FROM controls WHERE stage IN (SELECT id FROM stages) AND install = ?",
                found.id)
            try connection.run("DELETE FROM installs WHERE id = ?", found.id)
            return true
        }
        // What was erased must not live on in the log of the database.
        if found { try database.maintain { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") } }
        return found
    }

    /// Drops the days that are older than what is kept.
    /// - Returns: How many days went.
    /// - Throws: ``DatabaseError``.
    @discardableResult
    func prune() throws -> Int {
        let oldest = now / 86_400 - limits.keptDays
        let received = now - limits.keptDays * 86_400
        return try database.write { connection in
            let days = try connection.rows("SELECT day FROM days WHERE day < ?", oldest) {
                $0.int(0)
            }
            for day in days {
                try connection.execute("DROP TABLE IF EXISTS events_\(day)")
                try connection.run("DELETE FROM days WHERE day = ?", day)
            }
            try connection.run("DELETE FROM events_off WHERE received < ?", received)
            return days.count
        }
    }

    /// Counts the hours again from the events and says where the two differ.
    /// - Parameter repair: whether to put the new counts in place of the old ones.
    /// - Returns: The number of hours that differed.
    /// - Throws: ``DatabaseError``.
    func recount(repair: Bool = false) throws -> Int {
        let body: (SQLiteConnection) throws -> Int = { connection in
            let tables = try Self.eventTables(connection)
            let kept = self.now / 3_600 - (self.limits.keptDays - 1) * 24
            let columns = "app, hour, release, build, event, reason"
            let sums = "sum(count), sum(bytes), sum(deltas), sum(milliseconds)"
            let counted = tables.map(Self.hoursOf).joined(separator: " UNION ALL ")
            let fresh = "SELECT \(columns), \(sums) FROM (\(counted)) GROUP BY \(columns)"
            let known =
                "SELECT \(columns), count, bytes, deltas, milliseconds FROM hours"
            let differing = try connection.integer(
                """
                WITH fresh AS (\(fresh)), known AS (\(known)),
                differing AS (
                    SELECT * FROM (SELECT * FROM fresh EXCEPT SELECT * FROM known)
                    UNION SELECT * FROM (SELECT * FROM known EXCEPT SELECT * FROM fresh))
                SELECT count(*) FROM (
                    SELECT DISTINCT \(columns) FROM differing WHERE hour >= ?)
                """, kept)
            if repair, differing > 0 {
                try connection.run("DELETE FROM hours WHERE hour >= ?", kept)
                try connection.run(
                    """
                    INSERT INTO hours (\(columns), count, bytes, deltas, milliseconds)
                    SELECT * FROM (\(fresh)) WHERE hour >= ?
                    """, kept)
            }
            return Int(differing)
        }
        return repair ? try database.write(body) : try database.read(body)
    }

    static func eventTables(_ connection: SQLiteConnection) throws -> [String] {
        try connection.rows("SELECT day FROM days ORDER BY day DESC") { "events_\($0.int(0))" }
            + ["events_off"]
    }

    /// The contributions of a table's events to `hours`.
    private static func hoursOf(_ table: String) -> String {
        // Events of wrong clocks count by when they came.
        let time = table == "events_off" ? "told.received" : "CAST(told.at AS INTEGER)"
        return """
            SELECT installs.app AS app, \(time) / 3600 AS hour, told.release AS release,
                told.build AS build, told.event AS event,
                \(counted("told.reason")) AS reason, 1 AS count,
                coalesce(told.bytes, 0) AS bytes, coalesce(told.delta, 0) AS deltas,
                coalesce(told.milliseconds, 0) AS milliseconds, told.install AS install
            FROM \(table) AS told JOIN installs ON installs.id = told.install
            """
    }

    private static func counted(_ column: String) -> String {
        let codes = Reason.allCases.map { "'\($0.rawValue)'" }.joined(separator: ",")
        return "CASE WHEN \(column) IS NULL THEN '' WHEN \(column) IN (\(codes)) THEN \(column) "
            + "ELSE '\(TelemetryWriter.other)' END"
    }

    private static func uncount(
        _ connection: SQLiteConnection, _ table: String, _ install: Int64, _ app: Int64
    ) throws {
        let columns = "app, hour, release, build, event, reason"
        try connection.run(
            """
            INSERT INTO hours (\(columns), count, bytes, deltas, milliseconds)
            SELECT \(columns), -sum(count), -sum(bytes), -sum(deltas), -sum(milliseconds)
            FROM (\(hoursOf(table))) WHERE install = ? GROUP BY \(columns)
            ON CONFLICT (app, hour, release, build, event, reason) DO UPDATE SET
                count = count + excluded.count, bytes = bytes + excluded.bytes,
                deltas = deltas + excluded.deltas,
                milliseconds = milliseconds + excluded.milliseconds
            """, install)
    }
}
