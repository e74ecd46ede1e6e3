import Foundation
import PatchPlatform
import TestSupport
import Testing

@testable import PatchServer

@Suite struct TelemetryTests {
    @Test("P53: replaying every event twice, in any order and any batches, changes nothing")
    func replay() async throws {
        var random = SeededGenerator()
        let fixture = try TelemetryFixture()
        let names = EventName.allCases.map(\.rawValue)
        var told: [(install: String, event: [String: Any])] = []
        for _ in 0..<20 {
            let install = UUID().uuidString.lowercased()
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let release =
                    [TelemetryFixture.release, String(repeating: "ef", count: 32), nil]
                    .randomElement(using: &random) ?? nil
                // Some clocks are years off in either direction.
                let ago = [0, 10, 90_000, 40 * 86_400, -40 * 86_400].randomElement(using: &random)
                told.append(
                    (
                        install,
                        fixture.event(
                            names.randomElement(using: &random) ?? "check", release: release,
                            ago: Double(ago ?? 0) + Double.random(in: 0...50, using: &random),
                            ["bytes": 100, "duration_ms": 7, "reason": "trapped"])
                    ))
            }
        }
        for (install, event) in told { try fixture.tell(install, [event]) }
        let first = try fixture.dump()
        fixture.clock.advance(by: 5_000)
        for (install, events) in Dictionary(grouping: told.shuffled(using: &random), by: \.install)
        {
            let outcome = try fixture.tell(install, events.map(\.event))
            #expect(outcome == .taken(new: 0, known: events.count))
        }
        #expect(try fixture.dump() == first, "\(random)")
        #expect(try fixture.store.recount() == 0)
        #expect(try fixture.numbers().days.reduce(0) { $0 + $1.count } == told.count)
    }

    @Test("the last state is the latest by the device's clock, in whatever order events arrive")
    func lastState() throws {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let fixture = try TelemetryFixture()
            let install = UUID().uuidString
            let events = [
                fixture.event("download", ago: 30), fixture.event("activate", ago: 20),
                fixture.event("ready", ago: 10),
            ]
            for index in order { try fixture.tell(install, [events[index]]) }
            let device = try #require(
                try fixture.store.device(
                    UUIDBytes.parse(install) ?? [], app: TelemetryFixture.app))
            #expect(device.last_event == "ready" && device.events.count == 3)
            #expect(device.os == "iOS 17.5" && device.release == TelemetryFixture.release)
        }
    }

    @Test(
        "P53, P57: an install counts once for a release, with why it failed, however often it tells the same story"
    )
    func countsInstalls() throws {
        let fixture = try TelemetryFixture()
        for index in 0..<10 {
            let install = UUID().uuidString
            for _ in 0..<3 { try fixture.tell(install, [fixture.event("activate")]) }
            if index < 4 {
                try fixture.tell(
                    install, [fixture.event("trap", ["reason": "trapped"]), fixture.event("trap")])
            } else {
                try fixture.tell(install, [fixture.event("ready")])
            }
        }
        let release = try #require(try fixture.numbers().releases.first)
        #expect(release.activated == 10 && release.failed == 4 && release.ready == 6)
        #expect(release.failure_rate == 0.4 && release.current == 10)
        #expect(release.failure_rate_low > 0.1 && release.failure_rate_high < 0.7)
        #expect(release.reasons == [.init(reason: "trapped", installs: 4)])
    }

    @Test("going back because the head or a brake says so is no failure of the release")
    func decidedRollback() throws {
        let fixture = try TelemetryFixture()
        for reason in ["embedded", "recalled", "rolled_back"] {
            try fixture.tell(
                UUID().uuidString,
                [fixture.event("activate"), fixture.event("rollback", ["reason": reason])])
        }
        #expect(try fixture.numbers().releases.first?.failed == 0)
        try fixture.tell(UUID().uuidString, [fixture.event("rollback", ["reason": "slot_damaged"])])
        #expect(try fixture.numbers().releases.first?.failed == 1)
    }

    @Test("a clock that was wrong when an event was told first does not make it count again")
    func clockOff() throws {
        let fixture = try TelemetryFixture()
        let install = UUID().uuidString
        // Two days ahead now; in two days it is a time like any other.
        let event = fixture.event("ready", ago: -2 * 86_400)
        #expect(try fixture.tell(install, [event]) == .taken(new: 1, known: 0))
        fixture.clock.advance(by: 2 * 86_400)
        #expect(try fixture.tell(install, [event]) == .taken(new: 0, known: 1))
        #expect(try fixture.store.recount() == 0)
    }

    @Test("an erased install leaves nothing behind, and the counts are as if it had never been")
    func erasure() throws {
        let fixture = try TelemetryFixture()
        let (gone, stays) = (UUID().uuidString.lowercased(), UUID().uuidString)
        try fixture.tell(stays, [fixture.event("activate", ["bytes": 5]), fixture.event("ready")])
        let before = try fixture.dump()
        try fixture.tell(
            gone,
            [
                fixture.event("activate", ["bytes": 9, "reason": "made_up", "detail": "secret"]),
                fixture.event("trap", ago: 90_000), fixture.event("ready", ago: -1e8),
            ])
        let bytes = try #require(UUIDBytes.parse(gone))
        #expect(try fixture.store.erase(install: bytes, app: TelemetryFixture.app))
        #expect(try fixture.dump() == before)
        #expect(try fixture.store.recount() == 0)
        #expect(try !fixture.store.erase(install: bytes, app: TelemetryFixture.app))
        #expect(try fixture.store.device(bytes, app: TelemetryFixture.app) == nil)
        for file in try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) {
            let data = try Data(contentsOf: fixture.folder.file(file))
            #expect(data.range(of: Data("secret".utf8)) == nil, "\(file)")
            #expect(data.range(of: Data(bytes)) == nil, "\(file)")
        }
    }

    @Test("an install that tells without end is told to wait, and others are not")
    func perInstallLimit() throws {
        var limits = TelemetryWriter.Limits()
        limits.eventsPerDay = 10
        let fixture = try TelemetryFixture(limits: limits)
        let loud = UUID().uuidString
        let ten = (0..<10).map { _ in fixture.event("check") }
        #expect(try fixture.tell(loud, ten) == .taken(new: 10, known: 0))
        guard case .overLimit(let seconds) = try fixture.tell(loud, [fixture.event("check")]) else {
            Issue.record("it was taken")
            return
        }
        #expect((60...86_400).contains(seconds))
        #expect(
            try fixture.tell(UUID().uuidString, [fixture.event("check")])
                == .taken(new: 1, known: 0))
        fixture.clock.advance(by: 86_400)
        #expect(try fixture.tell(loud, [fixture.event("check")]) == .taken(new: 1, known: 0))
    }

    @Test("made-up builds and releases share one name once there are too many of them")
    func strangeNames() throws {
        var limits = TelemetryWriter.Limits()
        limits.strangeNames = 5
        let fixture = try TelemetryFixture(limits: limits, published: [TelemetryFixture.release])
        for index in 0..<40 {
            try fixture.tell(
                UUID().uuidString, [fixture.event("activate", release: "made-up-\(index)")])
        }
        try fixture.tell(UUID().uuidString, [fixture.event("activate")])
        let releases = try fixture.numbers().releases
        #expect(releases.count <= 7)
        #expect(releases.contains { $0.release == TelemetryFixture.release && $0.activated == 1 })
        #expect(releases.contains { $0.release == TelemetryWriter.other && $0.activated > 30 })
    }

    @Test("made-up reasons make no rows of their own in the counts")
    func strangeReasons() throws {
        let fixture = try TelemetryFixture()
        for index in 0..<20 {
            try fixture.tell(UUID().uuidString, [fixture.event("trap", ["reason": "r\(index)"])])
        }
        #expect(try fixture.numbers().days.count == 1)
        #expect(try fixture.store.recount() == 0)
    }

    @Test("days beyond what is kept are dropped, their counts stay")
    func retention() throws {
        let fixture = try TelemetryFixture()
        try fixture.tell(UUID().uuidString, [fixture.event("ready")])
        #expect(try fixture.store.prune() == 0)
        fixture.clock.advance(by: 91 * 86_400)
        try fixture.tell(UUID().uuidString, [fixture.event("ready")])
        #expect(try fixture.store.prune() == 1)
        #expect(try fixture.store.recount() == 0)
        #expect(try fixture.numbers().installs == 2)
    }

    @Test("a count that went wrong is found and put right")
    func recount() throws {
        let fixture = try TelemetryFixture()
        try fixture.tell(UUID().uuidString, [fixture.event("ready"), fixture.event("check")])
        try fixture.store.database.write {
            try $0.run("UPDATE hours SET count = 9 WHERE event = 4")
        }
        #expect(try fixture.store.recount(repair: true) == 1)
        #expect(try fixture.store.recount() == 0)
    }

    @Test(
        "P56, P58: devices that are no longer heard of are an alert, and every number says what it is"
    )
    func silentDevices() throws {
        let fixture = try TelemetryFixture()
        for _ in 0..<20 { try fixture.tell(UUID().uuidString, [fixture.event("check")]) }
        fixture.clock.advance(by: 49 * 3_600)
        for _ in 0..<20 { try fixture.tell(UUID().uuidString, [fixture.event("check")]) }
        let silent = try fixture.numbers()
        #expect(silent.silent_hours_p50 == 0 && silent.silent_hours_p95 == 49)
        #expect(silent.alerts == ["silent_devices"] && silent.installs_day == 20)
        #expect(silent.definition.contains("Installs, not people"))
        for _ in 0..<400 { try fixture.tell(UUID().uuidString, [fixture.event("check")]) }
        #expect(try fixture.numbers().alerts.isEmpty)
    }

    @Test("batches that wait together are all answered, each for itself")
    func together() async throws {
        let fixture = try TelemetryFixture()
        let outcomes = try await withThrowingTaskGroup(of: TelemetryWriter.Outcome.self) { group in
            for _ in 0..<300 {
                let body = try TelemetryFixture.body(
                    UUID().uuidString, [fixture.event("activate"), fixture.event("ready")])
                group.addTask {
                    try await fixture.store.take(
                        .init(app: TelemetryFixture.app, batch: try EventBatch(body)))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == Array(repeating: .taken(new: 2, known: 0), count: 300))
        #expect(try fixture.numbers().releases.first?.activated == 300)
    }

    @Test("a full disk keeps nothing of a batch, and the same batch is taken when there is room")
    func diskFull() throws {
        let fixture = try TelemetryFixture()
        try fixture.tell(UUID().uuidString, [fixture.event("check")])
        let before = try fixture.dump()
        let pages = try fixture.store.database.maintain { connection in
            let pages = try connection.integer("PRAGMA page_count")
            _ = try connection.integer("PRAGMA max_page_count = \(pages + 2)")
            return pages
        }
        let install = UUID().uuidString
        let batch = (0..<50).map { _ in
            fixture.event("check", ["detail": String(repeating: "x", count: 250)])
        }
        do {
            try fixture.tell(install, batch)
            Issue.record("\(pages + 2) pages were enough")
        } catch let error as DatabaseError {
            #expect(error.isFull && error.refusal.status == 507)
        }
        #expect(try fixture.dump() == before)
        _ = try fixture.store.database.maintain {
            try $0.integer("PRAGMA max_page_count = 1000000")
        }
        #expect(try fixture.tell(install, batch) == .taken(new: 50, known: 0))
        #expect(try fixture.store.recount() == 0)
    }
}
