import PatchPlatform
import Rollout
import TestSupport
import Testing

@testable import UpdateEngine

/// What holds for every history of starts, updates and crashes.
@Suite("Boot guard, any history") struct BootPropertyTests {
    /// One device over many starts, driven the way the SDK drives the engine, in memory.
    struct Life {
        var state = BuildState()
        var now = 1_000_000.0
        var boot = 1
        var starts = 0
        var good: Set<String> = []
        var releases = 0
        var verdicts: [BootVerdict] = []
        var marks: [StartMark] = []

        var judge: BootJudge {
            BootJudge(deviceBoot: "\(boot)", now: now, banSeconds: 7 * 86400)
        }

        var isSafe: Bool { (state.boot.safeModeUntil ?? 0) > now }

        mutating func launch() {
            let (next, found) = judge.judge(state, marks)
            state = next
            verdicts = found
            marks = []
            state.failed = state.failed.filter { $0.value.expires > now }
        }

        /// What a launch runs: the newest there is.
        var chosen: String? {
            if isSafe, state.staged == nil { return nil }
            if case .release(let slot) = state.staged { return slot.digest }
            return state.current?.digest ?? "bundled"
        }
    }

    enum Step: CaseIterable {
        case crash, crash2, crash3, hang, crashInActivation, killedInBackground, ready
        case crashAfterReady, exit, unused, powerCut, debugged, install, embedded, wait
    }

    static func start(_ life: inout Life, _ step: Step) {
        guard let digest = life.chosen else { return }
        life.starts += 1
        var mark = StartMark(
            nonce: "\(life.starts)",
            header: StartMark.Header(
                fingerprint: "fp",
                process: ProcessMark(kind: .app, pid: 1, start: "\(life.starts)"),
                deviceBoot: "\(life.boot)", isDebugged: step == .debugged, isInForeground: true))
        let runs = life.state.boot.starts[digest]?.readyRuns ?? 0
        mark.note(.willActivate(digest, readyRuns: runs, isShipped: digest == "bundled"))
        if step != .crashInActivation {
            if case .release = life.state.staged { life.state.activateStaged() }
            mark.note(.activated)
            if step != .unused { mark.note(.called) }
        }
        switch step {
        case .ready, .crashAfterReady:
            mark.note(.ready)
            if let newest = mark.activations.last {
                BootJudge.becameReady(newest, runs: runs + 1, &life.state)
            }
            if step == .ready { mark.note(.background) }
        case .killedInBackground, .unused: mark.note(.background)
        case .exit: mark.note(.ended)
        case .powerCut: life.boot += 1
        default: break
        }
        life.marks = [mark]
    }

    static func take(_ step: Step, _ life: inout Life) {
        switch step {
        case .install:
            life.releases += 1
            life.state.staged = .release(BootJudgeTests.slot("r\(life.releases)"))
        case .embedded:
            life.state.staged = .embedded
            life.state.activateStaged()
        case .wait: life.now += 3 * 86400
        default: start(&life, step)
        }
    }

    @Test("a release that once worked is never given up for one that never did")
    func lastGoodIsKept() {
        var random = SeededGenerator()
        for _ in 0..<2_000 {
            var life = Life()
            for _ in 0..<40 {
                let before = life.state
                life.launch()
                let step = Step.allCases.randomElement(using: &random) ?? .ready
                Self.take(step, &life)
                let held = [before.current, before.previous].compactMap { $0 }
                let good = held.filter { $0.isConfirmed && life.state.failed[$0.digest] == nil }
                let after = [life.state.current, life.state.previous].compactMap { $0 }
                if !good.isEmpty, step != .embedded {
                    #expect(after.contains { $0.isConfirmed }, "\(step) \(random)")
                    guard after.contains(where: { $0.isConfirmed }) else { return }
                }
            }
        }
    }

    @Test("whatever a payload does, the third start after it first ran does not run it again")
    func crashLoopsEnd() {
        var random = SeededGenerator()
        let crashes: [Step] = [.crash, .hang, .crashInActivation]
        for _ in 0..<2_000 {
            var life = Life()
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                life.launch()
                Self.take(Step.allCases.randomElement(using: &random) ?? .ready, &life)
            }
            // From here on everything crashes: staged, current, previous, bundled.
            var seen: [String: Int] = [:]
            var order: [String] = []
            for _ in 0..<12 {
                life.launch()
                guard let digest = life.chosen else { break }
                seen[digest, default: 0] += 1
                if order.last != digest { order.append(digest) }
                Self.take(crashes.randomElement(using: &random) ?? .crash, &life)
            }
            life.launch()
            #expect(life.chosen == nil, "still runs \(order), \(random)")
            #expect(seen.values.allSatisfy { $0 <= 2 }, "\(seen), \(random)")
            // Nothing is returned to once it was left.
            #expect(Set(order).count == order.count, "\(order), \(random)")
            if life.chosen != nil || seen.values.contains(where: { $0 > 2 }) { return }
        }
    }

    @Test("nothing but unclean starts in the foreground bans a payload")
    func noFalseVerdict() {
        var random = SeededGenerator()
        let harmless = Step.allCases.filter {
            ![.crash, .crash2, .crash3, .hang, .crashInActivation].contains($0)
        }
        for _ in 0..<2_000 {
            var life = Life()
            for _ in 0..<40 {
                life.launch()
                #expect(life.state.failed.isEmpty, "\(random)")
                #expect(life.verdicts.allSatisfy { $0.reason != .startUnclean }, "\(random)")
                if !life.state.failed.isEmpty { return }
                Self.take(harmless.randomElement(using: &random) ?? .ready, &life)
            }
        }
    }

    @Test("what is remembered stays small, and the ends agree: current is never banned")
    func bounded() {
        var random = SeededGenerator()
        for _ in 0..<1_000 {
            var life = Life()
            for _ in 0..<60 {
                life.launch()
                let state = life.state
                // One for each slot, or for the one that is staged and the app's own module.
                #expect(state.boot.starts.count <= 3, "\(random)")
                #expect(state.boot.judged.count <= 1, "\(random)")
                for slot in [state.current, state.previous].compactMap({ $0 }) {
                    #expect(state.failed[slot.digest] == nil, "\(random)")
                }
                #expect(state.digestsInUse.count <= 3, "\(random)")
                #expect(
                    state.current != nil || state.previous == nil, "a gap in the ladder, \(random)")
                Self.take(Step.allCases.randomElement(using: &random) ?? .ready, &life)
            }
        }
    }

    @Test("a mark reads back as what was noted, and any part of it is read as some earlier moment")
    func markOnDisk() throws {
        var random = SeededGenerator()
        let events: [StartMark.Event] = [
            .willActivate("abc", readyRuns: 3), .willActivate("def", readyRuns: 0, isShipped: true),
            .abandoned, .activated, .called, .ready,
            .background, .foreground, .ended,
        ]
        for _ in 0..<300 {
            var mark = StartMark(
                nonce: "n",
                header: StartMark.Header(
                    fingerprint: "fp", process: ProcessMark(kind: .app, pid: 7, start: nil),
                    deviceBoot: Bool.random(using: &random) ? "b" : nil,
                    isDebugged: .random(using: &random), isInForeground: .random(using: &random)))
            var bytes = mark.head()
            var moments = [mark]
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                let event = events.randomElement(using: &random) ?? .ended
                bytes += Array(event.line.utf8)
                mark.note(event)
                moments.append(mark)
            }
            #expect(StartMark(nonce: "n", bytes: bytes) == mark, "\(random)")
            for length in 0..<bytes.count {
                guard let part = StartMark(nonce: "n", bytes: Array(bytes[..<length])) else {
                    continue
                }
                #expect(moments.contains(part), "\(length) of \(bytes.count), \(random)")
            }
        }
    }
}
