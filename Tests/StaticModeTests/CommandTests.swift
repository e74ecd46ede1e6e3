import Foundation
import TestSupport
import Testing

@testable import patchcli

/// Verbs of a static project without a terminal, as a pipeline runs them.
@Suite(.serialized) struct CommandTests {
    @Test("list, show, builds, promote and channels tell and change the same state")
    func shelf() throws {
        let project = try StaticProject("shelf")
        try project.edit("EUR", to: "€")
        try project.json("release", "--notes", "Euro")
        try project.edit("€", to: "£")
        let second = try project.json("release", "--rollout", "5%", "--min-os", "17")
        #expect(second["superseded"] == nil)
        func states(_ name: String) throws -> [String] {
            let all = try project.json("list")["releases"] as? [[String: Any]] ?? []
            let places = all.first { $0["version"] as? String == name }?["places"]
            return (places as? [[String: Any]] ?? []).map {
                "\($0["channel"] as? String ?? "") \($0["state"] as? String ?? "")"
            }
        }
        #expect(try states("1.0.2") == ["production candidate"])
        #expect(try states("1.0.1") == ["production stable"])
        let shown = try project.json("show", "1.0.2")["releases"] as? [[String: Any]]
        #expect(shown?.count == 1 && shown?.first?["sequence"] as? Int == 2)
        #expect(try project.cli("show", "9.9").status == 64)

        // Promoting carries the bound along: what cannot run there cannot run here.
        let promoted = try project.json("promote", "1.0.2", "--to-channel", "beta")
        let head = (promoted["changes"] as? [[String: Any]])?.first?["head"] as? [String: Any]
        let require = (head?["candidate"] as? [String: Any])?["require"] as? [String: Any]
        #expect(require?["min_os"] as? String == "17")
        #expect(try project.cli("promote", "1.0.2", "--to-channel", "beta").status == 3)
        // A release that asks for something is not made stable by accident.
        #expect(try project.cli("rollout", "1.0.2", "--finish").status == 64)
        try project.json("rollout", "1.0.2", "--finish", "--drop-requirements")
        #expect(try states("1.0.1").contains("production returnable"))

        try project.json("channel", "create", "nightly", "--from", "production")
        #expect(try project.cli("channel", "create", "nightly").status == 3)
        let channels = try project.json("channel", "list")["channels"] as? [[String: Any]] ?? []
        #expect(channels.compactMap { $0["name"] as? String } == ["beta", "nightly", "production"])
        try project.json("channel", "pause", "beta")
        #expect(try states("1.0.2").contains("beta halted"))
        try project.json("channel", "resume", "beta")
        #expect(try project.cli("channel", "pause", "nightly").status == 3, "nothing rolls out")
        let builds = try project.json("builds", "list")["builds"] as? [[String: Any]]
        #expect(builds?.first?["matches"] as? Bool == true)
        #expect((builds?.first?["live"] as? [Any])?.count == 3)
        #expect(try project.cli("builds", "show", "7").status == 5)
    }

    @Test("P45: a release during a rollout supersedes the candidate, and says what becomes of it")
    func P45_superseded() throws {
        let project = try StaticProject("superseded")
        try project.edit("EUR", to: "€")
        try project.json("release")
        try project.edit("€", to: "£")
        try project.json("release", "--rollout", "5%")
        try project.edit("£", to: "¥")
        let third = try project.json("release", "--rollout", "1%")
        let superseded = try #require(third["superseded"] as? [String: Any])
        #expect(superseded["version"] as? String == "1.0.2")
        #expect(superseded["reach_bps"] as? Int == 500)
        #expect(superseded["others_go_to"] as? String == "1.0.1")
        let again = try project.json("release", "--rollout", "1%")
        #expect(again["created"] as? Bool == false)
        // A recall of the stable release names what is stable afterwards, not the candidate.
        let recalled = try project.json("recall", "1.0.1")
        let change = (recalled["changes"] as? [[String: Any]])?.first
        #expect(change?["from"] as? String == "1.0.1")
        #expect(change?["to"] == nil)
    }

    @Test("init writes no address that apps could not use, and says when it becomes another")
    func addresses() throws {
        let project = try StaticProject("addresses")
        let files = ["openpatch.json", "Resources/patch-config.json"].map {
            project.app.appendingPathComponent($0)
        }
        let before = try files.map { try Data(contentsOf: $0) }
        for option in ["--server", "--base-url"] {
            for wrong in [
                "htp://x", "ftp://x", "http://", "x", "http://user:sekret@127.0.0.1:1",
                "https://x/?a", "https://x/#a", "https://x y",
            ] {
                let result = try project.cli("init", option, wrong)
                #expect(result.status == 64, "\(wrong): \(result)")
                #expect(!result.standardError.contains("sekret"))
            }
        }
        #expect(try files.map { try Data(contentsOf: $0) } == before)
        let old = "\(project.host.address)/patches"
        let moved = try project.cli("init", "--base-url", "https://cdn.example.com/p")
        #expect(moved.standardOutput.contains("\(old) -> https://cdn.example.com/p"), "\(moved)")
        let back = try project.json("init", "--base-url", old)
        #expect(back["address"] as? String == old)
        #expect(back["address_before"] as? String == "https://cdn.example.com/p")
        #expect(try project.json("init")["address_before"] == nil)
    }

    @Test("P47: a smaller share takes a release back only with --retract")
    func P47_retract() async throws {
        let project = try StaticProject("retract")
        let device = try project.device()
        try project.edit("EUR", to: "€")
        try project.json("release")
        try project.edit("€", to: "£")
        try project.json("release", "--rollout", "99.99%")
        try project.publish()
        #expect(try await device.update() == "1.0.2")
        try project.json("rollout", "1.0.2", "--to", "0.01%")
        try project.publish()
        #expect(try await device.update() == "1.0.2", "it keeps what it has")
        try project.json("rollout", "1.0.2", "--to", "0.02%", "--retract")
        try project.publish()
        #expect(try await device.update() == "1.0.1", "it goes back")
        #expect(try await device.update() == "1.0.1", "and stays there")
    }

    @Test("a test is for the invited, and ships the very bytes to everybody afterwards")
    func preview() throws {
        let project = try StaticProject("preview")
        try project.edit("EUR", to: "€")
        let made = try project.json("release", "--to-tag", "testers")
        let digest = ((made["release"] as? [String: Any])?["raw"] as? [String: Any])?["sha256"]
        let found = try project.json("invite", "1.0.1", "--link", "tiny://join")
        let invitation = (found["invitations"] as? [[String: Any]])?.first
        let short = (digest as? String)?.prefix(16) ?? ""
        #expect(invitation?["link"] as? String == "tiny://join?tag=testers&digest=\(short)")
        try project.json("rollout", "1.0.1", "--finish", "--drop-requirements")
        let stable = (try project.json("status")["live"] as? [[String: Any]])?.first?["stable"]
        #expect(stable as? String == "1.0.1")
        #expect(try project.cli("invite", "1.0.1").status == 64, "it is for everybody now")
        for wrong in [
            ["--to-tag", "a", "--rollout", "5%"], ["--to-tag", "a", "--stages", "standard"],
            ["--apply-by", "2d"], ["--stages", "standard"], ["--min-os", "x"],
        ] {
            let result = try project.cli(["release"] + wrong)
            #expect(result.status == 64, "\(wrong): \(result.standardError)")
        }
    }

    @Test("P35: --strict releases nothing when part of the change stays out of the module")
    func P35_strict() throws {
        let project = try StaticProject("strict")
        let file = project.app.appendingPathComponent("Sources/Tiny/Price.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        // A function that the installed app does not know, reached through one that it does.
        let changed =
            text.replacingOccurrences(of: "\"EUR \" +", with: "sign() +")
            + "\nfunc sign() -> String { \"€ \" }\n"
        try changed.write(to: file, atomically: true, encoding: .utf8)
        let refused = try project.cli("release", "--strict")
        #expect(refused.status == 6, "\(refused.standardError)")
        #expect(refused.standardError.contains("sign"))
        #expect((try project.json("list")["releases"] as? [Any])?.isEmpty == true)
        let taken = try project.json("release")
        let native = taken["native"] as? [String: Any]
        #expect((native?["unknown_to_build"] as? [Any])?.count == 1)
    }

    @Test(
        "P34: the publisher's environment changes nothing; constants that changed are shown, and what is missing is named"
    )
    func P34_otherEnvironment() throws {
        let configuration = "Sources/Tiny/Settings.swift"
        let project = try StaticProject(
            "environment",
            files: [
                configuration: "let currency = \"EUR \"\n",
                "Sources/Tiny/Price.swift": """
                func priceLabel(_ cents: Int) -> String {
                    return currency + String(cents / 100)
                }

                @main struct Tiny {
                    static func main() { print("A tiny shop: " + priceLabel(500)) }
                }
                """,
            ])
        func planned(_ environment: [String: String]) throws -> [String: Any] {
            let result = try project.run(["release", "--dry-run", "--json"], environment)
            #expect(result.status == 0, "\(result)")
            let document = try JSONSerialization.jsonObject(
                with: Data(result.standardOutput.utf8))
            return document as? [String: Any] ?? [:]
        }
        func digest(_ report: [String: Any]) -> String? {
            let release = report["release"] as? [String: Any]
            return (release?["raw"] as? [String: Any])?["sha256"] as? String
        }
        let file = project.app.appendingPathComponent(configuration)
        try Data("let currency = \"USD \"\n".utf8).write(to: file)
        let here = try planned([:])
        let there = try planned([
            "LANG": "tr_TR.UTF-8", "TZ": "Pacific/Apia", "CURRENCY": "BTC ", "CI": "true",
        ])
        #expect(digest(here) != nil && digest(here) == digest(there))
        // The module carries the constant, and the report says that it is another one.
        let shown = try project.run(["release", "--dry-run"])
        #expect(shown.standardOutput.contains("uses currency, which changed"), "\(shown)")
        let difference = try project.run(["fingerprint", "diff"])
        #expect(difference.status == 5 && difference.standardOutput.contains("'currency' changed"))

        // On a machine that lacks the file nothing is published, and the error names the constant.
        try FileManager.default.removeItem(at: file)
        let price = project.app.appendingPathComponent("Sources/Tiny/Price.swift")
        let text = try String(contentsOf: price, encoding: .utf8)
        try Data(text.replacingOccurrences(of: "cents / 100", with: "cents / 10").utf8)
            .write(to: price)
        let refused = try project.run(["release", "--json"])
        #expect(refused.status == 6, "\(refused)")
        #expect(refused.standardOutput.contains("currency"), "\(refused)")
        #expect((try project.json("list")["releases"] as? [Any])?.isEmpty == true)
    }

    @Test("prune keeps what the published metadata leads to, and what devices may still go by")
    func prune() async throws {
        let project = try StaticProject("prune")
        let device = try project.device()
        for (before, after) in [
            ("EUR", "€"), ("€", "£"), ("£", "¥"), ("¥", "$"), ("$", "₣"), ("₣", "₤"),
        ] {
            try project.edit(before, to: after)
            try project.json("release")
        }
        try project.publish()
        let host = project.host.site.appendingPathComponent("patches").path
        func pruned(_ arguments: String...) throws -> Int {
            let report = try project.run(["prune", "--static", host, "--json"] + arguments)
            let document =
                try JSONSerialization.jsonObject(
                    with: Data(report.standardOutput.utf8)) as? [String: Any]
            let trees = document?["trees"] as? [[String: Any]] ?? []
            return trees.reduce(0) { $0 + (($1["files"] as? [Any])?.count ?? 0) }
        }
        #expect(try pruned() == 0, "all of it is younger than a timestamp's life")
        // Two months later.
        let old = Date(timeIntervalSinceNow: -60 * 86_400)
        for root in [project.tree.path, host] {
            let all = FileManager.default.enumerator(atPath: root)
            while let name = all?.nextObject() as? String {
                try FileManager.default.setAttributes(
                    [.modificationDate: old], ofItemAtPath: root + "/" + name)
            }
        }
        let planned = try pruned("--dry-run")
        #expect(planned > 10)
        #expect(try pruned() == planned)
        #expect(try pruned() == 0)
        #expect((try project.json("status")["live"] as? [Any])?.count == 1)
        #expect(try await device.update() == "1.0.6")
        try project.json("rollback")
        try project.publish()
        #expect(try await device.update() == "1.0.5", "what it can go back to was kept")
    }

    @Test(
        "what needs a server says so; doctor writes what is missing; uninit leaves nothing behind")
    func serverless() throws {
        let project = try StaticProject("serverless")
        for arguments in [
            ["insights"], ["whoami"], ["token", "list"], ["app", "show"],
            ["rollout", "1.0.1", "--by-hand"], ["explain", "--gate", "1.0.1"],
        ] {
            let result = try project.cli(arguments + ["--json"])
            #expect(result.status == 78, "\(arguments): \(result.standardError)")
            let document =
                try JSONSerialization.jsonObject(
                    with: Data(result.standardOutput.utf8)) as? [String: Any]
            let error = document?["error"] as? [String: Any]
            #expect(error?["code"] as? String == "no_server", "\(arguments)")
        }

        let ignore = project.app.appendingPathComponent(".openpatch/.gitignore")
        try FileManager.default.removeItem(at: ignore)
        let report = try project.json("doctor", "--fix")
        #expect((report["fixed"] as? [String])?.contains("ignore_file_missing") == true)
        #expect(FileManager.default.fileExists(atPath: ignore.path))

        let refused = try project.cli("uninit")
        #expect(refused.status == 64 && refused.standardError.contains("--yes"))
        let planned = try project.json("uninit", "--dry-run")
        #expect((planned["removed"] as? [String])?.contains("openpatch.json") == true)
        let keys = project.keys
        let gone = try project.json("uninit", "--yes")
        #expect(gone["restored"] as? [String] == ["Sources/Tiny/Price.swift"])
        #expect(
            (gone["removed"] as? [String])?.contains { $0.hasSuffix("+OpenPatch.swift") } == true)
        let left = try FileManager.default.subpathsOfDirectory(atPath: project.app.path).sorted()
        #expect(
            left == [
                "Resources", "Resources/.keep", "Sources", "Sources/Tiny",
                "Sources/Tiny/Price.swift",
            ])
        let file = project.app.appendingPathComponent("Sources/Tiny/Price.swift")
        #expect(try !String(contentsOf: file, encoding: .utf8).contains("openpatch"))
        let root = keys.appendingPathComponent("root.pem")
        #expect(FileManager.default.fileExists(atPath: root.path), "keys stay")
    }
}
