import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateTestSupport

@testable import PatchSDK

/// From the activation of a release to the moment at which it is found to work.
@Suite struct TrialTests {
    let fixture: AppFixture
    let sleeps = Sleeps()

    init() throws {
        fixture = try AppFixture()
        fixture.environment.sleep = sleeps.sleep
        fixture.environment.process = RunningProcess(pid: 4001)
    }

    private func isConfirmed() async throws -> Bool? {
        try await fixture.patch.requireSession().engine.open().current?.isConfirmed
    }

    private func installed() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        try await fixture.update()
    }

    @Test("P10: a release counts as working only after a call returned and five seconds passed")
    func P10_automaticReady() async throws {
        try await installed()
        #expect(try await isConfirmed() == false)
        #expect(sleeps.asked.isEmpty, "nothing was called yet, so no time runs")
        #expect(fixture.greeting() == "one")
        #expect(try await isConfirmed() == false, "the five seconds have not passed")
        #expect(await sleeps.next() == 5)
        sleeps.end()
        try await fixture.eventually { try await isConfirmed() == true }
    }

    @Test("P10: a call that failed does not make it work")
    func P10_failedCall() async throws {
        try await installed()
        let routing = fixture.patch.routing
        #expect(routing.invoke(Guests.trap, { _ in }, { try $0.i32() }) == nil)
        #expect(sleeps.asked.isEmpty)
        #expect(fixture.greeting() == "one")
        #expect(await sleeps.next() == 5)
    }

    @Test("P10: what was replaced before its time has passed is not found to work")
    func P10_replaced() async throws {
        try await installed()
        #expect(fixture.greeting() == "one")
        #expect(await sleeps.next() == 5)
        try fixture.release("two", 2)
        try await fixture.update()
        sleeps.end()
        #expect(fixture.greeting() == "two")
        #expect(await sleeps.next() == 5)
        #expect(try await isConfirmed() == false)
    }

    @Test("P10: with manual readiness only the app's word counts")
    func P10_manual() async throws {
        fixture.configuration.readiness = .manual
        try await installed()
        #expect(fixture.greeting() == "one")
        #expect(sleeps.asked.isEmpty)
        fixture.patch.markReady()
        try await fixture.eventually { try await isConfirmed() == true }
        // It still counts after the next start.
        fixture.environment.process = RunningProcess(pid: 4002)
        await fixture.launch()
        #expect(try await isConfirmed() == true)
        #expect(fixture.patch.routing.active?.trial?.isOver == true)
    }

    // Gates belong to the process, and other tests run beside this one.
    static let gate: UInt16 = 40_001

    @Test("P17: a release that hangs at its first call costs one bounded call; then all is native")
    func P17_hang() async throws {
        fixture.environment.surface = {
            Surface(functions: [
                Guests.add: Surface.Function(gate: Self.gate, sig: Guests.signature)
            ])
        }
        try await installed()
        #expect(patch_gate_is_open(Self.gate))
        let routing = fixture.patch.routing
        let limit = fixture.configuration.limits.firstCallNanoseconds
        #expect(limit <= 1_000_000_000, "native code serves within a second")
        let clock = LiveClock()
        let begun = clock.monotonicNanoseconds()
        #expect(routing.invoke(Guests.loop, { _ in }, { try $0.i32() }) == nil)
        #expect(clock.monotonicNanoseconds() - begun >= limit, "the test's loop did hang")
        // The next ones do not wait: nothing of the release is asked any more, and no gate is open.
        #expect(fixture.patch.currentRelease == nil)
        #expect(!patch_gate_is_open(Self.gate))
        #expect(routing.invoke(Guests.loop, { _ in }, { try $0.i32() }) == nil)
        #expect(fixture.greeting() == "native")
        #expect(fixture.releases.withLock { $0 }.last == .some(nil))
        #expect(
            fixture.events.withLock { $0 }.contains {
                $0.kind == .refused && $0.reason == .timeLimit
            })
    }

    @Test("P17: what hung is not tried again, and what ran before it runs at the next start")
    func P17_afterHang() async throws {
        try await installed()
        fixture.patch.markReady()
        try await fixture.eventually { try await isConfirmed() == true }
        try fixture.release("two", 2)
        try await fixture.update()
        let two = try #require(fixture.patch.currentRelease?.digest)
        #expect(fixture.patch.routing.invoke(Guests.loop, { _ in }, { try $0.i32() }) == nil)
        let engine = try fixture.patch.requireSession().engine
        try await fixture.eventually { try await engine.open().failed[two]?.reason == .timeLimit }
        fixture.environment.process = RunningProcess(pid: 4002)
        #expect(await fixture.launch() == .activated("1.1"))
        #expect(fixture.greeting() == "one")
        #expect(try await fixture.update() == false)
        let text = await fixture.patch.explain()
        #expect(text.contains("[failed_here]"), "\(text)")
    }

    @Test("a release that has proved itself may be slower than a new one, and loses one function")
    func slowAfterTrial() async throws {
        fixture.configuration.limits.firstCallNanoseconds = 100_000_000
        fixture.configuration.limits.callNanoseconds = 200_000_000
        try await installed()
        fixture.patch.markReady()
        try await fixture.eventually { fixture.patch.routing.active?.trial?.isOver == true }
        let clock = LiveClock()
        let begun = clock.monotonicNanoseconds()
        #expect(fixture.patch.routing.invoke(Guests.loop, { _ in }, { try $0.i32() }) == nil)
        #expect(clock.monotonicNanoseconds() - begun >= 200_000_000)
        #expect(fixture.greeting() == "one")
        for _ in 0..<2 { _ = fixture.patch.routing.invoke(Guests.loop, { _ in }, { try $0.i32() }) }
        #expect(fixture.greeting() == "one")
        #expect(fixture.events.withLock { $0 }.contains { $0.reason == .demoted })
    }

    @Test("P11: two starts that end in the middle of a patched call bring the release before back")
    func P11_killedInACall() async throws {
        try await installed()
        fixture.patch.markReady()
        try await fixture.eventually { try await isConfirmed() == true }
        try fixture.release("two", 2)
        try await fixture.update()
        #expect(fixture.greeting() == "two")
        for pid: Int32 in [4002, 4003] {
            // The process before this one is gone and never said that it would end.
            fixture.environment.process = RunningProcess(pid: pid)
            await fixture.launch()
            _ = fixture.greeting()
        }
        fixture.environment.process = RunningProcess(pid: 4004)
        #expect(await fixture.launch() == .activated("1.1"))
        #expect(fixture.greeting() == "one")
        let text = await fixture.patch.explain()
        #expect(fixture.events.withLock { $0 }.contains { $0.reason == .startUnclean }, "\(text)")
    }

    @Test("P07: a start in which nothing patched was called never counts against the release")
    func P07_neverCalled() async throws {
        try await installed()
        for pid: Int32 in 4002..<4008 {
            fixture.environment.process = RunningProcess(pid: pid)
            #expect(await fixture.launch() == .activated("1.1"))
        }
    }

    @Test("P07: ends in the background, or as the app wants it, do not count either")
    func P07_backgroundEnds() async throws {
        try await installed()
        for pid: Int32 in 4002..<4008 {
            fixture.environment.process = RunningProcess(pid: pid)
            #expect(await fixture.launch() == .activated("1.1"))
            #expect(fixture.greeting() == "one")
            if pid.isMultiple(of: 2) {
                fixture.patch.didEnterBackground()
            } else {
                fixture.patch.willTerminate()
            }
        }
    }
}

/// A process of the app that runs only as long as it is the newest one.
struct RunningProcess: ProcessIdentity {
    let pid: Int32
    var processIdentifier: Int32 { pid }
    var kind: ProcessKind { .app }
    var bootIdentifier: String? { "boot" }
    var isDebuggerAttached: Bool { false }
    var startIdentifier: String? { "\(pid)" }
    func isRunning(_ other: ProcessMark) -> Bool { other.pid == pid }
}

/// A sleep that a test ends.
final class Sleeps: Sendable {
    private struct State {
        var asked: [Double] = []
        var sleeping: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Lock(State())

    var asked: [Double] { state.withLock { $0.asked } }

    var sleep: @Sendable (Double) async throws -> Void {
        { [self] seconds in
            await withCheckedContinuation { continuation in
                state.withLock {
                    $0.asked.append(seconds)
                    $0.sleeping.append(continuation)
                }
            }
        }
    }

    /// Waits until somebody sleeps, and says for how long it wants to.
    func next() async -> Double? {
        for _ in 0..<150_000 {
            if let asked = state.withLock({ $0.asked.isEmpty ? nil : $0.asked.removeFirst() }) {
                return asked
            }
            try? await Task.sleep(nanoseconds: 2_000_000)
        }
        return nil
    }

    /// Ends every sleep.
    func end() {
        let sleeping = state.withLock { state in
            let sleeping = state.sleeping
            state.sleeping = []
            return sleeping
        }
        for one in sleeping { one.resume() }
    }

    deinit { end() }
}
