import Foundation
import Rollout
import TestSupport
import Testing
import UpdateEngine

@testable import patchcli

/// `patchcli explain` beside a real device, over what a developer really published.
@Suite(.serialized) struct ExplainTests {
    /// Has the device check and `explain` look at the device's own file; both must say the same.
    private func same(
        _ project: StaticProject, _ device: StaticProject.Device, _ expected: Reason,
        _ comment: Comment
    ) async throws {
        let decision = try await device.engine.check().decision
        let report = try project.json("explain", "--state", device.folder.path)
        let target: String
        switch decision.target {
        case .current: target = "current"
        case .embedded: target = "embedded"
        case .release(let digest): target = digest
        }
        #expect(decision.reason == expected, comment)
        #expect(report["reason"] as? String == decision.reason.code, comment)
        #expect(report["target"] as? String == target, comment)
        #expect(report["mandatory"] as? Bool == decision.isMandatory, comment)
        // The device's own log of that check.
        #expect(report["device_said"] as? String == decision.reason.code, comment)
        let excluded = (report["excluded"] as? [[String: Any]] ?? []).map {
            "\($0["digest"] as? String ?? "") \($0["reason"] as? String ?? "")"
        }
        #expect(excluded == decision.excluded.map { "\($0.digest) \($0.reason.code)" }, comment)
    }

    @Test("P50, I1: the device's log and explain give the same reason, from install to recall")
    func P50_sameReason() async throws {
        let project = try StaticProject("explain")
        let device = try project.device()
        try project.publish()
        try await same(project, device, .headMissing, "nothing is released")
        try project.edit("EUR", to: "€")
        try project.json("release")
        try project.publish()
        try await same(project, device, .updateStable, "a first release")
        _ = try await device.update()
        try await same(project, device, .upToDate, "it runs what it should")

        // A candidate that asks for a system which this device does not say.
        try project.edit("€", to: "£")
        try project.json("release", "--rollout", "99.99%", "--min-os", "99")
        try project.publish()
        try await same(project, device, .upToDate, "another kind of device is meant")
        try project.json("rollout", "1.0.2", "--to", "99.98%", "--drop-requirements")
        try project.publish()
        try await same(project, device, .updateCandidate, "it is drawn")
        // Whom the draw leaves out is told so, and the draw is that of the device's id.
        try project.json("halt", "1.0.2")
        try project.publish()
        try await same(project, device, .upToDate, "a halt is a grant of nothing here")
        let draw = try project.json("explain", "--state", device.folder.path)["draw"]
        #expect((draw as? [String: Any])?["reach_bps"] as? Int == 0)
        #expect((draw as? [String: Any])?["taken"] as? Bool == false)
        try project.json("resume", "1.0.2")
        try project.publish()
        _ = try await device.update()
        try project.json("rollout", "1.0.2", "--to", "0.01%")
        try project.publish()
        try await same(project, device, .staysOnCandidate, "a smaller share takes it from nobody")
        // It fails here, and is banned here alone.
        let digest = try #require(try await device.engine.open().current?.digest)
        try await device.engine.didFail(digest, because: .trapped)
        try project.json("rollout", "1.0.2", "--finish")
        try project.publish()
        try await same(project, device, .notNewer, "it failed on this device")
        try project.json("rollback")
        try project.publish()
        try await same(project, device, .upToDate, "it is back already")
        try project.json("recall", "1.0.1")
        try project.publish()
        try await same(project, device, .recalled, "it must leave")
    }

    @Test("a device is described instead, and what is missing in the description is said")
    func described() throws {
        let project = try StaticProject("explain-described")
        try project.edit("EUR", to: "€")
        try project.json("release")
        try project.edit("€", to: "£")
        try project.json("release", "--rollout", "99.99%", "--min-os", "17", "--tag", "qa")
        func reason(_ options: String...) throws -> (String?, String?) {
            var all = ["explain"]
            all += options
            let result = try project.cli(all)
            let document =
                try JSONSerialization.jsonObject(
                    with: Data(result.standardOutput.utf8)) as? [String: Any]
            let excluded = (document?["excluded"] as? [[String: Any]])?.first
            return (document?["reason"] as? String, excluded?["reason"] as? String)
        }
        let id = "6f1c0c52-1111-4111-8111-000000000001"
        let who = ["--device-id", id, "--json"]
        #expect(try reason("--json") == ("update_stable", "requirement_unmet"))
        #expect(
            try reason(who[0], who[1], "--os", "17.1", "--tag", "qa", "--json")
                == ("update_candidate", nil))
        #expect(
            try reason(who[0], who[1], "--os", "16.9", "--tag", "qa", "--json")
                == ("update_stable", "requirement_unmet"))
        #expect(
            try reason("--os", "17", "--tag", "qa", "--running", "1.0.1", "--json")
                == ("up_to_date", "outside_rollout"), "without an id it is in no partial rollout")
        #expect(try project.cli("explain", "--running", "9.9").status == 64)
        #expect(try project.cli("explain", "--state", "/nowhere").status == 66)
        // Nobody decides rollouts of a static tree.
        #expect(try project.cli("explain", "--gate", "1.0.2").status == 78)
    }
}
