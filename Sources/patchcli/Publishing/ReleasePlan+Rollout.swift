import CommandLineKit
import Rollout
import TUF

/// What a rollout, a halt or a recall changes in a build's head.
extension ReleasePlan {
    /// How far a rollout shall go.
    enum Extent: Equatable, Sendable {
        /// To so many basis points of devices. Who runs it beyond these keeps it, unless it is
        /// retracted.
        case grant(Int, retract: Bool = false)
        /// To everybody: the candidate becomes stable.
        case finish
        /// To nobody else until it is resumed; who has it keeps it.
        case halt
        /// As far as before the halt.
        case resume
    }

    /// A head whose candidate `name` goes as far as `extent`.
    static func rollout(
        _ name: String, to extent: Extent, droppingRequirements: Bool = false,
        index: ReleaseIndex, before: Head
    ) throws -> ReleasePlan {
        let fp16 = BuildRole.fp16(before.fingerprint)
        let digest = try find(name, in: index, fp16: fp16).raw.sha256
        guard var candidate = before.candidate, candidate.digest == digest else {
            throw CommandFailure(
                "not_rolling_out", "Release '\(name)' is not being rolled out",
                why: before.stable == digest
                    ? "It is the stable release: everybody may have it."
                    : "It is not the candidate of \(before.channel).",
                fix: before.stable == digest ? "patchcli rollback" : "patchcli status",
                exit: .unreachable)
        }
        var head = following(before)
        if droppingRequirements { candidate.require = Requirement() }
        switch extent {
        case .grant(let grant, let retract):
            candidate.grant = grant
            candidate.haltedGrant = nil
            candidate.retract = retract ? true : nil
        case .finish:
            guard candidate.require == Requirement() else {
                throw CommandFailure(
                    "requirement_left", "Release '\(name)' is not for everybody",
                    why: "It asks for "
                        + ReleaseAudience.words(candidate.require).joined(separator: ", ")
                        + ", and a stable release asks for nothing.",
                    fix: "patchcli rollout \(name) --finish --drop-requirements", exit: .usage)
            }
            head.returnable = returnable(before, instead: digest)
            head.stable = digest
            head.candidate = nil
            return try plan(nil, head, [], index, fp16)
        case .halt:
            // Halting twice must not forget how far it had come.
            candidate.haltedGrant = candidate.haltedGrant ?? candidate.grant
            candidate.grant = 0
        case .resume:
            guard let grant = candidate.haltedGrant else {
                throw CommandFailure(
                    "not_halted", "The rollout of '\(name)' is not halted",
                    why: "It reaches \(Percent(basisPoints: candidate.grant).argumentText).",
                    exit: .unreachable)
            }
            candidate.grant = grant
            candidate.haltedGrant = nil
        }
        guard candidate != before.candidate else { throw alreadyThere(before) }
        head.candidate = candidate
        return try plan(nil, head, [], index, fp16)
    }

    /// A head of another channel that offers a release which is live somewhere.
    static func promote(
        _ release: Release, to audience: ReleaseAudience, on channel: String, index: ReleaseIndex,
        salt: String
    ) throws -> ReleasePlan {
        try refuseVoid(release, index)
        let fp16 = BuildRole.fp16(release.fingerprint)
        let before = index.head(channel: channel, fp16: fp16)
        let digest = release.raw.sha256
        if let before, before.recalled.contains(digest) {
            throw CommandFailure(
                "recalled", "Release '\(release.version)' is recalled on \(channel)",
                why: "No device there may run it.", fix: "patchcli release", exit: .unreachable)
        }
        if let before, before.offers(digest, to: audience) { throw alreadyThere(before) }
        var head = next(
            before, appID: release.appID, platform: release.platform, channel: channel,
            fingerprint: release.fingerprint)
        head.offer(digest, sequence: release.sequence, to: audience, salt: salt, before: before)
        return try plan(nil, head, [], index, fp16)
    }

    /// A head under which no device may run the release `name`.
    static func recall(
        _ name: String, index: ReleaseIndex, before: Head
    ) throws -> ReleasePlan {
        let fp16 = BuildRole.fp16(before.fingerprint)
        let recalled = try find(name, in: index, fp16: fp16)
        let digest = recalled.raw.sha256
        guard !before.recalled.contains(digest) else { throw alreadyThere(before) }
        var head = following(before)
        head.recalled.append(digest)
        head.returnable.removeAll { $0 == digest }
        if head.candidate?.digest == digest { head.candidate = nil }
        if head.stable == digest {
            // Only back: a later release among them is one that was rolled back from.
            head.stable = head.returnable.first {
                (index.release(digest: $0, fp16: fp16)?.sequence ?? .max) < recalled.sequence
            }
            head.returnable = returnable(head, instead: head.stable)
            head.mandatorySince = nil
            head.applyBy = nil
        }
        return try plan(nil, head, [], index, fp16)
    }

    /// The next head, which says the same.
    private static func following(_ before: Head) -> Head {
        var head = before
        head.headSequence += 1
        return head
    }

    private static func alreadyThere(_ head: Head) -> CommandFailure {
        CommandFailure(
            "already_there", "The head of \(head.channel) says so already", exit: .unreachable)
    }
}

extension Head {
    /// Makes a release stable, or the candidate of fewer than everybody.
    mutating func offer(
        _ digest: String, sequence: Int, to audience: ReleaseAudience, salt: String, before: Head?
    ) {
        if audience.isEverybody {
            returnable = ReleasePlan.returnable(before, instead: digest)
            stable = digest
            candidate = nil
        } else {
            candidate = Candidate(
                digest: digest, grant: audience.grant, salt: salt,
                stages: audience.stages?.stages ?? [], require: audience.require)
        }
        if audience.isMandatory {
            mandatorySince = sequence
            applyBy = audience.applyBy
        }
    }

    /// Whether publishing the same release to the same audience would say nothing new. A deadline is
    /// not compared: "in two days" is another one each time, and no reason to release again.
    func offers(_ digest: String, to audience: ReleaseAudience) -> Bool {
        if kind != .run || audience.isMandatory && mandatorySince == nil { return false }
        if audience.isEverybody { return stable == digest && candidate == nil }
        guard let candidate, candidate.digest == digest else { return false }
        return candidate.grant == audience.grant && candidate.require == audience.require
            && candidate.stages == audience.stages?.stages ?? []
    }
}
