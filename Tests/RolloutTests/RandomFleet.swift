import Rollout
import TestSupport

/// Draws devices, heads and brakes from a small world, so that the rules meet each other often.
struct RandomFleet {
    var generator: SeededGenerator
    static let digests = ["d1", "d2", "d3", "d4", "d5"]
    static let channels = ["production", "beta"]

    mutating func pick<Element>(_ list: [Element]) -> Element {
        list[Int.random(in: 0..<list.count, using: &generator)]
    }

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &generator) < percent
    }

    mutating func some(_ list: [String], percent: Int) -> [String] {
        list.filter { _ in chance(percent) }
    }

    mutating func releases() -> [String: Release] {
        var all: [String: Release] = [:]
        for (index, digest) in Self.digests.enumerated() where chance(95) {
            var release = Release(
                appID: "app", platform: "linux", version: "\(index + 1)", sequence: index + 1,
                fingerprint: chance(95) ? "fp" : "other",
                raw: RawPayload(sha256: digest, size: 10))
            release.dataEpoch = chance(20) ? 1 : 0
            release.abi = chance(95) ? 1 : 2
            if chance(10) { release.capabilities = ["fetch.get"] }
            all[digest] = release
        }
        return all
    }

    mutating func head(channel: String = "production") -> Head {
        var head = Head(
            appID: "app", platform: "linux", channel: channel, fingerprint: "fp",
            kind: chance(90) ? .run : .embedded,
            headSequence: Int.random(in: 1...5, using: &generator))
        if chance(90) { head.stable = pick(Self.digests) }
        if chance(60) { head.candidate = candidate() }
        head.returnable = some(Self.digests, percent: 30)
        head.recalled = some(Self.digests, percent: 15)
        if chance(30) { head.mandatorySince = Int.random(in: 1...5, using: &generator) }
        head.dataEpoch = chance(25) ? 1 : 0
        head.retryGeneration = chance(20) ? 1 : 0
        return head
    }

    mutating func candidate() -> Candidate {
        var candidate = Candidate(
            digest: pick(Self.digests), grant: pick([0, 1, 100, 2500, 5000, 9999, 10_000]),
            salt: "\(UInt64.random(in: 0 ... .max, using: &generator))")
        if chance(15) { candidate.require.tags = ["qa"] }
        if chance(25) { candidate.retract = true }
        if chance(15) { candidate.require.minimumSystem = "12.4" }
        if chance(10) { candidate.require.cohorts = ["control"] }
        return candidate
    }

    mutating func brake() -> Brake {
        var brake = Brake(
            appID: "app", platform: "linux", channel: "production", brakeSequence: 1,
            kind: chance(90) ? .run : .embedded)
        for digest in Self.digests where chance(40) {
            brake.caps[digest] = pick([0, 100, 5000, 10_000])
        }
        brake.halted = chance(25)
        brake.recalled = some(Self.digests, percent: 15)
        if chance(30) { brake.returnTo = pick(Self.digests) }
        return brake
    }

    mutating func device(channel: String = "production") -> Device {
        var device = Device(
            deviceID: chance(90) ? id() : nil, appID: "app", platform: "linux", channel: channel,
            fingerprint: "fp", capabilities: ["log"], now: 1000)
        if chance(70) {
            let index = Int.random(in: 0..<Self.digests.count, using: &generator)
            device.current = .release(
                digest: Self.digests[index], sequence: index + 1,
                channel: chance(85) ? channel : "beta")
        }
        device.hasWrittenData = chance(30)
        device.held = Set(some(Self.digests, percent: 40))
        if let current = device.current.digest { device.held.insert(current) }
        device.heldBrakeSequence = chance(10) ? 2 : 0
        device.heldHeadSequence = chance(10) ? 4 : 0
        device.floor = chance(20) ? Int.random(in: 1...4, using: &generator) : 0
        device.embeddedSequence = chance(20) ? Int.random(in: 1...4, using: &generator) : 0
        device.tags = chance(20) ? ["qa"] : []
        device.cohort = chance(20) ? "control" : nil
        device.systemVersion = chance(80) ? pick(["11.0", "12.4", "13.1"]) : nil
        for digest in Self.digests where chance(15) {
            device.failed[digest] = FailedRelease(
                reason: .trapped, retryGeneration: 0, expires: chance(80) ? 2000 : 500)
        }
        return device
    }

    mutating func id() -> String {
        "\(UInt64.random(in: 0 ... .max, using: &generator))"
    }
}

extension Device {
    /// The device after it has done what was decided.
    func applying(_ decision: Decision, _ releases: [String: Release]) -> Device {
        var next = self
        switch decision.target {
        case .current: break
        case .embedded: next.current = .embedded
        case .release(let digest):
            next.current = .release(
                digest: digest, sequence: releases[digest]?.sequence ?? 0, channel: channel)
        }
        return next
    }
}

/// What is published at one time, and perhaps why it may only restrict.
struct World {
    let releases: [String: Release]
    let head: Head
    let brake: Brake?
    let restriction: Reason?

    func decision(for device: Device) -> Decision {
        decide(
            device, head: head, brake: brake, releases: releases, restriction: restriction)
    }
}

extension RandomFleet {
    mutating func world(channel: String = "production") -> World {
        World(
            releases: releases(), head: head(channel: channel), brake: chance(50) ? brake() : nil,
            restriction: chance(20) ? .metadataExpired : nil)
    }

    /// Every pair of a random world and a random device, at least `count` of them. Drawing costs
    /// more than deciding, so a few hundred of each make the pairs.
    mutating func states(
        _ count: Int = 300_000, channel: String = "production", _ body: (World, Device) -> Void
    ) {
        let side = Int(Double(count).squareRoot().rounded(.up))
        let devices = (0..<side).map { _ in device(channel: channel) }
        for _ in 0..<side {
            let world = world(channel: channel)
            for device in devices { body(world, device) }
        }
    }
}
