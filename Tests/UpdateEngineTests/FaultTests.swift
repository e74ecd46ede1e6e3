import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

/// Whatever goes wrong: an error with a code, the state as it was, and the next try succeeds.
@Suite struct FaultTests {
    let fixture: EngineFixture

    init() async throws {
        fixture = try EngineFixture()
        try fixture.app.release(EngineFixture.payload("one"), version: "1.1", sequence: 1)
        try await fixture.update()
        _ = try await fixture.engine.check()
    }

    func publishTwo() throws {
        try fixture.app.release(EngineFixture.payload("two"), version: "1.2", sequence: 2)
    }

    /// Fetching fails with `reason`, nothing that matters on disk changes, and once the fault is
    /// gone the update goes through.
    func expectFetch(_ reason: Reason, repair: () throws -> Void) async throws {
        #expect(try await fixture.engine.check().isUpdate)
        let before = try fixture.disk()
        #expect(await fixture.failure { _ = try await fixture.engine.fetch() } == reason)
        #expect(try fixture.disk() == before)
        #expect(try await fixture.engine.open().current?.version == "1.1")
        try repair()
        try await fixture.update()
        #expect(try await fixture.engine.open().current?.version == "1.2")
    }

    @Test("a payload with one wrong bit is refused")
    func wrongHash() async throws {
        try publishTwo()
        let file = try fixture.app.payloadFile(version: "1.2")
        let good = try Data(contentsOf: file)
        var bad = good
        bad[bad.count / 2] ^= 1
        try bad.write(to: file)
        try await expectFetch(.digestMismatch) { try good.write(to: file) }
    }

    @Test("S10: a payload that is one byte longer than signed is stopped there")
    func S10_tooLong() async throws {
        try publishTwo()
        try fixture.server.setFaults(["/modules/": .grow(by: 1)])
        try await expectFetch(.sizeMismatch) { try fixture.server.setFaults([:]) }
    }

    @Test("a payload that is shorter than signed is refused")
    func tooShort() async throws {
        try publishTwo()
        let file = try fixture.app.payloadFile(version: "1.2")
        let good = try Data(contentsOf: file)
        try good.dropLast().write(to: file)
        try await expectFetch(.sizeMismatch) { try good.write(to: file) }
    }

    @Test("half a download is continued where it ended")
    func resumed() async throws {
        try publishTwo()
        try fixture.server.setFaults(["/modules/": .cut(after: 20)])
        fixture.server.forgetRequests()
        try await expectFetch(.answerCutOff) { try fixture.server.setFaults([:]) }
        let module = fixture.server.requests.filter { $0.contains("/modules/") }
        #expect(module.count == 2)
        #expect(module.last?.hasPrefix("206") == true, "\(module)")
        #expect(module.last?.hasSuffix("bytes=20-") == true, "\(module)")
    }

    @Test("half a download begins again where the server knows no ranges")
    func restarted() async throws {
        try publishTwo()
        try fixture.server.setFaults(["/modules/": .cut(after: 20)])
        try await expectFetch(.answerCutOff) {
            try fixture.server.setFaults(["/modules/": .noRanges])
        }
    }

    @Test("half a download that was spoiled on this side is refused, then fetched whole")
    func spoiledPart() async throws {
        try publishTwo()
        try fixture.server.setFaults(["/modules/": .cut(after: 20)])
        _ = try await fixture.engine.check()
        _ = await fixture.failure { _ = try await fixture.engine.fetch() }
        try fixture.server.setFaults([:])
        let part = fixture.folder.file("state/incoming/\(EngineFixture.digest("two")).part")
        var bytes = try Data(contentsOf: part)
        bytes[0] ^= 1
        try bytes.write(to: part)
        #expect(await fixture.failure { _ = try await fixture.engine.fetch() } == .digestMismatch)
        try await fixture.update()
        #expect(try await fixture.engine.open().current?.version == "1.2")
    }

    @Test("P37: a download cut at any tenth of its length ends whole at last", arguments: 1...9)
    func P37_cutAtEveryTenth(_ tenth: Int) async throws {
        try publishTwo()
        let size = try Data(contentsOf: fixture.app.payloadFile(version: "1.2")).count
        try fixture.server.setFaults(["/modules/": .cut(after: size * tenth / 10)])
        try await expectFetch(.answerCutOff) { try fixture.server.setFaults([:]) }
    }

    @Test("a server that goes down between check and fetch changes nothing")
    func serverDown() async throws {
        try publishTwo()
        _ = try await fixture.engine.check()
        let before = try fixture.disk()
        fixture.server.stop()
        #expect(
            await fixture.failure { _ = try await fixture.engine.fetch() } == .serverUnreachable)
        #expect(
            await fixture.failure { _ = try await fixture.engine.check() } == .serverUnreachable)
        #expect(try fixture.disk() == before)
        fixture.restart()
        #expect(try await fixture.engine.open().current?.version == "1.1")
    }

    @Test("error answers are told apart", arguments: [403, 404, 410, 500, 503])
    func errorAnswers(_ status: Int) async throws {
        try publishTwo()
        try fixture.server.setFaults(["/modules/": .status(status)])
        try await expectFetch(.serverRefused) { try fixture.server.setFaults([:]) }
        try fixture.server.setFaults(["timestamp.json": .status(status)])
        #expect(await fixture.failure { _ = try await fixture.engine.check() } == .serverRefused)
    }

    @Test("S10: a payload that decompresses beyond its signed size is stopped")
    func S10_bomb() async throws {
        let bomb = [UInt8](repeating: 0, count: 4 << 20)
        let digest = try fixture.app.add(bomb, version: "1.2", sequence: 2) {
            $0.raw.size = 1000
        }
        try fixture.app.setHead { $0.stable = digest }
        #expect(try await fixture.engine.check().isUpdate)
        #expect(
            await fixture.failure { _ = try await fixture.engine.fetch() } == .decodingFailed)
    }

    @Test("S13: a payload that is not what the release names is refused, whatever the tree signs")
    func S13_otherPayload() async throws {
        let claimed = String(repeating: "0", count: 64)
        try fixture.app.add(EngineFixture.payload("x"), version: "1.2", sequence: 2) {
            $0.raw.sha256 = claimed
        }
        try fixture.app.setHead { $0.stable = claimed }
        #expect(try await fixture.engine.check().isUpdate)
        #expect(
            await fixture.failure { _ = try await fixture.engine.fetch() } == .digestMismatch)
    }

    @Test("an encoding of the future is refused by name")
    func unknownEncoding() async throws {
        let digest = try fixture.app.add(
            EngineFixture.payload("x"), version: "1.2", sequence: 2,
            encoding: PayloadEncoding(rawValue: "zstd"))
        try fixture.app.setHead { $0.stable = digest }
        _ = try await fixture.engine.check()
        #expect(
            await fixture.failure { _ = try await fixture.engine.fetch() } == .encodingUnknown)
    }

    @Test("a payload larger than this app takes is refused before it is asked for")
    func tooLargeForApp() async throws {
        fixture.settings.maximumPayload = 10
        fixture.restart()
        try publishTwo()
        _ = try await fixture.engine.check()
        fixture.server.forgetRequests()
        #expect(await fixture.failure { _ = try await fixture.engine.fetch() } == .sizeMismatch)
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("while another process fetches, this one does not")
    func busy() async throws {
        try publishTwo()
        _ = try await fixture.engine.check()
        let lock = try fixture.files.lock("fetch.lock", wait: false)
        #expect(await fixture.failure { _ = try await fixture.engine.fetch() } == .stateBusy)
        lock?.release()
        #expect(try await fixture.engine.fetch() != nil)
    }
}
