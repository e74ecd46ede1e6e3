import CommandLineKit
import Foundation
import ModuleABI
import PatchCompression
import PatchCrypto
import Rollout
import RolloutGates
import TUF
import Testing

@testable import patchcli

@Suite struct ReleasePlanTests {
    private static let fingerprint = String(repeating: "ab", count: 32)
    private let fp16 = BuildRole.fp16(Self.fingerprint)

    /// An index as it is after some plans.
    private func index(_ plans: [ReleasePlan]) throws -> ReleaseIndex {
        var targets: [String: NewTarget] = [:]
        for plan in plans {
            for path in plan.removed { targets[path] = nil }
            for target in plan.targets { targets[target.file.path] = target }
            for file in plan.relisted {
                targets[file.path] = NewTarget(
                    path: file.path, bytes: targets[file.path]?.bytes ?? [], custom: file.custom)
            }
        }
        var deltas: [TargetFile] = []
        var releases: [ReleaseIndex.Published] = []
        var heads: [ReleaseIndex.PublishedHead] = []
        for target in targets.values {
            if target.file.path.hasPrefix("deltas/") {
                deltas.append(target.file)
            } else if let custom = target.file.custom {
                let release = try JSONDecoder().decode(
                    Release.self, from: Data(JSONValue.object(custom).encoded()))
                releases.append(.init(target: target.file, release: release))
            } else {
                let head = try JSONDecoder().decode(Head.self, from: Data(target.bytes))
                heads.append(.init(target: target.file, head: head))
            }
        }
        return ReleaseIndex(
            releases: releases.sorted { $0.release.sequence < $1.release.sequence }, heads: heads,
            deltas: deltas)
    }

    private func release(
        _ bytes: [UInt8], _ index: ReleaseIndex, grant: Int = 10_000,
        channel: String = "production",
        mandatory: Bool = false, fingerprint: String = Self.fingerprint
    ) throws -> ReleasePlan {
        var wishes = ReleasePlan.Wishes(channel: channel)
        wishes.audience.grant = grant
        wishes.audience.isMandatory = mandatory
        let section = ModuleSection(
            app_id: "app", release: "1.0.\(index.nextSequence)", sequence: index.nextSequence,
            fp: fingerprint)
        let fp16 = BuildRole.fp16(fingerprint)
        let bases = ReleaseDeltas.candidates(index, fp16: fp16).map {
            ReleaseDeltas.Base(digest: $0.release.raw.sha256, bytes: bytes)
        }
        let deltas = try ReleaseDeltas.make(
            to: bytes, insteadOf: 10_000, from: bases, fp16: fp16)
        return try ReleasePlan.release(
            .init(
                raw: bytes, packed: bytes, encoding: .identity, section: section, deltas: deltas),
            index: index,
            appID: "app", platform: "linux", fingerprint: fingerprint, wishes: wishes,
            salt: "00")
    }

    private func digest(_ bytes: [UInt8]) -> String { SHA256.hash(bytes).hex }

    @Test("a release becomes stable, the one before returnable")
    func stable() throws {
        let first = try release([1], try index([]))
        #expect(first.head.stable == digest([1]) && first.head.headSequence == 1)
        let second = try release([2], try index([first]))
        #expect(second.head.stable == digest([2]) && second.head.headSequence == 2)
        #expect(second.head.returnable == [digest([1])] && second.removed.isEmpty)
    }

    @Test("a rollout leaves the stable release alone")
    func candidate() throws {
        let first = try release([1], try index([]))
        let second = try release([2], try index([first]), grant: 500)
        #expect(second.head.stable == digest([1]))
        #expect(second.head.candidate?.digest == digest([2]))
        #expect(second.head.candidate?.grant == 500)
    }

    @Test("rolling back drops the candidate and what was mandatory")
    func rollback() throws {
        let first = try release([1], try index([]))
        let second = try release([2], try index([first]), mandatory: true)
        let all = try index([first, second])
        let back = try ReleasePlan.rollback(to: .previous, index: all, before: second.head)
        #expect(back.head.stable == digest([1]) && back.head.mandatorySince == nil)
        #expect(back.head.returnable == [digest([2])] && back.release == nil)
        let named = try ReleasePlan.rollback(
            to: .release("1.0.2"), index: try index([first, second, back]), before: back.head)
        #expect(named.head.stable == digest([2]))
        let shipped = try ReleasePlan.rollback(to: .embedded, index: all, before: second.head)
        #expect(shipped.head.kind == .embedded && shipped.head.stable == nil)
        #expect(shipped.head.returnable == [digest([2]), digest([1])])
        #expect(throws: (any Error).self) {
            try ReleasePlan.rollback(
                to: .previous, index: try index([first]), before: first.head)
        }
        #expect(throws: (any Error).self) {
            try ReleasePlan.rollback(to: .release("9.9"), index: all, before: second.head)
        }
    }

    @Test("a build that cannot go back does not keep the others on what is broken")
    func severalBuilds() throws {
        let young = String(repeating: "cd", count: 32)
        let first = try release([1], try index([]))
        let second = try release([2], try index([first]))
        let other = try release([3], try index([first, second]), fingerprint: young)
        let heads = [other.head, second.head]

        let known = try index([first, second, other])
        let back = try ReleasePlan.changes(of: heads) {
            try ReleasePlan.rollback(to: .previous, index: known, before: $0)
        }
        #expect(back.plans.map(\.plan.head.stable) == [digest([1])])
        #expect(back.left.map(\.failure.code) == ["nothing_before"])
        #expect(back.left.map(\.head.fingerprint) == [young])

        let shipped = try ReleasePlan.rollback(
            to: .embedded, index: try index([first, second, other]), before: other.head)
        let later = try index([first, second, other, shipped])
        let all = try ReleasePlan.changes(of: [shipped.head, second.head]) {
            try ReleasePlan.rollback(to: .embedded, index: later, before: $0)
        }
        #expect(all.plans.map(\.before.fingerprint) == [Self.fingerprint])
        #expect(all.left.map(\.failure.code) == ["already_there"])
        #expect(throws: CommandFailure.self) {
            try ReleasePlan.changes(of: [shipped.head]) {
                try ReleasePlan.rollback(to: .embedded, index: later, before: $0)
            }
        }
    }

    @Test("digits of a fingerprint are digits; an empty variable stands for no build")
    func digits() {
        for text in ["", "xyz", "ab/", String(repeating: "a", count: 65)] {
            #expect(Common.checkDigits(text) != nil, "\(text)")
        }
        #expect(Common.checkDigits("e5") == nil && Common.checkDigits("AB12") == nil)
    }

    @Test("a published version is never replaced by another module")
    func taken() throws {
        let first = try release([1], try index([]))
        let known = try index([first])
        let again = ReleaseIndex(
            releases: known.releases.map { published in
                var release = published.release
                release.version = "1.0.2"
                return .init(target: published.target, release: release)
            }, heads: known.heads)
        #expect(throws: (any Error).self) { try self.release([2], again) }
    }

    @Test("whatever is done, the role lists what heads name, and the newest release")
    func liveReleases() throws {
        let seed = UInt64.random(in: 1 ... .max)
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        for _ in 0..<20 {
            var plans: [ReleasePlan] = []
            var last = 0
            for step in 0..<25 {
                let now = try index(plans)
                let channel = ["production", "beta"][next(2)]
                let head = now.head(channel: channel, fp16: fp16)
                let plan: ReleasePlan?
                switch next(4) {
                case 0, 1:
                    plan = try release(
                        [UInt8(step), UInt8(next(250))], now,
                        grant: next(2) == 0 ? 10_000 : 100 + next(9_000), channel: channel)
                    last = now.nextSequence
                case 2:
                    plan = head.flatMap {
                        try? ReleasePlan.rollback(to: .previous, index: now, before: $0)
                    }
                default:
                    plan = head.flatMap {
                        try? ReleasePlan.rollback(to: .embedded, index: now, before: $0)
                    }
                }
                guard let plan else { continue }
                plans.append(plan)
                let after = try index(plans)
                let listed = Set(after.releases.map(\.release.raw.sha256))
                for head in after.heads.map(\.head) {
                    let named =
                        [head.stable, head.candidate?.digest].compactMap { $0 } + head.returnable
                    #expect(listed.isSuperset(of: named), "seed \(seed)")
                    #expect(head.returnable.count <= ReleasePlan.returnableCount)
                    #expect(!head.returnable.contains(head.stable ?? ""), "seed \(seed)")
                }
                #expect(after.nextSequence == last + 1, "seed \(seed)")
                try expectDeltas(after, "seed \(seed)")
                #expect(after.releases.count <= 2 * (ReleasePlan.returnableCount + 2) + 1)
            }
        }
    }

    /// Every delta that a release names is listed, none is listed that no release names, and only
    /// what a head aims at has any.
    private func expectDeltas(_ index: ReleaseIndex, _ comment: Comment) throws {
        let named = index.releases.flatMap(\.release.deltas).map(\.path)
        #expect(Set(named) == Set(index.deltas.map(\.path)), comment)
        #expect(named.count == Set(named).count, comment)
        let aims = index.heads.map(\.head).flatMap { [$0.stable, $0.candidate?.digest] }
        for published in index.releases where !published.release.deltas.isEmpty {
            #expect(aims.contains(published.release.raw.sha256), comment)
            #expect(published.release.deltas.count <= ReleaseDeltas.most, comment)
        }
    }

    @Test("a release has deltas from what devices run and ran, as far as they save anything")
    func deltas() throws {
        var noise = SystemRandomNumberGenerator()
        let base = (0..<4000).map { _ in UInt8.random(in: .min ... .max, using: &noise) }
        let other = (0..<4000).map { _ in UInt8.random(in: .min ... .max, using: &noise) }
        var payload = base
        payload[2000] ^= 1
        let bases = [base, other, payload].map {
            ReleaseDeltas.Base(digest: SHA256.hash($0).hex, bytes: $0)
        }
        let deltas = try ReleaseDeltas.make(
            to: payload, insteadOf: 4000, from: bases, fp16: fp16)
        #expect(deltas.map(\.reference.from) == [digest(base)])
        #expect(
            deltas.map(\.reference.path)
                == ["deltas/\(fp16)/\(digest(base).prefix(8))-\(digest(payload).prefix(8))"])
        let delta = try #require(deltas.first).target
        #expect(delta.bytes.count < 120 && delta.file.path == deltas[0].reference.path)
        #expect(
            try Delta.apply(
                delta.bytes, to: base, digest: SHA256.hash(base), maximumSize: payload.count)
                == payload)
        // A delta that saves less than listing it costs is none.
        #expect(
            try ReleaseDeltas.make(
                to: payload, insteadOf: delta.bytes.count + 400, from: bases, fp16: fp16
            ).isEmpty)
    }

    @Test("deltas go with the release that a head aims at; the role stays small")
    func deltasGo() throws {
        var plans: [ReleasePlan] = []
        for step in 0..<8 {
            plans.append(try release([UInt8(step)], try index(plans)))
            try expectDeltas(try index(plans), "step \(step)")
        }
        let now = try index(plans)
        #expect(now.deltas.count == ReleaseDeltas.most)
        #expect(plans.last?.release?.deltas.count == ReleaseDeltas.most)
        let back = try ReleasePlan.rollback(
            to: .previous, index: now, before: try #require(plans.last).head)
        #expect(try index(plans + [back]).deltas.isEmpty)
        let rollout = try release([99], now, grant: 500)
        let both = try index(plans + [rollout])
        #expect(both.releases.filter { !$0.release.deltas.isEmpty }.count == 2)
    }

    @Test("shares of devices are read and written in percent")
    func percent() {
        #expect(Percent(argument: "5%")?.basisPoints == 500)
        #expect(Percent(argument: "0.01")?.basisPoints == 1)
        #expect(Percent(argument: "12.5%")?.argumentText == "12.5%")
        #expect(Percent(argument: "100")?.basisPoints == 10_000)
        #expect(Percent(basisPoints: 505).argumentText == "5.05%")
        for bad in ["0", "-5%", "100.01", "abc", "", "%", "0.001", "nan", "inf"] {
            #expect(Percent(argument: bad) == nil, "\(bad)")
        }
    }

    @Test("a version that was not named follows the last one")
    func versions() {
        #expect(VersionName.next(after: nil, sequence: 1) == "1.0.1")
        #expect(VersionName.next(after: "1.0.9", sequence: 7) == "1.0.10")
        #expect(VersionName.next(after: "2.0-rc1", sequence: 7) == "2.0-rc2")
        #expect(VersionName.next(after: "spring", sequence: 7) == "1.0.7")
        #expect(VersionName.next(after: "20261130123456", sequence: 7) == "1.0.7")
    }
}
