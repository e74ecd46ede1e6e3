import Foundation
import PatchCrypto
import Rollout
import RolloutGates
import TUF
import TUFRepository
import TestSupport
import Testing

@testable import PatchServer

@Suite struct BrakeTests {
    static let stable: [UInt8] = [1, 2, 3]
    static let candidate: [UInt8] = [4, 5, 6]
    static var digest: String { SHA256.hash(candidate).hex }

    /// A stable release, and a candidate that is rolled out in stages.
    static func rolledOut(
        delegated: Bool = true, settings: APISettings = APISettings(),
        stages: [Stage] = [
            Stage(grant: 100, seconds: 60), Stage(grant: 10_000, seconds: 0),
        ]
    ) async throws -> ServerFixture {
        let fixture = try await ServerFixture(settings: settings)
        if delegated { try fixture.delegateBrakes() }
        try await fixture.publishBuild()
        let first = try await fixture.publish("1.0", sequence: 1, bytes: stable)
        #expect(first.status == 201, "\(first.text)")
        let answer = try await publishCandidate(fixture, headSequence: 2, stages: stages)
        #expect(answer.status == 201, "\(answer.text)")
        return fixture
    }

    static func publishCandidate(
        _ fixture: ServerFixture, headSequence: Int, stages: [Stage]
    ) async throws -> RawHTTP.Answer {
        let module = try fixture.release("1.1", sequence: 2, bytes: candidate)
        let head = try fixture.head(headSequence, stable: stable) {
            $0.candidate = Candidate(
                digest: digest, grant: 5_000, salt: String(repeating: "0", count: 32),
                stages: stages)
        }
        try fixture.editor.setTargets(
            [module, head.file], in: fixture.role, signers: fixture.signers, at: .now)
        let answer = try await fixture.upload(
            targets: [(module.path, candidate), (head.file.path, head.bytes)])
        if answer.status == 201 { fixture.editor.clearChanges() }
        return answer
    }

    /// The brake that a device finds, verified from root 1 on.
    static func deviceBrake(_ fixture: ServerFixture) async throws -> Brake? {
        let client = try await fixture.client()
        guard let target = try await client.target(BrakesRole.modulePath(channel: "production"))
        else { return nil }
        let place = try target.filePath(consistentSnapshot: true)
        let bytes = try await fixture.get("targets/\(place)").body
        try target.verify(bytes)
        return try JSONDecoder().decode(Brake.self, from: Data(bytes))
    }

    static var rollout: String { "rollouts/production/\(ServerFixture.fingerprint)" }

    @Test("a candidate with stages is capped at the first one in the publication that brings it")
    func firstStage() async throws {
        let fixture = try await Self.rolledOut()
        let brake = try #require(try await Self.deviceBrake(fixture))
        #expect(brake.caps == [Self.digest: 100] && !brake.halted && brake.brakeSequence == 1)
        let status = try await fixture.call("GET", Self.rollout)
        #expect(status.json["reach_bps"] as? Int == 100, "\(status.text)")
        #expect(status.json["grant_bps"] as? Int == 5_000)
        #expect(status.json["plan_from"] as? String == "head")
        // Whoever publishes the head again does not undo how far the gates have come.
        _ = try await fixture.call(
            "POST", "brakes", ["channel": "production", "caps": [Self.digest: 2_500]])
        let again = try await Self.publishCandidate(
            fixture, headSequence: 3, stages: [Stage(grant: 100, seconds: 60)])
        #expect(again.status == 201)
        #expect(try await Self.deviceBrake(fixture)?.caps == [Self.digest: 2_500])
    }

    @Test("S08: a halt by the server is in effect on the next check, and so is its end")
    func halt() async throws {
        let fixture = try await Self.rolledOut()
        let halted = try await fixture.call("POST", "\(Self.rollout)/halt", [:])
        #expect(halted.status == 200 && halted.json["halted"] as? Bool == true, "\(halted.text)")
        #expect(try await Self.deviceBrake(fixture)?.halted == true)
        let device = Device(
            deviceID: "6f1c2a30-0000-4000-8000-00000000000a", appID: fixture.appID,
            platform: "linux", channel: "production", fingerprint: ServerFixture.fingerprint)
        let head = try fixture.head(2, stable: nil) {
            $0.candidate = Candidate(digest: Self.digest, grant: 10_000, salt: "00")
        }
        let published = try JSONDecoder().decode(Head.self, from: Data(head.bytes))
        let release = try fixture.release("1.1", sequence: 2, bytes: Self.candidate)
        let known: Release = try #require(ReleaseRules.decode(release.custom))
        let brake = try await Self.deviceBrake(fixture)
        let releases = [Self.digest: known]
        let free = decide(device, head: published, brake: nil, releases: releases)
        let held = decide(device, head: published, brake: brake, releases: releases)
        #expect(free.reason == .updateCandidate && held.reason != .updateCandidate)
        let resumed = try await fixture.call("POST", "\(Self.rollout)/resume", [:])
        #expect(resumed.json["halted"] as? Bool == false, "\(resumed.text)")
        let after = try #require(try await Self.deviceBrake(fixture))
        #expect(!after.halted && after.caps == [Self.digest: 100])
    }

    @Test("brakes need the ops key's delegation, and the refusal names the command")
    func undelegated() async throws {
        let fixture = try await Self.rolledOut(delegated: false)
        let answer = try await fixture.call("POST", "brakes", ["channel": "production"])
        #expect(answer.status == 409 && answer.code == "brakes_not_delegated")
        #expect(answer.text.contains("patchcli init"))
        let status = try await fixture.call("GET", Self.rollout)
        #expect(status.json["reach_bps"] as? Int == 5_000)
    }

    @Test("a brake is changed member by member, under If-Match, and only where something is there")
    func change() async throws {
        let fixture = try await Self.rolledOut()
        let recalled = String(repeating: "9", count: 64)
        let first = try await fixture.call(
            "POST", "brakes", ["channel": "production", "recalled": [recalled]],
            ["If-Match": "\"1\""])
        #expect(first.status == 201 && first.headers["etag"] == "\"2\"", "\(first.text)")
        let stale = try await fixture.call(
            "POST", "brakes", ["channel": "production", "halted": true], ["If-Match": "\"1\""])
        #expect(stale.status == 412)
        let same = try await fixture.call(
            "POST", "brakes", ["channel": "production", "recalled": [recalled]])
        #expect(same.status == 200 && same.json["brake_seq"] as? Int == 2)
        let shown = try await fixture.call("GET", "brakes/production")
        #expect((shown.json["caps"] as? [String: Int]) == [Self.digest: 100])
        let bad: [([String: Any], Int, String)] = [
            (["channel": "staging"], 404, "unknown_channel"),
            (["channel": "../x"], 400, "bad_identifier"),
            (["channel": "production", "caps": ["x": 1]], 400, "bad_digest"),
            (["channel": "production", "caps": [recalled: 10_001]], 400, "bad_cap"),
            (["channel": "production", "return_to": "x"], 400, "bad_digest"),
            (["channel": "production", "kind": "other"], 400, "malformed_request"),
            (["halted": true], 400, "malformed_request"),
        ]
        for (document, status, code) in bad {
            let answer = try await fixture.call("POST", "brakes", document)
            #expect(answer.status == status && answer.code == code, "\(document): \(answer.text)")
        }
    }

    @Test("of two publishers at once one wins, and what both signed before stays whole")
    func twoPublishers() async throws {
        let fixture = try await Self.rolledOut()
        let answers = try await withThrowingTaskGroup(of: RawHTTP.Answer.self) { group in
            for index in 0..<8 {
                let path = fixture.path("brakes")
                let (http, token) = (fixture.http, fixture.token)
                group.addTask {
                    let body =
                        #"{"channel":"production","caps":{"\#(Self.digest)":\#(200 + index)}}"#
                    return try await http.send(
                        "POST", path,
                        ["Authorization": "Bearer \(token)", "If-Match": "\"1\""],
                        body: Array(body.utf8))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 201 }.count == 1)
        #expect(answers.filter { $0.status == 412 }.count == 7)
        #expect(try await Self.deviceBrake(fixture)?.brakeSequence == 2)
    }

    @Test("brakes are signed anew at half of their life")
    func renewal() async throws {
        let fixture = try await Self.rolledOut()
        let first = try await fixture.get("metadata/1.brakes.json")
        #expect(first.status == 200)
        fixture.clock.advance(by: 16 * 86_400)
        await fixture.server.refreshFreshness()
        #expect(try await fixture.get("metadata/2.brakes.json").status == 200)
        #expect(try await Self.deviceBrake(fixture)?.brakeSequence == 1)
    }
}
