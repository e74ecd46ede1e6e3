/// The tables of `telemetry.sqlite`.
///
/// - `installs`: one row an install, with the last state that it told.
/// - `states`: what an install has told of one release on one build, as a set; every number of a
///   release is counted from it.
/// - `stages` and `controls`: the present stage of each watched rollout, and the installs of its build
///   that were seen since it began. What they did cannot be told later from their last states.
/// - `events_<day>`: what was told, by the day of the device's clock, so that the same event always
///   meets itself; dropped as a whole when the day is old. Clustered by install, because a batch
///   comes from one and an erasure takes one.
/// - `events_off`: events of clocks that are more than a day ahead or a month behind.
/// - `hours`: counts by hour. They are kept in the transaction that keeps the event, and can be
///   counted again from it (`patchd check`).
enum TelemetrySchema {
    static let migrations = [
        Database.Migration(
            name: "installs, states, hours",
            script: """
                CREATE TABLE names (
                    id INTEGER PRIMARY KEY, app TEXT NOT NULL, kind INTEGER NOT NULL,
                    name TEXT NOT NULL, UNIQUE (app, kind, name)) STRICT;
                CREATE TABLE installs (
                    id INTEGER PRIMARY KEY, app INTEGER NOT NULL, install BLOB NOT NULL,
                    build INTEGER NOT NULL, release INTEGER NOT NULL, event INTEGER NOT NULL,
                    at REAL NOT NULL, event_id BLOB NOT NULL, reason TEXT, sdk TEXT NOT NULL,
                    os TEXT, app_version TEXT, first_seen INTEGER NOT NULL,
                    last_seen INTEGER NOT NULL, day INTEGER NOT NULL, day_events INTEGER NOT NULL,
                    off_clock INTEGER NOT NULL DEFAULT 0,
                    UNIQUE (app, install)) STRICT;
                CREATE INDEX installs_by_build ON installs (build, last_seen, release);
                CREATE TABLE states (
                    release INTEGER NOT NULL, build INTEGER NOT NULL, install INTEGER NOT NULL,
                    events INTEGER NOT NULL, joined INTEGER, seen_again INTEGER,
                    activated INTEGER, ready INTEGER, failed INTEGER, reason TEXT,
                    word INTEGER NOT NULL, word_at REAL NOT NULL,
                    PRIMARY KEY (release, build, install)) STRICT, WITHOUT ROWID;
                CREATE INDEX states_by_install ON states (install);
                CREATE TABLE hours (
                    app INTEGER NOT NULL, hour INTEGER NOT NULL, build INTEGER NOT NULL,
                    release INTEGER NOT NULL, event INTEGER NOT NULL, reason TEXT NOT NULL,
                    count INTEGER NOT NULL, bytes INTEGER NOT NULL, deltas INTEGER NOT NULL,
                    milliseconds INTEGER NOT NULL,
                    PRIMARY KEY (app, hour, release, build, event, reason))
                    STRICT, WITHOUT ROWID;
                CREATE TABLE stages (
                    id INTEGER PRIMARY KEY, rollout TEXT NOT NULL UNIQUE, app TEXT NOT NULL,
                    fingerprint TEXT NOT NULL, since INTEGER NOT NULL) STRICT;
                CREATE TABLE controls (
                    stage INTEGER NOT NULL, install INTEGER NOT NULL, joined INTEGER NOT NULL,
                    seen_again INTEGER, failed INTEGER, PRIMARY KEY (stage, install))
                    STRICT, WITHOUT ROWID;
                CREATE TABLE days (day INTEGER PRIMARY KEY) STRICT;
                """ + "\n" + events("events_off")),
        // Without them each number of `insights` reads every row of a million installs.
        Database.Migration(
            name: "indexes for insights",
            script: """
                CREATE INDEX installs_by_time ON installs (app, last_seen);
                CREATE INDEX states_failed ON states (release, build, reason)
                    WHERE failed IS NOT NULL;
                """),
    ]

    /// A table of events.
    static func events(_ name: String) -> String {
        """
        CREATE TABLE \(name) (
            install INTEGER NOT NULL, id BLOB NOT NULL, event INTEGER NOT NULL, at REAL NOT NULL,
            received INTEGER NOT NULL, build INTEGER NOT NULL, release INTEGER NOT NULL,
            reason TEXT, bytes INTEGER, delta INTEGER, resumed INTEGER, milliseconds INTEGER,
            detail TEXT, PRIMARY KEY (install, id)) STRICT, WITHOUT ROWID;
        """
    }

    /// The kinds of names.
    enum Kind: Int {
        case app = 0
        case build = 1
        case release = 2
    }
}
