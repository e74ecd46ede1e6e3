/// Decides what a device should run: pure, total, and the same on the device, in `patchcli
/// explain` and on the server (updates.md §3).
///
/// The order of precedence is recall, floor, failed, halt, requirement, grant, stable, embedded
/// (Docs/decision.md).
/// - Parameters:
///   - head: the head of the device's channel and fingerprint; nil when nothing is published.
///   - brake: the channel's brake; nil brakes nothing.
///   - releases: the releases that the metadata lists, by digest.
///   - restriction: why nothing new may be taken, such as metadata that has expired; nil when it
///     may. What is known may then only restrict: keep what runs, or leave it for something
///     earlier that the device holds already or for what the app shipped with.
public func decide(
    _ device: Device, head: Head?, brake: Brake? = nil, releases: [String: Release],
    restriction: Reason? = nil
) -> Decision {
    var decision = freeDecision(device, head, brake, releases, restriction)
    if let restriction, decision.target == .current {
        decision.context = decision.reason.code
        decision.reason = restriction
    }
    return decision
}

private func freeDecision(
    _ device: Device, _ head: Head?, _ brake: Brake?, _ releases: [String: Release],
    _ restriction: Reason?
) -> Decision {
    guard let head else { return .stay(.headMissing, head: nil) }
    if head.headSequence < device.heldHeadSequence {
        return .stay(
            .headRejected, context: "\(head.headSequence) after \(device.heldHeadSequence)",
            head: head)
    }
    if let (reason, context) = mismatch(device, head) {
        return .stay(reason, context: context, head: head)
    }
    let own = brake.flatMap { speaks($0, for: head) ? $0 : nil }
    if let own, own.brakeSequence < device.heldBrakeSequence {
        return .stay(
            .brakeRejected, context: "\(own.brakeSequence) after \(device.heldBrakeSequence)",
            head: head)
    }
    return Decider(device, head, own, releases, restriction).decide()
}

private func mismatch(_ device: Device, _ head: Head) -> (Reason, String)? {
    func differ(_ reason: Reason, _ theirs: String, _ ours: String) -> (Reason, String)? {
        theirs == ours ? nil : (reason, "the head says \(theirs), this device \(ours)")
    }
    return differ(.appMismatch, head.appID, device.appID)
        ?? differ(.platformMismatch, head.platform, device.platform)
        ?? differ(.channelMismatch, head.channel, device.channel)
        ?? differ(.fingerprintMismatch, head.fingerprint, device.fingerprint)
}

private func speaks(_ brake: Brake, for head: Head) -> Bool {
    brake.appID == head.appID && brake.platform == head.platform && brake.channel == head.channel
}

/// A class, because its methods hand it around and its parts are large.
private final class Decider {
    let device: Device
    let head: Head
    let effective: Effective
    let releases: [String: Release]
    let restriction: Reason?

    init(
        _ device: Device, _ head: Head, _ brake: Brake?, _ releases: [String: Release],
        _ restriction: Reason?
    ) {
        self.device = device
        self.head = head
        effective = Effective(head, brake)
        self.releases = releases
        self.restriction = restriction
    }

    /// Why the device must not stay where it is, if it must not.
    private var mustLeave: Reason? {
        guard case .release(let digest, let sequence, let channel) = device.current else {
            return nil
        }
        if effective.recalls(digest) { return .recalled }
        if sequence < device.floor { return .belowFloor }
        if sequence <= device.embeddedSequence { return .embeddedNewer }
        // With nothing new to move to, a release of another channel is better than none.
        if restriction == nil, channel != device.channel, !effective.names(digest) {
            return .channelSwitched
        }
        return nil
    }

    func decide() -> Decision {
        let leaving = mustLeave
        let (target, excluded) = firstEligible()

        // A smaller grant, a cap or a halt takes no release away from those who have it, unless the
        // head says that a smaller grant does.
        let isOnCandidate =
            device.current.digest != nil
            && device.current.digest == effective.candidate?.digest
        let isRetracted = isOnCandidate && isRetracted(excluded)
        if isOnCandidate, leaving == nil, effective.kind == .run, !isRetracted {
            return .stay(
                target.digest == device.current.digest ? .upToDate : .staysOnCandidate, head: head)
        }
        if target.digest == device.current.digest {
            return .stay(stayingReason(excluded), head: head, excluded: excluded)
        }
        if leaving == nil, isDowngrade(target), !isRollback(target), !isRetracted {
            return .stay(.notNewer, head: head, excluded: excluded)
        }
        if head.dataEpoch > dataEpoch(of: target), device.hasWrittenData {
            return .stay(
                .dataEpoch,
                context: leaving.map { "although \($0.code)" } ?? "",
                head: head, excluded: excluded)
        }
        return Decision(
            target: target.digest.map { .release($0) } ?? .embedded,
            isMandatory: isMandatory(target, leaving: leaving),
            reason: leaving ?? movingReason(target), context: "", headSequence: head.headSequence,
            excluded: excluded)
    }

    // MARK: Candidates

    private struct Choice: Equatable {
        /// Nil for what the app shipped with.
        var digest: String?
        var sequence: Int
        var isCandidate = false
    }

    /// The first of candidate, stable and embedded that may run here.
    private func firstEligible() -> (Choice, [Decision.Exclusion]) {
        var excluded: [Decision.Exclusion] = []
        if effective.kind == .run {
            if let candidate = effective.candidate {
                if let reason = obstacle(candidate.digest) ?? rolloutObstacle(candidate) {
                    excluded.append(.init(digest: candidate.digest, reason: reason))
                } else {
                    let sequence = releases[candidate.digest]?.sequence ?? 0
                    return (
                        Choice(digest: candidate.digest, sequence: sequence, isCandidate: true),
                        excluded
                    )
                }
            }
            if let stable = effective.stable {
                if let reason = obstacle(stable) {
                    excluded.append(.init(digest: stable, reason: reason))
                } else {
                    let sequence = releases[stable]?.sequence ?? 0
                    return (Choice(digest: stable, sequence: sequence), excluded)
                }
            }
        }
        return (Choice(digest: nil, sequence: device.embeddedSequence), excluded)
    }

    /// Why a release may not run on this device, if so.
    private func obstacle(_ digest: String) -> Reason? {
        if effective.recalls(digest) { return .recalled }
        guard let release = releases[digest] else { return .releaseMissing }
        if release.sequence < device.floor { return .belowFloor }
        if release.sequence <= device.embeddedSequence { return .embeddedNewer }
        if let failure = device.failed[digest], failure.expires > device.now,
            failure.retryGeneration >= head.retryGeneration
        {
            return .failedHere
        }
        if release.appID != device.appID { return .appMismatch }
        if release.platform != device.platform { return .platformMismatch }
        if release.fingerprint != device.fingerprint { return .fingerprintMismatch }
        if release.abi != device.abi { return .abiUnsupported }
        if !release.capabilities.allSatisfy(isGranted) { return .capabilityDenied }
        if let surface = device.surface,
            !release.needs.allSatisfy({ surface[$0.id] == $0.sig })
        {
            return .surfaceMissing
        }
        if let restriction, !isEarlierAndHeld(digest, release.sequence) { return restriction }
        return nil
    }

    /// What may still be moved to when nothing new may be taken.
    private func isEarlierAndHeld(_ digest: String, _ sequence: Int) -> Bool {
        guard case .release(let current, let newest, _) = device.current else { return false }
        return digest == current || (sequence < newest && device.held.contains(digest))
    }

    private func rolloutObstacle(_ candidate: Candidate) -> Reason? {
        if effective.isHalted { return .halted }
        if let restriction, candidate.digest != device.current.digest { return restriction }
        if !candidate.require.admits(device) { return .requirementUnmet }
        let isIn = Bucket.contains(
            device: device.deviceID, salt: candidate.salt, grant: effective.grant)
        return isIn ? nil : .outsideRollout
    }

    /// Grants are whole capabilities; a release may name a capability or one of its functions.
    private func isGranted(_ name: String) -> Bool {
        if device.capabilities.contains(name) { return true }
        guard let dot = name.lastIndex(of: ".") else { return false }
        return device.capabilities.contains(String(name[..<dot]))
    }

    // MARK: Rules about a target

    /// Whether the candidate, which runs here, is to be given up because of the draw alone.
    private func isRetracted(_ excluded: [Decision.Exclusion]) -> Bool {
        guard let candidate = effective.candidate, candidate.retract == true else { return false }
        return excluded.contains {
            $0.digest == candidate.digest && $0.reason == .outsideRollout
        }
    }

    private func isDowngrade(_ target: Choice) -> Bool {
        guard case .release(_, let sequence, _) = device.current else { return false }
        return target.sequence < sequence
    }

    /// Only what head or brake names stable is a rollback; `embedded` is one by its kind.
    private func isRollback(_ target: Choice) -> Bool {
        if target.digest == nil { return effective.kind == .embedded }
        return !target.isCandidate
    }

    private func dataEpoch(of target: Choice) -> Int {
        guard let digest = target.digest else { return device.embeddedDataEpoch }
        return releases[digest]?.dataEpoch ?? 0
    }

    private func isMandatory(_ target: Choice, leaving: Reason?) -> Bool {
        if leaving != nil { return true }
        guard let since = head.mandatorySince else { return false }
        var current = device.embeddedSequence
        if case .release(_, let sequence, _) = device.current { current = sequence }
        return since > current && since <= target.sequence
    }

    private func movingReason(_ target: Choice) -> Reason {
        if target.digest == nil { return .embedded }
        if target.isCandidate { return .updateCandidate }
        return isDowngrade(target) ? .rolledBack : .updateStable
    }

    /// A device that stays because nothing else may run says so.
    private func stayingReason(_ excluded: [Decision.Exclusion]) -> Reason {
        let isEmbedded = device.current.digest == nil
        if isEmbedded, effective.kind == .run, let last = excluded.last {
            switch last.reason {
            case .embeddedNewer: return .embeddedNewer
            case .outsideRollout, .halted, .requirementUnmet: return .upToDate
            default: return .noneEligible
            }
        }
        return .upToDate
    }
}
