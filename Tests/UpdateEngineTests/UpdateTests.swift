import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

/// The way of a release onto a device.
@Suite struct UpdateTests {
    let fixture: EngineFixture
    init() throws { fixture = try EngineFixture() }

    func release(_ text: String, _ sequence: Int) throws {
        try fixture.app.release(
            EngineFixture.payload(text), version: "1.\(sequence)", sequence: sequence)
    }

    @Test("a release is found, fetched, verified, activated, and then it is up to date")
    func wholeWay() async throws {
        try release("one", 1)
        let check = try await fixture.engine.check()
        #expect(check.decision.reason == .updateStable)
        #expect(check.release?.version == "1.1")
        #expect(check.downloadSize > 0)
        let shares = Lock<[Double]>([])
        let staged = try await fixture.engine.fetch { share in
            shares.withLock { $0.append(share) }
        }
        guard case .release(let slot) = staged else {
            Issue.record("nothing staged")
            return
        }
        #expect(slot.digest == EngineFixture.digest("one"))
        #expect(shares.withLock { $0.last } == 1)
        #expect(try await fixture.engine.payload(of: slot) == EngineFixture.payload("one"))
        try await fixture.engine.didActivateStaged()
        let own = try await fixture.engine.open()
        #expect(own.current == slot)
        #expect(own.staged == nil)
        #expect(try await fixture.engine.check().decision.reason == .upToDate)
    }

    @Test("P01: republishing what runs costs a check and no download")
    func P01_republished() async throws {
        try release("one", 1)
        try await fixture.update()
        try fixture.app.setHead { _ in }
        fixture.server.forgetRequests()
        #expect(try await fixture.update() == nil)
        #expect(!fixture.server.requests.contains { $0.contains("/modules/") })
    }

    @Test("an unchanged tree costs one conditional request, after a restart too")
    func conditional() async throws {
        try release("one", 1)
        try await fixture.update()
        for _ in 0..<2 {
            fixture.server.forgetRequests()
            #expect(try await fixture.engine.check().decision.reason == .upToDate)
            #expect(fixture.server.requests.count == 1)
            #expect(fixture.server.requests.first?.hasPrefix("304") == true)
            fixture.restart()
        }
    }

    @Test("P02: a rollback is taken once, from disk, and stays taken after a cold start")
    func P02_rollback() async throws {
        try release("one", 1)
        try await fixture.update()
        try release("two", 2)
        try await fixture.update()
        try fixture.app.setHead { $0.stable = EngineFixture.digest("one") }
        fixture.server.forgetRequests()
        let check = try await fixture.engine.check()
        #expect(check.decision.reason == .rolledBack)
        #expect(check.downloadSize == 0)
        try await fixture.update()
        #expect(!fixture.server.requests.contains { $0.contains("/modules/") })
        fixture.restart()
        #expect(try await fixture.engine.open().current?.version == "1.1")
        #expect(try await fixture.engine.check().decision.reason == .upToDate)
    }

    @Test("P03: back to what the app shipped with, and it stays so after a cold start")
    func P03_embedded() async throws {
        try release("one", 1)
        try await fixture.update()
        try fixture.app.setHead { $0.kind = .embedded }
        #expect(try await fixture.update() == .embedded)
        fixture.restart()
        let own = try await fixture.engine.open()
        #expect(own.current == nil && own.previous == nil && own.staged == nil)
        #expect(try await fixture.engine.check().decision.reason == .upToDate)
    }

    @Test("what is staged survives the end of the process")
    func stagedSurvives() async throws {
        try release("one", 1)
        _ = try await fixture.engine.check()
        _ = try await fixture.engine.fetch()
        fixture.restart()
        guard case .release(let slot) = try await fixture.engine.open().staged else {
            Issue.record("nothing staged")
            return
        }
        #expect(try await fixture.engine.payload(of: slot) == EngineFixture.payload("one"))
    }

    @Test("what is staged is dropped when the head turns back before it was applied")
    func stagedIsWithdrawn() async throws {
        try release("one", 1)
        try await fixture.update()
        try release("two", 2)
        _ = try await fixture.engine.check()
        _ = try await fixture.engine.fetch()
        try fixture.app.setHead { $0.stable = EngineFixture.digest("one") }
        #expect(try await fixture.engine.check().decision.reason == .upToDate)
        #expect(try await fixture.engine.open().staged == nil)
    }

    @Test("P36: after many updates there are two releases on disk and nothing else")
    func P36_retention() async throws {
        for sequence in 1...12 {
            try release("release \(sequence)", sequence)
            try await fixture.update()
            try await fixture.start()
        }
        #expect(
            Set(try fixture.files.list("slots"))
                == [EngineFixture.digest("release 11"), EngineFixture.digest("release 12")])
        #expect(try fixture.files.list("incoming").isEmpty)
    }

    @Test("P30: after a store update the old build's modules are out of reach and off the disk")
    func P30_storeUpdate() async throws {
        try release("one", 1)
        try await fixture.update()
        fixture.settings.fingerprint = String(repeating: "c", count: 64)
        fixture.restart()
        let own = try await fixture.engine.launch().state
        #expect(own == BuildState())
        #expect(try fixture.files.list("slots").isEmpty)
        // Nothing is published for the new build.
        #expect(try await fixture.engine.check().decision.reason == .headMissing)
    }

    @Test("the device keeps its id, and state names nothing outside its folder")
    func stateFile() async throws {
        try release("one", 1)
        try await fixture.update()
        let id = try fixture.state().deviceID
        fixture.restart()
        try await fixture.update()
        #expect(try fixture.state().deviceID == id)
        #expect(UUID(uuidString: id) != nil)
        #expect(try fixture.disk()[0].contains(fixture.folder.path) == false)
    }

    @Test("a check that changes nothing writes nothing")
    func quietChecks() async throws {
        try release("one", 1)
        try await fixture.update()
        _ = try await fixture.engine.check()
        let before = try fixture.disk()
        fixture.clock.advance(by: 60)
        _ = try await fixture.engine.check()
        #expect(try fixture.disk() == before)
    }

    @Test("a release that inspection refuses is not tried again until its ban ends or is lifted")
    func refusedByInspection() async throws {
        try release("one", 1)
        fixture.kind.refused.withLock { $0 = .moduleInvalid }
        _ = try await fixture.engine.check()
        #expect(await fixture.failure { _ = try await fixture.engine.fetch() } == .moduleInvalid)
        #expect(try await fixture.engine.open().staged == nil)
        #expect(try fixture.files.list("slots").isEmpty)
        fixture.kind.refused.withLock { $0 = nil }

        let banned = try await fixture.engine.check()
        #expect(!banned.isUpdate)
        #expect(banned.decision.excluded.map(\.reason) == [.failedHere])
        fixture.restart()
        #expect(!(try await fixture.engine.check().isUpdate))

        try fixture.app.setHead { $0.retryGeneration += 1 }
        #expect(try await fixture.engine.check().isUpdate)
    }

    @Test("a ban ends by itself")
    func banEnds() async throws {
        fixture.settings.banSeconds = 3600
        fixture.restart()
        try release("one", 1)
        fixture.kind.refused.withLock { $0 = .startFailed }
        _ = try await fixture.engine.check()
        _ = await fixture.failure { _ = try await fixture.engine.fetch() }
        #expect(!(try await fixture.engine.check().isUpdate))
        fixture.clock.advance(by: 3601)
        #expect(try await fixture.engine.check().isUpdate)
    }

    @Test("a release that fails to run gives way to the one before")
    func failedCurrent() async throws {
        try release("one", 1)
        try await fixture.update()
        try release("two", 2)
        try await fixture.update()
        try await fixture.engine.didFail(EngineFixture.digest("two"), because: .startFailed)
        let own = try await fixture.engine.open()
        #expect(own.current?.version == "1.1")
        #expect(own.failed[EngineFixture.digest("two")]?.reason == .startFailed)
        #expect(!(try await fixture.engine.check().isUpdate))
    }

    @Test("S16: a payload that was changed or lost on disk is detected, and fetched again")
    func S16_damagedSlot() async throws {
        try release("one", 1)
        guard case .release(let slot) = try await fixture.update() else { return }
        let file = fixture.folder.file("state/slots/\(slot.digest)")
        for (damage, expected) in [
            ({ try Data([1, 2, 3]).write(to: file) }, Reason.slotDamaged),
            ({ try Data(EngineFixture.payload("one") + [0]).write(to: file) }, .slotDamaged),
            ({ try FileManager.default.removeItem(at: file) }, .slotMissing),
        ] as [(() throws -> Void, Reason)] {
            try damage()
            let engine = fixture.engine
            #expect(
                await fixture.failure { _ = try await engine.payload(of: slot) } == expected)
            try await engine.didFail(slot.digest, because: expected)
            #expect(try await engine.open().current == nil)
            try await fixture.update()
            #expect(try await fixture.engine.payload(of: slot) == EngineFixture.payload("one"))
        }
    }
}
