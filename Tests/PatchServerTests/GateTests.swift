import Foundation
import Rollout
import RolloutGates
import TestSupport
import Testing

@testable import PatchServer

@Suite struct GateTests {
    /// Installs tell of the release or of nothing, as real devices would.
    private func tell(
        _ fixture: ServerFixture, installs: Range<Int>, _ names: [String], release: String?
    ) async throws {
        let now = fixture.clock.now()
        for index in installs {
            let install = "00000000-0000-4000-8000-" + String(format: "%012x", index)
            let events = names.enumerated().map { position, name -> [String: Any] in
                var event: [String: Any] = [
                    "id": UUID().uuidString, "name": name, "at": now + Double(position),
                    "fingerprint": ServerFixture.fingerprint, "sdk": "0.1.0",
                ]
                if let release { event["release"] = release }
                if name == "rollback" { event["reason"] = "trapped" }
                return event
            }
            let answer = try await fixture.http.send(
                "POST", fixture.path("events"), body: try TelemetryFixture.body(install, events))
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    private let small: [String: Any] = [
        "rules": ["minimum_exposures": 20, "minimum_failures": 5, "return_seconds": 600]
    ]

    @Test("a release that fails is halted by its gate, and the decision can be taken again")
    func autoHalt() async throws {
        let fixture = try await BrakeTests.rolledOut()
        let changed = try await fixture.call("PUT", BrakeTests.rollout, small)
        #expect(changed.status == 200, "\(changed.text)")
        try await tell(
            fixture, installs: 0..<10, ["activate", "ready"], release: BrakeTests.digest)
        try await tell(
            fixture, installs: 10..<30, ["activate", "rollback"], release: BrakeTests.digest)
        await fixture.server.lookAtGates()
        let brake = try #require(try await BrakeTests.deviceBrake(fixture))
        #expect(brake.halted)
        let answer = try await fixture.call("GET", "\(BrakeTests.rollout)/decisions")
        struct Decisions: Decodable { let decisions: [KeptDecision] }
        let kept = try JSONDecoder().decode(Decisions.self, from: Data(answer.body)).decisions
        let record = try #require(kept.first?.record)
        #expect(record.decision.rule == .hard && record.decision.action == .halt)
        #expect(record.decision.inputs.candidate.failed == 20)
        #expect(record.again() == record.decision)
        let audit = try await fixture.call("GET", "audit")
        #expect(audit.text.contains("rollout.halted") && audit.text.contains("\"gate\""))
    }

    @Test("a healthy release goes on within its grant once its stage and its devices allow")
    func autoAdvance() async throws {
        let fixture = try await BrakeTests.rolledOut()
        #expect(
            try await fixture.call(
                "PUT", BrakeTests.rollout,
                [
                    "rules": [
                        "minimum_exposures": 20, "return_seconds": 600, "failure_limit_bps": 2_000,
                    ]
                ]
            ).status == 200)
        try await tell(
            fixture, installs: 0..<40, ["activate", "ready"], release: BrakeTests.digest)
        try await tell(fixture, installs: 40..<80, ["check"], release: nil)
        fixture.clock.advance(by: 120)
        try await tell(fixture, installs: 0..<80, ["check"], release: nil)
        await fixture.server.lookAtGates()
        #expect(try await BrakeTests.deviceBrake(fixture)?.caps == [BrakeTests.digest: 100])
        fixture.clock.advance(by: 700)
        await fixture.server.lookAtGates()
        // The plan says everybody, the release key grants half.
        let caps = try await BrakeTests.deviceBrake(fixture)?.caps
        let decisions = try await fixture.call("GET", "\(BrakeTests.rollout)/decisions")
        #expect(caps == [BrakeTests.digest: 5_000], "\(decisions.text)")
        let status = try await fixture.call("GET", BrakeTests.rollout)
        #expect(status.json["stage_since"] as? Int == Int(fixture.clock.now()))
    }

    @Test("devices that take a release and are not seen again halt it")
    func silence() async throws {
        let fixture = try await BrakeTests.rolledOut()
        _ = try await fixture.call("PUT", BrakeTests.rollout, small)
        try await tell(fixture, installs: 0..<40, ["activate"], release: BrakeTests.digest)
        try await tell(fixture, installs: 40..<80, ["check"], release: nil)
        fixture.clock.advance(by: 300)
        try await tell(fixture, installs: 40..<80, ["check"], release: nil)
        fixture.clock.advance(by: 301)
        await fixture.server.lookAtGates()
        #expect(try await BrakeTests.deviceBrake(fixture)?.halted == true)
        let decisions = try await fixture.call("GET", "\(BrakeTests.rollout)/decisions")
        #expect(decisions.text.contains(#""rule":"silence""#), "\(decisions.text)")
    }

    @Test("what is paused does not advance by itself")
    func paused() async throws {
        let fixture = try await BrakeTests.rolledOut()
        let answer = try await fixture.call("PUT", BrakeTests.rollout, ["paused": true])
        #expect(answer.json["paused"] as? Bool == true)
        let revision = answer.headers["etag"] ?? ""
        let stale = try await fixture.call(
            "PUT", BrakeTests.rollout, [:], ["If-Match": "\"0\""])
        #expect(stale.status == 412)
        let fresh = try await fixture.call("PUT", BrakeTests.rollout, [:], ["If-Match": revision])
        #expect(fresh.json["paused"] as? Bool == false, "\(fresh.text)")
    }

    @Test("plans and rules that cannot be meant are refused by their names")
    func refusals() async throws {
        let fixture = try await BrakeTests.rolledOut()
        let plans: [([String: Any], String)] = [
            (["plan": [["grant_bps": 0, "seconds": 0]]], "invalid_plan"),
            (["plan": []], "invalid_plan"), (["plan": "x"], "malformed_request"),
            (["rules": ["minimum_exposures": 0]], "invalid_rules"),
            (["rules": ["failure_confidence_bps": 1]], "malformed_request"),
        ]
        for (document, code) in plans {
            let answer = try await fixture.call("PUT", BrakeTests.rollout, document)
            #expect(answer.status == 400 && answer.code == code, "\(document): \(answer.text)")
        }
        #expect(try await fixture.call("GET", "rollouts/staging/abcd").status == 404)
        #expect(try await fixture.call("POST", "rollouts/production/abcd/halt", [:]).status == 404)
    }
}
