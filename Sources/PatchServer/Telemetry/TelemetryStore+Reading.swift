import Foundation

/// What an install has told last.
struct DeviceDocument: Codable, Equatable, Sendable {
    struct Event: Codable, Equatable, Sendable {
        let id: String
        let name: String
        let at: Double
        let received: Int
        let release: String
        let fingerprint: String
        /// The web bundle that it is about; absent for modules.
        let bundle: String?
        let reason: String?
        let detail: String?
        let bytes: Int?
        let duration_ms: Int?
    }

    let install_id: String
    let fingerprint: String
    /// The web bundle that it told of last; absent for modules.
    let bundle: String?
    /// Empty for what the app shipped with.
    let release: String
    let last_event: String
    let reason: String?
    let at: Double
    let sdk: String
    let os: String?
    let app_version: String?
    let first_seen: Int
    let last_seen: Int
    /// The newest twenty, newest first.
    let events: [Event]
}

/// What is known of the releases of an app.
struct InsightsDocument: Codable, Equatable, Sendable {
    struct Release: Codable, Equatable, Sendable {
        /// Empty for what the app shipped with.
        let release: String
        let fingerprint: String
        /// The web bundle; absent for modules.
        let bundle: String?
        /// Installs that told anything of it.
        let installs: Int
        /// Installs of which it is the last that they told of.
        let current: Int
        let activated: Int
        let ready: Int
        let failed: Int
        let failure_rate: Double
        /// Wilson's interval of 95 %.
        let failure_rate_low: Double
        let failure_rate_high: Double
        let reasons: [Reason]
    }

    struct Reason: Codable, Equatable, Sendable {
        let reason: String
        let installs: Int
    }

    struct Day: Codable, Equatable, Sendable {
        /// ISO 8601, UTC.
        let day: String
        let release: String
        let event: String
        let reason: String
        let count: Int
        let bytes: Int
        let deltas: Int
    }

    /// Installs that told anything, ever.
    let installs: Int
    /// Installs that told anything in the last 24 hours.
    let installs_day: Int
    /// Hours since half of the installs of the last 30 days were heard of, at most.
    let silent_hours_p50: Double
    /// The same for 95 of a hundred.
    let silent_hours_p95: Double
    /// `silent_devices` when the latter is more than two days: updates may not reach them.
    let alerts: [String]
    let releases: [Release]
    let days: [Day]
    /// What the numbers mean, for whoever reads them.
    let definition: String
}

extension TelemetryStore {
    /// The last state of an install; nil when it never told anything.
    /// - Throws: ``DatabaseError``.
    func device(_ install: [UInt8], app: String) throws -> DeviceDocument? {
        try database.read { connection in
            let found = try connection.first(
                """
                SELECT installs.id, build.name, release.name, event, at, reason, sdk, os,
                    app_version, first_seen, last_seen
                FROM installs JOIN names AS app ON app.id = installs.app
                JOIN names AS build ON build.id = installs.build
                JOIN names AS release ON release.id = installs.release
                WHERE app.app = ? AND app.kind = 0 AND installs.install = ?
                """, app, install
            ) { row -> (Int64, DeviceDocument) in
                let subject = RolloutSubject(name: row.text(1))
                return (
                    row.integer(0),
                    DeviceDocument(
                        install_id: UUIDBytes.text(install), fingerprint: subject.fingerprint,
                        bundle: subject.bundle, release: row.text(2),
                        last_event: Self.name(row.int(3)),
                        reason: row.optionalText(5), at: row.real(4), sdk: row.text(6),
                        os: row.optionalText(7), app_version: row.optionalText(8),
                        first_seen: row.int(9), last_seen: row.int(10), events: [])
                )
            }
            guard let (id, document) = found else { return nil }
            return document.with(try Self.events(of: id, connection))
        }
    }

    private static func events(
        of install: Int64, _ connection: SQLiteConnection
    ) throws -> [DeviceDocument.Event] {
        var events: [DeviceDocument.Event] = []
        for table in try eventTables(connection) {
            // Days come newest first, so that enough of them is enough; wrong clocks come last.
            if events.count >= 20, table != "events_off" { continue }
            events += try connection.rows(
                """
                SELECT told.id, event, at, received, release.name, build.name, reason, detail,
                    bytes, milliseconds
                FROM \(table) AS told JOIN names AS build ON build.id = told.build
                JOIN names AS release ON release.id = told.release
                WHERE install = ? ORDER BY at DESC LIMIT 20
                """, install
            ) { row in
                let subject = RolloutSubject(name: row.text(5))
                return DeviceDocument.Event(
                    id: UUIDBytes.text(row.blob(0)), name: name(row.int(1)), at: row.real(2),
                    received: row.int(3), release: row.text(4), fingerprint: subject.fingerprint,
                    bundle: subject.bundle, reason: row.optionalText(6),
                    detail: row.optionalText(7),
                    bytes: row.optionalInt(8), duration_ms: row.optionalInt(9))
            }
        }
        return Array(
            events.sorted { ($0.received, $0.at, $0.id) > ($1.received, $1.at, $1.id) }
                .prefix(20))
    }

    private static func name(_ code: Int) -> String {
        EventName.allCases.indices.contains(code) ? EventName.allCases[code].rawValue : "unknown"
    }

    /// Numbers of releases, counted from what each install told.
    /// - Parameters:
    ///   - release: its digest; nil for all.
    ///   - build: ``RolloutSubject/name`` of those that are meant; nil for all.
    /// - Throws: ``DatabaseError``.
    func insights(
        app: String, release: String?, build: String?, days: Int
    ) throws -> InsightsDocument {
        try database.read { connection in
            let appID = try connection.integer(
                "SELECT id FROM names WHERE app = ? AND kind = 0 AND name = ?", app, app)
            let ages = try ages(appID, connection)
            return InsightsDocument(
                installs: Int(
                    try connection.integer("SELECT count(*) FROM installs WHERE app = ?", appID)),
                installs_day: Int(
                    try connection.integer(
                        "SELECT count(*) FROM installs WHERE app = ? AND last_seen > ?", appID,
                        now - 86_400)),
                silent_hours_p50: ages.half, silent_hours_p95: ages.most,
                alerts: ages.most > 48 ? ["silent_devices"] : [],
                releases: try releases(app, release, build, connection),
                days: try self.days(appID, release, days, connection),
                definition:
                    "Installs, not people: each counts once by the last state that it told. A "
                    + "failure is a trap, a crash after ready, or a rollback that neither head nor "
                    + "brake asked for. Installs that tell nothing are not seen; they are no measure "
                    + "of how many people use the app.")
        }
    }

    /// How long the installs of the last 30 days were not heard of, in hours.
    private func ages(
        _ app: Int64, _ connection: SQLiteConnection
    ) throws -> (half: Double, most: Double) {
        let since = now - 30 * 86_400
        let count = try connection.integer(
            "SELECT count(*) FROM installs WHERE app = ? AND last_seen > ?", app, since)
        func age(_ share: Double) throws -> Double {
            let seen = try connection.first(
                """
                SELECT last_seen FROM installs WHERE app = ? AND last_seen > ?
                ORDER BY last_seen DESC LIMIT 1 OFFSET ?
                """, app, since, max(0, Int((Double(count) * share).rounded(.up)) - 1)
            ) { $0.int(0) }
            return seen.map { Double(max(0, now - $0)) / 3_600 } ?? 0
        }
        return (try age(0.5), try age(0.95))
    }

    private func releases(
        _ app: String, _ release: String?, _ build: String?, _ connection: SQLiteConnection
    ) throws -> [InsightsDocument.Release] {
        let found = try connection.rows(
            """
            SELECT release.id, build.id, release.name, build.name, count(*), count(activated),
                count(ready), count(failed)
            FROM names AS release JOIN states ON states.release = release.id
            JOIN names AS build ON build.id = states.build
            WHERE release.app = ?1 AND release.kind = 2 AND (?2 IS NULL OR release.name = ?2)
                AND (?3 IS NULL OR build.name = ?3)
            GROUP BY release.id, build.id ORDER BY release.id DESC, build.id DESC LIMIT 200
            """, app, release, build
        ) { row in
            (
                release: row.integer(0), build: row.integer(1), names: (row.text(2), row.text(3)),
                counts: (4..<8).map { row.int($0) }
            )
        }
        return try found.map { row in
            let reasons = try connection.rows(
                """
                SELECT coalesce(reason, ''), count(*) FROM states
                WHERE release = ? AND build = ? AND failed IS NOT NULL
                GROUP BY 1 ORDER BY 2 DESC LIMIT 10
                """, row.release, row.build
            ) { InsightsDocument.Reason(reason: $0.text(0), installs: $0.int(1)) }
            let current = try current(
                row.release, row.build, isBundle: RolloutSubject(name: row.names.1).bundle != nil,
                connection)
            let exposed = max(row.counts[1], row.counts[3])
            let interval = WilsonInterval(successes: row.counts[3], of: exposed, z: 1.96)
            let subject = RolloutSubject(name: row.names.1)
            return InsightsDocument.Release(
                release: row.names.0, fingerprint: subject.fingerprint, bundle: subject.bundle,
                installs: row.counts[0],
                current: Int(current), activated: row.counts[1], ready: row.counts[2],
                failed: row.counts[3],
                failure_rate: exposed == 0 ? 0 : Double(row.counts[3]) / Double(exposed),
                failure_rate_low: interval.low, failure_rate_high: interval.high, reasons: reasons)
        }
    }

    /// Installs of which a release is the last that they told of. An install may have several web
    /// bundles, and tells last of one of them: there, the last of each bundle counts.
    private func current(
        _ release: Int64, _ build: Int64, isBundle: Bool, _ connection: SQLiteConnection
    ) throws -> Int64 {
        guard isBundle else {
            return try connection.integer(
                "SELECT count(*) FROM installs WHERE build = ? AND release = ?", build, release)
        }
        return try connection.integer(
            """
            SELECT count(*) FROM states AS own
            WHERE own.build = ?1 AND own.release = ?2 AND own.word > 0 AND NOT EXISTS (
                SELECT 1 FROM states AS later
                WHERE later.install = own.install AND later.build = ?1
                    AND (later.word_at, later.release) > (own.word_at, own.release))
            """, build, release)
    }

    private func days(
        _ app: Int64, _ release: String?, _ days: Int, _ connection: SQLiteConnection
    ) throws -> [InsightsDocument.Day] {
        try connection.rows(
            """
            SELECT hour / 24, release.name, event, reason, sum(count), sum(bytes), sum(deltas)
            FROM hours JOIN names AS release ON release.id = hours.release
            WHERE hours.app = ?1 AND hour >= ?2 AND (?3 IS NULL OR release.name = ?3)
            GROUP BY 1, 2, 3, 4 ORDER BY 1 DESC, 5 DESC LIMIT 2000
            """, app, (now / 86_400 - days + 1) * 24, release
        ) { row in
            let day = Date(timeIntervalSince1970: Double(row.int(0)) * 86_400)
            return InsightsDocument.Day(
                day: String(AppStore.timestamp(day).prefix(10)), release: row.text(1),
                event: Self.name(row.int(2)), reason: row.text(3), count: row.int(4),
                bytes: row.int(5), deltas: row.int(6))
        }
    }
}

extension DeviceDocument {
    fileprivate func with(_ events: [Event]) -> DeviceDocument {
        DeviceDocument(
            install_id: install_id, fingerprint: fingerprint, bundle: bundle, release: release,
            last_event: last_event, reason: reason, at: at, sdk: sdk, os: os,
            app_version: app_version, first_seen: first_seen, last_seen: last_seen, events: events)
    }
}

/// Wilson's interval of a share (E. B. Wilson, 1927), which also holds for few cases.
struct WilsonInterval: Equatable, Sendable {
    let low: Double
    let high: Double

    /// - Parameter z: how many standard deviations wide; 1.96 gives 95 %.
    init(successes: Int, of count: Int, z: Double) {
        guard count > 0 else {
            (low, high) = (0, 1)
            return
        }
        let n = Double(count)
        let p = Double(successes) / n
        let square = z * z
        let middle = (p + square / (2 * n)) / (1 + square / n)
        let half =
            z / (1 + square / n) * (p * (1 - p) / n + square / (4 * n * n)).squareRoot()
        low = max(0, middle - half)
        high = min(1, middle + half)
    }
}
