import CommandLineKit
import Foundation
import ModuleABI
import PatchCrypto
import Rollout
import RolloutGates
import TUF

/// What a release or a rollback changes in a build's role. Pure: made from what is published,
/// signed by others.
struct ReleasePlan: Sendable {
    /// Earlier stable releases that devices may be sent back to.
    static let returnableCount = 3

    /// What the developer decided.
    struct Wishes: Sendable {
        var channel: String
        var notes: String?
        var commit: String?
        /// Everybody makes the release stable at once; anybody less makes it the candidate.
        var audience = ReleaseAudience.everybody
    }

    /// A module as it is published.
    struct Payload: Sendable {
        let raw: [UInt8]
        /// The bytes that are downloaded: brotli when that is smaller.
        let packed: [UInt8]
        let encoding: PayloadEncoding
        let section: ModuleSection
        var deltas: [ReleaseDelta] = []
    }

    /// The new release; nil for a rollback.
    let release: Release?
    /// The new head.
    let head: Head
    /// What to sign and upload.
    let targets: [NewTarget]
    /// Targets that are published already and get other words.
    let relisted: [TargetFile]
    /// Paths that the role lists no longer.
    let removed: [String]

    /// What the role is to list anew.
    var listed: [TargetFile] { targets.map(\.file) + relisted }

    // MARK: Release

    /// A new release of `payload` for one build.
    static func release(
        _ payload: Payload, index: ReleaseIndex, appID: String, platform: String,
        fingerprint: String, wishes: Wishes, salt: String
    ) throws -> ReleasePlan {
        let version = payload.section.release
        let digest = SHA256.hash(payload.raw).hex
        let release = Release(
            appID: appID, platform: platform, version: version,
            sequence: payload.section.sequence, fingerprint: fingerprint, abi: payload.section.abi,
            needs: payload.section.needs.map {
                SurfaceNeed(id: DeclarationID.hex16($0.id), sig: DeclarationID.hex16($0.sig))
            },
            capabilities: payload.section.capabilities.map(\.rawValue),
            appTargets: payload.section.app_targets,
            mandatory: wishes.audience.isMandatory, notes: wishes.notes, commit: wishes.commit,
            raw: RawPayload(sha256: digest, size: payload.raw.count), encoding: payload.encoding,
            deltas: payload.deltas.map(\.reference))
        return try adding(
            release, payload.packed,
            at: ReleaseIndex.modulePath(fp16: BuildRole.fp16(fingerprint), version: version),
            payload.deltas, index: index, wishes: wishes, salt: salt)
    }

    /// A release that follows those of `index`, and the head that names it.
    /// - Parameter packed: the bytes that are downloaded from `path`.
    static func adding(
        _ release: Release, _ packed: [UInt8], at path: String, _ deltas: [ReleaseDelta],
        index: ReleaseIndex, wishes: Wishes, salt: String
    ) throws -> ReleasePlan {
        let fp16 = BuildRole.fp16(release.fingerprint)
        let digest = release.raw.sha256
        if index.releases(fp16: fp16).contains(where: { $0.release.version == release.version }) {
            let what = index.bundle == nil ? "this build" : "this bundle"
            throw CommandFailure(
                "version_taken",
                "Version \(release.version) of \(what) is published already",
                why: "Its content is another one, and a published version never changes.",
                fix: "patchcli release --version <another>", exit: .usage)
        }
        let before = index.head(channel: wishes.channel, fp16: fp16)
        var head = next(
            before, appID: release.appID, platform: release.platform, channel: wishes.channel,
            fingerprint: release.fingerprint)
        head.offer(
            digest, sequence: release.sequence, to: wishes.audience, salt: salt, before: before)
        let payload = NewTarget(path: path, bytes: packed, custom: try custom(release))
        return try plan(release, head, [payload] + deltas.map(\.target), index, fp16)
    }

    // MARK: Rollback

    /// Where a rollback leads.
    enum Goal: Equatable, Sendable {
        /// The stable release before the present one.
        case previous
        /// A live release by version, sequence or first digits of its digest.
        case release(String)
        /// What the app shipped with.
        case embedded
    }

    /// A head that sends devices of one build back.
    static func rollback(
        to goal: Goal, index: ReleaseIndex, before: Head
    ) throws -> ReleasePlan {
        let fp16 = BuildRole.fp16(before.fingerprint)
        var head = next(
            before, appID: before.appID, platform: before.platform, channel: before.channel,
            fingerprint: before.fingerprint)
        head.candidate = nil
        // Who goes back must not be pushed forward again by an older "mandatory".
        head.mandatorySince = nil
        head.applyBy = nil
        switch goal {
        case .embedded:
            head.kind = .embedded
            head.returnable = returnable(before, instead: nil)
            head.stable = nil
        case .previous:
            guard let earlier = before.returnable.first else {
                throw CommandFailure(
                    "nothing_before", "There is no earlier release to go back to",
                    why: "The present one is the first of this build on \(before.channel).",
                    fix: "patchcli rollback --embedded", exit: .unreachable)
            }
            try refuseVoid(index.release(digest: earlier, fp16: fp16), index)
            head.returnable = returnable(before, instead: earlier)
            head.stable = earlier
        case .release(let name):
            let found = try find(name, in: index, fp16: fp16)
            try refuseVoid(found, index)
            head.returnable = returnable(before, instead: found.raw.sha256)
            head.stable = found.raw.sha256
        }
        guard head.stable != before.stable || head.kind != before.kind || before.candidate != nil
        else {
            throw CommandFailure(
                "already_there", "Devices on \(before.channel) are sent there already",
                exit: .unreachable)
        }
        return try plan(nil, head, [], index, fp16)
    }

    /// A build that a change leaves as it is, and why.
    struct Left {
        let head: Head
        let failure: CommandFailure
    }

    /// New heads for several builds. In an emergency a build that is there already, or cannot go,
    /// must not keep the others on what is broken.
    /// - Throws: ``CommandFailure`` when no build can go.
    static func changes(
        of heads: [Head], _ change: (Head) throws -> ReleasePlan
    ) throws -> (plans: [(before: Head, plan: ReleasePlan)], left: [Left]) {
        var plans: [(before: Head, plan: ReleasePlan)] = []
        var left: [Left] = []
        for head in heads {
            do {
                plans.append((head, try change(head)))
            } catch let failure as CommandFailure {
                left.append(Left(head: head, failure: failure))
            }
        }
        let telling = left.first { $0.failure.code != "already_there" } ?? left.first
        if plans.isEmpty, let telling { throw telling.failure }
        return (plans, left)
    }

    static func find(
        _ name: String, in index: ReleaseIndex, fp16: String
    ) throws -> Release {
        let all = index.releases(fp16: fp16).map(\.release)
        let exact = all.filter { $0.version == name || String($0.sequence) == name }
        let found =
            exact.isEmpty && name.count >= 6
            ? all.filter { $0.raw.sha256.hasPrefix(name.lowercased()) } : exact
        if found.count == 1 { return found[0] }
        let known = all.map(\.version).joined(separator: ", ")
        throw CommandFailure(
            "release_unknown",
            found.isEmpty
                ? "There is no live release '\(name)' of this build"
                : "'\(name)' names several releases of this build",
            why: known.isEmpty ? "Nothing was released for it." : "Live are \(known).",
            fix: "patchcli status", exit: .usage)
    }

    /// Refuses to send devices where none of them may go.
    static func refuseVoid(_ release: Release?, _ index: ReleaseIndex) throws {
        guard let release, release.sequence < index.floor else { return }
        throw CommandFailure(
            "below_floor", "No device runs release '\(release.version)' any more",
            why: "Its sequence is \(release.sequence), and root lets nothing below "
                + "\(index.floor) run.",
            fix: "patchcli release", exit: .unreachable)
    }

    // MARK: Parts

    static func next(
        _ before: Head?, appID: String, platform: String, channel: String, fingerprint: String
    ) -> Head {
        guard var head = before else {
            return Head(
                appID: appID, platform: platform, channel: channel, fingerprint: fingerprint,
                headSequence: 1)
        }
        head.headSequence += 1
        head.kind = .run
        return head
    }

    /// The earlier stable releases, latest first, without the one that takes their place.
    static func returnable(_ before: Head?, instead digest: String?) -> [String] {
        guard let before else { return [] }
        let all = [before.stable].compactMap { $0 } + before.returnable
        var kept: [String] = []
        for candidate in all
        where candidate != digest && !kept.contains(candidate)
            && !before.recalled.contains(candidate)
        {
            kept.append(candidate)
        }
        return Array(kept.prefix(returnableCount))
    }

    static func plan(
        _ release: Release?, _ head: Head, _ modules: [NewTarget], _ index: ReleaseIndex,
        _ fp16: String
    ) throws -> ReleasePlan {
        let path = index.headPath(channel: head.channel, fp16: fp16)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = [UInt8](try encoder.encode(head))
        let others = index.heads.filter { $0.target.path != path }.map(\.head)
        let heads = (others + [head]).filter { BuildRole.fp16($0.fingerprint) == fp16 }
        let removed = unreferenced(heads, index, fp16)
        let kept = index.releases(fp16: fp16).filter { !removed.contains($0.target.path) }
        let outdated = try outdated(kept, heads)
        let wanted = Set(
            kept.filter { release in !outdated.contains { $0.path == release.target.path } }
                .flatMap(\.release.deltas).map(\.path) + modules.map(\.file.path))
        return ReleasePlan(
            release: release, head: head,
            targets: modules + [NewTarget(path: path, bytes: bytes)],
            relisted: outdated,
            removed: removed
                + index.deltas(fp16: fp16).map(\.path).filter { !wanted.contains($0) })
    }

    /// A build role lists live releases only. The newest one stays in any case: it carries the
    /// counter.
    private static func unreferenced(
        _ heads: [Head], _ index: ReleaseIndex, _ fp16: String
    ) -> [String] {
        var live: Set<String> = []
        for head in heads {
            live.formUnion(
                [head.stable, head.candidate?.digest].compactMap { $0 } + head.returnable)
        }
        return index.releases(fp16: fp16)
            .filter {
                !live.contains($0.release.raw.sha256)
                    && $0.release.sequence != index.lastSequence
            }
            .map(\.target.path)
    }

    /// Releases that no head sends devices to lose their deltas: who is sent back has the payload
    /// still, and every delta that is listed costs all devices metadata.
    private static func outdated(
        _ releases: [ReleaseIndex.Published], _ heads: [Head]
    ) throws -> [TargetFile] {
        let aims = Set(heads.flatMap { [$0.stable, $0.candidate?.digest] }.compactMap { $0 })
        return
            try releases
            .filter { !$0.release.deltas.isEmpty && !aims.contains($0.release.raw.sha256) }
            .map { published in
                var release = published.release
                release.deltas = []
                var file = published.target
                file.custom = try custom(release)
                return file
            }
    }

    private static func custom(_ release: Release) throws -> [String: JSONValue] {
        let json = try JSONValue(parsing: [UInt8](try JSONEncoder().encode(release)))
        return json.object ?? [:]
    }
}
