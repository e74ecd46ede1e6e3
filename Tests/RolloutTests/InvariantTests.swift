import Foundation
import Rollout
import RolloutGates
import TestSupport
import Testing

/// The invariants I1–I6 of `cases/ota.md`, each over at least 300,000 random states.
@Suite struct InvariantTests {
    static let count = 300_000

    @Test("I1, P44: device, tools and server give the same answer to the same published bytes")
    func I1_pure() throws {
        var fleet = RandomFleet(generator: SeededGenerator())
        let side = 548
        let devices = (0..<side).map { _ in fleet.device() }
        var differences = 0
        for _ in 0..<side {
            let world = fleet.world()
            // Who reads the published bytes anew must come to the same answer.
            let read = World(
                releases: try world.releases.mapValues(Self.reread),
                head: try Self.reread(world.head), brake: try world.brake.map(Self.reread),
                restriction: world.restriction)
            for device in devices where world.decision(for: device) != read.decision(for: device) {
                differences += 1
            }
        }
        #expect(differences == 0, "\(fleet.generator)")
    }

    private static func reread<Statement: Codable>(_ statement: Statement) throws -> Statement {
        try JSONDecoder().decode(Statement.self, from: try JSONEncoder().encode(statement))
    }

    @Test("I2: a larger grant reaches everybody that a smaller one does")
    func I2_monotone() {
        var fleet = RandomFleet(generator: SeededGenerator())
        var violations = 0
        for _ in 0..<Self.count {
            let id = fleet.id()
            let small = Int.random(in: 0...10_000, using: &fleet.generator)
            let large = Int.random(in: small...10_000, using: &fleet.generator)
            let isIn = Bucket.contains(device: id, salt: "salt", grant: small)
            if isIn, !Bucket.contains(device: id, salt: "salt", grant: large) { violations += 1 }
        }
        #expect(violations == 0, "\(fleet.generator)")
    }

    @Test("I3: two rollouts draw independently of each other")
    func I3_independent() {
        var fleet = RandomFleet(generator: SeededGenerator(seed: 3))
        let count = Self.count
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

    @Test("P43: who was first in one rollout is first in the next no more often than chance")
    func P43_canaries() {
        var fleet = RandomFleet(generator: SeededGenerator(seed: 43))
        var first = 0
        var again = 0
        for _ in 0..<Self.count / 3 {
            let id = fleet.id()
            guard Bucket.contains(device: id, salt: "v12", grant: 1_000) else { continue }
            first += 1
            if Bucket.contains(device: id, salt: "v13", grant: 1_000) { again += 1 }
        }
        // The measured peer gives 0.90 here.
        #expect((0.08...0.12).contains(Double(again) / Double(first)))
    }

    @Test("I4, P06: having done what was decided, a device is asked for nothing more")
    func I4_fixpoint() {
        let sweep = StateSweep.shared
        #expect(sweep.wrong[.fixpoint] == nil, "\(sweep.replay)")
        #expect(sweep.moves > Self.count / 10, "the world is too dull to prove anything")
    }

    @Test("I4: switching channels settles in one step, back and forth")
    func I4_channelSwitch() {
        var fleet = RandomFleet(generator: SeededGenerator())
        var moves = 0
        var restless: String?
        let devices = (0..<274).map { _ in fleet.device() }
        for _ in 0..<274 {
            let releases = fleet.releases()
            let worlds = RandomFleet.channels.map { channel in
                World(
                    releases: releases, head: fleet.head(channel: channel), brake: nil,
                    restriction: nil)
            }
            for start in devices {
                var device = start
                // Held sequences are kept per channel.
                device.heldHeadSequence = 0
                for step in 0..<4 {
                    device.channel = RandomFleet.channels[step % 2]
                    let world = worlds[step % 2]
                    let decision = world.decision(for: device)
                    guard decision.target != .current else { continue }
                    moves += 1
                    device = device.applying(decision, releases)
                    if world.decision(for: device).target != .current {
                        restless = "\(decision) for \(start) \(worlds)"
                    }
                }
            }
        }
        #expect(restless == nil, "\(fleet.generator)")
        #expect(moves > 30_000, "the world is too dull to prove anything")
    }

    @Test("I5: no grant selects nobody; a full one everybody, with an id or without")
    func I5_extremes() {
        var fleet = RandomFleet(generator: SeededGenerator())
        var violations = 0
        for _ in 0..<Self.count {
            let id: String? = fleet.chance(20) ? nil : fleet.id()
            if Bucket.contains(device: id, salt: "s", grant: 0) { violations += 1 }
            if !Bucket.contains(device: id, salt: "s", grant: 10_000) { violations += 1 }
        }
        #expect(violations == 0, "\(fleet.generator)")
    }

    @Test("I5, I6: with no grant, or no id in a partial rollout, no device moves to the candidate")
    func I5_I6_decided() {
        let sweep = StateSweep.shared
        #expect(sweep.wrong[.extremes] == nil, "\(sweep.replay)")
    }

    @Test("the draw is the documented one")
    func bucketVectors() {
        // SHA-256 of "patch-rollout-v1", NUL, salt, NUL, id, computed with another tool.
        #expect(Bucket.of(device: "00000000-0000-4000-8000-000000000000", salt: "00ff") == 5376)
        #expect(Bucket.of(device: "abc", salt: "0123456789abcdef0123456789abcdef") == 6896)
    }
}
