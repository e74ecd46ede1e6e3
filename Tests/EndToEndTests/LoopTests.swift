import Foundation
import PatchCompiler
import PatchCompression
import PatchCrypto
import TestSupport
import Testing
import WebAssembly

/// The loop as a developer drives it, over the real executables.
@Suite struct LoopTests {
    @Test("from init to rollback, and python-tuf's client reads every state")
    func wholeLoop() throws {
        let loop = try Loop("loop")
        try loop.makeReady()
        let resources = loop.app.appendingPathComponent("Resources")
        for name in ["patch-root.json", "patch-config.json", "base.wasm"] {
            let path = resources.appendingPathComponent(name).path
            #expect(FileManager.default.fileExists(atPath: path), "\(name)")
        }
        #expect((try loop.json("status")["live"] as? [Any])?.isEmpty == true)

        try loop.edit("\"EUR \"", to: "\"€ \"")
        let first = try loop.json("release", "--notes", "Prettier")
        #expect(first["created"] as? Bool == true)
        let covered = (first["covered"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
        #expect(covered == ["priceLabel(_:)"])
        let release = try #require(first["release"] as? [String: Any])
        #expect(release["version"] as? String == "1.0.1" && release["sequence"] as? Int == 1)

        // The published bytes are what the release says, by somebody else's client.
        let fingerprint = try #require(release["fp"] as? String)
        let fp16 = String(fingerprint.prefix(16))
        let base = "\(loop.address)/api/v1/apps/\(loop.appKey)"
        let modulePath = "modules/\(fp16)/1.0.1.wasm"
        let headPath = "heads/production/module/\(fp16).json"
        let found = try loop.pythonClient(base, targets: [modulePath, headPath])
        let raw = try #require(release["raw"] as? [String: Any])
        let digest = try #require(raw["sha256"] as? String)
        let module = try Brotli.decompress(
            try #require(found[modulePath]), maximumSize: raw["size"] as? Int ?? 0)
        #expect(SHA256.hash(module).hex == digest)
        #expect(try parseWasm(bytes: module).exports.contains { $0.name == "tiny_answer" })
        let head = try JSONSerialization.jsonObject(with: Data(found[headPath] ?? []))
        #expect((head as? [String: Any])?["stable"] as? String == digest)

        // Nothing changed: nothing new.
        let again = try loop.json("release")
        #expect(again["created"] as? Bool == false)

        try loop.edit("41", to: "42", in: "Guest/answer.swift")
        let second = try loop.json("release", "--version", "2.0.0", "--mandatory")
        #expect((second["release"] as? [String: Any])?["sequence"] as? Int == 2)
        #expect(try loop.live()["stable"] as? String == "2.0.0")
        #expect(try loop.live()["returnable"] as? [String] == ["1.0.1"])

        let back = try loop.json("rollback")
        let change = (back["changes"] as? [[String: Any]])?.first
        #expect(change?["from"] as? String == "2.0.0" && change?["to"] as? String == "1.0.1")
        let after = try loop.pythonClient(base, targets: [headPath])
        let headAfter = try JSONSerialization.jsonObject(with: Data(after[headPath] ?? []))
        #expect((headAfter as? [String: Any])?["stable"] as? String == digest)

        _ = try loop.json("rollback", "--to", "2.0.0")
        #expect(try loop.live()["stable"] as? String == "2.0.0")
        _ = try loop.json("rollback", "--embedded")
        #expect(try loop.live()["kind"] as? String == "embedded")
        _ = try loop.pythonClient(base, targets: [headPath])

        let ended = try loop.stopServer()
        #expect(ended?.status == 0, "\(ended?.standardError ?? "")")
    }

    @Test("other bodies under a known fingerprint are registered only when asked to replace it")
    func replacedRegistration() throws {
        let loop = try Loop("replace")
        try loop.makeReady()
        try loop.edit("\"EUR \"", to: "\"€ \"")
        let refused = try loop.cli("fingerprint", "register")
        #expect(refused.status != 0)
        #expect(refused.standardError.contains("patchcli fingerprint register --replace"))
        _ = try loop.json("fingerprint", "register", "--replace")
        let release = try loop.json("release")
        #expect((release["covered"] as? [Any])?.isEmpty == true, "\(release)")
    }

    @Test("a rollout begins with a share of devices and ends with all")
    func rollout() throws {
        let loop = try Loop("rollout")
        try loop.makeReady()
        _ = try loop.json("release")
        try loop.edit("41", to: "42", in: "Guest/answer.swift")
        _ = try loop.json("release", "--rollout", "5%")
        let live = try loop.live()
        #expect(live["stable"] as? String == "1.0.1" && live["candidate"] as? String == "1.0.2")
        #expect(live["grant_bps"] as? Int == 500)
        let timestamp = try roleVersion(loop, "timestamp")
        let dry = try loop.json("release", "--version", "1.0.3", "--dry-run")
        #expect((dry["head"] as? [String: Any])?["head_seq"] as? Int == 3)
        #expect(try roleVersion(loop, "timestamp") == timestamp)
    }

    private func roleVersion(_ loop: Loop, _ role: String) throws -> Int? {
        let roles = try loop.json("status")["roles"] as? [[String: Any]]
        return roles?.first { $0["role"] as? String == role }?["version"] as? Int
    }

    @Test("a static project needs no server, and python-tuf's client reads its folder")
    func staticTree() throws {
        let loop = try Loop("static")
        let made = try loop.json("init", "--base-url", "http://127.0.0.1:1/patches")
        #expect(made["mode"] as? String == "static")
        _ = try loop.json("prepare")
        let build = try loop.json("fingerprint", "register")
        _ = try loop.json("release")
        let site = loop.folder.file("site")
        let first = try loop.json("publish", "--static", site.path)
        let port = String(Tools.freePort())
        let web = try ChildProcess(
            Tools.python, ["-m", "http.server", port, "--bind", "127.0.0.1"], in: site)
        defer { web.kill() }
        try waitForPort(port)
        let base = "http://127.0.0.1:\(port)/apps/\(loop.appKey)"
        let fp16 = String((build["fingerprint"] as? String ?? "").prefix(16))
        let found = try loop.pythonClient(base, targets: ["modules/\(fp16)/1.0.1.wasm"])
        #expect(found.count == 1)
        let same = try loop.json("publish", "--static", site.path)
        #expect(same["files"] as? Int == 0)
        let renewed = try loop.json("publish", "--static", site.path, "--refresh")
        #expect(
            (renewed["timestamp_version"] as? Int ?? 0)
                == (first["timestamp_version"] as? Int ?? 0) + 1)
        _ = try loop.pythonClient(base, targets: ["modules/\(fp16)/1.0.1.wasm"])
        let config = try JSONSerialization.jsonObject(
            with: Data(contentsOf: loop.app.appendingPathComponent("Resources/patch-config.json")))
        #expect(
            (config as? [String: Any])?["api_base_url"] as? String == "http://127.0.0.1:1/patches")
    }

    private func waitForPort(_ port: String) throws {
        for _ in 0..<600 {
            let probe = try ChildProcess.run(
                Tools.python,
                ["-c", "import socket; socket.create_connection(('127.0.0.1', \(port)), 1)"])
            if probe.status == 0 { return }
        }
        throw CocoaError(.fileReadUnknown)
    }

    @Test("two releases at the same moment both come out, one after the other")
    func twoAtOnce() throws {
        let loop = try Loop("two")
        try loop.makeReady()
        let started = try ["red", "blue"].map { version in
            try ChildProcess(
                Loop.patchcli, ["release", "--version", version, "--json"], in: loop.app,
                environment: ["XDG_CONFIG_HOME": loop.folder.file("config").path])
        }
        var sequences: Set<Int> = []
        for process in started {
            let result = try process.wait(seconds: 1_200)
            #expect(result.status == 0, "\(result.standardOutput)\(result.standardError)")
            let document = try JSONSerialization.jsonObject(
                with: Data(result.standardOutput.utf8))
            let release = (document as? [String: Any])?["release"] as? [String: Any]
            sequences.insert(release?["sequence"] as? Int ?? 0)
        }
        #expect(sequences == [1, 2])
        #expect(try loop.live()["stable_sequence"] as? Int == 2)
    }

    @Test("init again changes nothing, and prepare can be taken back")
    func idempotent() throws {
        let loop = try Loop("again")
        try loop.startServer()
        let before = try String(
            contentsOf: loop.app.appendingPathComponent("Sources/Tiny/Price.swift"),
            encoding: .utf8)
        let arguments = (loop.address, "\(loop.data.path)/admin-token")
        let first = try loop.json(
            "init", "--server", arguments.0, "--admin-token-file", arguments.1)
        let second = try loop.json(
            "init", "--server", arguments.0, "--admin-token-file", arguments.1)
        #expect(first["created"] as? Bool == true && second["created"] as? Bool == false)
        #expect(first["app_key"] as? String == second["app_key"] as? String)
        let keys = try loop.json("keys", "list")["keys"] as? [[String: Any]]
        #expect(keys?.compactMap { $0["role"] as? String } == ["root", "root-backup", "targets"])
        #expect(keys?.allSatisfy { $0["mode"] as? String == "600" } == true)
        _ = try loop.json("prepare")
        _ = try loop.json("unprepare")
        let after = try String(
            contentsOf: loop.app.appendingPathComponent("Sources/Tiny/Price.swift"),
            encoding: .utf8)
        #expect(before == after)
    }
}

/// What goes wrong, and how the tools say it.
@Suite struct LoopFailureTests {
    private func expect(
        _ result: ChildProcess.Result, _ exit: Int32, _ words: String...
    ) {
        #expect(result.status == exit, "\(result.standardError)")
        for word in words {
            #expect(result.standardError.contains(word), "\(result.standardError)")
        }
    }

    @Test("without a project, a key, a token or a server the reason and the next step are told")
    func missingThings() throws {
        let loop = try Loop("missing")
        expect(try loop.cli("status"), 78, "no openpatch.json", "try: patchcli init")
        try loop.makeReady()
        let token = loop.folder.file("config/openpatch/tokens/\(loop.appKey)")
        let stored = try Data(contentsOf: token)
        try FileManager.default.removeItem(at: token)
        expect(try loop.cli("release"), 77, "no token for this app", "OPENPATCH_TOKEN")
        expect(
            try loop.cli("release", environment: ["OPENPATCH_TOKEN": "opt_wrong"]), 77,
            "does not accept the token")
        try stored.write(to: token)
        let key = loop.folder.file("config/openpatch/keys/\(loop.appKey)/targets.pem")
        try FileManager.default.moveItem(at: key, to: key.appendingPathExtension("away"))
        expect(try loop.cli("release"), 78, "no targets key", key.path)
        try FileManager.default.moveItem(at: key.appendingPathExtension("away"), to: key)
        _ = try loop.stopServer()
        expect(try loop.cli("status"), 69, "try: patchcli doctor")
        let document = try loop.cli("status", "--json")
        #expect(document.standardOutput.contains("\"exit\" : 69"))
    }

    @Test("a change that only a store build can carry ships nothing and exits with 6")
    func cannotShip() throws {
        let loop = try Loop("native")
        try loop.makeReady()
        let before = try loop.json("status")
        try loop.edit("A tiny shop", to: "A small shop")
        let result = try loop.cli("release")
        expect(result, 6, "cannot ship over the air", "nothing was uploaded")
        let after = try loop.json("status")
        func versions(_ status: [String: Any]) -> [Int] {
            (status["roles"] as? [[String: Any]] ?? []).compactMap { $0["version"] as? Int }
        }
        #expect(versions(before).count == 5 && versions(before) == versions(after))
    }

    @Test("P18: a build that is not registered exits with 5, and no flag ships to it")
    func unregistered() throws {
        let loop = try Loop("unregistered")
        try loop.startServer()
        _ = try loop.json(
            "init", "--server", loop.address, "--admin-token-file", "\(loop.data.path)/admin-token")
        expect(try loop.cli("release"), 5, "not registered", "patchcli fingerprint register")
        expect(
            try loop.cli("release", "--yes", "--allow-unreachable", "--allow-removed"), 5,
            "not registered")
        expect(try loop.cli("build", "--fingerprint", "ffff"), 5)
        expect(try loop.cli("rollback"), 3, "Nothing was released")
    }

    @Test("wrong options are usage errors")
    func usage() throws {
        let loop = try Loop("usage")
        expect(try loop.cli("relaese"), 64, "Did you mean 'release'?")
        expect(try loop.cli("release", "--rollout", "0%"), 64, "expected a share")
        expect(try loop.cli("release", "--version", "../x"), 64, "expected up to 100 letters")
        expect(try loop.cli("init", "--server", "nonsense"), 64, "no address of a server")
        expect(
            try loop.cli("init", "--server", "http://127.0.0.1:1"), 64, "needs its admin token")
    }

    @Test("a server that is killed while it publishes serves the old or the new state whole")
    func crashes() throws {
        let loop = try Loop("crash")
        try loop.makeReady()
        _ = try loop.json("release")
        let base = "\(loop.address)/api/v1/apps/\(loop.appKey)"
        let fp16 = String((try loop.live()["fingerprint"] as? String ?? "").prefix(16))
        let head = "heads/production/module/\(fp16).json"
        var expected = try loop.live()["head_seq"] as? Int ?? 0
        for step in ["staged", "committed", "targetsPlaced", "metadataPlaced", "timestampPlaced"] {
            let isEmbedded = try loop.live()["kind"] as? String == "embedded"
            _ = try loop.stopServer()
            let dying = try loop.startServer(environment: ["OPENPATCH_TEST_CRASH_AT": step])
            let result =
                isEmbedded
                ? try loop.cli("rollback", "--to", "1.0.1") : try loop.cli("rollback", "--embedded")
            #expect(result.status == 69, "\(step): \(result.standardError)")
            #expect(try dying.wait().status == SIGKILL, "\(step)")
            try loop.startServer()
            if step != "staged" { expected += 1 }
            #expect(try loop.live()["head_seq"] as? Int == expected, "\(step)")
            _ = try loop.pythonClient(base, targets: [head, "modules/\(fp16)/1.0.1.wasm"])
        }
    }

    @Test("a second server over the same folder does not start")
    func secondServer() throws {
        let loop = try Loop("second")
        try loop.startServer()
        let result = try ChildProcess.run(
            Loop.patchd, ["--data", loop.data.path, "--port", "0"])
        expect(result, 69, "Another patchd serves")
    }
}
