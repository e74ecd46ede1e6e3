import Foundation
import TestSupport
import Testing

@testable import PatchServer

@Suite struct EventsTests {
    private let install = "6f1c2a30-0000-4000-8000-00000000000a"

    private func event(_ more: [String: Any] = [:]) -> [String: Any] {
        let event: [String: Any] = [
            "id": "0b540000-0000-4000-8000-00000000000b", "name": "ready",
            "at": Date().timeIntervalSince1970, "fingerprint": ServerFixture.fingerprint,
            "sdk": "0.1.0",
        ]
        return event.merging(more) { $1 }
    }

    private func send(
        _ fixture: ServerFixture, _ events: [[String: Any]]
    ) async throws -> RawHTTP.Answer {
        try await fixture.http.send(
            "POST", fixture.path("events"), body: try TelemetryFixture.body(install, events))
    }

    @Test("what a device tells is counted once, can be looked up, and can be erased")
    func loop() async throws {
        let fixture = try await ServerFixture()
        let events = [
            event(), event(["id": UUID().uuidString, "release": "f00d", "name": "trap"]),
        ]
        let first = try await send(fixture, events)
        #expect(first.status == 200 && first.json["accepted"] as? Int == 2, "\(first.text)")
        let second = try await send(fixture, events)
        #expect(second.json["accepted"] as? Int == 0 && second.json["known"] as? Int == 2)
        let token = ["Authorization": "Bearer \(fixture.token)"]
        let device = try await fixture.get("devices/\(install)", token)
        #expect((device.json["events"] as? [Any])?.count == 2, "\(device.text)")
        let insights = try await fixture.get("insights?release=f00d", token)
        let releases = insights.json["releases"] as? [[String: Any]]
        #expect(releases?.count == 1 && releases?.first?["failed"] as? Int == 1)
        let gone = try await fixture.http.send("DELETE", fixture.path("devices/\(install)"), token)
        #expect(gone.status == 204)
        #expect(try await fixture.get("devices/\(install)", token).status == 404)
    }

    @Test("events of an app that is not here are answered like any address that is not")
    func unknownApp() async throws {
        let fixture = try await ServerFixture()
        let body = try TelemetryFixture.body(install, [event()])
        for key in ["pak_000000000000", "x", "..", "%2e"] {
            let answer = try await fixture.http.send(
                "POST", "/api/v1/apps/\(key)/events", body: body)
            #expect(answer.code == "not_found", "\(key)")
        }
    }

    @Test("what can never be taken is refused with a status that makes the SDK give it up")
    func refusals() async throws {
        let fixture = try await ServerFixture()
        let long = String(repeating: "x", count: 300)
        let bad: [[String: Any]] = [
            ["id": "no uuid"], ["id": 7], ["name": "explode"], ["at": "now"], ["at": 1e300],
            ["fingerprint": ""], ["fingerprint": "a b"], ["fingerprint": long], ["sdk": long],
            ["sdk": "a\nb"], ["release": "'; DROP TABLE installs; --"], ["reason": "\u{0}"],
            ["os": long], ["detail": long], ["bytes": -1], ["bytes": 1e18], ["duration_ms": "1"],
            ["is_delta": 3],
        ]
        for change in bad {
            let answer = try await send(fixture, [event(), event(change)])
            #expect([400, 422].contains(answer.status), "\(change): \(answer.text)")
        }
        let many = (0..<51).map { _ in event(["id": UUID().uuidString]) }
        #expect(try await send(fixture, many).code == "too_many_events")
        for body in ["", "[]", "{", "{\"install_id\": \"x\", \"events\": []}", "\u{FEFF}{}"] {
            let answer = try await fixture.http.send(
                "POST", fixture.path("events"), body: Array(body.utf8))
            #expect(answer.status == 400, "\(body): \(answer.text)")
        }
        let deep = Array(String(repeating: "[", count: 60_000).utf8)
        #expect(
            try await fixture.http.send("POST", fixture.path("events"), body: deep).status == 400)
        let huge = [UInt8](repeating: 0x20, count: EventBatch.largestBody + 1)
        #expect(
            try await fixture.http.send("POST", fixture.path("events"), body: huge).status == 413)
        // Nothing of a refused batch was kept, its good events included.
        let token = ["Authorization": "Bearer \(fixture.token)"]
        #expect(try await fixture.get("devices/\(install)", token).status == 404)
    }

    @Test("text that looks like SQL is kept as the text that it is")
    func injection() async throws {
        let fixture = try await ServerFixture()
        let text = "'; DROP TABLE installs; --\" UNION SELECT sha256 FROM tokens"
        #expect(try await send(fixture, [event(["os": text, "detail": text])]).status == 200)
        let token = ["Authorization": "Bearer \(fixture.token)"]
        let device = try await fixture.get("devices/\(install)", token)
        #expect(device.json["os"] as? String == text)
        for query in ["release=%27%20OR%201=1", "release='", "fingerprint=%22;--"] {
            let answer = try await fixture.get("insights?\(query)", token)
            #expect(answer.status == 200, "\(answer.text)")
            #expect((answer.json["releases"] as? [Any])?.isEmpty == true, "\(query)")
        }
    }

    @Test("one address cannot make up installs without end")
    func forgery() async throws {
        var settings = APISettings()
        settings.installsPerMinute = 1
        let fixture = try await ServerFixture(monotonicNow: { 0 }, settings: settings)
        var statuses: [Int] = []
        for _ in 0..<12 {
            let body = try TelemetryFixture.body(
                UUID().uuidString, [event(["id": UUID().uuidString])])
            let answer = try await fixture.http.send("POST", fixture.path("events"), body: body)
            statuses.append(answer.status)
            if answer.status == 429 { #expect(answer.headers["retry-after"] != nil) }
        }
        #expect(statuses.prefix(10).allSatisfy { $0 == 200 } && statuses.last == 429)
    }
}

@Suite struct OlderFolderTests {
    @Test("a folder from before the database keeps its apps, keys and tokens")
    func takeOver() async throws {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        fixture.server.stop()
        // The folder as an older server left it.
        let app = "apps/\(fixture.appKey)"
        for name in ["server.sqlite", "server.sqlite-wal", "server.sqlite-shm", "\(app)/ops.pem"] {
            try? FileManager.default.removeItem(at: fixture.folder.file(name))
        }
        let record: [String: Any] = [
            "v": 1, "app_key": fixture.appKey, "app_id": fixture.appID, "name": "Old",
            "created": "2026-01-01T00:00:00Z",
            "tokens": [["sha256": Token.hash(fixture.token), "created": "2026-01-01T00:00:00Z"]],
        ]
        try JSONSerialization.data(withJSONObject: record).write(
            to: fixture.folder.file("\(app)/app.json"))
        for _ in 0..<2 {
            let server = try PatchServer(
                configuration: .init(dataFolder: fixture.folder.path),
                log: ServerLog(write: { _ in }))
            let address = try server.start()
            let http = RawHTTP(port: UInt16(address.split(separator: ":").last ?? "") ?? 0)
            let answer = try await http.send(
                "GET", "/api/v1/apps/\(fixture.appKey)",
                ["Authorization": "Bearer \(fixture.token)"])
            #expect(answer.status == 200 && answer.json["name"] as? String == "Old")
            #expect((answer.json["ops_keys"] as? [Any])?.count == 1)
            let timestamp = try await http.send(
                "GET", "/api/v1/apps/\(fixture.appKey)/metadata/timestamp.json")
            #expect(timestamp.status == 200)
            server.stop()
        }
    }

    @Test("a database of a newer server is left alone")
    func newer() throws {
        let folder = try TemporaryDirectory("newer")
        let path = folder.path + "/x.sqlite"
        _ = try Database(path: path, migrations: ControlSchema.migrations)
        try SQLiteConnection(path: path).execute("PRAGMA user_version = 99")
        #expect(throws: Database.TooNew.self) {
            try Database(path: path, migrations: ControlSchema.migrations)
        }
    }

    @Test("a migration that fails half-way leaves the schema before it")
    func failedMigration() throws {
        let folder = try TemporaryDirectory("migration")
        let path = folder.path + "/x.sqlite"
        let first = Database.Migration(name: "a", script: "CREATE TABLE a (x) ;")
        let broken = Database.Migration(
            name: "b", script: "CREATE TABLE b (x); CREATE TABLE a (x);")
        _ = try Database(path: path, migrations: [first])
        #expect(throws: DatabaseError.self) {
            try Database(path: path, migrations: [first, broken])
        }
        let database = try Database(path: path, migrations: [first])
        let tables = try database.read {
            try $0.rows("SELECT name FROM sqlite_schema") { $0.text(0) }
        }
        #expect(tables == ["a"])
    }
}
