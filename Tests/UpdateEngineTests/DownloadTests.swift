import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

/// Downloads over bad networks: what came is kept, what is wrong is not, and every wait ends.
@Suite struct DownloadTests {
    let fixture: EngineFixture

    init() async throws {
        fixture = try EngineFixture()
        try fixture.app.release(EngineFixture.payload("one"), version: "1.1", sequence: 1)
        try await fixture.update()
        try fixture.app.release(EngineFixture.payload("two"), version: "1.2", sequence: 2)
        _ = try await fixture.engine.check()
        fixture.server.forgetRequests()
    }

    private var size: Int {
        get throws { try Data(contentsOf: fixture.app.payloadFile(version: "1.2")).count }
    }

    /// The requests for the payload: `status path range`.
    private var requests: [String] {
        fixture.server.requests.filter { $0.contains("/modules/") }
    }

    private func part() throws -> URL {
        let names = try fixture.files.list("incoming")
        let name = try #require(names.first { $0.hasSuffix(".part") })
        return fixture.folder.file("state/incoming/\(name)")
    }

    /// The release arrives, is activated, and leaves nothing behind.
    private func expectArrival() async throws {
        try await fixture.update()
        #expect(try await fixture.engine.open().current?.version == "1.2")
        #expect(try fixture.files.list("incoming").isEmpty)
    }

    private func expectFetch(_ reason: Reason) async {
        #expect(await fixture.failure { _ = try await fixture.engine.fetch() } == reason)
    }

    // MARK: Continuing

    @Test(
        "P37: cut at every tenth, again and again, it ends whole in the same run", arguments: 1...9)
    func P37_cutAtEveryTenth(_ tenth: Int) async throws {
        try fixture.server.setFaults(["/modules/": .cutPercent(tenth * 10)])
        try await expectArrival()
        let (size, piece) = (try size, try size * tenth / 10)
        #expect(requests.count == (size + piece - 1) / piece)
        #expect(requests.first?.hasPrefix("200") == true)
        #expect(requests.dropFirst().allSatisfy { $0.hasPrefix("206") }, "\(requests)")
        // Nothing was fetched twice.
        #expect(await fixture.engine.lastDownload?.bytes == size)
        #expect(await fixture.engine.lastDownload?.isResumed == true)
    }

    @Test("P37: cut at every tenth, each time with the end of the process, it ends whole")
    func P37_processEnds() async throws {
        let size = try size
        fixture.settings.network.rounds = 1
        for tenth in 1...9 {
            fixture.restart()
            _ = try await fixture.engine.check()
            try fixture.server.setFaults(["/modules/": .cutPercent(10)])
            await expectFetch(.answerCutOff)
            let here = try Data(contentsOf: part()).count
            #expect(here == tenth * (size / 10))
        }
        try fixture.server.setFaults([:])
        fixture.restart()
        try await expectArrival()
        #expect(await fixture.engine.lastDownload?.bytes == size - 9 * (size / 10))
    }

    @Test("a network that brings next to nothing is given up after three rounds")
    func trickle() async throws {
        try fixture.server.setFaults(["/modules/": .cut(after: 20)])
        await expectFetch(.answerCutOff)
        #expect(requests.map { $0.split(separator: " ").last } == ["-", "bytes=20-", "bytes=40-"])
        try fixture.server.setFaults([:])
        try await expectArrival()
    }

    @Test("it begins again where the server knows no ranges, or sends another one")
    func otherServers() async throws {
        for fault in [FaultServer.Fault.noRanges, .otherRange] {
            try fixture.server.setFaults(["/modules/": .cut(after: 20)])
            await expectFetch(.answerCutOff)
            try fixture.server.setFaults(["/modules/": fault])
            fixture.server.forgetRequests()
            if case .otherRange = fault {
                try await expectArrival()
                #expect(requests.map { $0.prefix(3) } == ["206", "200"])
            } else {
                await #expect(throws: Never.self) { try await fixture.engine.fetch() }
                #expect(requests.map { $0.prefix(3) } == ["200"])
                try fixture.files.remove("slots/\(EngineFixture.digest("two"))")
            }
        }
    }

    @Test("what another entity left is not continued, by the tag")
    func otherTag() async throws {
        try fixture.server.setFaults(["/modules/": .cut(after: 20)])
        await expectFetch(.answerCutOff)
        let sidecar = URL(
            fileURLWithPath: try part().path.replacingOccurrences(of: ".part", with: ".json"))
        let text = try String(contentsOf: sidecar, encoding: .utf8)
        for field in ["\"url\"", "\"digest\"", "\"size\"", "\"etag\""] {
            #expect(text.contains(field))
        }
        let tag = try #require(text.range(of: "etag\":\"\\\""))
        var other = text
        other.insert("z", at: tag.upperBound)
        try Data(other.utf8).write(to: sidecar)
        try fixture.server.setFaults([:])
        fixture.server.forgetRequests()
        try await expectArrival()
        #expect(requests.map { $0.prefix(3) } == ["200"])
    }

    @Test("what was spoiled on this side is noticed at the end and fetched whole in the same run")
    func spoiledPart() async throws {
        try fixture.server.setFaults(["/modules/": .cut(after: 20)])
        await expectFetch(.answerCutOff)
        try fixture.server.setFaults([:])
        var bytes = try Data(contentsOf: part())
        bytes[0] ^= 1
        try bytes.write(to: part())
        fixture.server.forgetRequests()
        try await expectArrival()
        #expect(requests.map { $0.prefix(3) } == ["206", "200"])
    }

    @Test("a part that is whole, too long, or has lost its note is dealt with")
    func oddParts() async throws {
        let whole = try Data(contentsOf: fixture.app.payloadFile(version: "1.2"))
        let changes: [(Data) -> Data?] = [{ _ in whole }, { _ in whole + [0] }, { _ in nil }]
        for (index, change) in changes.enumerated() {
            try fixture.server.setFaults(["/modules/": .cut(after: 20)])
            await expectFetch(.answerCutOff)
            let file = try part()
            if let bytes = change(try Data(contentsOf: file)) {
                try bytes.write(to: file)
            } else {
                try FileManager.default.removeItem(
                    atPath: file.path.replacingOccurrences(of: ".part", with: ".json"))
            }
            try fixture.server.setFaults([:])
            fixture.server.forgetRequests()
            await #expect(throws: Never.self) { try await fixture.engine.fetch() }
            // A whole part needs no network at all.
            #expect(requests.map { $0.prefix(3) } == (index == 0 ? [] : ["200"]))
            try fixture.files.remove("slots/\(EngineFixture.digest("two"))")
        }
    }

    @Test("one download is in flight: parts of others are removed when it begins")
    func onePart() async throws {
        try fixture.server.setFaults(["/modules/": .cut(after: 20)])
        await expectFetch(.answerCutOff)
        try fixture.app.release(EngineFixture.payload("three"), version: "1.3", sequence: 3)
        _ = try await fixture.engine.check()
        await expectFetch(.answerCutOff)
        #expect(try fixture.files.list("incoming").count == 2)
    }

    // MARK: Bounds

    @Test("S10: a stream without end stops at the signed size")
    func S10_endless() async throws {
        try fixture.server.setFaults(["/modules/": .endless])
        await expectFetch(.sizeMismatch)
        #expect(try fixture.files.list("incoming").isEmpty)
        // It is not asked again: a mirror that serves such a file serves it again.
        #expect(requests.count == 1)
    }

    @Test("a download that is too slow ends, and what came of it is kept")
    func tooSlow() async throws {
        fixture.settings.network.minimumRate = 100_000
        // Long enough for a first byte on a busy machine; the whole would take 16 seconds.
        fixture.settings.network.rateWindow = 8
        fixture.settings.network.rounds = 1
        fixture.restart()
        _ = try await fixture.engine.check()
        try fixture.server.setFaults(["/modules/": .slow(bytesPerSecond: 200)])
        await expectFetch(.serverTimedOut)
        #expect(try Data(contentsOf: part()).count > 0)
        try fixture.server.setFaults([:])
        fixture.settings.network = NetworkLimits()
        fixture.restart()
        try await expectArrival()
    }

    @Test("all tries together end with the deadline")
    func deadline() async throws {
        fixture.settings.network.deadline = 0.4
        fixture.settings.network.rounds = 1000
        fixture.restart()
        _ = try await fixture.engine.check()
        try fixture.server.setFaults(["/modules/": .stall])
        let begun = LiveClock().monotonicNanoseconds()
        await expectFetch(.serverTimedOut)
        #expect(LiveClock().monotonicNanoseconds() - begun < 60_000_000_000)
    }

    @Test("an error that passes is waited for, one that stays is not")
    func statuses() async throws {
        for (status, tries) in [(500, 3), (503, 3), (429, 3), (404, 1), (403, 1), (410, 1)] {
            try fixture.server.setFaults(["/modules/": .status(status)])
            fixture.server.forgetRequests()
            await expectFetch(.serverRefused)
            #expect(requests.count == tries, "\(status)")
        }
    }

    @Test("Retry-After is waited for when it is short, and ends the attempt when it is long")
    func retryAfter() async throws {
        let begun = fixture.clock.monotonicNanoseconds()
        try fixture.server.setFaults(["/modules/": .busy(status: 503, retryAfter: 7)])
        await expectFetch(.serverRefused)
        let waited = fixture.clock.monotonicNanoseconds() - begun
        #expect(waited >= 14_000_000_000 && waited < 20_000_000_000, "\(waited)")
        #expect(requests.count == 3)
        try fixture.server.setFaults(["/modules/": .busy(status: 503, retryAfter: 3600)])
        fixture.server.forgetRequests()
        await expectFetch(.serverRefused)
        #expect(requests.count == 1)
    }

    @Test("a cancelled fetch ends, and its bytes are kept")
    func cancelled() async throws {
        fixture.settings.network.minimumRate = 0
        fixture.restart()
        _ = try await fixture.engine.check()
        try fixture.server.setFaults(["/modules/": .slow(bytesPerSecond: 20)])
        let engine = fixture.engine
        let first = Lock<CheckedContinuation<Void, Never>?>(nil)
        let task = Task {
            try await engine.fetch(onBytes: { _, _ in
                first.withLock { waiting in
                    waiting?.resume()
                    waiting = nil
                }
            })
        }
        await withCheckedContinuation { waiting in first.withLock { $0 = waiting } }
        task.cancel()
        let reason = await fixture.failure { _ = try await task.value }
        #expect(reason == .cancelled)
        #expect(try Data(contentsOf: part()).count > 0)
        try fixture.server.setFaults([:])
        try await expectArrival()
    }

    @Test("progress is told in bytes and only grows")
    func progress() async throws {
        try fixture.server.setFaults(["/modules/": .cutPercent(30)])
        let seen = Lock<[Int]>([])
        let totals = Lock<Set<Int>>([])
        _ = try await fixture.engine.fetch(onBytes: { received, total in
            seen.withLock { $0.append(received) }
            totals.withLock { _ = $0.insert(total) }
        })
        let all = seen.withLock { $0 }
        #expect(all == all.sorted())
        #expect(all.last == (try size))
        #expect(totals.withLock { $0 } == [try size])
    }
}
