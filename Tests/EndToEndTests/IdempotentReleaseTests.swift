import PatchCrypto
import Rollout
import RolloutGates
import TestSupport
import Testing

@testable import patchcli

/// I8 of `cases/ota.md` where it is decided, over 300,000 random heads and audiences. Over the real
/// tool it stands in StaticModeTests, over the real server in PatchServerTests.
@Suite struct IdempotentReleaseTests {
    private static let digests = (0..<6).map { SHA256.hash([UInt8($0)]).hex }

    private struct Drawn {
        var generator = SeededGenerator()

        mutating func number(_ range: ClosedRange<Int>) -> Int {
            Int.random(in: range, using: &generator)
        }
        mutating func chance(_ percent: Int) -> Bool { number(1...100) <= percent }
        mutating func digest() -> String { IdempotentReleaseTests.digests[number(0...5)] }
        mutating func digests() -> [String] { (0..<number(0...3)).map { _ in digest() } }

        mutating func require() -> Requirement {
            guard chance(30) else { return Requirement() }
            return Requirement(
                minimumSystem: chance(50) ? "\(number(1...3)).0" : nil,
                maximumApp: chance(50) ? "\(number(1...3)).0" : nil,
                tags: chance(50) ? ["tag\(number(0...2))"] : nil,
                cohorts: chance(50) ? ["cohort\(number(0...2))"] : nil)
        }

        mutating func audience() -> ReleaseAudience {
            var audience = ReleaseAudience.everybody
            audience.require = require()
            if chance(50) { audience.grant = number(1...10_000) }
            if chance(20) { audience.stages = .standard }
            audience.isMandatory = chance(30)
            if audience.isMandatory, chance(50) { audience.applyBy = "2030-01-0\(number(1...9))" }
            return audience
        }

        mutating func head() -> Head {
            Head(
                appID: "app", platform: "linux", channel: "production", fingerprint: "_any",
                kind: chance(80) ? .run : .embedded, headSequence: number(1...99),
                stable: chance(80) ? digest() : nil,
                candidate: chance(50)
                    ? Candidate(
                        digest: digest(), grant: number(0...10_000), salt: "00",
                        stages: chance(30) ? StagePlan.standard.stages : [], require: require())
                    : nil,
                returnable: digests(), recalled: digests(),
                mandatorySince: chance(30) ? number(1...9) : nil)
        }
    }

    @Test("I8: the same release for the same audience again is none; whatever else is asked is one")
    func I8_idempotent() {
        var drawn = Drawn()
        var wrong: String?
        for _ in 0..<300_000 where wrong == nil {
            let before: Head? = drawn.chance(95) ? drawn.head() : nil
            let digest = drawn.digest()
            var wishes = ReleasePlan.Wishes(
                channel: "production", notes: drawn.chance(50) ? "notes" : nil,
                audience: drawn.audience())
            var head = ReleasePlan.next(
                before, appID: "app", platform: "linux", channel: "production", fingerprint: "_any")
            head.offer(digest, sequence: 7, to: wishes.audience, salt: "01", before: before)
            let release = release(digest, wishes)
            if !ReleaseCommand.isSame(release, head, wishes, floor: 0) {
                wrong = "releasing again as before was not seen: \(wishes) \(head)"
            }
            let asked = wishes
            let other = another(than: digest)
            switch drawn.number(0...4) {
            case 0:
                if ReleaseCommand.isSame(
                    self.release(other, wishes), head, wishes, floor: 0)
                {
                    wrong = "another module was taken for the same: \(head)"
                }
                continue
            case 1: wishes.audience.grant = wishes.audience.grant % 10_000 + 1
            case 2: wishes.audience.isMandatory.toggle()
            case 3: wishes.audience.require.tags = ["another"]
            default: wishes.notes = "other notes"
            }
            if ReleaseCommand.isSame(release, head, wishes, floor: 0) {
                wrong = "\(wishes) was taken for \(asked): \(head)"
            }
        }
        #expect(wrong == nil, "\(drawn.generator)")
    }

    private func another(than digest: String) -> String {
        digest == Self.digests[0] ? Self.digests[1] : Self.digests[0]
    }

    private func release(_ digest: String, _ wishes: ReleasePlan.Wishes) -> Release {
        Release(
            appID: "app", platform: "linux", version: "1.0", sequence: 7, fingerprint: "_any",
            abi: 1, needs: [], capabilities: [], appTargets: ["app"],
            mandatory: wishes.audience.isMandatory, notes: wishes.notes, commit: nil,
            raw: RawPayload(sha256: digest, size: 1), encoding: .identity, deltas: [])
    }
}
