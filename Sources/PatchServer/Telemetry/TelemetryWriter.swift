import Rollout
import RolloutGates

/// Takes batches into the database, within one transaction of the caller's.
///
/// An event that is known changes nothing at all, so that everything here may come twice, in any
/// order. What is kept of states are sets, first and last times.
struct TelemetryWriter {
    /// What came of one batch.
    enum Outcome: Equatable, Sendable {
        /// Kept, or known already.
        case taken(new: Int, known: Int)
        /// The install has told as much today as one may.
        case overLimit(retryAfter: Int)
        /// Whoever sent it begins too many installs.
        case tooManyInstalls(retryAfter: Int)
    }

    /// How long clocks may differ and how much is kept.
    struct Limits: Sendable {
        /// Events that an install may tell on one day.
        var eventsPerDay = 2_000
        /// Names of builds, and of releases, that an app may have beyond those that are published.
        var strangeNames = 500
        /// Days of events to keep.
        var keptDays = 90
        /// Seconds that an event may lie behind to be kept under its own day.
        var oldest = 30 * 86_400
    }

    /// Under which name everything strange is counted once there is too much of it.
    static let other = "other"

    let connection: SQLiteConnection
    let limits: Limits
    /// Seconds since 1970.
    let now: Int
    /// Whether a build or release of an app is published.
    let isPublished: (_ app: String, _ kind: TelemetrySchema.Kind, _ name: String) -> Bool
    /// The stages that rollouts are in.
    let stages: [String: [TelemetryStage]]
    /// Rows of `names`, kept from one transaction to the next.
    var names: NameCache
    private var hours: [HourKey: HourCount] = [:]
    private var days: Set<Int> = []

    init(
        connection: SQLiteConnection, limits: Limits, now: Int, names: NameCache,
        stages: [String: [TelemetryStage]] = [:],
        isPublished: @escaping (String, TelemetrySchema.Kind, String) -> Bool
    ) {
        self.connection = connection
        self.limits = limits
        self.now = now
        self.names = names
        self.stages = stages
        self.isPublished = isPublished
    }

    private struct Install {
        let id: Int64
        var build: Int64
        var release: Int64
        var event: Int
        var at: Double
        var eventID: [UInt8]
        var reason: String?
        var sdk: String
        var os: String?
        var appVersion: String?
        var day: Int
        var dayEvents: Int
        var isOffClock: Bool
    }

    private struct StateKey: Hashable {
        let release: Int64
        let build: Int64
    }

    /// The last that an install said of how a release does.
    private enum Word: Int { case none, good, failure }

    private struct StateChange {
        var events = 0
        var joined = false
        var activated = false
        var ready = false
        var failed = false
        var reason: String?
        var word = Word.none
        var wordAt = 0.0
    }

    /// Takes one batch.
    /// - Parameter delay: the seconds that whoever sent it must wait before it may tell of an
    ///   install that is not known yet; nil when it may now.
    /// - Throws: ``DatabaseError``.
    mutating func take(
        _ batch: EventBatch, app appKey: String, newInstall delay: () -> Int? = { nil }
    ) throws -> Outcome {
        let app = try id(of: appKey, .app, app: appKey)
        let today = now / 86_400
        var install = try find(batch.install, app)
        if let known = install, known.day == today, known.dayEvents >= limits.eventsPerDay {
            return .overLimit(retryAfter: max(60, (today + 1) * 86_400 - now))
        }
        if install == nil, let seconds = delay() { return .tooManyInstalls(retryAfter: seconds) }
        var changes: [StateKey: StateChange] = [:]
        var new = 0
        for event in batch.events {
            let build = try id(of: event.build, .build, app: appKey)
            let release = try id(of: event.release, .release, app: appKey)
            var current = try install ?? insert(batch.install, app, event, build, release)
            let place = place(of: event)
            if place.isOff { current.isOffClock = true }
            install = current
            guard try keep(event, place, current, build, release) else { continue }
            new += 1
            count(event, app, place.hour, build, release)
            note(event, in: &changes[StateKey(release: release, build: build), default: .init()])
            Self.advance(&current, event, build, release)
            install = current
        }
        guard var install else { return .taken(new: 0, known: 0) }
        if new > 0 {
            install.dayEvents = (install.day == today ? install.dayEvents : 0) + new
            install.day = today
            try store(install)
            try noteSeenAgain(install.id)
            for (key, change) in changes { try store(change, key, install.id) }
            try noteStages(batch, appKey, install.id)
        }
        return .taken(new: new, known: batch.events.count - new)
    }

    /// Writes what was counted; the last step of a transaction.
    mutating func finish() throws {
        for (key, count) in hours { try store(key, count) }
        hours.removeAll()
    }

    // MARK: Installs

    private func find(_ install: [UInt8], _ app: Int64) throws -> Install? {
        try connection.first(
            """
            SELECT id, build, release, event, at, event_id, reason, sdk, os, app_version, day,
                day_events, off_clock FROM installs WHERE app = ? AND install = ?
            """, app, install
        ) { row in
            Install(
                id: row.integer(0), build: row.integer(1), release: row.integer(2),
                event: row.int(3), at: row.real(4), eventID: row.blob(5),
                reason: row.optionalText(6), sdk: row.text(7), os: row.optionalText(8),
                appVersion: row.optionalText(9), day: row.int(10), dayEvents: row.int(11),
                isOffClock: row.int(12) != 0)
        }
    }

    private func insert(
        _ install: [UInt8], _ app: Int64, _ event: Event, _ build: Int64, _ release: Int64
    ) throws -> Install {
        try connection.run(
            """
            INSERT INTO installs (app, install, build, release, event, at, event_id, reason, sdk,
                os, app_version, first_seen, last_seen, day, day_events)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)
            """, app, install, build, release, event.name.code, event.at, event.id, event.reason,
            event.sdk, event.os, event.appVersion, now, now)
        return Install(
            id: connection.lastInsertID, build: build, release: release, event: event.name.code,
            at: event.at, eventID: event.id, reason: event.reason, sdk: event.sdk, os: event.os,
            appVersion: event.appVersion, day: 0, dayEvents: 0, isOffClock: false)
    }

    /// The last state is that of the latest event by the device's own clock, whatever the order in
    /// which events come.
    private static func advance(
        _ install: inout Install, _ event: Event, _ build: Int64, _ release: Int64
    ) {
        let isLater =
            event.at > install.at
            || event.at == install.at
                && install.eventID.lexicographicallyPrecedes(event.id)
        guard isLater else { return }
        install.build = build
        install.release = release
        install.event = event.name.code
        install.at = event.at
        install.eventID = event.id
        install.reason = event.reason
        install.sdk = event.sdk
        install.os = event.os
        install.appVersion = event.appVersion
    }

    private func store(_ install: Install) throws {
        try connection.run(
            """
            UPDATE installs SET build = ?, release = ?, event = ?, at = ?, event_id = ?,
                reason = ?, sdk = ?, os = ?, app_version = ?, last_seen = max(last_seen, ?),
                day = ?, day_events = ?, off_clock = ? WHERE id = ?
            """, install.build, install.release, install.event, install.at, install.eventID,
            install.reason, install.sdk, install.os, install.appVersion, now, install.day,
            install.dayEvents, install.isOffClock, install.id)
    }

    // MARK: States

    private func note(_ event: Event, in change: inout StateChange) {
        change.events |= event.name.bit
        // Whoever asked has not taken it yet.
        if event.name != .check { change.joined = true }
        if event.name == .ready { change.ready = true }
        if event.isFailure {
            change.failed = true
            change.reason = event.reason ?? change.reason
        }
        let word: Word
        if event.isFailure {
            word = .failure
        } else if event.name == .activate || event.name == .ready {
            word = .good
        } else {
            return
        }
        change.activated = true
        // The later word counts; of two at the same time, the bad one.
        if (event.at, word.rawValue) > (change.wordAt, change.word.rawValue)
            || change.word == .none
        {
            change.word = word
            change.wordAt = event.at
        }
    }

    private func store(_ change: StateChange, _ key: StateKey, _ install: Int64) throws {
        let time: (Bool) -> Int? = { $0 ? now : nil }
        try connection.run(
            """
            INSERT INTO states (release, build, install, events, joined, activated, ready, failed,
                reason, word, word_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (release, build, install) DO UPDATE SET
                events = events | excluded.events,
                joined = coalesce(joined, excluded.joined),
                activated = coalesce(activated, excluded.activated),
                ready = coalesce(ready, excluded.ready),
                failed = coalesce(failed, excluded.failed),
                reason = coalesce(reason, excluded.reason),
                word = CASE WHEN excluded.word > 0 AND (word = 0 OR
                    (excluded.word_at, excluded.word) > (word_at, word))
                    THEN excluded.word ELSE word END,
                word_at = CASE WHEN excluded.word > 0 AND (word = 0 OR
                    (excluded.word_at, excluded.word) > (word_at, word))
                    THEN excluded.word_at ELSE word_at END
            """, key.release, key.build, install, change.events, time(change.joined),
            time(change.activated), time(change.ready), time(change.failed), change.reason,
            change.word.rawValue, change.wordAt)
    }

    /// Notes that an install that took a release was here again, once it may count as another visit.
    private func noteSeenAgain(_ install: Int64) throws {
        try connection.run(
            """
            UPDATE states SET seen_again = ? WHERE install = ? AND seen_again IS NULL
                AND joined < ?
            """, now, install, now - Cohort.settlingTime)
    }

    // MARK: Stages

    /// Notes that an install was here while its build is in a stage of a rollout.
    private func noteStages(_ batch: EventBatch, _ appKey: String, _ install: Int64) throws {
        guard !stages.isEmpty else { return }
        let builds = Set(batch.events.map(\.build))
        let failing = Set(batch.events.filter(\.isFailure).map(\.build))
        let concerned = builds.flatMap { stages[TelemetryStage.place(appKey, $0)] ?? [] }
        for stage in concerned {
            let failed = failing.contains(stage.build) ? now : nil
            try connection.run(
                """
                INSERT INTO controls (stage, install, joined, failed) VALUES (?, ?, ?, ?)
                ON CONFLICT (stage, install) DO UPDATE SET
                    seen_again = CASE WHEN seen_again IS NULL AND excluded.joined > joined + ?
                        THEN excluded.joined ELSE seen_again END,
                    failed = coalesce(failed, excluded.failed)
                """, stage.id, install, now, failed, Cohort.settlingTime)
        }
    }

    // MARK: Events

    private struct Place {
        let table: String
        let day: Int?
        let hour: Int
        var isOff: Bool { day == nil }
    }

    /// An event's table follows from its own time alone, unless its clock is wrong.
    private func place(of event: Event) -> Place {
        let at = Int(event.at.rounded(.down))
        guard at <= now + 86_400, at >= now - limits.oldest else {
            return Place(table: "events_off", day: nil, hour: now / 3_600)
        }
        let day = at / 86_400
        return Place(table: "events_\(day)", day: day, hour: at / 3_600)
    }

    /// - Returns: Whether the event is new.
    private mutating func keep(
        _ event: Event, _ place: Place, _ install: Install, _ build: Int64, _ release: Int64
    ) throws -> Bool {
        if let day = place.day {
            try makeDay(day)
            // Its clock may have been wrong when it was told for the first time.
            if install.isOffClock,
                try connection.integer(
                    "SELECT count(*) FROM events_off WHERE install = ? AND id = ?", install.id,
                    event.id) > 0
            {
                return false
            }
        }
        let changed = try connection.run(
            """
            INSERT OR IGNORE INTO \(place.table) (install, id, event, at, received, build,
                release, reason, bytes, delta, resumed, milliseconds, detail)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, install.id, event.id, event.name.code, event.at, now, build, release,
            event.reason, event.bytes, event.isDelta, event.isResumed, event.duration,
            event.detail)
        return changed > 0
    }

    private mutating func makeDay(_ day: Int) throws {
        guard !days.contains(day) else { return }
        if try connection.integer("SELECT count(*) FROM days WHERE day = ?", day) == 0 {
            try connection.run("INSERT INTO days (day) VALUES (?)", day)
            try connection.execute(TelemetrySchema.events("events_\(day)"))
        }
        days.insert(day)
    }

    // MARK: Counts

    private struct HourKey: Hashable {
        let app: Int64
        let hour: Int
        let build: Int64
        let release: Int64
        let event: Int
        let reason: String
    }

    private struct HourCount {
        var count = 0
        var bytes = 0
        var deltas = 0
        var milliseconds = 0
    }

    private mutating func count(
        _ event: Event, _ app: Int64, _ hour: Int, _ build: Int64, _ release: Int64
    ) {
        let key = HourKey(
            app: app, hour: hour, build: build, release: release, event: event.name.code,
            reason: Self.counted(event.reason))
        var value = hours[key] ?? HourCount()
        value.count += 1
        value.bytes += event.bytes ?? 0
        value.deltas += event.isDelta == true ? 1 : 0
        value.milliseconds += event.duration ?? 0
        hours[key] = value
    }

    /// The reason that an event is counted under: one of ours, so that nobody can make rows at will.
    static func counted(_ reason: String?) -> String {
        guard let reason else { return "" }
        return Reason(rawValue: reason) == nil ? other : reason
    }

    private func store(_ key: HourKey, _ count: HourCount) throws {
        try connection.run(
            """
            INSERT INTO hours (app, hour, build, release, event, reason, count, bytes, deltas,
                milliseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (app, hour, release, build, event, reason) DO UPDATE SET
                count = count + excluded.count, bytes = bytes + excluded.bytes,
                deltas = deltas + excluded.deltas,
                milliseconds = milliseconds + excluded.milliseconds
            """, key.app, key.hour, key.build, key.release, key.event, key.reason, count.count,
            count.bytes, count.deltas, count.milliseconds)
    }

    // MARK: Names

    private mutating func id(
        of name: String, _ kind: TelemetrySchema.Kind, app: String
    ) throws -> Int64 {
        if let known = names.id(app, kind, name) { return known }
        let found = try connection.first(
            "SELECT id FROM names WHERE app = ? AND kind = ? AND name = ?", app, kind.rawValue,
            name
        ) { $0.integer(0) }
        if let found {
            names.keep(found, app, kind, name)
            return found
        }
        if kind != .app, !name.isEmpty, name != Self.other, !isPublished(app, kind, name) {
            let strange = try connection.integer(
                "SELECT count(*) FROM names WHERE app = ? AND kind = ?", app, kind.rawValue)
            // Anybody may name anything here; nobody shall fill the disk with it.
            if strange >= limits.strangeNames { return try id(of: Self.other, kind, app: app) }
        }
        try connection.run(
            "INSERT INTO names (app, kind, name) VALUES (?, ?, ?)", app, kind.rawValue, name)
        let made = connection.lastInsertID
        names.keep(made, app, kind, name)
        return made
    }
}

/// The stage that a rollout is in, as the counts know it.
struct TelemetryStage: Equatable, Sendable {
    let id: Int64
    let rollout: String
    let app: String
    /// ``Event/build`` of those whom it concerns.
    let build: String
    let since: Int

    /// Where a batch finds the stages that it concerns.
    static func place(_ app: String, _ build: String) -> String { "\(app)/\(build)" }
}

/// Rows of `names` in memory. A cache of a transaction that failed must be thrown away.
struct NameCache {
    private static let mostNames = 20_000

    private struct Key: Hashable {
        let app: String
        let kind: Int
        let name: String
    }

    private var ids: [Key: Int64] = [:]

    func id(_ app: String, _ kind: TelemetrySchema.Kind, _ name: String) -> Int64? {
        ids[Key(app: app, kind: kind.rawValue, name: name)]
    }

    mutating func keep(
        _ id: Int64, _ app: String, _ kind: TelemetrySchema.Kind, _ name: String
    ) {
        if ids.count >= Self.mostNames { ids.removeAll() }
        ids[Key(app: app, kind: kind.rawValue, name: name)] = id
    }
}
