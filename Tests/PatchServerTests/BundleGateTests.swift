import Foundation
import PatchCrypto
import Rollout
import TUF
import TestSupport
import Testing

@testable import PatchServer

/// Rollouts of web bundles, beside those of modules in the same app.
@Suite struct BundleGateTests {
    static let stable: [UInt8] = [11, 12, 13]
    static let candidate: [UInt8] = [14, 15, 16]
    static var digest: String { SHA256.hash(candidate).hex }
    static let rollout = "bundle-rollouts/production/app"

    /// Modules and the bundle `app` roll out in stages on one channel.
    static func rolledOut(
        settings: APISettings = APISettings()
    ) async throws -> ServerFixture {
        let fixture = try await BrakeTests.rolledOut(settings: settings)
        try fixture.editor.registerBuild(
            fingerprint: ReleaseRules.anyBuild, signers: fixture.signers, at: .now)
        try await publish(fixture, "1.0.0", sequence: 3, bytes: stable) { $0.stable = $1 }
        try await publish(fixture, "1.1.0", sequence: 4, bytes: candidate) {
            $0.headSequence = 2
            $0.stable = SHA256.hash(stable).hex
            $0.candidate = Candidate(
                digest: $1, grant: 5_000, salt: String(repeating: "1", count: 32),
                stages: [Stage(grant: 200, seconds: 60), Stage(grant: 10_000, seconds: 0)])
        }
        return fixture
    }

    private static func publish(
        _ fixture: ServerFixture, _ version: String, sequence: Int, bytes: [UInt8],
        _ change: (inout Head, String) -> Void
    ) async throws {
        let digest = SHA256.hash(bytes).hex
        let release = Release(
            appID: fixture.appID, platform: "linux", kind: "bundle", version: version,
            sequence: sequence, fingerprint: ReleaseRules.anyBuild,
            raw: RawPayload(sha256: digest, size: bytes.count), encoding: .identity)
        let custom = try JSONValue(parsing: [UInt8](try JSONEncoder().encode(release)))
        let archive = TargetFile(
            path: "bundles/app/\(version).wvb", contents: bytes, custom: custom.object)
        var head = Head(
            appID: fixture.appID, platform: "linux", channel: "production",
            fingerprint: ReleaseRules.anyBuild, headSequence: 1, stable: nil)
        change(&head, digest)
        let words = [UInt8](try JSONEncoder().encode(head))
        let statement = TargetFile(
            path: "heads/production/bundle/app/any.json", contents: words)
        try fixture.editor.setTargets(
            [archive, statement], in: BuildRole.anyBuild, signers: fixture.signers, at: .now)
        let answer = try await fixture.upload(
            targets: [(archive.path, bytes), (statement.path, words)])
        #expect(answer.status == 201, "\(answer.text)")
        fixture.editor.clearChanges()
    }

    /// The brake that a device finds for a bundle, verified from root 1 on.
    private static func brake(_ fixture: ServerFixture, _ bundle: String) async throws -> Brake? {
        let client = try await fixture.client()
        let path = BrakesRole.bundlePath(channel: "production", name: bundle)
        guard let target = try await client.target(path) else { return nil }
        let place = try target.filePath(consistentSnapshot: true)
        let bytes = try await fixture.get("targets/\(place)").body
        try target.verify(bytes)
        return try JSONDecoder().decode(Brake.self, from: Data(bytes))
    }

    /// Installs tell of a bundle, as its library does.
    private static func tell(
        _ fixture: ServerFixture, _ bundle: String, installs: Range<Int>, _ names: [String],
        release: String?
    ) async throws {
        let now = fixture.clock.now()
        for index in installs {
            let install = "00000000-0000-4000-8000-" + String(format: "%012x", index)
            let events = names.enumerated().map { position, name -> [String: Any] in
                var event: [String: Any] = [
                    "id": UUID().uuidString, "name": name, "at": now + Double(position),
                    "fingerprint": "_any", "bundle": bundle, "sdk": "1.0.0",
                ]
                event["release"] = release
                if name == "rollback" { event["reason"] = "page_blank" }
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

    @Test("a staged bundle is capped by a brake of its own, which says nothing about modules")
    func firstStage() async throws {
        let fixture = try await Self.rolledOut()
        let brake = try #require(try await Self.brake(fixture, "app"))
        #expect(brake.caps == [Self.digest: 200] && !brake.halted && brake.brakeSequence == 1)
        #expect(try await BrakeTests.deviceBrake(fixture)?.caps == [BrakeTests.digest: 100])
        let listed = try await fixture.call("GET", "rollouts").json["rollouts"]
        let rollouts = try #require(listed as? [[String: Any]])
        #expect(rollouts.count == 2)
        let own = rollouts.first { $0["bundle"] as? String == "app" }
        #expect(own?["reach_bps"] as? Int == 200 && own?["fingerprint"] as? String == "_any")
        #expect(own?["plan_from"] as? String == "head")
    }

    @Test("halt, resume and brakes of a bundle leave modules and other bundles alone")
    func brakes() async throws {
        let fixture = try await Self.rolledOut()
        let halted = try await fixture.call("POST", "\(Self.rollout)/halt", [:])
        #expect(halted.json["halted"] as? Bool == true, "\(halted.text)")
        #expect(try await Self.brake(fixture, "app")?.halted == true)
        #expect(try await BrakeTests.deviceBrake(fixture)?.halted == false)
        let module = try await fixture.call("GET", BrakeTests.rollout)
        #expect(module.json["halted"] as? Bool == false)
        let shown = try await fixture.call("GET", "brakes/production?bundle=app")
        #expect(shown.json["halted"] as? Bool == true, "\(shown.text)")
        let resumed = try await fixture.call("POST", "\(Self.rollout)/resume", [:])
        #expect(resumed.json["halted"] as? Bool == false, "\(resumed.text)")
        #expect(try await Self.brake(fixture, "app")?.caps == [Self.digest: 200])
        let set = try await fixture.call(
            "POST", "brakes", ["channel": "production", "bundle": "app", "kind": "embedded"])
        #expect(set.status == 201, "\(set.text)")
        #expect(try await Self.brake(fixture, "app")?.kind == .embedded)
        let strange: [(String, Int)] = [("docs", 404), ("../x", 400), ("", 400)]
        for (bundle, status) in strange {
            let answer = try await fixture.call(
                "POST", "brakes", ["channel": "production", "bundle": bundle])
            #expect(answer.status == status, "\(bundle): \(answer.text)")
        }
        #expect(try await fixture.call("GET", "bundle-rollouts/production/docs").status == 404)
        let audit = try await fixture.call("GET", "audit")
        #expect(audit.text.contains("production/bundle/app"), "\(audit.text)")
    }

    @Test("a bundle whose page fails is halted by its gate, from the numbers of that bundle alone")
    func autoHalt() async throws {
        let fixture = try await Self.rolledOut()
        #expect(try await fixture.call("PUT", Self.rollout, small).status == 200)
        #expect(try await fixture.call("PUT", BrakeTests.rollout, small).status == 200)
        let (release, other) = (Self.digest, SHA256.hash("docs").hex)
        try await Self.tell(
            fixture, "docs", installs: 100..<130, ["activate", "rollback"], release: other)
        await fixture.server.lookAtGates()
        #expect(try await Self.brake(fixture, "app")?.halted == false, "that is another bundle")
        try await Self.tell(
            fixture, "app", installs: 0..<10, ["activate", "ready"], release: release)
        try await Self.tell(
            fixture, "app", installs: 10..<30, ["activate", "rollback"], release: release)
        await fixture.server.lookAtGates()
        #expect(try await Self.brake(fixture, "app")?.halted == true)
        #expect(try await BrakeTests.deviceBrake(fixture)?.halted == false)
        struct Decisions: Decodable { let decisions: [KeptDecision] }
        let answer = try await fixture.call("GET", "\(Self.rollout)/decisions")
        let kept = try JSONDecoder().decode(Decisions.self, from: Data(answer.body)).decisions
        let record = try #require(kept.first?.record)
        #expect(record.decision.rule == .hard && record.decision.action == .halt)
        #expect(record.decision.inputs.bundle == "app")
        #expect(record.decision.inputs.candidate.failed == 20)
        #expect(record.again() == record.decision)
    }

    @Test("a healthy bundle goes on within its grant, compared with installs that show the old one")
    func autoAdvance() async throws {
        let fixture = try await Self.rolledOut()
        var rules = small
        rules["rules"] = [
            "minimum_exposures": 20, "return_seconds": 600, "failure_limit_bps": 2_000,
        ]
        #expect(try await fixture.call("PUT", Self.rollout, rules).status == 200)
        try await Self.tell(
            fixture, "app", installs: 0..<40, ["activate", "ready"], release: Self.digest)
        try await Self.tell(fixture, "app", installs: 40..<80, ["check"], release: nil)
        fixture.clock.advance(by: 120)
        try await Self.tell(fixture, "app", installs: 0..<80, ["check"], release: nil)
        fixture.clock.advance(by: 700)
        await fixture.server.lookAtGates()
        let decisions = try await fixture.call("GET", "\(Self.rollout)/decisions")
        #expect(
            try await Self.brake(fixture, "app")?.caps == [Self.digest: 5_000],
            "\(decisions.text)")
        #expect(try await BrakeTests.deviceBrake(fixture)?.caps == [BrakeTests.digest: 100])
    }

    @Test("numbers and devices are told by bundle")
    func insights() async throws {
        let fixture = try await Self.rolledOut()
        try await Self.tell(
            fixture, "app", installs: 0..<3, ["activate", "ready"], release: Self.digest)
        // The first of them shows another bundle as well, and tells of that last.
        fixture.clock.advance(by: 60)
        try await Self.tell(
            fixture, "docs", installs: 0..<1, ["activate"], release: SHA256.hash("docs").hex)
        try await Self.tell(fixture, "docs", installs: 3..<4, ["check"], release: nil)
        let all = try await fixture.call("GET", "insights").json["releases"] as? [[String: Any]]
        #expect(Set(all?.compactMap { $0["bundle"] as? String } ?? []) == ["app", "docs"])
        let own = try await fixture.call("GET", "insights?bundle=app")
        let numbers = try #require((own.json["releases"] as? [[String: Any]])?.first)
        #expect((own.json["releases"] as? [Any])?.count == 1)
        #expect(numbers["current"] as? Int == 3, "\(own.text)")
        #expect(numbers["ready"] as? Int == 3 && numbers["release"] as? String == Self.digest)
        let device = try await fixture.call(
            "GET", "devices/00000000-0000-4000-8000-000000000001")
        #expect(device.json["bundle"] as? String == "app", "\(device.text)")
        #expect(device.json["fingerprint"] as? String == "_any")
        let listed = try await fixture.call("GET", "releases").json["releases"] as? [[String: Any]]
        #expect(
            listed?.first { $0["version"] as? String == "1.1.0" }?["bundle"] as? String == "app")
        let bad = try TelemetryFixture.body(
            UUID().uuidString,
            [
                [
                    "id": UUID().uuidString, "name": "check", "at": 1, "fingerprint": "_any",
                    "bundle": "a/b", "sdk": "1",
                ]
            ])
        let refused = try await fixture.http.send("POST", fixture.path("events"), body: bad)
        #expect(refused.status == 422 && refused.code == "bad_event", "\(refused.text)")
    }
}
