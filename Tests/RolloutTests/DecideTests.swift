import Rollout
import Testing

/// One rule of the decision each, named after its outcome.
@Suite struct DecideTests {
    let releases: [String: Release]
    var head = Head(
        appID: "app", platform: "linux", channel: "production", fingerprint: "fp",
        headSequence: 7, stable: "d2")
    var device = Device(
        deviceID: "id", appID: "app", platform: "linux", channel: "production",
        fingerprint: "fp", capabilities: ["log", "app.shop"])

    init() {
        var all: [String: Release] = [:]
        for number in 1...4 {
            all["d\(number)"] = Release(
                appID: "app", platform: "linux", version: "\(number)", sequence: number,
                fingerprint: "fp", raw: RawPayload(sha256: "d\(number)", size: 1))
        }
        releases = all
    }

    func running(_ number: Int, channel: String = "production") -> Device {
        var device = device
        device.current = .release(digest: "d\(number)", sequence: number, channel: channel)
        return device
    }

    func answer(_ device: Device, _ head: Head, _ brake: Brake? = nil) -> Decision {
        decide(device, head: head, brake: brake, releases: releases)
    }

    @Test("a fresh device takes the stable release")
    func takesStable() {
        let decision = answer(device, head)
        #expect(decision.target == .release("d2"))
        #expect(decision.reason == .updateStable)
        #expect(decision.headSequence == 7)
    }

    @Test("nothing published keeps what runs")
    func noHead() {
        let decision = decide(running(1), head: nil, releases: releases)
        #expect(decision.target == .current)
        #expect(decision.reason == .headMissing)
    }

    @Test("a replayed older head is rejected")
    func olderHead() {
        var device = running(1)
        device.heldHeadSequence = 8
        #expect(answer(device, head).reason == .headRejected)
    }

    @Test("a head for another app, platform, channel or build keeps what runs and says both values")
    func mismatches() {
        var other = head
        other.appID = "x"
        #expect(answer(running(1), other).reason == .appMismatch)
        #expect(answer(running(1), other).context.contains("x"))
        other = head
        other.platform = "ios"
        #expect(answer(running(1), other).reason == .platformMismatch)
        other = head
        other.channel = "beta"
        #expect(answer(running(1), other).reason == .channelMismatch)
        other = head
        other.fingerprint = "old"
        let decision = answer(running(1), other)
        #expect(decision.reason == .fingerprintMismatch)
        #expect(decision.target == .current)
    }

    @Test("P01: republishing what runs is no update")
    func sameDigest() {
        #expect(answer(running(2), head).target == .current)
        #expect(answer(running(2), head).reason == .upToDate)
    }

    @Test("an earlier release that is named stable is a rollback, taken once")
    func rollback() {
        var back = head
        back.stable = "d1"
        let decision = answer(running(2), back)
        #expect(decision.target == .release("d1"))
        #expect(decision.reason == .rolledBack)
        #expect(answer(running(1), back).reason == .upToDate)
    }

    @Test("an earlier release is never taken as a candidate")
    func candidateNeverGoesBack() {
        var back = head
        back.stable = "d3"
        back.candidate = Candidate(digest: "d1", grant: 10_000, salt: "s")
        #expect(answer(running(3), back).reason == .notNewer)
    }

    @Test("P45: a new candidate takes the place of the one before, for those it reaches and others")
    func P45_superseded() {
        var head = head
        head.candidate = Candidate(digest: "d4", grant: 10_000, salt: "s")
        #expect(answer(running(3), head).target == .release("d4"))
        head.candidate?.grant = 0
        let decision = answer(running(3), head)
        #expect(decision.target == .release("d2") && decision.reason == .rolledBack)
    }

    @Test("P47: a lower grant takes nothing away from those who have the candidate")
    func stays() {
        var rollout = head
        rollout.candidate = Candidate(digest: "d3", grant: 0, salt: "s")
        #expect(answer(running(3), rollout).reason == .staysOnCandidate)
        #expect(answer(running(2), rollout).target == .current)
    }

    @Test("P47: unless the head retracts it: then whoever is not drawn goes back, and nobody else")
    func P47_retracted() {
        var rollout = head
        rollout.candidate = Candidate(digest: "d3", grant: 0, salt: "s")
        rollout.candidate?.retract = true
        let back = answer(running(3), rollout)
        #expect(back.target == .release("d2") && back.reason == .rolledBack)
        #expect(!back.isMandatory, "it waits for a safe point like any update")
        #expect(answer(running(2), rollout).reason == .upToDate)
        // With nothing before it, to what the app shipped with.
        rollout.stable = nil
        #expect(answer(running(3), rollout).target == .embedded)
        // Who is drawn keeps it; so does everybody while it is merely halted.
        rollout.candidate?.grant = 10_000
        #expect(answer(running(3), rollout).target == .current)
        var brake = Brake(
            appID: rollout.appID, platform: rollout.platform, channel: rollout.channel,
            brakeSequence: 1, halted: true)
        let halted = decide(running(3), head: rollout, brake: brake, releases: releases)
        #expect(halted.target == .current && halted.reason == .staysOnCandidate)
        // A cap of the server's is a smaller grant as well.
        brake.halted = false
        brake.caps = ["d3": 0]
        let capped = decide(running(3), head: rollout, brake: brake, releases: releases)
        #expect(capped.target == .embedded)
    }

    @Test("a recalled release is left at once, even to what the app shipped with")
    func recall() {
        var recalled = head
        recalled.recalled = ["d2"]
        let decision = answer(running(2), recalled)
        #expect(decision.target == .embedded)
        #expect(decision.reason == .recalled)
        #expect(decision.isMandatory)
        #expect(answer(device, recalled).reason == .noneEligible)
        #expect(answer(device, recalled).excluded.map(\.reason) == [.recalled])
    }

    @Test("a recalled release stays where leaving it would lose data, and says so")
    func recallAgainstDataEpoch() {
        var recalled = head
        recalled.recalled = ["d2"]
        recalled.dataEpoch = 1
        var device = running(2)
        device.hasWrittenData = true
        let decision = answer(device, recalled)
        #expect(decision.target == .current)
        #expect(decision.reason == .dataEpoch)
        #expect(decision.context == "although recalled")
    }

    @Test("a release below the floor is left and not taken")
    func floor() {
        var device = running(1)
        device.floor = 2
        #expect(answer(device, head).reason == .belowFloor)
        device.floor = 3
        #expect(answer(device, head).target == .embedded)
    }

    @Test("kind embedded sends everybody back, those on the candidate too")
    func embedded() {
        var back = head
        back.kind = .embedded
        back.candidate = Candidate(digest: "d3", grant: 10_000, salt: "s")
        #expect(answer(running(2), back).target == .embedded)
        #expect(answer(running(3), back).target == .embedded)
        #expect(answer(running(2), back).reason == .embedded)
        #expect(answer(device, back).reason == .upToDate)
    }

    @Test("P04: what the app shipped with is kept when it is newer")
    func embeddedNewer() {
        var device = device
        device.embeddedSequence = 3
        #expect(answer(device, head).reason == .embeddedNewer)
        var running = running(2)
        running.embeddedSequence = 3
        #expect(answer(running, head).target == .embedded)
    }

    @Test("P12: a failed release is not taken until its ban ends or is lifted")
    func failed() {
        var device = device
        device.now = 100
        device.failed["d2"] = FailedRelease(reason: .trapped, retryGeneration: 0, expires: 200)
        #expect(answer(device, head).target == .current)
        #expect(answer(device, head).excluded.map(\.reason) == [.failedHere])
        var lifted = head
        lifted.retryGeneration = 1
        #expect(answer(device, lifted).target == .release("d2"))
        device.now = 300
        #expect(answer(device, head).target == .release("d2"))
    }

    @Test("a release that imports what the app does not grant is left out")
    func capability() {
        var all = releases
        all["d2"]?.capabilities = ["log.write", "app.shop.buy"]
        #expect(decide(device, head: head, releases: all).target == .release("d2"))
        all["d2"]?.capabilities = ["fetch.get"]
        let decision = decide(device, head: head, releases: all)
        #expect(decision.excluded.map(\.digest) == ["d2"])
        #expect(decision.excluded.map(\.reason) == [.capabilityDenied])
        #expect(decision.reason == .noneEligible)
    }

    @Test("a release that needs functions the build does not have is left out")
    func surface() {
        var all = releases
        all["d2"]?.needs = [SurfaceNeed(id: "a", sig: "b")]
        var device = device
        device.surface = ["a": "b"]
        #expect(decide(device, head: head, releases: all).target == .release("d2"))
        device.surface = ["a": "c"]
        #expect(
            decide(device, head: head, releases: all).excluded.map(\.reason) == [.surfaceMissing])
    }

    @Test("a head that names a release nobody lists keeps what runs")
    func missingRelease() {
        var lost = head
        lost.stable = "gone"
        #expect(answer(device, lost).excluded.map(\.reason) == [.releaseMissing])
        #expect(answer(device, lost).target == .current)
    }

    @Test("switching channels moves a device even to an older release, unless it is known there")
    func channelSwitch() {
        let moved = answer(running(4, channel: "beta"), head)
        #expect(moved.target == .release("d2"))
        #expect(moved.reason == .channelSwitched)
        #expect(answer(running(2, channel: "beta"), head).target == .current)
        var returnable = head
        returnable.returnable = ["d4"]
        returnable.stable = "d2"
        #expect(answer(running(4, channel: "beta"), returnable).reason == .rolledBack)
    }

    @Test("a release is mandatory when a mandatory one lies between it and what runs")
    func mandatory() {
        var forced = head
        forced.mandatorySince = 2
        #expect(answer(running(1), forced).isMandatory)
        forced.mandatorySince = 1
        #expect(!answer(running(1), forced).isMandatory)
        forced.mandatorySince = 3
        #expect(!answer(running(1), forced).isMandatory)
    }

    @Test("a candidate asks for system, app, tag and cohort")
    func requirements() {
        var rollout = head
        rollout.candidate = Candidate(digest: "d3", grant: 10_000, salt: "s")
        rollout.candidate?.require = Requirement(
            minimumSystem: "12.4", maximumApp: "3", tags: ["qa", "vip"], cohorts: ["b"])
        var fitting = device
        fitting.systemVersion = "12.10"
        fitting.appVersion = "3.0.0"
        fitting.tags = ["vip"]
        fitting.cohort = "b"
        #expect(answer(fitting, rollout).target == .release("d3"))
        for (name, change) in [
            ("system", { $0.systemVersion = "12.3.9" }), ("app", { $0.appVersion = "3.0.1" }),
            ("unknown", { $0.appVersion = nil }), ("tag", { $0.tags = ["x"] }),
            ("cohort", { $0.cohort = nil }),
        ] as [(String, (inout Device) -> Void)] {
            var other = fitting
            change(&other)
            let decision = answer(other, rollout)
            #expect(decision.target == .release("d2"), "\(name)")
            #expect(decision.excluded.map(\.reason) == [.requirementUnmet], "\(name)")
        }
    }

    @Test("a brake halts, caps, recalls, and returns only to a returnable release")
    func brakes() {
        var rollout = head
        rollout.candidate = Candidate(digest: "d3", grant: 10_000, salt: "s")
        rollout.returnable = ["d1"]
        var brake = Brake(appID: "app", platform: "linux", channel: "production", brakeSequence: 1)
        #expect(answer(device, rollout, brake).target == .release("d3"))
        brake.halted = true
        #expect(answer(device, rollout, brake).target == .release("d2"))
        brake.halted = false
        brake.caps = ["d3": 0]
        #expect(answer(device, rollout, brake).target == .release("d2"))
        brake.returnTo = "d4"
        #expect(answer(device, rollout, brake).target == .release("d2"))
        brake.returnTo = "d1"
        #expect(answer(device, rollout, brake).target == .release("d1"))
        brake.kind = .embedded
        #expect(answer(running(2), rollout, brake).target == .embedded)
        brake.channel = "beta"
        #expect(answer(device, rollout, brake).target == .release("d3"))
    }
}
