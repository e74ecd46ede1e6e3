import Foundation
import PatchCrypto
import PatchPlatform
import TUF
import TestSupport
import Testing

@testable import PatchServer

@Suite struct ReliabilityTests {
    @Test("a full disk answers 507 to every kind of change, keeps nothing of it, and recovers")
    func diskFull() async throws {
        let isFull = Lock(false)
        let fixture = try await ServerFixture(probe: { step, name in
            guard [.write, .open].contains(step), name.contains("apps/") else { return }
            if isFull.withLock({ $0 }) {
                throw FileError(.diskFull, name: name, systemError: ENOSPC)
            }
        })
        try await fixture.publishBuild()
        func limit(_ pages: Int?) throws {
            for database in [fixture.server.databases.control, fixture.server.databases.telemetry] {
                try database.maintain { connection in
                    let used = try connection.integer("PRAGMA page_count")
                    let most = pages.map { Int(used) + $0 } ?? 1_000_000
                    _ = try connection.integer("PRAGMA max_page_count = \(most)")
                }
            }
        }
        try limit(0)
        isFull.withLock { $0 = true }
        let before = try await fixture.get("metadata/timestamp.json").body
        let detail = String(repeating: "x", count: 250)
        let events = (0..<50).map { _ -> [String: Any] in
            [
                "id": UUID().uuidString, "name": "trap", "at": fixture.clock.now(),
                "fingerprint": ServerFixture.fingerprint, "sdk": "0.1.0", "detail": detail,
            ]
        }
        let batch = try TelemetryFixture.body(UUID().uuidString, events)
        let told = try await fixture.http.send("POST", fixture.path("events"), body: batch)
        #expect(told.status == 507 && told.code == "disk_full", "\(told.text)")
        let published = try await fixture.publish(
            "1.0", sequence: 1, bytes: [UInt8](repeating: 1, count: 1_000))
        #expect(published.status == 507 && published.code == "disk_full", "\(published.text)")
        var statuses: Set<Int> = []
        for _ in 0..<40 {
            statuses.insert(
                try await fixture.call(
                    "POST", "tokens", ["name": detail.prefix(90) + "", "actions": ["read"]]
                )
                .status)
        }
        #expect(statuses.isSubset(of: [201, 507]) && statuses.contains(507), "\(statuses)")
        #expect(try await fixture.get("metadata/timestamp.json").body == before)
        isFull.withLock { $0 = false }
        try limit(nil)
        #expect(
            try await fixture.http.send("POST", fixture.path("events"), body: batch).status == 200)
        #expect(try await fixture.upload().status == 422)
        let again = try await fixture.publish(
            "1.0", sequence: 1, bytes: [UInt8](repeating: 1, count: 1_000))
        #expect(again.status == 201, "\(again.text)")
        _ = try await fixture.client()
    }

    @Test("a clock that goes back by days shortens no metadata, and publishing goes on")
    func clockBack() async throws {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        func expires() async throws -> MetadataTime {
            try SignedMetadata<Timestamp>(
                parsing: try await fixture.get("metadata/timestamp.json").body
            ).signed.expires
        }
        let first = try await expires()
        fixture.clock.advance(by: -5 * 86_400)
        #expect(try await fixture.publish("1.0", sequence: 1, bytes: [1]).status == 201)
        #expect(try await expires() >= first)
        fixture.clock.advance(by: 5 * 86_400)
        _ = try await fixture.client()
    }

    @Test("what was signed under a clock that was years ahead is signed anew once it is right")
    func clockAhead() async throws {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        fixture.clock.advance(by: 300 * 86_400)
        await fixture.server.refreshFreshness()
        fixture.clock.advance(by: -300 * 86_400)
        await fixture.server.refreshFreshness()
        let timestamp = try SignedMetadata<Timestamp>(
            parsing: try await fixture.get("metadata/timestamp.json").body)
        let limit = MetadataTime(Date(timeIntervalSince1970: fixture.clock.now())).adding(days: 8)
        #expect(timestamp.signed.expires < limit)
        _ = try await fixture.client()
    }
}
