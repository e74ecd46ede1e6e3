import Foundation
import PatchCrypto
import Rollout
import TestSupport
import Testing
import UpdateEngine

/// A folder on any web host is enough (issue 4, "Static mode"): publish, refresh, update, halt, roll
/// back, and keys that are replaced, lost and revoked, over the real tools and a real nginx.
@Suite(.serialized) struct StaticModeTests {
    @Test("from the first release to a recall, over nginx; I8: the same release again is none")
    func wholeLoop() async throws {
        let project = try StaticProject("static-loop")
        let host = project.host
        let device = try project.device()
        let late = try project.device()
        try project.edit("EUR", to: "€")
        try project.json("release")
        try project.publish()
        #expect(try await device.update() == "1.0.1")
        // The host compresses for those who ask; signed sizes are those of the bytes as published,
        // so a device does not.
        #expect(host.answers.allSatisfy { $0.encoding == "-" }, "\(host.answers)")
        let timestamp = "\(host.address)/patches/apps/\(project.appKey)/metadata/timestamp.json"
        let asking = try ChildProcess.run(
            Tools.python,
            [
                "-c",
                """
                import sys, urllib.request as u
                r = u.Request(sys.argv[1], headers={"Accept-Encoding": "gzip"})
                a = u.urlopen(r); print(a.headers["Content-Encoding"], a.headers["ETag"][:2])
                """, timestamp,
            ])
        #expect(asking.standardOutput.hasPrefix("gzip W/"))

        // Nothing new: one request, small. The first check of a process reads the disk.
        device.restart()
        let before = host.answers.count
        #expect(try await !device.engine.check().isUpdate)
        let asked = host.answers.dropFirst(before)
        #expect(asked.map(\.status) == [304])
        let wire = asked.reduce(0) { $0 + $1.received + $1.sent }
        print("check with nothing new: \(asked.count) request, \(wire) bytes on the wire")
        #expect(wire <= 600)

        // I8: the same release again is none.
        let again = try project.json("release")
        #expect(again["created"] as? Bool == false)
        #expect((again["release"] as? [String: Any])?["version"] as? String == "1.0.1")
        #expect(try project.publish()["files"] as? Int == 0)

        // A new timestamp alone: the whole workflow runs once, then it is quiet again.
        let renewed = try project.publish("--refresh")
        #expect((renewed["timestamp_version"] as? Int ?? 0) > 1)
        #expect(try await !device.engine.check().isUpdate)
        let quiet = host.answers.count
        _ = try await device.engine.check()
        #expect(host.answers.dropFirst(quiet).map(\.status) == [304])

        // A rollout is halted, resumed, and finished.
        try project.edit("€", to: "£")
        try project.json("release", "--rollout", "99.99%")
        let halted = try project.json("halt", "1.0.2")
        #expect(halted["next"] as? String == "patchcli publish --static <folder>")
        #expect(try project.cli("halt", "1.0.2").status == 3, "it is halted already")
        try project.publish()
        #expect(try await late.update() == "1.0.1", "nobody else takes the candidate")
        try project.json("resume", "1.0.2")
        let live = try #require((try project.json("status")["live"] as? [[String: Any]])?.first)
        #expect(live["grant_bps"] as? Int == 9_999)
        try project.json("rollout", "1.0.2", "--finish")
        try project.publish()
        #expect(try await late.update() == "1.0.2")
        #expect(try await device.update() == "1.0.2")

        // Back, from the device's own disk.
        try project.json("rollback")
        try project.publish()
        let fetched = host.answers.count
        #expect(try await late.update() == "1.0.1")
        #expect(!host.answers.dropFirst(fetched).contains { $0.path.contains("/modules/") })
        let recalled = try project.cli("recall", "1.0.1")
        #expect(recalled.standardOutput.contains("Not on your host yet"), "\(recalled)")
        try project.publish()
        #expect(try await late.update() == nil, "what the app shipped with is left")
    }

    @Test("P61: keys are replaced, lost and recovered, and an app with the first root follows")
    func keyDrills() async throws {
        let project = try StaticProject("static-keys")
        let device = try project.device()
        try project.edit("EUR", to: "€")
        try project.json("release")
        try project.publish()
        #expect(try await device.update() == "1.0.1")
        let oldRelease = try Data(contentsOf: project.keys.appendingPathComponent("targets.pem"))

        // S05: another release key, through root.
        let rotated = try project.json("keys", "rotate", "targets")
        #expect(rotated["root_version"] as? Int == 2)
        #expect((rotated["added"] as? [Any])?.count == 1)
        try project.edit("€", to: "£")
        try project.json("release")
        try project.publish()
        #expect(try await device.update() == "1.0.2")
        // What the old key signs is refused already here.
        let current = project.keys.appendingPathComponent("targets.pem")
        let newRelease = try Data(contentsOf: current)
        try oldRelease.write(to: current)
        let refused = try project.cli("rollback")
        #expect(refused.status == 77, "\(refused.standardError)")
        try newRelease.write(to: current)

        // The backup: copied, checked, and good for a new root when the root key is lost.
        let safe = project.folder.file("safe").path
        let backup = try project.json("keys", "backup", "--to", safe)
        #expect(backup["recovers_root"] as? Bool == true)
        for name in ["root.pem", "root-backup.pem"] {
            try FileManager.default.removeItem(at: project.keys.appendingPathComponent(name))
        }
        #expect(try project.cli("keys", "rotate", "root").status == 77)
        let recovered = try project.json(
            "keys", "rotate", "root", "--with-key", safe + "/root-backup.pem")
        #expect(recovered["root_version"] as? Int == 3)
        // The lost key is worth nothing any more, the backup still is.
        try FileManager.default.removeItem(atPath: safe + "/root-backup.pem")
        #expect(try project.cli("keys", "backup", "--check", safe).status == 4)

        // The freshness key of the machine that refreshes.
        let fresh = try project.json("keys", "rotate", "freshness")
        #expect(fresh["root_version"] as? Int == 4)

        // S06: below the floor nothing runs, whoever signed it.
        let raised = try project.json("keys", "rotate", "targets", "--min-sequence", "3")
        #expect(raised["root_version"] as? Int == 5)
        try project.publish()
        let check = try await device.engine.check()
        #expect(check.decision.reason == .belowFloor)
        #expect(try await device.update() == nil)
        #expect(try project.cli("keys", "rotate", "targets", "--min-sequence", "1").status == 64)
        // A floor that the next release could not reach would end the app.
        for floor in ["4", "42", "9223372036854775807"] {
            let refused = try project.cli("keys", "rotate", "targets", "--min-sequence", floor)
            #expect(refused.status == 64, "\(refused)")
            #expect(refused.standardError.contains("--min-sequence 3"), "\(refused)")
        }
        let status = try project.json("status")
        #expect(status["min_sequence"] as? Int == 3)
        let live = (status["live"] as? [[String: Any]])?.first
        #expect(live?["below_floor"] as? [String] == ["1.0.2"])
        #expect(try project.cli("rollback").status == 3, "nobody could go there")
        // The same sources are released anew: what is live, no device runs.
        let next = try project.json("release")
        #expect(next["created"] as? Bool == true)
        #expect((next["release"] as? [String: Any])?["sequence"] as? Int == 3)
        try project.publish()
        #expect(try await device.update() == "1.0.3")
        let roles = try project.json("status")["roles"] as? [[String: Any]]
        #expect(roles?.first { $0["role"] as? String == "root" }?["version"] as? Int == 5)
    }

    @Test("a program signs in the place of the key file, and its mistakes are found out")
    func signCommand() async throws {
        let project = try StaticProject("static-kms")
        let device = try project.device()
        let key = project.keys.appendingPathComponent("targets.pem")
        let away = project.folder.file("hsm.pem")
        try FileManager.default.moveItem(at: key, to: away)
        let signer = try project.folder.write(
            """
            import base64, sys
            from cryptography.hazmat.primitives import serialization
            key = serialization.load_pem_private_key(open(sys.argv[1], "rb").read(), None)
            print(base64.b64encode(key.sign(sys.stdin.buffer.read())).decode())
            """, to: "signer.py")
        let command = "'\(Tools.python)' '\(signer.path)' '\(away.path)'"
        try project.edit("EUR", to: "€")
        #expect(try project.cli("release").status == 78, "there is no key here")
        for wrong in ["false", "echo 00", "cat", "'\(Tools.python)' -c 'print(\"zz\")'"] {
            let result = try project.cli("release", "--sign-cmd", wrong)
            #expect(result.status == 77, "\(wrong): \(result.standardError)")
        }
        try project.json("release", "--sign-cmd", command)
        try project.publish()
        #expect(try await device.update() == "1.0.1")
    }

    @Test("damage to what lies here is told apart from damage to what is published")
    func damage() throws {
        let project = try StaticProject("static-damage")
        let root = project.app.appendingPathComponent(".openpatch/root.json")
        let good = try Data(contentsOf: root)
        try Data(good.prefix(100)).write(to: root)
        let damaged = try project.cli("status")
        #expect(damaged.status == 78 && damaged.standardError.contains("root.json"))
        try good.write(to: root)
        let away = project.folder.file("tree")
        try FileManager.default.moveItem(at: project.tree, to: away)
        let missing = try project.cli("status")
        #expect(
            missing.standardError.contains("tree of this static project is missing"),
            "\(missing.standardError)")
        try FileManager.default.moveItem(at: away, to: project.tree)
        // A damaged timestamp, which the tree serves.
        let timestamp = project.tree.appendingPathComponent("metadata/timestamp.json")
        var bytes = try Data(contentsOf: timestamp)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: timestamp)
        let published = try project.cli("status")
        #expect(published.standardError.contains("The published metadata was refused"))
        for result in [damaged, missing, published] {
            #expect(!result.standardError.contains("Error("), "\(result.standardError)")
            #expect(!result.standardError.contains("Domain"), "\(result.standardError)")
        }
    }

    @Test("what nears its end is told a quarter of its life before, and signed for another term")
    func ageing() throws {
        let project = try StaticProject("static-ageing")
        let file = project.app.appendingPathComponent("openpatch.json")
        var text = try String(contentsOf: file, encoding: .utf8)
        text = text.replacingOccurrences(
            of: "{\n", with: "{\n  \"expiry_days\": {\"targets\": 2000},\n", options: .anchored)
        try text.write(to: file, atomically: true, encoding: .utf8)
        func codes() throws -> [String] {
            let result = try project.cli("doctor", "--json")
            let document = try JSONSerialization.jsonObject(
                with: Data(result.standardOutput.utf8))
            let findings = (document as? [String: Any])?["findings"] as? [[String: Any]] ?? []
            return findings.compactMap { $0["code"] as? String }
        }
        // 365 days are left of what is meant to be 2000.
        #expect(try codes().contains("metadata_expires_soon"))
        try project.json("keys", "renew")
        #expect(try !codes().contains("metadata_expires_soon"))
    }
}
