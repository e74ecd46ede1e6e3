import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateTestSupport

@testable import PatchSDK

/// The whole loop in one process, over a real server and a real disk.
@Suite struct LoopTests {
    let fixture: AppFixture
    init() throws { fixture = try AppFixture() }

    @Test("bundled, updated, updated again, rolled back, without a restart and after one")
    func wholeLoop() async throws {
        #expect(await fixture.launch() == .activated("base"))
        #expect(fixture.greeting() == "bundled")
        #expect(fixture.patch.currentRelease?.origin == .bundled)
        #expect(try await fixture.update() == false)

        try fixture.release("one", 1)
        let info = try #require(try await fixture.patch.checkForUpdate())
        #expect(info.version == "1.1")
        #expect(info.sizeBytes > 0)
        #expect(!info.isMandatory && !info.isRollback)
        #expect(info.reason == .updateStable)
        #expect(fixture.greeting() == "bundled")
        #expect(try await fixture.patch.fetchUpdate())
        #expect(fixture.greeting() == "bundled")
        try await fixture.patch.reloadAsync()
        #expect(fixture.greeting() == "one")
        #expect(fixture.patch.currentRelease?.sequence == 1)

        try fixture.release("two", 2)
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "two")

        let one = try #require(fixture.app.releases.first { $0.value.version == "1.1" }?.key)
        try fixture.app.setHead { $0.stable = one }
        let back = try #require(try await fixture.patch.checkForUpdate())
        #expect(back.isRollback && back.sizeBytes == 0 && back.reason == .rolledBack)
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "one")

        #expect(await fixture.launch() == .activated("1.1"))
        #expect(fixture.greeting() == "one")
        #expect(try await fixture.update() == false)

        try fixture.app.setHead { $0.kind = .embedded }
        #expect(try await fixture.patch.checkForUpdate()?.version == "embedded")
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "bundled")
        #expect(await fixture.launch() == .activated("base"))
        #expect(
            fixture.releases.withLock { $0 }.map { $0?.version }
                == ["base", "1.1", "1.2", "1.1", "1.1", "base", "base"])
    }

    @Test("an update that was fetched and not applied runs at the next start, offline too")
    func nextLaunch() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        _ = try await fixture.patch.checkForUpdate()
        _ = try await fixture.patch.fetchUpdate()
        fixture.server.stop()
        #expect(await fixture.launch() == .activated("1.1"))
        #expect(fixture.greeting() == "one")
    }

    @Test("an extension runs what the app runs, applies nothing and asks nothing")
    func appExtension() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        try await fixture.update()
        try fixture.release("two", 2)
        _ = try await fixture.patch.checkForUpdate()
        _ = try await fixture.patch.fetchUpdate()
        let state = try Data(contentsOf: fixture.folder.file("state/state.json"))
        fixture.environment.process = ExtensionProcess()
        fixture.server.forgetRequests()
        #expect(await fixture.launch() == .activated("1.1"))
        #expect(fixture.greeting() == "one")
        #expect(
            await fixture.failure { _ = try await fixture.patch.checkForUpdate() }
                == .extensionReadsOnly)
        #expect(fixture.server.requests.isEmpty)
        #expect(try Data(contentsOf: fixture.folder.file("state/state.json")) == state)
    }

    @Test("P19: a start needs no network, and waits for none")
    func P19_offline() async throws {
        try fixture.server.setFaults(["": .stall])
        fixture.configuration.autoApply = true
        #expect(await fixture.launch() == .activated("base"))
        #expect(fixture.greeting() == "bundled")
    }

    @Test("what was fetched is applied while a check hangs on the network")
    func reloadDuringCheck() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        _ = try await fixture.patch.checkForUpdate()
        _ = try await fixture.patch.fetchUpdate()
        try fixture.server.setFaults(["": .stall])
        let patch = fixture.patch
        let hanging = Task { try await patch.checkForUpdate() }
        try await patch.reloadAsync()
        #expect(fixture.greeting() == "one")
        hanging.cancel()
        _ = try? await hanging.value
    }

    @Test("start applies an update by itself when it may")
    func autoApply() async throws {
        try fixture.release("one", 1)
        fixture.configuration.autoApply = true
        let changed = AsyncStream<String>.makeStream()
        await fixture.launch()
        fixture.patch.onReleaseChange { release in
            if let release { changed.continuation.yield(release.version) }
        }
        if fixture.patch.currentRelease?.version != "1.1" {
            for await version in changed.stream where version == "1.1" { break }
        }
        #expect(fixture.greeting() == "one")
    }

    @Test("a mandatory update is applied at once, an ordinary one is not")
    func mandatory() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        await fixture.patch.enforceMandatoryUpdates()
        #expect(fixture.greeting() == "bundled")
        try fixture.app.setHead { $0.mandatorySince = 1 }
        #expect(try await fixture.patch.checkForUpdate()?.isMandatory == true)
        await fixture.patch.enforceMandatoryUpdates()
        #expect(fixture.greeting() == "one")
    }

    @Test("the update state tells each step")
    func states() async throws {
        await fixture.launch()
        _ = try await fixture.update()
        #expect(await fixture.seenStates() == [.checking, .upToDate])
        fixture.states.withLock { $0 = [] }
        try fixture.release("one", 1)
        let info = try #require(try await fixture.patch.checkForUpdate())
        _ = try await fixture.patch.fetchUpdate()
        try await fixture.patch.reloadAsync()
        let seen = await fixture.seenStates()
        #expect(seen.first == .checking)
        #expect(seen.dropFirst().first == .available(info))
        #expect(seen.contains(.downloading(1)))
        #expect(Array(seen.suffix(2)) == [.readyToReload, .upToDate])
    }

    @Test("reload without something fetched throws, and what runs stays")
    func nothingStaged() async throws {
        await fixture.launch()
        #expect(
            await fixture.failure { try await fixture.patch.reloadAsync() } == .notStaged)
        #expect(fixture.greeting() == "bundled")
    }
}
