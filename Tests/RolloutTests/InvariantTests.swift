import Rollout
import TestSupport
import Testing

/// The invariants I1–I7 of `cases/ota.md` over random fleets.
@Suite struct InvariantTests {
    static let rounds = 6_000

    @Test("I1: the same device and head give the same answer")
    func I1_pure() {
        var fleet = RandomFleet(generator: SeededGenerator())
        for _ in 0..<2_000 {
            let releases = fleet.releases()
            let device = fleet.device()
            let head = fleet.head()
            let brake = fleet.chance(50) ? fleet.brake() : nil
            let first = decide(device, head: head, brake: brake, releases: releases)
            let second = decide(device, head: head, brake: brake, releases: releases)
            #expect(first == second, "\(fleet.generator)")
        }
    }

    @Test("I2: a larger grant reaches everybody that a smaller one does")
    func I2_monotone() {
        var fleet = RandomFleet(generator: SeededGenerator())
        for _ in 0..<Self.rounds {
            let id = fleet.id()
            let salt = fleet.id()
            let small = Int.random(in: 0...10_000, using: &fleet.generator)
            let large = Int.random(in: small...10_000, using: &fleet.generator)
            if Bucket.contains(device: id, salt: salt, grant: small) {
                #expect(
                    Bucket.contains(device: id, salt: salt, grant: large), "\(fleet.generator)")
            }
        }
    }

    @Test("I3: two rollouts draw independently of each other")
    func I3_independent() {
        var fleet = RandomFleet(generator: SeededGenerator(seed: 3))
        let count = 100_000
        var both = 0
        for _ in 0..<count {
            let id = fleet.id()
            let isInFirst = Bucket.contains(device: id, salt: "a", grant: 2_000)
            if isInFirst, Bucket.contains(device: id, salt: "b", grant: 2_000) { both += 1 }
        }
        // p = 0.04; three standard deviations of a binomial draw.
        let expected = 0.04 * Double(count)
        let deviation = (expected * 0.96).squareRoot()
        #expect(abs(Double(both) - expected) <= 3 * deviation)
    }

    @Test("I4: having done what was decided, a device is asked for nothing more")
    func I4_fixpoint() {
        var fleet = RandomFleet(generator: SeededGenerator())
        var moves = 0
        for _ in 0..<Self.rounds {
            let releases = fleet.releases()
            let device = fleet.device()
            let head = fleet.head()
            let brake = fleet.chance(50) ? fleet.brake() : nil
            let first = decide(device, head: head, brake: brake, releases: releases)
            if first.target != .current { moves += 1 }
            let next = device.applying(first, releases)
            let second = decide(next, head: head, brake: brake, releases: releases)
            #expect(
                second.target == .current,
                "\(first) then \(second) for \(device) \(head); \(fleet.generator)")
        }
        #expect(moves > Self.rounds / 10, "the world is too dull to prove anything")
    }

    @Test("I4: switching channels settles in one step, back and forth")
    func I4_channelSwitch() {
        var fleet = RandomFleet(generator: SeededGenerator())
        for _ in 0..<Self.rounds / 2 {
            let releases = fleet.releases()
            let heads = RandomFleet.channels.map { fleet.head(channel: $0) }
            var device = fleet.device()
            for step in 0..<4 {
                device.channel = RandomFleet.channels[step % 2]
                let head = heads[step % 2]
                device = device.applying(
                    decide(device, head: head, releases: releases), releases)
                let again = decide(device, head: head, releases: releases)
                #expect(again.target == .current, "\(fleet.generator)")
            }
        }
    }

    @Test("I5: no grant selects nobody; a full one everybody, with an id or without")
    func I5_extremes() {
        var fleet = RandomFleet(generator: SeededGenerator())
        for _ in 0..<2_000 {
            let id: String? = fleet.chance(20) ? nil : fleet.id()
            let salt = fleet.id()
            #expect(!Bucket.contains(device: id, salt: salt, grant: 0), "\(fleet.generator)")
            #expect(Bucket.contains(device: id, salt: salt, grant: 10_000), "\(fleet.generator)")
        }
    }

    @Test("I6: a device without an id stays out of every partial rollout")
    func I6_noID() {
        for grant in [1, 100, 5_000, 9_999] {
            #expect(!Bucket.contains(device: nil, salt: "s", grant: grant))
        }
    }

    @Test("I7: no brake makes a device run what the head's own grant and lists would not")
    func I7_brakesRestrict() {
        var fleet = RandomFleet(generator: SeededGenerator())
        for _ in 0..<Self.rounds {
            let releases = fleet.releases()
            let device = fleet.device()
            let head = fleet.head()
            let brake = fleet.brake()
            let braked = decide(device, head: head, brake: brake, releases: releases)
            guard case .release(let digest) = braked.target else { continue }
            #expect(!head.recalled.contains(digest), "\(fleet.generator)")
            let named = Set(head.returnable + [head.stable].compactMap { $0 })
            if named.contains(digest) { continue }
            guard let candidate = head.candidate, candidate.digest == digest else {
                Issue.record("\(digest) is named nowhere; \(fleet.generator)")
                continue
            }
            let isReached = Bucket.contains(
                device: device.deviceID, salt: candidate.salt, grant: candidate.grant)
            #expect(isReached && candidate.require.admits(device), "\(fleet.generator)")
        }
    }

    @Test("the draw is the documented one")
    func bucketVectors() {
        // SHA-256 of "patch-rollout-v1", NUL, salt, NUL, id, computed with another tool.
        #expect(Bucket.of(device: "00000000-0000-4000-8000-000000000000", salt: "00ff") == 5376)
        #expect(Bucket.of(device: "abc", salt: "0123456789abcdef0123456789abcdef") == 6896)
    }
}
