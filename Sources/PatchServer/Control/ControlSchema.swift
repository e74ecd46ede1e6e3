/// The tables of `server.sqlite`: who may do what, and what was done. What devices are served lies
/// in files and needs none of it.
enum ControlSchema {
    static let migrations = [
        Database.Migration(
            name: "organisations, apps, users, tokens, audit, webhooks, uploads, rollouts",
            script: """
                CREATE TABLE organisations (
                    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created INTEGER NOT NULL)
                    STRICT;
                INSERT INTO organisations VALUES ('default', 'default', 0);
                CREATE TABLE apps (
                    app_key TEXT PRIMARY KEY, app_id TEXT NOT NULL UNIQUE,
                    organisation TEXT NOT NULL REFERENCES organisations (id),
                    name TEXT NOT NULL, created TEXT NOT NULL, quota_bytes INTEGER NOT NULL)
                    STRICT;
                CREATE TABLE users (
                    login TEXT PRIMARY KEY,
                    organisation TEXT NOT NULL REFERENCES organisations (id),
                    name TEXT NOT NULL, created INTEGER NOT NULL) STRICT;
                CREATE TABLE members (
                    app_key TEXT NOT NULL REFERENCES apps (app_key) ON DELETE CASCADE,
                    login TEXT NOT NULL REFERENCES users (login) ON DELETE CASCADE,
                    role TEXT NOT NULL, PRIMARY KEY (app_key, login)) STRICT, WITHOUT ROWID;
                CREATE TABLE tokens (
                    id TEXT PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
                    app_key TEXT NOT NULL REFERENCES apps (app_key) ON DELETE CASCADE,
                    channel TEXT, actions TEXT NOT NULL,
                    login TEXT REFERENCES users (login) ON DELETE CASCADE,
                    created INTEGER NOT NULL, created_by TEXT NOT NULL, expires INTEGER,
                    revoked INTEGER) STRICT;
                CREATE TABLE audit (
                    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
                    actor TEXT NOT NULL, action TEXT NOT NULL, app_key TEXT,
                    subject TEXT NOT NULL, detail TEXT NOT NULL) STRICT;
                CREATE INDEX audit_by_app ON audit (app_key, id);
                CREATE TABLE answers (
                    actor TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL,
                    status INTEGER NOT NULL, body BLOB NOT NULL, at INTEGER NOT NULL,
                    PRIMARY KEY (actor, key)) STRICT, WITHOUT ROWID;
                CREATE TABLE webhooks (
                    id TEXT PRIMARY KEY,
                    app_key TEXT NOT NULL REFERENCES apps (app_key) ON DELETE CASCADE,
                    url TEXT NOT NULL, secret TEXT NOT NULL, events TEXT NOT NULL,
                    created INTEGER NOT NULL) STRICT;
                CREATE TABLE deliveries (
                    id TEXT PRIMARY KEY,
                    webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
                    event TEXT NOT NULL, body TEXT NOT NULL, created INTEGER NOT NULL,
                    attempts INTEGER NOT NULL DEFAULT 0, due INTEGER, delivered INTEGER,
                    status INTEGER, problem TEXT) STRICT;
                CREATE INDEX deliveries_due ON deliveries (due) WHERE due IS NOT NULL;
                CREATE INDEX deliveries_by_webhook ON deliveries (webhook, created);
                CREATE TABLE uploads (
                    id TEXT PRIMARY KEY,
                    app_key TEXT NOT NULL REFERENCES apps (app_key) ON DELETE CASCADE,
                    path TEXT NOT NULL, size INTEGER NOT NULL, created INTEGER NOT NULL) STRICT;
                CREATE TABLE rollouts (
                    app_key TEXT NOT NULL REFERENCES apps (app_key) ON DELETE CASCADE,
                    channel TEXT NOT NULL, fingerprint TEXT NOT NULL, version INTEGER NOT NULL,
                    document TEXT NOT NULL, updated INTEGER NOT NULL,
                    PRIMARY KEY (app_key, channel, fingerprint)) STRICT, WITHOUT ROWID;
                CREATE TABLE decisions (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    app_key TEXT NOT NULL REFERENCES apps (app_key) ON DELETE CASCADE,
                    channel TEXT NOT NULL, fingerprint TEXT NOT NULL, at INTEGER NOT NULL,
                    document TEXT NOT NULL) STRICT;
                CREATE INDEX decisions_by_rollout
                    ON decisions (app_key, channel, fingerprint, id);
                """),
        Database.Migration(
            name: "builds by version and number",
            script: """
                CREATE TABLE builds (
                    app_key TEXT NOT NULL REFERENCES apps (app_key) ON DELETE CASCADE,
                    version TEXT NOT NULL, build TEXT NOT NULL, fingerprint TEXT NOT NULL,
                    registered INTEGER NOT NULL,
                    PRIMARY KEY (app_key, version, build)) STRICT, WITHOUT ROWID;
                """),
    ]
}
