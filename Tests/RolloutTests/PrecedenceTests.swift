import Rollout
import TestSupport
import Testing

/// I9: `decide` does what `Docs/decision.md` says, in its order. The order is written down here a
/// second time, as lists.
@Suite struct PrecedenceTests {
    @Test("I9: the order of precedence is total and the documented one")
    func I9_order() {
        let sweep = StateSweep.shared
        #expect(sweep.wrong[.precedence] == nil, "\(sweep.replay)")
        #expect(sweep.reasons.count >= 12, "too few rules were met: \(sweep.reasons)")
    }
}

struct Written {
    let world: World
    let device: Device

    var head: Head { world.head }
    var brake: Brake? {
        guard let brake = world.brake,
            (brake.appID, brake.platform, brake.channel)
                == (head.appID, head.platform, head.channel)
        else { return nil }
        return brake
    }

    var answer: (Decision.Target, Reason) {
        let (target, reason) = free
        if target == .current, let restriction = world.restriction { return (target, restriction) }
        return (target, reason)
    }

    private var free: (Decision.Target, Reason) {
        let silences: [(Bool, Reason)] = [
            (head.headSequence < device.heldHeadSequence, .headRejected),
            (head.appID != device.appID, .appMismatch),
            (head.platform != device.platform, .platformMismatch),
            (head.channel != device.channel, .channelMismatch),
            (head.fingerprint != device.fingerprint, .fingerprintMismatch),
            ((brake?.brakeSequence ?? .max) < device.heldBrakeSequence, .brakeRejected),
        ]
        if let silence = silences.first(where: { $0.0 }) { return (.current, silence.1) }
        let (digest, isCandidate, against) = choice
        let current = device.current.digest
        let isRetracted =
            current != nil && current == head.candidate?.digest
            && head.candidate?.retract == true && isOutsideRollout
        if let current, current == head.candidate?.digest, leaving == nil, !isEmbedded,
            !isRetracted
        {
            return (.current, digest == current ? .upToDate : .staysOnCandidate)
        }
        if digest == current { return (.current, staying(against)) }
        let sequence = digest.map { world.releases[$0]?.sequence ?? 0 } ?? device.embeddedSequence
        let isOlder = sequence < currentSequence && current != nil
        let isNamed = digest == nil ? isEmbedded : !isCandidate
        if leaving == nil, isOlder, !isNamed, !isRetracted { return (.current, .notNewer) }
        let epoch = digest.map { world.releases[$0]?.dataEpoch ?? 0 } ?? device.embeddedDataEpoch
        if device.hasWrittenData, head.dataEpoch > epoch { return (.current, .dataEpoch) }
        let moving: Reason =
            digest == nil
            ? .embedded : isCandidate ? .updateCandidate : isOlder ? .rolledBack : .updateStable
        return (digest.map { .release($0) } ?? .embedded, leaving ?? moving)
    }

    /// Whether the draw, and nothing before it, keeps the device from the candidate.
    private var isOutsideRollout: Bool {
        guard let candidate = head.candidate, !isEmbedded else { return false }
        return (against(candidate.digest) ?? against(candidate: candidate)) == .outsideRollout
    }

    private var recalled: [String] { head.recalled + (brake?.recalled ?? []) }
    private var isEmbedded: Bool { head.kind == .embedded || brake?.kind == .embedded }
    private var stable: String? {
        if let target = brake?.returnTo, head.returnable.contains(target) { return target }
        return head.stable
    }
    private var currentSequence: Int {
        if case .release(_, let sequence, _) = device.current { return sequence }
        return device.embeddedSequence
    }

    private var leaving: Reason? {
        guard case .release(let digest, let sequence, let channel) = device.current else {
            return nil
        }
        let named = head.returnable + [stable, head.candidate?.digest].compactMap { $0 }
        let rules: [(Bool, Reason)] = [
            (recalled.contains(digest), .recalled),
            (sequence < device.floor, .belowFloor),
            (sequence <= device.embeddedSequence, .embeddedNewer),
            (
                channel != device.channel && !named.contains(digest) && world.restriction == nil,
                .channelSwitched
            ),
        ]
        return rules.first { $0.0 }?.1
    }

    /// What is taken, whether as a candidate, and what stood against the last one passed over.
    private var choice: (String?, Bool, Reason?) {
        if isEmbedded { return (nil, false, nil) }
        var last: Reason?
        if let candidate = head.candidate {
            last = against(candidate.digest) ?? against(candidate: candidate)
            if last == nil { return (candidate.digest, true, nil) }
        }
        if let stable {
            last = against(stable)
            if last == nil { return (stable, false, nil) }
        }
        return (nil, false, last)
    }

    private func against(_ digest: String) -> Reason? {
        let release = world.releases[digest]
        let sequence = release?.sequence ?? 0
        let ban = device.failed[digest]
        let isBanned = ban.map {
            $0.expires > device.now && $0.retryGeneration >= head.retryGeneration
        }
        let isForward =
            digest != device.current.digest
            && !(device.current.digest != nil && sequence < currentSequence
                && device.held.contains(digest))
        let rules: [(Bool, Reason)] = [
            (recalled.contains(digest), .recalled),
            (release == nil, .releaseMissing),
            (sequence < device.floor, .belowFloor),
            (sequence <= device.embeddedSequence, .embeddedNewer),
            (isBanned == true, .failedHere),
            (release?.appID != device.appID, .appMismatch),
            (release?.platform != device.platform, .platformMismatch),
            (release?.fingerprint != device.fingerprint, .fingerprintMismatch),
            (release?.abi != device.abi, .abiUnsupported),
            (release?.capabilities == ["fetch.get"], .capabilityDenied),
            (world.restriction != nil && isForward, world.restriction ?? .metadataExpired),
        ]
        return rules.first { $0.0 }?.1
    }

    private func against(candidate: Candidate) -> Reason? {
        let cap = brake?.caps[candidate.digest] ?? 10_000
        let rules: [(Bool, Reason)] = [
            (brake?.halted == true, .halted),
            (
                world.restriction != nil && candidate.digest != device.current.digest,
                world.restriction ?? .metadataExpired
            ),
            (!candidate.require.admits(device), .requirementUnmet),
            (
                !Bucket.contains(
                    device: device.deviceID, salt: candidate.salt,
                    grant: min(candidate.grant, cap)), .outsideRollout
            ),
        ]
        return rules.first { $0.0 }?.1
    }

    private func staying(_ against: Reason?) -> Reason {
        guard device.current.digest == nil, !isEmbedded, let against else { return .upToDate }
        switch against {
        case .embeddedNewer: return .embeddedNewer
        case .outsideRollout, .halted, .requirementUnmet: return .upToDate
        default: return .noneEligible
        }
    }
}
