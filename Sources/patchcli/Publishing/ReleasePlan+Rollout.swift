import CommandLineKit
import Rollout
import TUF

/// What a rollout, a halt or a recall changes in a build's head.
extension ReleasePlan {
    /// How far a rollout shall go.
    enum Extent: Equatable, Sendable {
        /// To so many basis points of devices.
        case grant(Int)
        /// To everybody: the candidate becomes stable.
        case finish
        /// To nobody else until it is resumed; who has it keeps it.
        case halt
        /// As far as before the halt.
        case resume
    }

    /// A head whose candidate `name` goes as far as `extent`.
    static func rollout(
        _ name: String, to extent: Extent, index: ReleaseIndex, before: Head
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
        switch extent {
        case .grant(let grant):
            candidate.grant = grant
            candidate.haltedGrant = nil
        case .finish:
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
