import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateTestSupport

@testable import PatchSDK

/// What goes on by itself behind `start()`.
@Suite struct AutomaticTests {
    let fixture: AppFixture
    let clock = ManualClock(now: Date().timeIntervalSince1970)
    let isSafe = Lock(true)

    init() throws {
        fixture = try AppFixture()
        fixture.configuration.autoApply = true
        fixture.configuration.checkPolicy = .manual
        fixture.configuration.isSafePoint = { [isSafe] in isSafe.withLock { $0 } }
        fixture.environment.clock = clock
    }

    private func session() throws -> Session { try fixture.patch.requireSession() }

    private func checks() -> Int {
        fixture.server.requests.filter { $0.contains("timestamp.json") }.count
    }

    // MARK: When it looks

    @Test("with the manual policy nothing is asked until the app asks")
    func manual() async throws {
        try fixture.release("one", 1)
        await fixture.launch()
        fixture.patch.didEnterForeground()
        #expect(try await fixture.patch.checkForUpdate()?.version == "1.1")
        #expect(checks() == 1)
    }

    @Test("a return to the foreground checks, and another within a minute does not")
    func foreground() async throws {
        fixture.configuration.checkPolicy = PatchCheckPolicy(atLaunch: false)
        await fixture.launch()
        try fixture.release("one", 1)
        fixture.patch.didEnterForeground()
        try await fixture.eventually { fixture.greeting() == "one" }
        let before = checks()
        try fixture.release("two", 2)
        clock.advance(by: PatchCheckPolicy.foregroundSpacing - 1)
        fixture.patch.didEnterForeground()
        clock.advance(by: 1)
        fixture.patch.didEnterForeground()
        try await fixture.eventually { fixture.greeting() == "two" }
        #expect(checks() == before + 1)
    }

    @Test("the system's own notifications are heard, and not after a new configuration")
    func notifications() async throws {
        let name = "test-foreground-\(UUID().uuidString)"
        fixture.environment.lifecycle = AppLifecycle.Names(foreground: [name])
        fixture.configuration.checkPolicy = PatchCheckPolicy(atLaunch: false)
        await fixture.launch()
        try fixture.release("one", 1)
        NotificationCenter.default.post(name: Notification.Name(name), object: nil)
        try await fixture.eventually { fixture.greeting() == "one" }
        fixture.configuration.autoApply = false
        fixture.patch.configure(fixture.configuration, environment: fixture.environment)
        let before = checks()
        clock.advance(by: 3600)
        NotificationCenter.default.post(name: Notification.Name(name), object: nil)
        _ = try await fixture.patch.checkForUpdate()
        #expect(checks() == before + 1)
    }

    @Test("an interval looks again and again, never more often than once a minute")
    func interval() async throws {
        let sleeps = Sleeps()
        fixture.environment.sleep = sleeps.sleep
        fixture.configuration.checkPolicy = PatchCheckPolicy(
            atLaunch: false, onForeground: false, interval: 1)
        await fixture.launch()
        #expect(await sleeps.next() == PatchCheckPolicy.minimumInterval)
        try fixture.release("one", 1)
        sleeps.end()
        try await fixture.eventually { fixture.greeting() == "one" }
        try fixture.release("two", 2)
        try await fixture.eventually {
            sleeps.end()
            return fixture.greeting() == "two"
        }
    }

    @Test("without autoApply nothing goes on by itself, whatever the policy says")
    func notAutomatic() async throws {
        fixture.configuration.autoApply = false
        fixture.configuration.checkPolicy = .standard
        await fixture.launch()
        clock.advance(by: 3600)
        fixture.patch.didEnterForeground()
        #expect(fixture.server.requests.isEmpty)
    }

    // MARK: When it begins to run

    @Test("P22: 'now', 'at a safe point' and 'next launch' mean what they say")
    func P22_applies() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        fixture.configuration.applies = .nextLaunch
        await fixture.launch()
        try await session().automaticUpdate()
        #expect(fixture.greeting() == "bundled")
        await fixture.patch.reachedSafePoint()
        #expect(fixture.greeting() == "bundled")
        #expect(await fixture.launch() == .activated("1.1"))

        isSafe.withLock { $0 = false }
        fixture.configuration.applies = .now
        await fixture.launch()
        try fixture.release("two", 2)
        try await session().automaticUpdate()
        #expect(fixture.greeting() == "two")

        fixture.configuration.applies = .safePoint
        await fixture.launch()
        try fixture.release("three", 3)
        try await session().automaticUpdate()
        #expect(fixture.greeting() == "two")
        #expect(await fixture.patch.explain().contains("1.3 is on disk and waits"))
        await fixture.patch.reachedSafePoint()
        #expect(fixture.greeting() == "two", "the app still objects")
        isSafe.withLock { $0 = true }
        await fixture.patch.reachedSafePoint()
        #expect(fixture.greeting() == "three")
    }

    @Test("a return to the foreground is a safe point")
    func foregroundApplies() async throws {
        isSafe.withLock { $0 = false }
        await fixture.launch()
        try fixture.release("one", 1)
        try await session().automaticUpdate()
        #expect(fixture.greeting() == "bundled")
        isSafe.withLock { $0 = true }
        fixture.patch.didEnterForeground()
        try await fixture.eventually { fixture.greeting() == "one" }
    }

    @Test("a swap at a safe point waits for the call in progress, which ends on its own module")
    func waitsForCalls() async throws {
        let sleeps = Sleeps()
        fixture.environment.sleep = sleeps.sleep
        await fixture.launch()
        try fixture.release("one", 1)
        let session = try session()
        let module = try #require(fixture.patch.routing.active)
        let seen = Lock<[String?]>([])
        let (entered, enter) = AsyncStream<Void>.makeStream()
        let mayEnd = DispatchSemaphore(value: 0)
        let patch = fixture.patch
        Thread.detachNewThread {
            try? patch.routing.withInstance(of: module) { _ in
                enter.yield()
                mayEnd.wait()
                seen.withLock { $0.append(patch.currentRelease?.version) }
            }
        }
        for await _ in entered { break }
        #expect(!module.isIdle)
        let update = Task { await session.automaticUpdate() }
        // The first sleep is the five seconds to readiness only if a call has returned; none has.
        #expect(await sleeps.next() == 0.01)
        #expect(patch.currentRelease?.version == "base")
        mayEnd.signal()
        try await fixture.eventually {
            sleeps.end()
            return patch.currentRelease?.version == "1.1"
        }
        await update.value
        #expect(seen.withLock { $0 } == ["base"])
    }

    @Test("P48: an overdue mandatory update interrupts once a day, and an explicit call at once")
    func P48_mandatory() async throws {
        isSafe.withLock { $0 = false }
        fixture.configuration.applies = .nextLaunch
        await fixture.launch()
        func release(_ number: Int, applyBy: String?) throws {
            try fixture.release("number \(number)", number)
            try fixture.app.setHead {
                $0.mandatorySince = number
                $0.applyBy = applyBy
            }
        }
        try release(1, applyBy: "2999-01-01T00:00:00Z")
        try await session().automaticUpdate()
        #expect(fixture.greeting() == "bundled", "not overdue, and the app objects")
        try release(1, applyBy: "2000-01-01T00:00:00Z")
        try await session().automaticUpdate()
        #expect(fixture.greeting() == "number 1", "overdue: nobody is asked")
        fixture.patch.markReady()
        try await fixture.eventually { fixture.patch.routing.active?.trial?.isOver == true }

        try release(2, applyBy: "2000-01-01T00:00:00Z")
        clock.advance(by: 3600)
        try await session().automaticUpdate()
        #expect(fixture.greeting() == "number 1", "the second interruption of a day")
        clock.advance(by: 86400)
        await fixture.patch.reachedSafePoint()
        #expect(fixture.greeting() == "number 2")

        try release(3, applyBy: "2999-01-01T00:00:00Z")
        await fixture.patch.enforceMandatoryUpdates()
        #expect(fixture.greeting() == "number 3")
    }

    @Test("P48: the day between interruptions outlives the process")
    func P48_acrossStarts() async throws {
        fixture.configuration.applies = .nextLaunch
        await fixture.launch()
        try fixture.release("one", 1)
        try fixture.app.setHead {
            $0.mandatorySince = 1
            $0.applyBy = "2000-01-01T00:00:00Z"
        }
        try await session().automaticUpdate()
        #expect(fixture.greeting() == "one")
        await fixture.launch()
        fixture.patch.markReady()
        try await fixture.eventually { fixture.patch.routing.active?.trial?.isOver == true }
        try fixture.release("two", 2)
        try fixture.app.setHead { $0.mandatorySince = 2 }
        try await session().automaticUpdate()
        #expect(fixture.greeting() == "one")
        #expect(await fixture.launch() == .activated("1.2"))
    }

    @Test("a mandatory update that is not mandatory here is left alone by enforceMandatoryUpdates")
    func nothingMandatory() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        await fixture.patch.enforceMandatoryUpdates()
        #expect(fixture.greeting() == "bundled")
        #expect(fixture.server.requests.allSatisfy { !$0.contains("/modules/") })
    }

    @Test("a background fetch brings the update and runs nothing of it")
    func backgroundFetch() async throws {
        await fixture.launch()
        #expect(await fixture.patch.performBackgroundFetch() == .noData)
        try fixture.release("one", 1)
        #expect(await fixture.patch.performBackgroundFetch() == .newData)
        #expect(fixture.greeting() == "bundled")
        fixture.server.stop()
        #expect(await fixture.patch.performBackgroundFetch() == .failed)
        #expect(await fixture.launch() == .activated("1.1"))
        #expect(await Patch().performBackgroundFetch() == .failed)
    }

    @Test("what goes wrong by itself is said as an event and a state, and changes nothing")
    func failure() async throws {
        await fixture.launch()
        fixture.server.stop()
        try await session().automaticUpdate()
        #expect(fixture.greeting() == "bundled")
        #expect(fixture.events.withLock { $0 }.contains { $0.reason == .serverUnreachable })
        guard case .failed(let text) = await fixture.seenStates().last else {
            Issue.record("no failed state")
            return
        }
        #expect(text.contains("cannot be reached"))
    }
}
