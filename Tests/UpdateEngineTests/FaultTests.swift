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
