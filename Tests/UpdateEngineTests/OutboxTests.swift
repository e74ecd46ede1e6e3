import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

/// Events are on the disk before anything else is done about them, and leave it when the server has
/// them.
@Suite struct OutboxTests {
    let folder: TemporaryDirectory
    let files: LocalFileStore
    let clock = ManualClock()
    let transport = URLSessionTransport()

    init() throws {
        folder = try TemporaryDirectory("outbox")
        files = LocalFileStore(folder: folder.file("state"))
    }

    private func outbox(
        _ telemetry: Telemetry = .on, _ change: (inout Outbox.Limits) -> Void = { _ in }
    ) -> Outbox {
        var limits = Outbox.Limits()
        change(&limits)
        return Outbox(files: files, clock: clock, limits: limits, telemetry: telemetry)
    }

    private func event(_ detail: String) -> TelemetryEvent {
        var event = TelemetryEvent(
            .download, at: clock.now(), fingerprint: String(repeating: "ab", count: 32),
            sdk: "0.1")
        event.detail = detail
        event.bytes = 1234
        event.isDelta = true
        event.isResumed = false
        event.durationMilliseconds = 56
        event.reason = "update_stable"
        event.os = "linux 6.1"
        event.appVersion = "1.0"
        event.release = String(repeating: "cd", count: 32)
        return event
    }

    private var stored: String {
        let bytes = (try? files.read("outbox/events.jsonl", maximumSize: 1 << 20)) ?? nil
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    private func details(_ receiver: EventReceiver) throws -> [String] {
        try receiver.bodies().flatMap { $0["events"] as? [[String: Any]] ?? [] }
            .compactMap { $0["detail"] as? String }
    }

    // MARK: The wire

    @Test("events arrive in order, in batches, with the fields of the documented form")
    func wire() async throws {
        let receiver = try EventReceiver()
        let outbox = outbox { $0.batch = 3 }
        for index in 0..<7 { try await outbox.record(event("\(index)")) }
        #expect(await outbox.send(to: receiver.url, transport: transport) == .sent(7))
        let bodies = try receiver.bodies()
        #expect(try details(receiver) == (0..<7).map { "\($0)" })
        #expect(bodies.map { ($0["events"] as? [Any])?.count } == [3, 3, 1])
        let install = Set(bodies.compactMap { $0["install_id"] as? String })
        #expect(install.count == 1 && UUID(uuidString: install.first ?? "") != nil)
        let first = try #require((bodies[0]["events"] as? [[String: Any]])?.first)
        #expect(
            Set(first.keys) == [
                "id", "name", "at", "release", "fingerprint", "sdk", "os", "app_version",
                "duration_ms", "bytes", "is_delta", "resumed", "reason", "detail",
            ])
        #expect(stored.isEmpty)
        #expect(await outbox.send(to: receiver.url, transport: transport) == .nothing)
        #expect(receiver.requests == 3)
    }

    @Test("names of events are those of the documented table")
    func names() {
        #expect(
            TelemetryEvent.Name.allCases.map(\.rawValue) == [
                "check", "download", "verify", "activate", "ready", "rollback", "trap", "fallback",
                "demotion", "crash_after_ready",
            ])
    }

    @Test("what was taken but not answered for is sent again under the same ids")
    func replay() async throws {
        let receiver = try EventReceiver()
        try receiver.answer(["0"])
        let first = outbox()
        for index in 0..<3 { try await first.record(event("\(index)")) }
        let outcome = await first.send(to: receiver.url, transport: transport)
        guard case .failed = outcome else {
            Issue.record("\(outcome)")
            return
        }
        // Another process, later.
        clock.advance(by: 3600)
        let second = outbox()
        #expect(await second.send(to: receiver.url, transport: transport) == .sent(3))
        let ids = try receiver.ids()
        #expect(ids.count == 6 && Set(ids).count == 3)
        #expect(Array(ids.prefix(3)) == Array(ids.suffix(3)))
        let installs = Set(try receiver.bodies().compactMap { $0["install_id"] as? String })
        #expect(installs.count == 1)
    }

    // MARK: Patience

    @Test("Retry-After is honoured, by other processes too, and up to a day")
    func retryAfter() async throws {
        let receiver = try EventReceiver()
        try receiver.answer(["429:500", "503:99999999"])
        try await outbox().record(event("x"))
        let until = clock.now() + 500
        #expect(
            await outbox().send(to: receiver.url, transport: transport) == .notBefore(until))
        clock.advance(by: 499)
        #expect(
            await outbox().send(to: receiver.url, transport: transport) == .notBefore(until))
        #expect(receiver.requests == 1)
        clock.advance(by: 2)
        let day = clock.now() + 86400
        #expect(await outbox().send(to: receiver.url, transport: transport) == .notBefore(day))
        clock.advance(by: -2 * 86400)
        #expect(
            await outbox().send(to: receiver.url, transport: transport) == .sent(1),
            "a clock that was set back makes nobody wait")
    }

    @Test("failures make the pauses longer, and an answer ends them")
    func backoff() async throws {
        let nobody = try #require(URL(string: "http://127.0.0.1:\(Tools.freePort())/events"))
        try await outbox().record(event("x"))
        var pauses: [Double] = []
        for _ in 0..<12 {
            guard case .failed(let error) = await outbox().send(to: nobody, transport: transport)
            else {
                Issue.record("sent to nobody")
                return
            }
            #expect(error.reason == .serverUnreachable)
            guard case .notBefore(let until) = await outbox().send(to: nobody, transport: transport)
            else {
                Issue.record("no patience")
                return
            }
            pauses.append(until - clock.now())
            clock.advance(by: until - clock.now())
        }
        #expect(pauses[0] <= 45 && pauses[11] >= 3600 * 3 && pauses[11] <= 3600 * 9, "\(pauses)")
        let receiver = try EventReceiver()
        #expect(await outbox().send(to: receiver.url, transport: transport) == .sent(1))
        #expect(try files.size(of: "outbox/patience.json") == nil)
    }

    @Test("an event that the server can never take does not keep the others back")
    func poison() async throws {
        let receiver = try EventReceiver()
        try receiver.answer(["poison:bad apple"])
        let outbox = outbox()
        for index in 0..<20 {
            try await outbox.record(event(index == 13 ? "bad apple" : "\(index)"))
        }
        #expect(await outbox.send(to: receiver.url, transport: transport) == .sent(19))
        #expect(try details(receiver) == (0..<20).filter { $0 != 13 }.map { "\($0)" })
        #expect(outbox.lost == 1)
        #expect(stored.isEmpty)
    }

    @Test("what is recorded while a batch is on its way is not forgotten with it")
    func recordedMeanwhile() async throws {
        let receiver = try EventReceiver()
        let outbox = outbox { $0.batch = 5 }
        for index in 0..<20 { try await outbox.record(event("\(index)")) }
        async let sending = outbox.send(to: receiver.url, transport: transport)
        for index in 20..<40 { try await outbox.record(event("\(index)")) }
        _ = await sending
        _ = await outbox.send(to: receiver.url, transport: transport)
        #expect(Set(try details(receiver)) == Set((0..<40).map { "\($0)" }))
        #expect(try receiver.ids().count == 40)
    }

    // MARK: Bounds

    @Test("200 events and 64 KB wait at most; the oldest give way")
    func bounds() async throws {
        let outbox = outbox()
        for index in 0..<230 { try await outbox.record(event("\(index)")) }
        #expect(stored.split(separator: "\n").count <= 200)
        #expect(stored.utf8.count <= 64 << 10)
        #expect(stored.contains("\"229\"") && !stored.contains("\"detail\":\"0\""))
        var large = event(String(repeating: "é", count: 10_000))
        large.reason = String(repeating: "r", count: 10_000)
        large.sdk = String(repeating: "s", count: 10_000)
        large.at = .nan
        for _ in 0..<100 { try await outbox.record(large) }
        #expect(stored.utf8.count <= 64 << 10)
        let line = try #require(stored.split(separator: "\n").last)
        #expect(line.utf8.count < 1000)
        #expect(line.contains(String(repeating: "é", count: 128) + "\""))
    }

    @Test("a flood of events neither blocks nor grows: what is too much is counted as lost")
    func flood() async throws {
        let outbox = outbox { $0.pending = 8 }
        let begun = LiveClock().monotonicNanoseconds()
        for index in 0..<5000 { outbox.post(event("\(index)")) }
        #expect(LiveClock().monotonicNanoseconds() - begun < 60_000_000_000)
        // Whatever was let in arrives.
        for _ in 0..<30_000 where stored.isEmpty { try await Task.sleep(nanoseconds: 10_000_000) }
        let kept = stored.split(separator: "\n").count
        #expect(kept > 0 && kept <= 200)
        // How many depends on how fast the disk is meanwhile.
        #expect(outbox.lost > 0)
    }

    @Test("damaged files give up what is damaged and nothing else")
    func damaged() async throws {
        let outbox = outbox()
        try await outbox.record(event("one"))
        try await outbox.record(event("two"))
        let whole = stored
        let writer = try files.openForWriting("outbox/events.jsonl", appending: false)
        let torn = Array(
            (whole.replacingOccurrences(of: "{\"app", with: "{\"") + whole.dropLast(20)).utf8)
        try torn.withUnsafeBytes { try writer.write($0) }
        try writer.finish()
        try await outbox.record(event("three"))
        let receiver = try EventReceiver()
        #expect(await outbox.send(to: receiver.url, transport: transport) != .nothing)
        #expect(try details(receiver).last == "three")
        #expect(try details(receiver).contains("one"))

        for garbage in [
            [UInt8](repeating: 0xFF, count: 5000), [0], Array("{}\n[]\n".utf8),
            [UInt8](repeating: 0x61, count: 1 << 20),
        ] {
            try files.writeAtomically(garbage, to: "outbox/events.jsonl")
            try await outbox.record(event("after"))
            #expect(await outbox.send(to: receiver.url, transport: transport) == .sent(1))
        }
    }

    @Test("a disk that refuses loses the event and says so; nothing else fails")
    func diskRefuses() async throws {
        let file = folder.file("file")
        try Data([1]).write(to: file)
        let outbox = Outbox(
            files: LocalFileStore(folder: file.appendingPathComponent("below")), clock: clock)
        await #expect(throws: UpdateError.self) { try await outbox.record(event("x")) }
        #expect(outbox.lost == 1)
    }

    // MARK: Consent

    @Test("off writes nothing, and takes away what was there")
    func off() async throws {
        let off = outbox(.off)
        try await off.record(event("x"))
        off.post(event("y"))
        #expect(try files.list(".").isEmpty)
        try await outbox().record(event("x"))
        let receiver = try EventReceiver()
        #expect(await off.send(to: receiver.url, transport: transport) == .nothing)
        #expect(try files.list("outbox").isEmpty)
        #expect(receiver.requests == 0)
    }

    @Test("a sample takes whole installs, in the share that was asked for")
    func sampled() async throws {
        var telling = 0
        for index in 0..<200 {
            let files = LocalFileStore(folder: folder.file("install \(index)"))
            let outbox = Outbox(
                files: files, clock: clock, random: SeededRandom(seed: UInt64(index)),
                telemetry: .sampled(0.25))
            for _ in 0..<2 { try await outbox.record(event("x")) }
            let bytes = try files.read("outbox/events.jsonl", maximumSize: 1 << 20) ?? []
            let count = bytes.filter { $0 == 0x0A }.count
            #expect(count == 0 || count == 2)
            if count > 0 { telling += 1 }
        }
        #expect((30...70).contains(telling), "\(telling)")
    }

    @Test("an install keeps its id, and another one has another")
    func installID() async throws {
        try await outbox(.sampled(1)).record(event("x"))
        let id = try files.read("outbox/install_id", maximumSize: 64)
        try await outbox(.sampled(1)).record(event("x"))
        #expect(try files.read("outbox/install_id", maximumSize: 64) == id)
        try files.remove("outbox")
        try await outbox(.sampled(1)).record(event("x"))
        #expect(try files.read("outbox/install_id", maximumSize: 64) != id)
    }
}
