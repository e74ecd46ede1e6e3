import Foundation
import TestSupport
import Testing

@testable import PatchServer

@Suite struct CareTests {
    private func filled() async throws -> ServerFixture {
        let fixture = try await BrakeTests.rolledOut()
        let body = try TelemetryFixture.body(
            UUID().uuidString,
            [
                [
                    "id": UUID().uuidString, "name": "ready", "at": fixture.clock.now(),
                    "fingerprint": ServerFixture.fingerprint, "sdk": "0.1.0",
                ]
            ])
        #expect(
            try await fixture.http.send("POST", fixture.path("events"), body: body).status == 200)
        return fixture
    }

    @Test("a backup made while the server serves becomes a server like it")
    func backup() async throws {
        let fixture = try await filled()
        let place = try TemporaryDirectory("backup")
        let (copy, restored) = (place.path + "/copy", place.path + "/restored")
        let manifest = try FolderBackup.make(of: fixture.folder.path, in: copy)
        #expect(manifest.files.contains { $0.path == "apps/\(fixture.appKey)/ops.pem" })
        #expect(try FolderBackup.restore(copy, as: restored) == manifest)
        let report = try await FolderCheck.run(restored)
        #expect(report.problems.isEmpty && report.apps == 1 && report.files > 2, "\(report)")
        let server = try PatchServer(
            configuration: .init(dataFolder: restored), log: ServerLog(write: { _ in }))
        let address = try server.start()
        defer { server.stop() }
        let http = RawHTTP(port: UInt16(address.split(separator: ":").last ?? "") ?? 0)
        for file in ["metadata/timestamp.json", "metadata/1.root.json"] {
            let there = try await fixture.get(file)
            #expect(try await http.send("GET", fixture.path(file)).body == there.body)
        }
        let insights = try await http.send("GET", fixture.path("insights"), fixture.bearer)
        #expect(insights.json["installs"] as? Int == 1)
        #expect(throws: FolderBackup.Failure.self) {
            try FolderBackup.make(of: fixture.folder.path, in: copy)
        }
        #expect(throws: FolderBackup.Failure.self) {
            try FolderBackup.restore(copy, as: restored)
        }
        for secret in ["server.sqlite", "apps/\(fixture.appKey)/ops.pem", "admin-token"] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: "\(restored)/\(secret)")
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(secret)")
        }
    }

    @Test("a damaged backup is refused as a whole")
    func damagedBackup() async throws {
        let fixture = try await filled()
        let place = try TemporaryDirectory("backup")
        let copy = place.path + "/copy"
        let manifest = try FolderBackup.make(of: fixture.folder.path, in: copy)
        let victim = try #require(manifest.files.first { $0.path.hasSuffix(".wasm") })
        let file = URL(fileURLWithPath: "\(copy)/\(victim.path)")
        try Data(repeating: 9, count: victim.size).write(to: file)
        #expect(throws: FolderBackup.Failure.self) {
            try FolderBackup.restore(copy, as: place.path + "/restored")
        }
        #expect(!FileManager.default.fileExists(atPath: place.path + "/restored"))
        #expect(!FileManager.default.fileExists(atPath: place.path + "/restored.partial"))
    }

    @Test("a mistyped folder is not made a server's")
    func mistyped() throws {
        let place = try TemporaryDirectory("mistyped")
        let folder = place.path + "/nope"
        #expect(throws: FolderBackup.Failure.self) { try FolderCheck.migrate(folder) }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("a start that cannot be says which file is at fault and what to do")
    func startFailures() throws {
        let place = try TemporaryDirectory("start")
        func failure(_ folder: String, token: String? = nil) -> StartFailure? {
            var configuration = PatchServer.Configuration(dataFolder: folder)
            configuration.adminTokenFile = token
            do {
                try PatchServer(configuration: configuration, log: ServerLog(write: { _ in }))
                    .stop()
                return nil
            } catch {
                return error as? StartFailure
            }
        }
        let file = try place.write("text", to: "a-file").path
        let none = failure(file)
        #expect(none?.reason == .folderUnusable && none?.description.contains(file) == true)
        #expect(failure("/proc/patchd")?.reason == .folderUnusable)
        for name in ["server.sqlite", "telemetry.sqlite"] {
            let folder = place.path + "/with-" + name
            #expect(failure(folder) == nil)
            for more in ["-wal", "-shm"] { unlink("\(folder)/\(name)\(more)") }
            try Data("this is no database at all".utf8).write(
                to: URL(fileURLWithPath: "\(folder)/\(name)"))
            let damaged = failure(folder)
            #expect(damaged?.reason == .databaseDamaged, "\(name)")
            #expect(damaged?.description.contains(name) == true, "\(String(describing: damaged))")
            #expect(damaged?.remedy.contains("patchd restore --from") == true)
            #expect(throws: StartFailure.self) { try FolderCheck.migrate(folder) }
        }
        let large = try place.write(String(repeating: "x", count: 5_000), to: "large").path
        let blank = try place.write(" \n", to: "blank").path
        for token in [large, blank, place.path, place.path + "/missing"] {
            let unusable = failure(place.path + "/tokens", token: token)
            #expect(unusable?.reason == .adminTokenUnusable, "\(token)")
            #expect(unusable?.description.contains(token) == true, "\(token)")
        }
        let token = try place.write("opa_1\n", to: "token").path
        #expect(failure(place.path + "/tokens", token: token) == nil)
    }

    @Test("a check names every file that is missing or not what was signed, and wrong counts")
    func check() async throws {
        let fixture = try await filled()
        await #expect(throws: APIError.self) {
            _ = try await FolderCheck.run(fixture.folder.path)
        }
        fixture.server.stop()
        let tree = "apps/\(fixture.appKey)/tree/targets"
        let names = try FileManager.default.subpathsOfDirectory(
            atPath: fixture.folder.file(tree).path
        ).filter { $0.hasSuffix(".wasm") }.sorted()
        try Data([9, 9, 9]).write(to: fixture.folder.file("\(tree)/\(names[0])"))
        try FileManager.default.removeItem(at: fixture.folder.file("\(tree)/\(names[1])"))
        try SQLiteConnection(path: fixture.folder.path + "/telemetry.sqlite").execute(
            "UPDATE hours SET count = 7")
        let report = try await FolderCheck.run(fixture.folder.path)
        #expect(
            Set(report.problems.map(\.code)) == ["file_damaged", "file_missing", "counts_wrong"])
        let repaired = try await FolderCheck.run(fixture.folder.path, repair: true)
        #expect(repaired.repaired == 1)
        let after = try await FolderCheck.run(fixture.folder.path)
        #expect(after.problems.count == 2)
    }
}

@Suite struct MetricsTests {
    @Test("metrics tell an operator what is served and when something expires, and nobody else")
    func metrics() async throws {
        let fixture = try await BrakeTests.rolledOut()
        let admin = AppStore.readToken(fixture.server.adminTokenFile) ?? ""
        _ = try await fixture.http.send("BREW", "/healthz")
        await fixture.server.lookAtGates()
        let answer = try await fixture.http.send(
            "GET", "/metrics", ["Authorization": "Bearer \(admin)"])
        #expect(answer.headers["content-type"]?.hasPrefix("text/plain") == true)
        var samples: [String: Double] = [:]
        for line in answer.text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            #expect(words.count == 2, "\(line)")
            samples[String(words[0])] = Double(words[1])
        }
        #expect(samples["openpatch_http_requests_total{method=\"other\",status=\"405\"}"] == 1)
        #expect(samples["openpatch_apps"] == 1 && samples["openpatch_watched_rollouts"] == 1)
        let left = samples["openpatch_expiry_seconds{role=\"timestamp\"}"] ?? 0
        #expect((6.9 * 86_400...7 * 86_400).contains(left))
        #expect(samples["openpatch_expiry_seconds{role=\"brakes\"}"] != nil)
        #expect(
            samples["openpatch_http_request_seconds_count"]
                == samples["openpatch_http_request_seconds_bucket{le=\"+Inf\"}"])
        #expect(try await fixture.http.send("GET", "/metrics").status == 401)
        #expect(try await fixture.http.send("GET", "/metrics", fixture.bearer).status == 401)
        #expect(try await fixture.http.send("GET", "/readyz").json["status"] as? String == "ready")
    }
}

@Suite struct ClientAddressTests {
    @Test("a forwarded address is believed from a trusted proxy only, and only as far as it saw")
    func forwarded() {
        let headers: HTTPHeaders = ["X-Forwarded-For": "6.6.6.6, 9.9.9.9, 10.0.0.2"]
        let proxies: Set<String> = ["10.0.0.1", "10.0.0.2"]
        #expect(ClientAddress.of(peer: "1.2.3.4", headers, trusting: proxies) == "1.2.3.4")
        #expect(ClientAddress.of(peer: "10.0.0.1", headers, trusting: proxies) == "9.9.9.9")
        #expect(ClientAddress.of(peer: "10.0.0.1", [:], trusting: proxies) == "10.0.0.1")
        let long: HTTPHeaders = ["X-Forwarded-For": String(repeating: "x", count: 100)]
        #expect(ClientAddress.of(peer: "10.0.0.1", long, trusting: proxies) == "10.0.0.1")
    }
}
