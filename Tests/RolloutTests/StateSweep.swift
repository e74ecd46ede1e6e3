import Rollout
import TestSupport

/// 300,000 random states, decided once and judged by every invariant that looks at one decision.
/// The tests named after the invariants read what their judge found.
struct StateSweep: Sendable {
    enum Judge { case fixpoint, extremes, brakes, restriction, precedence }

    static let shared = StateSweep(RandomFleet(generator: SeededGenerator()))

    /// How to draw the same states again.
    let replay: String
    /// The first state that a judge objected to.
    private(set) var wrong: [Judge: String] = [:]
    private(set) var moves = 0
    private(set) var restrictedMoves = 0
    private(set) var reasons: Set<Reason> = []

    private init(_ drawn: RandomFleet) {
        var fleet = drawn
        replay = "\(fleet.generator)"
        fleet.states(InvariantTests.count) { judge($0, $1) }
    }

    private mutating func judge(_ world: World, _ device: Device) {
        let decision = world.decision(for: device)
        reasons.insert(decision.reason)
        guard let (judge, text) = objection(to: decision, world, device), wrong[judge] == nil
        else { return }
        wrong[judge] = "\(text): \(decision) for \(device) in \(world)"
    }

    private mutating func objection(
        to decision: Decision, _ world: World, _ device: Device
    ) -> (Judge, String)? {
        let (target, reason) = Written(world: world, device: device).answer
        if decision.target != target || decision.reason != reason {
            return (.precedence, "the document says \(target) \(reason)")
        }
        if decision.target != .current {
            moves += 1
            let next = world.decision(for: device.applying(decision, world.releases))
            if next.target != .current { return (.fixpoint, "then comes \(next)") }
        }
        if let text = brakes(decision, world, device) { return (.brakes, text) }
        if let text = extremes(decision, world, device) { return (.extremes, text) }
        if world.restriction != nil, let text = restriction(decision, world, device) {
            return (.restriction, text)
        }
        return nil
    }

    private func brakes(_ decision: Decision, _ world: World, _ device: Device) -> String? {
        guard case .release(let digest) = decision.target else { return nil }
        let head = world.head
        if head.recalled.contains(digest) { return "it is recalled" }
        if digest == head.stable || head.returnable.contains(digest) { return nil }
        guard let candidate = head.candidate, candidate.digest == digest else {
            return "the head does not name it"
        }
        let isGranted = Bucket.contains(
            device: device.deviceID, salt: candidate.salt, grant: candidate.grant)
        return isGranted && candidate.require.admits(device) ? nil : "the head does not grant it"
    }

    /// Another decision on the same state, with nobody granted, or without an id.
    private func extremes(_ decision: Decision, _ world: World, _ device: Device) -> String? {
        guard let candidate = world.head.candidate, decision.target == .release(candidate.digest),
            candidate.digest != world.head.stable, candidate.digest != world.brake?.returnTo
        else { return nil }
        var head = world.head
        head.candidate?.grant = 0
        let nobody = decide(device, head: head, brake: world.brake, releases: world.releases)
        if nobody.target == decision.target { return "taken at 0 %" }
        var anonymous = device
        anonymous.deviceID = nil
        head.candidate?.grant = 9_999
        let unknown = decide(anonymous, head: head, brake: world.brake, releases: world.releases)
        return unknown.target == decision.target ? "taken without an id" : nil
    }

    private mutating func restriction(
        _ decision: Decision, _ world: World, _ device: Device
    ) -> String? {
        switch decision.target {
        case .current:
            return decision.reason == world.restriction ? nil : "the reason is not said"
        case .embedded: restrictedMoves += 1
        case .release(let digest):
            restrictedMoves += 1
            guard device.held.contains(digest),
                case .release(_, let sequence, _) = device.current,
                let target = world.releases[digest], target.sequence < sequence
            else { return "it is new, or newer" }
        }
        return nil
    }
}
