import Foundation
import Rollout
import RolloutGates
import TestSupport
import Testing

@Suite struct DocumentTests {
    @Test("heads, brakes and releases have the published field names and survive a round trip")
    func roundTrips() throws {
        var head = Head(
            appID: "a", platform: "linux", channel: "production", fingerprint: "f",
            headSequence: 3, stable: "s")
        head.candidate = Candidate(digest: "c", grant: 2500, salt: "00")
        head.mandatorySince = 2
        try check(
            head,
            has: [
                "v", "app_id", "platform", "channel", "fp", "kind", "head_seq", "stable",
                "candidate", "returnable", "recalled", "mandatory_since", "data_epoch",
                "retry_generation",
            ])
        let brake = Brake(
            appID: "a", platform: "linux", channel: "c", brakeSequence: 1, returnTo: "x")
        try check(
            brake,
            has: [
                "v", "app_id", "platform", "channel", "brake_seq", "caps", "halted", "recalled",
                "return_to", "kind",
            ])
        var release = Release(
            appID: "a", platform: "linux", version: "1.0", sequence: 4, fingerprint: "f",
            raw: RawPayload(sha256: "d", size: 9))
        release.notes = "n"
        release.commit = "c"
        try check(
            release,
            has: [
                "v", "app_id", "platform", "kind", "version", "sequence", "fp", "abi", "needs",
                "capabilities", "app_targets", "data_epoch", "mandatory", "notes", "commit", "raw",
                "encoding", "deltas",
            ])
    }

    private func check<Document: Codable & Equatable>(
        _ document: Document, has names: Set<String>
    ) throws {
        let data = try JSONEncoder().encode(document)
        let object = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(Set(object.keys) == names)
        #expect(try JSONDecoder().decode(Document.self, from: data) == document)
    }

    @Test("the reasons in code are those of the table")
    func reasonsAreCurrent() throws {
        let script = SharedData.checkout.appendingPathComponent("Scripts/generators/reasons.py")
        let result = try ChildProcess.run("python3", [script.path, "--check"])
        #expect(result.status == 0, "\(result.standardError)")
    }

    @Test("every reason says what happened and what to do, in whole sentences")
    func reasonsAreSentences() {
        for reason in Reason.allCases {
            #expect(reason.text.hasSuffix("."), "\(reason)")
            #expect(reason.advice.hasSuffix("."), "\(reason)")
            #expect(reason.code == reason.rawValue)
        }
    }
}
