import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Rollouts on a real `patchd`: gates, brakes, what devices tell, tokens; by the real `patchcli`.
@Suite(.serialized) struct ServerRolloutTests {
    @Test(
        "P56, P57: a release that fails on six devices is halted, and why is told with the numbers")
    func P57_gatesHalt() async throws {
        let loop = try Loop("gates")
        try loop.makeReady()
        try loop.edit("\"EUR \"", to: "\"€ \"")
        _ = try loop.json("release")
        try loop.edit("\"€ \"", to: "\"£ \"")
        let released = try loop.json("release", "--stages", "standard", "--notes", "Pounds")
        let head = try #require(released["head"] as? [String: Any])
        let candidate = try #require(head["candidate"] as? [String: Any])
        let digest = try #require(candidate["digest"] as? String)
        let fingerprint = try #require(head["fp"] as? String)
        #expect((candidate["stages"] as? [Any])?.count == 5)

        // The key grants everybody; from the first moment on a brake lets in one in a hundred.
        var rollout = try loop.rollout("1.0.2")
        #expect(rollout["grant_bps"] as? Int == 10_000)
        #expect(rollout["reach_bps"] as? Int == 100)
        #expect(try loop.live()["reach_bps"] as? Int == 100)

        let installs = (0..<6).map { _ in UUID().uuidString.lowercased() }
        for install in installs {
            try await loop.tell(install, fingerprint, digest, ["download", "trap"], "trapped")
        }
        let insights = try loop.json("insights", "1.0.2")["insights"] as? [String: Any]
        let numbers = try #require((insights?["releases"] as? [[String: Any]])?.first)
        #expect(numbers["failed"] as? Int == 6)
        let reasons = (numbers["reasons"] as? [[String: Any]])?.first
        #expect(reasons?["reason"] as? String == "trapped")
        #expect((insights?["definition"] as? String)?.contains("Installs, not people") == true)

        // A server looks at its gates when it starts, then once a minute.
        _ = try loop.stopServer()
        try loop.startServer()
        try loop.eventually { try loop.rollout("1.0.2")["halted"] as? Bool == true }
        rollout = try loop.rollout("1.0.2")
        let last = (rollout["last_decision"] as? [String: Any])?["decision"] as? [String: Any]
        #expect(last?["rule"] as? String == "hard" && last?["action"] as? String == "halt")

        let explained = try loop.json("explain", "--gate", "1.0.2")
        #expect(explained["reproduced"] as? Bool == true)
        let one = (explained["rollouts"] as? [[String: Any]])?.first
        #expect((one?["decisions"] as? [Any])?.isEmpty == false)
        let words = try loop.cli("explain", "--gate", "1.0.2").standardOutput
        #expect(words.contains("6 of 6 starts failed"), "\(words)")

        // The halt is what devices see, and so does explain.
        let fresh = try loop.json("explain")
        let excluded = (fresh["excluded"] as? [[String: Any]])?.first
        #expect(excluded?["reason"] as? String == "halted")
        // An install is known by what it told.
        let known = try loop.json("explain", "--device", installs[0])
        #expect(known["device_said"] as? String == "trap: trapped")
        #expect(known["running"] as? String == "1.0.2")
        #expect(
            try loop.cli("explain", "--device", UUID().uuidString).status == 64, "nobody knows it")
    }

    @Test("halt and resume are brakes that need no release key; plans and rules are kept")
    func brakesWithoutKey() throws {
        let loop = try Loop("brakes")
        try loop.makeReady()
        try loop.edit("\"EUR \"", to: "\"€ \"")
        _ = try loop.json("release")
        try loop.edit("\"€ \"", to: "\"£ \"")
        _ = try loop.json("release", "--rollout", "50%")
        // The release key is asleep.
        let keys = loop.folder.file("config/openpatch/keys/\(loop.appKey)")
        let key = keys.appendingPathComponent("targets.pem")
        let away = loop.folder.file("away.pem")
        try FileManager.default.moveItem(at: key, to: away)
        _ = try loop.json("halt", "1.0.2")
        #expect(try loop.rollout("1.0.2")["halted"] as? Bool == true)
        #expect(try loop.live()["halted"] as? Bool == true)
        _ = try loop.json("resume", "1.0.2")
        #expect(try loop.rollout("1.0.2")["halted"] as? Bool == false)
        _ = try loop.json("channel", "pause", "production")
        let channels = try loop.json("channel", "list")["channels"] as? [[String: Any]]
        #expect(channels?.first?["paused"] as? Bool == true)
        _ = try loop.json("channel", "resume", "production")

        let rules = try loop.folder.write(#"{"failure_limit_bps": 100}"#, to: "rules.json")
        _ = try loop.json("rollout", "1.0.2", "--stages", "10%:5m,100%", "--rules", rules.path)
        _ = try loop.json("rollout", "1.0.2", "--by-hand")
        let server = try loop.rollout("1.0.2")
        #expect((server["plan"] as? [Any])?.count == 2)
        #expect((server["rules"] as? [String: Any])?["failure_limit_bps"] as? Int == 100)
        #expect(server["paused"] as? Bool == true)
        let bad = try loop.folder.write(#"{"failure_limit_bps": 0}"#, to: "bad.json")
        #expect(try loop.cli("rollout", "1.0.2", "--rules", bad.path).status == 65)
        #expect(
            try loop.cli("rollout", "1.0.2", "--to", "60%").status == 78, "that needs the key")
        #expect(try loop.cli("halt", "1.0.1").status == 3, "it is stable, nothing to halt")
        #expect(try loop.cli("halt", "9.9").status == 64)
        try FileManager.default.moveItem(at: away, to: key)
        _ = try loop.json("rollout", "1.0.2", "--to", "60%")
        #expect(try loop.rollout("1.0.2")["grant_bps"] as? Int == 6_000)
    }

    @Test("rollouts are finished and releases taken back whatever was released after them")
    func olderReleases() throws {
        let loop = try Loop("older")
        try loop.makeReady()
        try loop.edit("\"EUR \"", to: "\"€ \"")
        let first = try loop.json("release")
        #expect((first["delta_sizes"] as? [Int])?.isEmpty == false, "the test needs deltas")
        try loop.edit("\"€ \"", to: "\"£ \"")
        _ = try loop.json("release", "--rollout", "5%")

        // Each of these lists an older release anew, without its deltas.
        _ = try loop.json("rollout", "1.0.2", "--finish")
        #expect(try loop.live()["stable"] as? String == "1.0.2")
        _ = try loop.json("rollback")
        #expect(try loop.live()["stable"] as? String == "1.0.1")
        try loop.edit("\"£ \"", to: "\"¥ \"")
        _ = try loop.json("release", "--rollout", "5%")
        _ = try loop.json("rollback", "--embedded")

        // Sequences count bundles too.
        try loop.folder.write("<!doctype html><title>one</title>", to: "app/dist/index.html")
        _ = try loop.json("release", "--bundle", "dist")
        _ = try loop.json("rollback", "--to", "1.0.1")
        try loop.edit("\"¥ \"", to: "\"CHF \"")
        let last = try loop.json("release")
        #expect(last["created"] as? Bool == true)
        _ = try loop.json("recall", "1.0.1")
        _ = try loop.stopServer()
    }

    @Test("P33: a release that would reach none of the known devices is refused; CI's recipe runs")
    func P33_reach() async throws {
        let loop = try Loop("reach")
        try loop.makeReady()
        try loop.edit("\"EUR \"", to: "\"€ \"")
        // Nobody has told anything yet: a first release is no mistake.
        let first = try loop.json("release")
        let reach = first["reach"] as? [String: Any]
        #expect(reach?["devices"] as? Int == 0 && reach?["installs"] as? Int == 0)
        let other = String(repeating: "e", count: 64)
        for _ in 0..<3 {
            try await loop.tell(UUID().uuidString.lowercased(), other, nil, ["check"], "")
        }
        try loop.edit("\"€ \"", to: "\"£ \"")
        let refused = try loop.cli("release")
        #expect(refused.status == 3, "\(refused.standardError)")
        #expect(refused.standardError.contains("none of the 3 devices"))
        #expect(try loop.live()["stable"] as? String == "1.0.1")
        _ = try loop.json("release", "--allow-unreachable")
        let fingerprint = (first["head"] as? [String: Any])?["fp"] as? String ?? ""
        try await loop.tell(UUID().uuidString.lowercased(), fingerprint, nil, ["check"], "")
        // Now somebody runs it, and a rollback counts them.
        let back = try loop.json("rollback")
        #expect((back["reach"] as? [String: Any])?["devices"] as? Int == 1)

        try runRecipe(loop)

        // The keys that did it are those that count; one that does not is found out.
        #expect(try loop.json("keys", "verify")["can_release"] as? Bool == true)
        let keys = loop.folder.file("config/openpatch/keys/\(loop.appKey)")
        try FileManager.default.removeItem(at: keys.appendingPathComponent("targets.pem"))
        #expect(try loop.cli("keys", "verify").status == 4)
        _ = try loop.json("keys", "generate", "targets")
        #expect(try loop.cli("keys", "verify").status == 4, "root does not list it")
    }

    /// The recipe for pipelines as the documentation has it, twice, with a token of its own and
    /// without a terminal.
    private func runRecipe(_ loop: Loop) throws {
        let token = loop.folder.file("ci.token")
        _ = try loop.json(
            "token", "create", "ci", "--allow", "read", "--allow", "release", "--channel", "beta",
            "--output", token.path)
        let text = try String(
            contentsOf: SharedData.checkout.appendingPathComponent("Docs/cli.md"), encoding: .utf8)
        let start = try #require(text.range(of: "```\nexport OPENPATCH_TOKEN="))
        let end = try #require(text.range(of: "\n```", range: start.upperBound..<text.endIndex))
        let recipe = text[start.upperBound..<end.lowerBound].split(separator: "\n").dropFirst()
            .filter { !$0.hasPrefix("export ") }.joined(separator: "\n")
        #expect(recipe.contains("patchcli release --channel beta"))
        let secret = try String(contentsOf: token, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        for _ in 0..<2 {
            let result = try ChildProcess.run(
                "/bin/bash", ["-c", recipe], in: loop.app,
                environment: [
                    "XDG_CONFIG_HOME": loop.folder.file("config").path, "CI": "1",
                    "PATH": Tools.builtProducts.path + ":" + path, "OPENPATCH_TOKEN": secret,
                ], seconds: 1_200)
            #expect(result.status == 0, "\(result.standardOutput)\(result.standardError)")
        }
        let listed = try loop.json("list", "--channel", "beta")["releases"] as? [Any]
        #expect(listed?.count == 1, "the second run released nothing anew")
    }

    @Test("P59: tokens are scoped, ending and revocable, and whoami asks the server")
    func P59_tokens() throws {
        let loop = try Loop("tokens")
        try loop.makeReady()
        func exit(_ token: String, _ arguments: String...) throws -> Int32 {
            try loop.cli(arguments, environment: ["OPENPATCH_TOKEN": token]).status
        }
        let file = loop.folder.file("ci.token")
        let made = try loop.json(
            "token", "create", "ci", "--allow", "release", "--allow", "read", "--channel", "beta",
            "--for", "30d", "--output", file.path)
        #expect(made["token"] == nil, "it is in the file, and nowhere else")
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let token = try String(contentsOf: file, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let id = try #require(made["id"] as? String)

        let who = try loop.cli(["whoami", "--json"], environment: ["OPENPATCH_TOKEN": token])
        let identity = try JSONSerialization.jsonObject(with: Data(who.standardOutput.utf8))
        #expect((identity as? [String: Any])?["channel"] as? String == "beta")
        #expect(who.status == 0)
        // It is good for nothing else.
        #expect(try exit(token, "token", "list") == 77)
        #expect(try exit(token, "channel", "pause", "production") == 77)
        // Nobody hands on more than they have: it may not make tokens at all.
        #expect(try exit(token, "token", "create", "more", "--allow", "admin") == 77)

        // A token that the server does not know is not kept.
        let wrong = try loop.folder.write("opt_0000", to: "wrong.token")
        #expect(try loop.cli("login", "--token-file", wrong.path).status == 77)
        #expect(try loop.cli("whoami").status == 0, "the old one is still there")
        #expect(try loop.cli("login").status == 64, "and nothing asks for one")

        _ = try loop.json("token", "revoke", id)
        #expect(try exit(token, "whoami") == 77)
        #expect(try loop.cli("token", "revoke", id).status == 64)
        #expect(try loop.cli("login", "--token-file", file.path).status == 77)
    }

    @Test("doctor says what is wrong by stable codes, and --fix puts it right")
    func doctor() throws {
        let loop = try Loop("doctor")
        try loop.makeReady()
        func findings(_ arguments: String...) throws -> (codes: [String: String], status: Int32) {
            let result = try loop.cli(["doctor", "--json"] + arguments)
            let document =
                try JSONSerialization.jsonObject(
                    with: Data(result.standardOutput.utf8)) as? [String: Any]
            var codes: [String: String] = [:]
            for finding in document?["findings"] as? [[String: Any]] ?? [] {
                guard finding["level"] as? String != "ok" else { continue }
                codes[finding["code"] as? String ?? ""] = finding["fixability"] as? String
            }
            return (codes, result.status)
        }
        let sound = try findings()
        #expect(sound.status == 0, "\(sound.codes)")
        let key = loop.folder.file("config/openpatch/keys/\(loop.appKey)/targets.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.path)
        let root = loop.app.appendingPathComponent("Resources/patch-root.json")
        try FileManager.default.removeItem(at: root)
        let ill = try findings()
        #expect(ill.status == 4)
        #expect(ill.codes["key_exposed"] == "auto" && ill.codes["resources_stale"] == "auto")
        let cured = try findings("--fix")
        #expect(cured.status == 0, "\(cured.codes)")
        #expect(cured.codes["key_exposed"] == nil && cured.codes["resources_stale"] == nil)
        #expect(FileManager.default.fileExists(atPath: root.path))
        let resources = loop.app.appendingPathComponent("Resources")
        let good = try Data(contentsOf: resources.appendingPathComponent("base.wasm"))
        for (name, fixability) in [
            ("Resources/base.wasm", "auto"), ("Resources/patch-config.json", "command"),
        ] {
            let file = loop.app.appendingPathComponent(name)
            let before = try Data(contentsOf: file)
            try Data("rubbish".utf8).write(to: file)
            #expect(try findings().codes["resources_damaged"] == fixability, "\(name)")
            if fixability == "auto" {
                #expect(try findings("--fix").status == 0)
            } else {
                try before.write(to: file)
            }
        }
        #expect(try Data(contentsOf: resources.appendingPathComponent("base.wasm")) == good)
        let configuration = resources.appendingPathComponent("patch-config.json")
        let text = try String(contentsOf: configuration, encoding: .utf8)
        try text.replacingOccurrences(of: "pak_", with: "pak_0").write(
            to: configuration, atomically: true, encoding: .utf8)
        #expect(try findings().codes["resources_differ"] == "auto")
        #expect(try findings("--fix").status == 0)
        #expect(try String(contentsOf: configuration, encoding: .utf8) == text)
        let lock = loop.app.appendingPathComponent("openpatch.lock.json")
        let gates = try Data(contentsOf: lock)
        try Data("rubbish".utf8).write(to: lock)
        #expect(try findings().codes["lock_invalid"] == "command")
        try gates.write(to: lock)
        _ = try loop.stopServer()
        #expect(try findings().status == 4)
    }
}

extension ServerRolloutTests {
    @Test("on a terminal what cannot be undone is asked first, with the devices; elsewhere never")
    func asksOnTerminals() throws {
        let loop = try Loop("terminal")
        try loop.makeReady()
        try loop.edit("\"EUR \"", to: "\"€ \"")
        _ = try loop.json("release")
        try loop.edit("\"€ \"", to: "\"£ \"")
        _ = try loop.json("release")
        func version() throws -> String? { try loop.live()["stable"] as? String }
        let no = try loop.onTerminal(["rollback"], answer: "n")
        #expect(no.status == 1 && no.standardOutput.contains("known devices on 1 build"), "\(no)")
        #expect(no.standardOutput.contains("Nothing was changed."), "\(no)")
        #expect(try version() == "1.0.2")
        let yes = try loop.onTerminal(["rollback"], answer: "y")
        #expect(yes.status == 0 && yes.standardOutput.contains("[y/N]"), "\(yes)")
        #expect(try version() == "1.0.1")
        // Nothing is asked with --yes, in CI, or of what must be quick.
        for (arguments, environment) in [
            (["recall", "1.0.2", "--yes"], [:]), (["rollback", "--embedded"], ["CI": "1"]),
            (["channel", "pause", "production"], [:]),
        ] {
            let quiet = try loop.onTerminal(arguments, answer: "n", environment: environment)
            #expect(quiet.status == 0 && !quiet.standardOutput.contains("[y/N]"), "\(quiet)")
        }
        for arguments in [
            ["prune"], ["keys", "rotate", "targets"], ["uninit"],
            ["promote", "1.0.1", "--to-channel", "beta"],
        ] {
            let refused = try loop.onTerminal(arguments, answer: "n")
            #expect(refused.status == 1, "\(arguments) \(refused)")
            #expect(refused.standardOutput.contains("Nothing was changed."), "\(refused)")
        }
        _ = try loop.stopServer()
    }
}

extension Loop {
    /// Runs `patchcli` in a terminal of its own, where somebody gives one answer when asked.
    func onTerminal(
        _ arguments: [String], answer: String, environment: [String: String] = [:]
    ) throws -> ChildProcess.Result {
        let script = try folder.write(
            """
            import os, pty, sys
            answer, *command = sys.argv[1:]
            process, terminal = pty.fork()
            if process == 0:
                os.execv(command[0], command)
            text, told = b"", False
            while True:
                try:
                    data = os.read(terminal, 4096)
                except OSError:
                    break
                if not data:
                    break
                text += data
                if not told and b"[y/N]" in text:
                    os.write(terminal, answer.encode() + b"\\n")
                    told = True
            _, status = os.waitpid(process, 0)
            sys.stdout.buffer.write(text)
            sys.stdout.flush()
            sys.exit(os.waitstatus_to_exitcode(status))
            """, to: "terminal.py")
        var all = [
            "XDG_CONFIG_HOME": folder.file("config").path, "NO_COLOR": "1", "OPENPATCH_TOKEN": "",
            "CI": "", "TERM": "xterm",
        ]
        all.merge(environment) { $1 }
        return try ChildProcess.run(
            Tools.python, [script.path, answer, Self.patchcli] + arguments, in: app,
            environment: all, seconds: 1_200)
    }

    /// The server's part of a rollout, from `rollout R --json`.
    func rollout(_ release: String) throws -> [String: Any] {
        let found = try json("rollout", release)["rollouts"] as? [[String: Any]]
        return found?.first?["server"] as? [String: Any] ?? [:]
    }

    /// What a device would tell, as its SDK would send it.
    func tell(
        _ install: String, _ fingerprint: String, _ digest: String?, _ names: [String],
        _ reason: String
    ) async throws {
        let events: [[String: Any]] = names.map { name in
            var event: [String: Any] = [
                "id": UUID().uuidString.lowercased(), "name": name,
                "at": Date().timeIntervalSince1970, "fingerprint": fingerprint, "sdk": "0.1.0",
            ]
            event["release"] = digest
            if name == "trap" { event["reason"] = reason }
            return event
        }
        let url = try #require(URL(string: "\(address)/api/v1/apps/\(appKey)/events"))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(
            withJSONObject: ["install_id": install, "events": events])
        let (data, response) = try await URLSession.shared.data(for: request)
        #expect(
            (response as? HTTPURLResponse)?.statusCode == 200,
            "\(String(decoding: data, as: UTF8.self))")
    }

    /// Waits for something that a server does by itself, for ten minutes at least.
    func eventually(_ condition: () throws -> Bool) throws {
        for _ in 0..<1_200 {
            if try condition() { return }
            Thread.sleep(forTimeInterval: 0.5)
        }
        Issue.record("it never came to be")
    }
}
