import Foundation
import PatchPlatform
import TestSupport
import Testing

@testable import PatchServer

/// Real servers that are ended in the middle of their work. `OPENPATCH_KILLS` says how often; see
/// `make kills`.
@Suite(.serialized) struct ServerKillTests {
    /// What the server has acknowledged, by kind.
    private final class Acknowledged: Sendable {
        struct Kept {
            var events: [(install: String, id: String)] = []
            var tokens: [String] = []
            var webhooks: [String] = []
            var refused = 0
        }
        let kept = Lock(Kept())
        let isOver = Lock(false)
    }

    private struct App: Sendable {
        let key: String
        let token: String
    }

    private func makeApp(_ http: RawHTTP, _ folder: TemporaryDirectory) async throws -> App {
        let admin = AppStore.readToken(folder.path + "/data/admin-token") ?? ""
        let answer = try await http.send(
            "POST", "/api/v1/apps", ["Authorization": "Bearer \(admin)"],
            body: Array(#"{"name":"Killed"}"#.utf8))
        return App(
            key: answer.json["app_key"] as? String ?? "",
            token: answer.json["token"] as? String ?? "")
    }

    /// Sends until the server is gone; what it acknowledged is noted.
    private func load(
        _ http: RawHTTP, _ app: App, _ known: Acknowledged, _ worker: Int
    ) async throws {
        var round = 0
        while !known.isOver.withLock({ $0 }) {
            round += 1
            if worker == 0, round % 3 == 0 {
                guard
                    let answer = try? await http.send(
                        "POST", "/api/v1/apps/\(app.key)/tokens",
                        ["Authorization": "Bearer \(app.token)"],
                        body: Array(#"{"name":"x","actions":["read"]}"#.utf8)), answer.status > 0
                else { return }
                if answer.status == 201, let token = answer.json["token"] as? String {
                    known.kept.withLock { $0.tokens.append(token) }
                }
                continue
            }
            let install = UUID().uuidString.lowercased()
            let ids = (0..<5).map { _ in UUID().uuidString.lowercased() }
            let events = ids.map { id -> [String: Any] in
                [
                    "id": id, "name": "ready", "at": Date().timeIntervalSince1970,
                    "fingerprint": ServerFixture.fingerprint, "sdk": "0.1.0",
                ]
            }
            let body = try TelemetryFixture.body(install, events)
            guard
                let answer = try? await http.send(
                    "POST", "/api/v1/apps/\(app.key)/events", body: body), answer.status > 0
            else { return }
            if answer.status == 200 {
                known.kept.withLock { kept in kept.events += ids.map { (install, $0) } }
            } else {
                known.kept.withLock { $0.refused += 1 }
            }
        }
    }

    private func lost(
        _ folder: TemporaryDirectory, _ app: App, _ known: Acknowledged
    ) throws -> [String] {
        let store = try TelemetryStore(path: folder.path + "/data/telemetry.sqlite")
        let there: Set<String> = try store.database.read { connection in
            var ids: Set<String> = []
            for table in try TelemetryStore.eventTables(connection) {
                ids.formUnion(
                    try connection.rows("SELECT id FROM \(table)") { UUIDBytes.text($0.blob(0)) })
            }
            return ids
        }
        #expect(try store.recount() == 0)
        #expect(try store.database.problems().isEmpty)
        let control = try ControlStore(
            path: folder.path + "/data/server.sqlite", clock: { Date() })
        let kept = known.kept.withLock { $0 }
        return kept.events.map(\.id).filter { !there.contains($0) }
            + kept.tokens.filter { control.principal($0) == nil }
    }

    @Test("SIGKILL at any moment under load loses nothing that was acknowledged")
    func kills() async throws {
        var random = SeededGenerator()
        let asked = ProcessInfo.processInfo.environment["OPENPATCH_KILLS"].flatMap { Int($0) }
        let kills = max(4, (asked ?? 4) / 10)
        let folder = try TemporaryDirectory("kills")
        let known = Acknowledged()
        var app: App?
        for _ in 0..<kills {
            let server = try await PatchdProcess.start(folder)
            if app == nil { app = try await makeApp(server.http, folder) }
            guard let app else { return }
            known.isOver.withLock { $0 = false }
            let before = known.kept.withLock { $0.events.count }
            let pause = UInt64.random(in: 20...400, using: &random)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<4 {
                    group.addTask { try await load(server.http, app, known, worker) }
                }
                // From the first acknowledgement on, however slow the machine is.
                for _ in 0..<60_000 where known.kept.withLock({ $0.events.count }) == before {
                    try await Task.sleep(nanoseconds: 10_000_000)
                }
                try await Task.sleep(nanoseconds: pause * 1_000_000)
                _ = await server.end(SIGKILL)
                known.isOver.withLock { $0 = true }
                try await group.waitForAll()
            }
            #expect(try lost(folder, app, known).isEmpty, "\(random)")
        }
        let kept = known.kept.withLock { $0 }
        #expect(kept.events.count >= kills * 5)
        print("KILLS \(kills) of \(kept.events.count) events and \(kept.tokens.count) tokens")
    }

    @Test("SIGTERM answers what is in flight, loses nothing, and exits with 0")
    func drain() async throws {
        let folder = try TemporaryDirectory("drain")
        let server = try await PatchdProcess.start(folder)
        let app = try await makeApp(server.http, folder)
        let known = Acknowledged()
        let result = try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask { try await load(server.http, app, known, worker) }
            }
            for _ in 0..<60_000 where known.kept.withLock({ $0.events.count }) < 20 {
                try await Task.sleep(nanoseconds: 10_000_000)
            }
            let result = await server.end(SIGTERM)
            known.isOver.withLock { $0 = true }
            try await group.waitForAll()
            return result
        }
        #expect(result.status == 0)
        #expect(try lost(folder, app, known).isEmpty)
    }
}
