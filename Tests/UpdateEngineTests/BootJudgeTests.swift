import PatchPlatform
import Rollout
import TestSupport
import Testing

@testable import UpdateEngine

/// The rules of updates.md §4, one by one, over states and marks alone.
@Suite("Boot judge") struct BootJudgeTests {
    static let judge = BootJudge(deviceBoot: "boot-1", now: 1_000_000, banSeconds: 7 * 86400)

    static func slot(_ digest: String, confirmed: Bool = false) -> Slot {
        Slot(
            digest: digest, size: 1, version: digest, sequence: 1, channel: "production",
            dataEpoch: 0, isConfirmed: confirmed)
    }

    /// A start whose process is gone: `events` after the payload was activated.
    static func mark(
        _ digest: String, _ events: [StartMark.Event] = [.activated, .called], pid: Int32 = 1,
        boot: String? = "boot-1", debugged: Bool = false, readyRuns: Int = 0
    ) -> StartMark {
        var mark = StartMark(
            nonce: "\(pid)-\(Int.random(in: 0 ..< .max))",
            header: StartMark.Header(
                fingerprint: "fp", process: ProcessMark(kind: .app, pid: pid, start: "\(pid)"),
                deviceBoot: boot, isDebugged: debugged, isInForeground: true))
        mark.note(
            .willActivate(digest, readyRuns: readyRuns, isShipped: digest == "bundled"))
        for event in events { mark.note(event) }
        return mark
    }

    static func state(current: Slot?, previous: Slot? = nil) -> BuildState {
        var state = BuildState()
        state.current = current
        state.previous = previous
        return state
    }

    /// Judges the starts one launch after another.
    static func judged(
        _ state: BuildState, _ marks: [StartMark], by judge: BootJudge = judge
    ) -> (BuildState, [BootVerdict]) {
        var state = state
        var verdicts: [BootVerdict] = []
        for mark in marks {
            let (next, found) = judge.judge(state, [mark])
            state = next
            verdicts += found
        }
        return (state, verdicts)
    }

    @Test("P07: one unclean start is counted and changes nothing; the second bans the release")
    func P07_twoUncleanStarts() {
        let before = Self.state(
            current: Self.slot("new"), previous: Self.slot("old", confirmed: true))
        let (once, first) = Self.judged(before, [Self.mark("new")])
        #expect(once.current?.digest == "new")
        #expect(once.failed.isEmpty)
        #expect(first == [BootVerdict(digest: "new", reason: .startUnclean, action: .counted)])

        let (twice, second) = Self.judged(once, [Self.mark("new")])
        #expect(twice.current?.digest == "old")
        #expect(twice.previous == nil)
        #expect(twice.failed["new"]?.reason == .startUnclean)
        #expect(
            second
                == [
                    BootVerdict(
                        digest: "new", reason: .startUnclean, action: .rolledBack(to: "old"))
                ])
    }

    @Test(
        "P07: an end that says nothing about the release never counts, however often it comes",
        arguments: [
            ("killed in the background", [.activated, .called, .background], "boot-1", false),
            ("the device went off", [.activated, .called], "boot-0", false),
            ("the system does not tell boots apart", [.activated, .called], nil, false),
            ("ended from a debugger", [.activated, .called], "boot-1", true),
            ("no call into it began", [.activated], "boot-1", false),
            ("it ended as it wanted to", [.activated, .called, .ended], "boot-1", false),
        ] as [(String, [StartMark.Event], String?, Bool)])
    func P07_otherEnds(
        _ why: String, _ events: [StartMark.Event], _ boot: String?, _ debugged: Bool
    ) {
        let before = Self.state(current: Self.slot("new"))
        let marks = (0..<10).map { _ in
            Self.mark("new", events, boot: boot, debugged: debugged)
        }
        let (after, verdicts) = Self.judged(before, marks)
        #expect(after.current?.digest == "new", "\(why)")
        #expect(after.failed.isEmpty, "\(why)")
        #expect(!verdicts.contains { $0.reason == .startUnclean }, "\(why)")
    }

    @Test("P07: the app came back to the foreground before it ended, so that end counts")
    func P07_backInForeground() {
        let mark = Self.mark("new", [.activated, .called, .background, .foreground])
        #expect(Self.judge.ending(mark) == .unclean)
    }

    @Test("P11: a start that ends inside the activation counts although no call began")
    func P11_hangInActivation() {
        let (after, _) = Self.judged(
            Self.state(current: Self.slot("new")), [Self.mark("new", []), Self.mark("new", [])])
        #expect(after.current == nil)
        #expect(after.failed["new"] != nil)
    }

    @Test("P10: a start that became ready takes back the unclean ones before it")
    func P10_readyClears() {
        let before = Self.state(current: Self.slot("new"))
        let unclean = Self.mark("new")
        let ready = Self.mark("new", [.activated, .called, .ready, .background])
        let (after, _) = Self.judged(before, [unclean, ready, unclean, ready, unclean])
        #expect(after.current?.isConfirmed == true)
        #expect(after.failed.isEmpty)
        #expect(after.boot.starts["new"]?.unclean == 1)
    }

    @Test("the newest payload of a start is the one that is blamed")
    func newestFirst() {
        var before = Self.state(
            current: Self.slot("new"), previous: Self.slot("old", confirmed: true))
        before.boot.starts["old"] = StartRecord()
        func swapped() -> StartMark {
            var mark = Self.mark("old", [.activated, .called, .ready])
            mark.note(.willActivate("new", readyRuns: 0))
            mark.note(.activated)
            mark.note(.called)
            return mark
        }
        let (after, _) = Self.judged(before, [swapped(), swapped()])
        #expect(after.failed.keys.sorted() == ["new"])
        #expect(after.current?.digest == "old")
    }

    @Test("an activation that was taken back is not blamed; the payload before it is judged")
    func abandoned() {
        var mark = Self.mark("old", [.activated, .called, .ready])
        mark.note(.willActivate("new", readyRuns: 0))
        mark.note(.abandoned)
        #expect(Self.judge.ending(mark) == .ready(crashed: true))
        let (after, _) = Self.judged(Self.state(current: Self.slot("old")), [mark, mark])
        #expect(after.failed.isEmpty)
    }

    @Test("P17: two unclean starts of the release fallen back on lead to native code alone")
    func P17_safeMode() {
        let before = Self.state(
            current: Self.slot("new"), previous: Self.slot("old", confirmed: true))
        let starts = ["new", "new", "old", "old"].map { Self.mark($0) }
        let (after, verdicts) = Self.judged(before, starts)
        #expect(after.current == nil)
        #expect(after.failed.keys.sorted() == ["new", "old"])
        #expect(after.boot.safeModeUntil == Self.judge.now + Self.judge.banSeconds)
        #expect(verdicts.last?.action == .safeMode)
    }

    @Test("without a release before it, a failed one gives way to what the app shipped with")
    func onlyRelease() {
        let (after, verdicts) = Self.judged(
            Self.state(current: Self.slot("new")), [Self.mark("new"), Self.mark("new")])
        #expect(after.current == nil)
        #expect(after.boot.safeModeUntil == nil)
        #expect(verdicts.last?.action == .rolledBack(to: nil))
    }

    @Test("a release that was replaced before it was judged does not count as the bundled module")
    func staleReleaseIsNotBundled() {
        var before = BuildState()
        before.staged = .release(Self.slot("newer"))
        let (after, verdicts) = Self.judged(before, [Self.mark("old"), Self.mark("old")])
        #expect(after.boot.safeModeUntil == nil)
        #expect(after.boot.starts.isEmpty)
        #expect(verdicts.allSatisfy { $0.action == .counted })
    }

    @Test("P17: a bundled module that fails twice is left out too")
    func P17_bundled() {
        let (after, verdicts) = Self.judged(
            BuildState(), [Self.mark("bundled"), Self.mark("bundled")])
        #expect(after.failed.keys.sorted() == ["bundled"])
        #expect(after.boot.safeModeUntil != nil)
        #expect(verdicts.last?.action == .safeMode)
    }

    @Test("a staged release that ends the app while it is activated is taken off the stage")
    func staged() {
        var before = Self.state(current: Self.slot("old", confirmed: true))
        before.staged = .release(Self.slot("new"))
        let (after, verdicts) = Self.judged(before, [Self.mark("new", []), Self.mark("new", [])])
        #expect(after.staged == nil)
        #expect(after.current?.digest == "old")
        #expect(verdicts.last?.action == .rolledBack(to: "old"))
        #expect(after.boot.safeModeUntil == nil)
    }

    @Test("a release that is hardly ever called is confirmed by three clean ends")
    func rarelyCalled() {
        let before = Self.state(current: Self.slot("new"))
        let clean = Self.mark("new", [.activated, .background])
        let (two, none) = Self.judged(before, [clean, Self.mark("new", [.activated, .ended])])
        #expect(two.current?.isConfirmed == false)
        #expect(none.isEmpty)
        let (three, verdicts) = Self.judged(two, [clean])
        #expect(three.current?.isConfirmed == true)
        #expect(verdicts.map(\.action) == [.confirmed])
    }

    @Test("P12: a ban ends by itself, and no wrong clock makes it longer")
    func P12_ban() throws {
        let (after, _) = Self.judged(
            Self.state(current: Self.slot("new")), [Self.mark("new"), Self.mark("new")])
        let expires = try #require(after.failed["new"]?.expires)
        #expect(expires == Self.judge.now + 7 * 86400)
        var earlier = Self.judge
        earlier.now -= 10 * 365 * 86400
        let (bounded, _) = earlier.judge(after, [])
        #expect(bounded.failed["new"]?.expires == earlier.now + 7 * 86400)
    }

    @Test("an unclean end within the first ten runs after ready is reported, and only reported")
    func crashAfterReady() {
        let before = Self.state(current: Self.slot("new"))
        for run in 0..<12 {
            let mark = Self.mark("new", [.activated, .called, .ready], readyRuns: run)
            let (after, verdicts) = Self.judge.judge(before, [mark])
            #expect(after.current?.isConfirmed == true)
            #expect(after.boot.starts["new"]?.unclean == 0)
            #expect(verdicts.map(\.reason) == (run < 10 ? [.crashAfterReady] : []), "run \(run)")
        }
    }

    @Test("P08: however many processes were ended together, they are one unclean start")
    func P08_manyProcesses() {
        let marks = (1...8).map { Self.mark("new", pid: $0) }
        let (after, verdicts) = Self.judge.judge(Self.state(current: Self.slot("new")), marks)
        #expect(after.failed.isEmpty)
        #expect(after.boot.starts["new"]?.unclean == 1)
        #expect(verdicts.count == 1)
    }

    @Test("a start whose mark could not be removed is not counted again")
    func judgedOnce() {
        let mark = Self.mark("new")
        var state = Self.state(current: Self.slot("new"))
        for _ in 0..<5 { (state, _) = Self.judge.judge(state, [mark]) }
        #expect(state.failed.isEmpty)
        #expect(state.boot.starts["new"]?.unclean == 1)
    }
}
