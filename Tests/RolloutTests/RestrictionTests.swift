import Rollout
import TestSupport
import Testing

/// Brakes, halts, reverts and expired metadata restrict, in whatever order they meet (I7).
@Suite struct RestrictionTests {
    @Test("I7: no brake makes a device run what the head's own grant and lists would not")
    func I7_brakesRestrict() {
        let sweep = StateSweep.shared
        #expect(sweep.wrong[.brakes] == nil, "\(sweep.replay)")
    }

    @Test("no brake is the head alone, and a brake that says nothing is no brake")
    func emptyBrake() {
        var fleet = RandomFleet(generator: SeededGenerator())
        let empty = Brake(
            appID: "app", platform: "linux", channel: "production", brakeSequence: 9)
        var wrong: String?
        fleet.states(50_000) { world, device in
            let alone = decide(device, head: world.head, releases: world.releases)
            let braked = decide(
                device, head: world.head, brake: empty, releases: world.releases)
            if alone != braked { wrong = "\(alone) and \(braked) for \(device) \(world)" }
        }
        #expect(wrong == nil, "\(fleet.generator)")
    }

    @Test("a restriction never introduces a release, and never moves forward")
    func restricted() {
        let sweep = StateSweep.shared
        #expect(sweep.wrong[.restriction] == nil, "\(sweep.replay)")
        #expect(sweep.restrictedMoves > 2_000, "nothing was restricted")
    }

    @Test("a recall, a floor or 'embedded' is obeyed under a restriction as without one")
    func restrictionHidesNoRecall() {
        var fleet = RandomFleet(generator: SeededGenerator())
        var wrong: String?
        fleet.states(50_000) { world, device in
            let free = decide(
                device, head: world.head, brake: world.brake, releases: world.releases)
            guard [.recalled, .belowFloor, .embeddedNewer].contains(free.reason),
                free.target != .current
            else { return }
            let restricted = decide(
                device, head: world.head, brake: world.brake, releases: world.releases,
                restriction: .metadataExpired)
            let isHeldBack = restricted.context == Reason.dataEpoch.code
            if restricted.target == .current, !isHeldBack {
                wrong = "\(restricted) where \(free) for \(device) \(world)"
            }
        }
        #expect(wrong == nil, "\(fleet.generator)")
    }

    /// A served state: what one write of head or brake made.
    private struct Served {
        var head: Head
        var brake: Brake
    }

    /// Writers who read, think and write, each only over the state that they have read; edges of a
    /// network that serve any state from before; devices that poll any edge.
    @Test("I7: no interleaving of halts, reverts, raises and stale mirrors exposes one device more")
    func I7_interleavings() {
        var fleet = RandomFleet(generator: SeededGenerator())
        var releases: [String: Release] = [:]
        for number in 1...2 {
            releases["d\(number)"] = Release(
                appID: "app", platform: "linux", version: "\(number)", sequence: number,
                fingerprint: "fp", raw: RawPayload(sha256: "d\(number)", size: 1))
        }
        var polls = 0
        var wrong: String?
        while polls < 300_000 {
            var history = [Self.start(&fleet)]
            var drafts: [(read: Int, state: Served)] = []
            var devices = (0..<40).map { _ in
                Device(
                    deviceID: fleet.id(), appID: "app", platform: "linux",
                    channel: "production", fingerprint: "fp")
            }
            for _ in 0..<20 {
                if fleet.chance(60) {
                    drafts.append((history.count - 1, Self.draft(history.last, &fleet)))
                }
                if !drafts.isEmpty, fleet.chance(60) {
                    let draft = drafts.remove(
                        at: Int.random(in: 0..<drafts.count, using: &fleet.generator))
                    // The publishing rule: only the next version of what was read is taken.
                    if draft.read == history.count - 1 {
                        if Self.restricts(draft.state, history.last) {
                            let some = Array(devices.prefix(10))
                            let before = Self.exposed(history.last, some, releases)
                            let after = Self.exposed(draft.state, some, releases)
                            if !after.isSubset(of: before) {
                                wrong = "a restriction reached \(after.subtracting(before))"
                            }
                        }
                        history.append(draft.state)
                    }
                }
                for index in devices.indices {
                    polls += 1
                    let age =
                        fleet.chance(30)
                        ? Int.random(in: 0..<history.count, using: &fleet.generator)
                        : history.count - 1
                    let seen = history[age]
                    var device = devices[index]
                    let decision = decide(
                        device, head: seen.head, brake: seen.brake, releases: releases)
                    if decision.target == .release("d2"),
                        seen.head.headSequence < device.heldHeadSequence
                            || seen.brake.brakeSequence < device.heldBrakeSequence
                    {
                        wrong = "taken from a state older than one that was seen"
                    }
                    if ![.headRejected, .brakeRejected].contains(decision.reason) {
                        device.heldHeadSequence = seen.head.headSequence
                        device.heldBrakeSequence = seen.brake.brakeSequence
                    }
                    devices[index] = device.applying(decision, releases)
                }
            }
        }
        #expect(wrong == nil, "\(fleet.generator)")
    }

    private static func start(_ fleet: inout RandomFleet) -> Served {
        var head = Head(
            appID: "app", platform: "linux", channel: "production", fingerprint: "fp",
            headSequence: 1, stable: "d1")
        head.candidate = Candidate(
            digest: "d2", grant: fleet.pick([0, 2_000, 10_000]), salt: fleet.id())
        let brake = Brake(
            appID: "app", platform: "linux", channel: "production", brakeSequence: 1)
        return Served(head: head, brake: brake)
    }

    /// One write: a halt, a revert or a raise by the release key, or anything by the ops key.
    private static func draft(_ last: Served?, _ fleet: inout RandomFleet) -> Served {
        var next = last ?? start(&fleet)
        switch Int.random(in: 0..<7, using: &fleet.generator) {
        case 0:
            next.head.candidate?.grant = 0
            next.head.headSequence += 1
        case 1:
            next.head.candidate = nil
            next.head.headSequence += 1
        case 2:
            next.head.candidate = Candidate(
                digest: "d2", grant: fleet.pick([500, 5_000, 10_000]),
                salt: next.head.candidate?.salt ?? fleet.id())
            next.head.headSequence += 1
        case 3:
            next.brake.halted = true
            next.brake.brakeSequence += 1
        case 4:
            next.brake.halted = false
            next.brake.brakeSequence += 1
        case 5:
            next.brake.caps["d2"] = fleet.pick([0, 1_000, 10_000])
            next.brake.brakeSequence += 1
        default:
            next.brake.recalled = fleet.chance(50) ? ["d2"] : []
            next.brake.brakeSequence += 1
        }
        return next
    }

    private static func exposed(
        _ state: Served?, _ devices: [Device], _ releases: [String: Release]
    ) -> Set<String> {
        guard let state else { return [] }
        let taken = devices.filter {
            var device = $0
            device.current = .embedded
            let decision = decide(
                device, head: state.head, brake: state.brake, releases: releases)
            return decision.target == .release("d2")
        }
        return Set(taken.compactMap(\.deviceID))
    }

    /// Whether a write says less than the state before in every part of it.
    private static func restricts(_ new: Served, _ old: Served?) -> Bool {
        guard let old else { return false }
        return (new.head.candidate?.grant ?? 0) <= (old.head.candidate?.grant ?? 0)
            && (new.brake.halted || !old.brake.halted)
            && (new.brake.caps["d2"] ?? 10_000) <= (old.brake.caps["d2"] ?? 10_000)
            && Set(new.brake.recalled).isSuperset(of: old.brake.recalled)
            && (new.head.candidate == nil || new.head.candidate?.salt == old.head.candidate?.salt)
    }
}
