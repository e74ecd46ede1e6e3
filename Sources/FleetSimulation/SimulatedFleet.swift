import Rollout
import RolloutGates

/// A fleet in simulated time, and the store of one rollout over it. Devices decide by `decide`, gates
/// by ``GateKeeper``: only people, failures and the clock are made up.
actor SimulatedFleet: GateStore {
    /// What is remembered of one device.
    private struct Member {
        /// The last published state that it has decided by.
        var revision = 0
        /// The stage in which it was last seen as one of the control.
        var stage = -1
        /// Absent before this time.
        var awayUntil = 0
        var isCandidate = false
        /// Whether the candidate failed here, and is banned.
        var hasFailed = false
        /// Whether what it runs without the candidate failed in this stage.
        var hasFailedOtherwise = false
        var isBricked = false
        /// Whether it was seen again since it came into its group.
        var hasReturned = false
        /// Whether it is counted as due, and as silent, in that group.
        var isDue = false
        var isSilent = false
    }

    /// An entry into a group, to be looked at when the return time is over.
    private struct Entry {
        let device: Int
        let at: Int
        let stage: Int
        let isCandidate: Bool
    }

    private let model: FleetModel
    private let plan: StagePlan
    private let rules: GateRules
    private var random: SimulationRandom
    private let ids: [String]
    private var members: [Member]
    private let stableDigest: String
    private let candidateDigest: String
    private let releases: [String: Release]
    private var head: Head
    private var brake: Brake
    private var template: Device

    private var revision = 1
    private var stage = 0
    private var stageSince = 0
    private var candidate = Cohort()
    private var control = Cohort()
    private var exposedBefore = 0
    private var entries: [Entry] = []
    private var firstEntry = 0
    private var comingBack: [Int: [Int]] = [:]
    private var last: GateRecord?

    /// Everything that was decided, holds that repeat the one before left out.
    private(set) var story: [GateRecord] = []
    /// How often a device decided.
    private(set) var decisions = 0

    init(_ model: FleetModel, plan: StagePlan, rules: GateRules, seed: UInt64) {
        var random = SimulationRandom(seed: seed)
        self.model = model
        self.plan = plan
        self.rules = rules
        ids = (0..<model.devices).map { _ in random.uuid() }
        members = Array(repeating: Member(), count: model.devices)
        // Names of one word where apps have 64 digits: nothing looks into them, and hundreds of
        // millions of decisions compare them.
        stableDigest = "stable"
        candidateDigest = "candidate"
        let fingerprint = "build"
        let app = "app"
        func release(_ digest: String, _ sequence: Int) -> Release {
            Release(
                appID: app, platform: "ios", version: "\(sequence).0.0", sequence: sequence,
                fingerprint: fingerprint, raw: RawPayload(sha256: digest, size: 1))
        }
        releases = [
            stableDigest: release(stableDigest, 1), candidateDigest: release(candidateDigest, 2),
        ]
        head = Head(
            appID: app, platform: "ios", channel: "production", fingerprint: fingerprint,
            headSequence: 2, stable: stableDigest,
            candidate: Candidate(
                digest: candidateDigest, grant: model.grant, salt: random.hex(32),
                stages: plan.stages))
        brake = Brake(
            appID: app, platform: "ios", channel: "production", brakeSequence: 1,
            caps: [candidateDigest: plan.stages[0].grant])
        template = Device(
            deviceID: nil, appID: app, platform: "ios", channel: "production",
            fingerprint: fingerprint)
        self.random = random
    }

    // MARK: Time

    /// What devices do between `time` and the next look.
    func live(from time: Int) {
        let step = model.lookEvery
        let steps = max(1, model.checkEvery / step)
        let phase = time / step % steps
        for device in comingBack.removeValue(forKey: time / step) ?? [] { seeAgain(device) }
        // A device checks at its own minute of the hour, the same every time.
        var device = phase
        while device < members.count {
            visit(device, at: time)
            device += steps
        }
    }

    private func visit(_ device: Int, at time: Int) {
        let member = members[device]
        if member.isBricked || member.awayUntil > time { return }
        seeAgain(device)
        // Nothing was published since: the server answers 304, and nothing is decided.
        if member.revision != revision {
            members[device].revision = revision
            if takesCandidate(device) {
                joinCandidate(device, at: time)
                return
            }
        }
        if !members[device].isCandidate, members[device].stage != stage {
            joinControl(device, at: time)
        }
    }

    /// Has the device decide as devices do.
    private func takesCandidate(_ device: Int) -> Bool {
        decisions += 1
        let member = members[device]
        template.deviceID = ids[device]
        template.current =
            member.isCandidate && !member.hasFailed
            ? .release(digest: candidateDigest, sequence: 2, channel: "production")
            : .release(digest: stableDigest, sequence: 1, channel: "production")
        template.failed =
            member.hasFailed
            ? [
                candidateDigest: FailedRelease(
                    reason: .trapped, retryGeneration: 0, expires: .infinity)
            ] : [:]
        let decision = decide(template, head: head, brake: brake, releases: releases)
        return decision.target == .release(candidateDigest)
    }

    // MARK: Groups

    private func joinCandidate(_ device: Int, at time: Int) {
        leaveControl(device)
        members[device].isCandidate = true
        members[device].isDue = false
        members[device].isSilent = false
        candidate.exposed += 1
        if random.happens(model.brick) {
            members[device].isBricked = true
        } else {
            candidate.activated += 1
            if random.happens(model.candidateFailure) {
                members[device].hasFailed = true
                candidate.failed += 1
            }
        }
        enter(device, at: time, isCandidate: true)
    }

    private func joinControl(_ device: Int, at time: Int) {
        members[device].stage = stage
        members[device].isDue = false
        members[device].isSilent = false
        members[device].hasFailedOtherwise = random.happens(model.baseFailure)
        control.exposed += 1
        control.activated += 1
        if members[device].hasFailedOtherwise { control.failed += 1 }
        enter(device, at: time, isCandidate: false)
    }

    private func leaveControl(_ device: Int) {
        let member = members[device]
        guard !member.isCandidate, member.stage == stage else { return }
        control.exposed -= 1
        control.activated -= 1
        if member.hasFailedOtherwise { control.failed -= 1 }
        if member.isDue { control.due -= 1 }
        if member.isSilent { control.silent -= 1 }
    }

    /// Draws whether and when the device is seen again after it came into a group.
    private func enter(_ device: Int, at time: Int, isCandidate: Bool) {
        entries.append(
            Entry(device: device, at: time, stage: stage, isCandidate: isCandidate))
        members[device].hasReturned = false
        if members[device].isBricked { return }
        guard random.happens(model.returns) else {
            members[device].awayUntil = time + model.absence
            return
        }
        if model.returnTime == 0 {
            members[device].hasReturned = true
        } else {
            let back = time + Int.random(in: 0..<model.returnTime, using: &random)
            comingBack[max(back / model.lookEvery, time / model.lookEvery + 1), default: []]
                .append(device)
        }
    }

    private func seeAgain(_ device: Int) {
        if !members[device].isBricked { members[device].hasReturned = true }
    }

    private func becomeDue(until time: Int) {
        while firstEntry < entries.count, entries[firstEntry].at + rules.returnTime <= time {
            let entry = entries[firstEntry]
            firstEntry += 1
            let member = members[entry.device]
            guard member.isCandidate == entry.isCandidate, !member.isDue else { continue }
            guard entry.isCandidate || entry.stage == stage else { continue }
            let isSilent = !member.hasReturned
            members[entry.device].isDue = true
            members[entry.device].isSilent = isSilent
            if entry.isCandidate {
                candidate.due += 1
                candidate.silent += isSilent ? 1 : 0
            } else {
                control.due += 1
                control.silent += isSilent ? 1 : 0
            }
        }
        if firstEntry > 100_000 {
            entries.removeFirst(firstEntry)
            firstEntry = 0
        }
    }

    // MARK: The store

    func watchedRollouts(at now: Int) -> [WatchedRollout] {
        becomeDue(until: now)
        return [
            WatchedRollout(
                id: "simulated", revision: revision, plan: plan, rules: rules,
                inputs: GateInputs(
                    release: candidateDigest, channel: head.channel, fingerprint: head.fingerprint,
                    reach: reach, grant: model.grant, stageSince: stageSince,
                    isHalted: brake.halted, candidate: candidate,
                    exposedInStage: candidate.exposed - exposedBefore, control: control),
                last: last)
        ]
    }

    private var reach: Int { min(model.grant, brake.caps[candidateDigest] ?? Bucket.count) }

    func keep(_ record: GateRecord, of rollout: WatchedRollout) {
        if last?.decision.rule != record.decision.rule || record.decision.action != .hold {
            story.append(record)
        }
        last = record
    }

    func halt(_ rollout: WatchedRollout, _ record: GateRecord) -> Bool {
        brake.brakeSequence += 1
        brake.halted = true
        revision += 1
        return true
    }

    func advance(_ rollout: WatchedRollout, to reach: Int, _ record: GateRecord) -> Bool {
        brake.brakeSequence += 1
        brake.caps[candidateDigest] = reach
        revision += 1
        stage += 1
        stageSince = record.at
        exposedBefore = candidate.exposed
        control = Cohort()
        return true
    }

    /// How many devices took the candidate until now.
    var exposed: Int { candidate.exposed }
}
