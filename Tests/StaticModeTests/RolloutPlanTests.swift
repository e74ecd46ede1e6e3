import CommandLineKit
import Foundation
import PatchCrypto
import Rollout
import RolloutGates
import TUF
import Testing

@testable import patchcli

/// What halt, resume, rollout and recall make of a head, without keys and files.
@Suite struct RolloutPlanTests {
    private static let fingerprint = String(repeating: "ab", count: 32)

    private func digest(_ number: Int) -> String { SHA256.hash("release \(number)").hex }

    /// Three releases, 1 to 3, of one build.
    private func index(_ head: Head) throws -> ReleaseIndex {
        let releases = try (1...3).map { number in
            let release = Release(
                appID: "app", platform: "linux", version: "1.\(number)", sequence: number,
                fingerprint: Self.fingerprint, raw: RawPayload(sha256: digest(number), size: 1))
            let custom = try JSONValue(parsing: [UInt8](try JSONEncoder().encode(release))).object
            let path = ReleaseIndex.modulePath(
                fp16: BuildRole.fp16(Self.fingerprint), version: release.version)
            return ReleaseIndex.Published(
                target: TargetFile(path: path, contents: [UInt8(number)], custom: custom),
                release: release)
        }
        return ReleaseIndex(releases: releases, heads: [], deltas: [])
    }

    private func head(_ change: (inout Head) -> Void = { _ in }) -> Head {
        var head = Head(
            appID: "app", platform: "linux", channel: "production",
            fingerprint: Self.fingerprint, headSequence: 7, stable: digest(2))
        head.candidate = Candidate(digest: digest(3), grant: 2_500, salt: "salt")
        head.returnable = [digest(1)]
        change(&head)
        return head
    }

    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CommandFailure)?.code
        }
    }

    @Test("a halt grants nothing and forgets nothing; a resume goes on with the same devices")
    func haltAndResume() throws {
        let before = head()
        let index = try index(before)
        let halted = try ReleasePlan.rollout("1.3", to: .halt, index: index, before: before).head
        #expect(halted.candidate?.grant == 0 && halted.candidate?.haltedGrant == 2_500)
        #expect(halted.candidate?.salt == "salt" && halted.headSequence == 8)
        #expect(halted.stable == before.stable && halted.returnable == before.returnable)
        #expect(
            code { _ = try ReleasePlan.rollout("1.3", to: .halt, index: index, before: halted) }
                == "already_there")
        let resumed = try ReleasePlan.rollout(
            "1.3", to: .resume, index: index, before: halted
        ).head
        #expect(resumed.candidate == before.candidate && resumed.headSequence == 9)
        #expect(
            code { _ = try ReleasePlan.rollout("1.3", to: .resume, index: index, before: resumed) }
                == "not_halted")
    }

    @Test("a rollout is raised, lowered and finished, and what was stable can be gone back to")
    func extents() throws {
        let before = head()
        let index = try index(before)
        for grant in [1, 9_999] {
            let plan = try ReleasePlan.rollout(
                "1.3", to: .grant(grant), index: index, before: before)
            #expect(plan.head.candidate?.grant == grant && plan.head.candidate?.salt == "salt")
        }
        let done = try ReleasePlan.rollout("3", to: .finish, index: index, before: before).head
        #expect(done.stable == digest(3) && done.candidate == nil)
        #expect(done.returnable == [digest(2), digest(1)])
        for name in ["1.2", "1.1"] {
            #expect(
                code { _ = try ReleasePlan.rollout(name, to: .halt, index: index, before: before) }
                    == "not_rolling_out")
        }
    }

    @Test("a recalled release is offered nowhere, and its place is taken by an earlier one only")
    func recall() throws {
        let before = head()
        let index = try index(before)
        let candidate = try ReleasePlan.recall("1.3", index: index, before: before).head
        #expect(candidate.candidate == nil && candidate.stable == digest(2))
        #expect(candidate.recalled == [digest(3)])
        let stable = try ReleasePlan.recall("1.2", index: index, before: before).head
        #expect(stable.stable == digest(1) && stable.candidate == before.candidate)
        #expect(!stable.returnable.contains(digest(2)))
        // After a rollback the later release is returnable, and still no way out.
        let back = head {
            $0.candidate = nil
            $0.stable = digest(1)
            $0.returnable = [digest(2)]
        }
        let first = try ReleasePlan.recall("1.1", index: index, before: back).head
        #expect(first.stable == nil && first.returnable == [digest(2)])
        #expect(
            code { _ = try ReleasePlan.recall("1.1", index: index, before: first) }
                == "already_there")
        // A recall does not wake a channel that was sent back to what the app shipped with.
        let asleep = head { $0.kind = .embedded }
        #expect(
            try ReleasePlan.recall("1.3", index: index, before: asleep).head.kind == .embedded)
    }

    @Test("P32: the next sequence follows what is published, whatever any clock says")
    func P32_sequence() throws {
        #expect(try index(head()).nextSequence == 4)
        #expect(ReleaseIndex(releases: [], heads: [], deltas: []).nextSequence == 1)
    }

    @Test("a signature in any spelling is read, anything else is none")
    func signatures() {
        #expect(SignCommand.bytes(of: Data("00ff\n".utf8)) == [0, 0xFF])
        #expect(SignCommand.bytes(of: Data("AP 8=\n".utf8)) == [0, 0xFF])
        #expect(SignCommand.bytes(of: Data("00FF".utf8)) == [0, 0xFF])
        for text in ["", " ", "?", "0"] { #expect(SignCommand.bytes(of: Data(text.utf8)) == nil) }
    }
}
