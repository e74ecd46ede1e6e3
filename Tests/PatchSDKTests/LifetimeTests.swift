import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateTestSupport

@testable import PatchSDK

/// From one start of the app to the next, and from one configuration to the next.
@Suite struct LifetimeTests {
    let fixture: AppFixture

    init() throws { fixture = try AppFixture() }

    private func start(as pid: Int32) async -> StartOutcome {
        fixture.environment.process = RunningProcess(pid: pid)
        return await fixture.launch()
    }

    @Test("P17: when every module brings the app down, native code runs and the fix still comes")
    func P17_safeMode() async throws {
        // The bundled module is called and the process ends, again and again.
        _ = await start(as: 1)
        try fixture.release("bad", 1)
        try await fixture.update()
        _ = fixture.greeting()
        var outcomes: [StartOutcome] = []
        for pid: Int32 in 2..<12 {
            outcomes.append(await start(as: pid))
            guard fixture.patch.hasActiveModule else { break }
            _ = fixture.greeting()
        }
        guard case .fallback(let text) = try #require(outcomes.last) else {
            Issue.record("never in safe mode: \(outcomes)")
            return
        }
        #expect(text.contains("native code runs until a check"))
        #expect(fixture.greeting() == "native")
        #expect(fixture.patch.currentRelease == nil)
        #expect(await fixture.patch.explain().contains("[safe_mode]"))
        // It stays so without a fix, and one brings the modules back, in this very process.
        _ = await start(as: 20)
        #expect(!fixture.patch.hasActiveModule)
        try fixture.release("fixed", 2)
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "fixed")
        #expect(await start(as: 21) == .activated("1.2"))
    }

    @Test("a second start and a second configuration change nothing that runs until they are asked")
    func again() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        try await fixture.update()
        #expect(await fixture.patch.start() == .activated("1.1"))
        fixture.patch.configure(fixture.configuration, environment: fixture.environment)
        #expect(fixture.greeting() == "one", "what runs keeps running")
        #expect(try await fixture.patch.checkForUpdate() == nil)
        #expect(await fixture.patch.start() == .activated("1.1"))
    }

    @Test("a replaced configuration is let go of, with all that it listened to")
    func released() async throws {
        await fixture.launch()
        weak var first: Session?
        first = fixture.patch.session
        #expect(first != nil)
        fixture.patch.configure(fixture.configuration, environment: fixture.environment)
        try await fixture.eventually { first == nil }
    }

    @Test("an SDK object that nobody holds any more goes away")
    func deallocated() async throws {
        weak var patch: Patch?
        weak var session: Session?
        do {
            let one = Patch()
            one.configure(fixture.configuration, environment: fixture.environment)
            await one.start()
            patch = one
            session = one.session
            #expect(session != nil)
        }
        try await fixture.eventually { patch == nil && session == nil }
    }

    @Test("the system's word on background and end reaches the boot guard")
    func systemWords() async throws {
        let suffix = UUID().uuidString
        fixture.environment.lifecycle = AppLifecycle.Names(
            foreground: ["f-\(suffix)"], background: ["b-\(suffix)"], end: ["e-\(suffix)"])
        _ = await start(as: 1)
        try fixture.release("one", 1)
        try await fixture.update()
        func post(_ letter: String) {
            NotificationCenter.default.post(
                name: Notification.Name("\(letter)-\(suffix)"), object: nil)
        }
        // Ten ends in the background after a call: none of them counts.
        for pid: Int32 in 2..<7 {
            #expect(await start(as: pid) == .activated("1.1"))
            _ = fixture.greeting()
            post("b")
        }
        // Back in the foreground, two ends without a word do.
        for pid: Int32 in 7..<9 {
            #expect(await start(as: pid) == .activated("1.1"))
            post("b")
            post("f")
            _ = fixture.greeting()
        }
        #expect(await start(as: 9) == .activated("base"))
        #expect(fixture.events.withLock { $0 }.contains { $0.reason == .startUnclean })
    }

    @Test("reloads, channels and checks from many tasks at once leave one whole release running")
    func manyAtOnce() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        let patch = fixture.patch
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    switch number % 4 {
                    case 0: _ = try? await patch.checkForUpdate()
                    case 1: _ = try? await patch.fetchUpdate()
                    case 2: try? await patch.reloadAsync()
                    default: try? await patch.setChannel(number % 8 == 3 ? .staging : .production)
                    }
                }
            }
        }
        #expect(["bundled", "one"].contains(fixture.greeting()))
        try await patch.setChannel(.production)
        _ = try await fixture.update()
        #expect(fixture.greeting() == "one")
        #expect(await fixture.launch() == .activated("1.1"))
    }

    // MARK: The pool

    @Test("a call is counted once however deep it nests, and a failed one not for ever")
    func idle() throws {
        let table = RoutingTable { _, _ in }
        let module = try Guests.load(try Guests.fullModule("x"))
        table.swap(to: module)
        #expect(table.isIdle)
        try table.withInstance(of: module) { outer in
            #expect(!table.isIdle && !module.isIdle)
            try table.withInstance(of: module) { inner in #expect(inner === outer) }
            #expect(!table.isIdle)
        }
        #expect(table.isIdle && module.isIdle)
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try table.withInstance(of: module) { _ in throw Failure() }
        }
        #expect(table.isIdle)
    }

    @Test("the first call and the first return are told once each, in that order")
    func firstCalls() throws {
        let told = Lock<[String]>([])
        let trial = ModuleTrial(
            isOver: false,
            listener: ModuleTrial.Listener(
                began: { told.withLock { $0.append("began") } },
                returned: { _ in told.withLock { $0.append("returned") } },
                hung: { _, _ in told.withLock { $0.append("hung") } }))
        let module = try LoadedModule(
            try Guests.fullModule("x"), release: nil,
            identity: { _ in
                PatchRelease(version: "1", sequence: 1, digest: "", origin: .downloaded)
            },
            expected: Guests.expectation(), host: Guests.host(), trial: trial)
        struct Failure: Error {}
        let table = RoutingTable { _, _ in }
        table.swap(to: module)
        try? table.withInstance(of: module) { _ in throw Failure() }
        #expect(told.withLock { $0 } == ["began"])
        for _ in 0..<3 { try? table.withInstance(of: module) { _ in } }
        #expect(told.withLock { $0 } == ["began", "returned"])
        #expect(trial.end() && !trial.end())
    }

    @Test("a share of installs is a number between none and all, whatever was written")
    func shares() {
        #expect(PatchTelemetry.sampled(2).engineValue == .sampled(1))
        #expect(PatchTelemetry.sampled(-1).engineValue == .sampled(0))
        #expect(PatchTelemetry.sampled(.nan).engineValue == .sampled(0))
        #expect(PatchTelemetry.sampled(0.25).engineValue == .sampled(0.25))
        #expect(PatchTelemetry.on.engineValue == .on && PatchTelemetry.off.engineValue == .off)
    }

    @Test("names that reach paths and documents are plain")
    func plainNames() {
        for sound in ["a", "production", "beta-eu", "1.2_3", String(repeating: "x", count: 64)] {
            #expect(PlainName.isSound(sound), "\(sound)")
        }
        for unsound in ["", ".", "..", "a/b", "a\\b", "a b", "ä", "a\u{0}", "a%2e"] {
            #expect(!PlainName.isSound(unsound), "\(unsound.debugDescription)")
        }
    }
}
