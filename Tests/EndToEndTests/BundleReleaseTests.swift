import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import WebViewBundle

/// A web bundle as a release, over the real executables: the developer's side, the server, other
/// people's clients, and an app.
@Suite("patchcli release --bundle")
struct BundleReleaseTests {
    private let loop: Loop

    init() throws {
        loop = try Loop("bundle-release")
        try loop.startServer()
        _ = try loop.json(
            "init", "--server", loop.address, "--admin-token-file",
            "\(loop.data.path)/admin-token")
        // Something that does not change between versions and is no use to compress.
        var noise: [UInt8] = []
        for number in 0..<2_000 { noise += SHA256.hash("\(number)") }
        try FileManager.default.createDirectory(
            at: loop.app.appendingPathComponent("dist"), withIntermediateDirectories: true)
        try Data(noise).write(to: loop.app.appendingPathComponent("dist/noise.bin"))
        try write("one")
    }

    private func write(_ text: String) throws {
        try loop.folder.write(
            "<!doctype html><title>\(text)</title><h1>\(text)</h1>", to: "app/dist/index.html")
    }

    private func release(_ arguments: String...) throws -> [String: Any] {
        let all = ["release", "--bundle", "dist"] + arguments + ["--json"]
        let result = try ChildProcess.run(
            Loop.patchcli, all, in: loop.app,
            environment: [
                "XDG_CONFIG_HOME": loop.folder.file("config").path, "OPENPATCH_TOKEN": "",
            ], seconds: 1_200)
        guard result.status == 0 else { throw Loop.Failed(result: result) }
        let document = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
        return document as? [String: Any] ?? [:]
    }

    private func app(
        _ device: String = "", telemetry: BundleTelemetry = .off
    ) throws -> WebViewBundle {
        // Pages are told ready by hand here, however long programs take between two steps.
        var config = WebViewBundleReleasesConfig(
            bundles: ["app"], readiness: .page(seconds: 3_600))
        config.resourcesDir = loop.app.appendingPathComponent("Resources").path
        config.stateDir = loop.folder.path + "/state" + device
        config.checksAtLaunch = false
        config.telemetry = telemetry
        var environment = BundleReleases.Environment()
        environment.remoteRefusal = nil
        return try WebViewBundle(
            config: WebViewBundleConfig(
                source: SourceOptions(
                    builtinDir: loop.folder.path + "/builtin",
                    remoteDir: loop.folder.path + "/remote" + device),
                protocols: [.bundle(scheme: "app")], releases: config),
            environment: environment)
    }

    private func shown(_ app: WebViewBundle) async -> String {
        guard let request = BundleRequest(url: "app://app.wvb/") else { return "" }
        let text = String(decoding: await app.respond(to: request).body, as: UTF8.self)
        return text.components(separatedBy: "<h1>").last?.components(separatedBy: "<").first ?? ""
    }

    @Test("from the first release to the recall, an app follows and other clients understand")
    func wholeLife() async throws {
        let config = loop.app.appendingPathComponent("Resources/patch-config.json").path
        try #require(FileManager.default.fileExists(atPath: config))
        // Signed without being published.
        let dry = try release("--dry-run")
        #expect(dry["dry_run"] as? Bool == true && dry["created"] as? Bool == false)

        let first = try release("--version", "1.0.0")
        #expect(first["created"] as? Bool == true && first["role"] as? String == "build-any")
        let app = try app()
        let releases = try #require(app.releases)
        #expect(releases.problems == [])
        #expect(try await releases.update("app"))
        #expect(await shown(app) == "one")
        #expect(try await releases.markReady("app"))

        // Nothing changed: nothing new.
        #expect(try release()["created"] as? Bool == false)

        try write("two")
        let second = try release("--notes", "Prettier", "--rollout", "0.01%")
        let told = try #require(second["release"] as? [String: Any])
        #expect(told["version"] as? String == "1.0.1" && told["sequence"] as? Int == 2)
        let size = try #require(second["size"] as? Int)
        let delta = try #require((second["delta_sizes"] as? [Int])?.first)
        #expect(delta < size / 10, "only the page changed: \(delta) of \(size)")

        _ = try loop.json("rollout", "1.0.1", "--finish", "--bundle-name", "app")
        let found = try #require(try await releases.check("app"))
        #expect(found.notes == "Prettier" && found.version == "1.0.1")
        #expect(try await releases.update("app"))
        #expect(await shown(app) == "two")
        #expect(try await releases.markReady("app"))

        let begun = try loop.json("channel", "create", "beta")
        #expect((begun["heads"] as? [Any])?.count == 1)
        #expect(try loop.cli("channel", "create", "beta").status == 3)

        _ = try loop.json("rollback", "--bundle-name", "app")
        #expect(try await releases.update("app"))
        #expect(await shown(app) == "one")

        _ = try loop.json("recall", "1.0.0", "--bundle-name", "app")
        let last = try #require(try await releases.check("app"))
        #expect(last.reason == "recalled" && last.isMandatory)

        // python-tuf finds head and archive by their paths.
        let base = "\(loop.address)/api/v1/apps/\(loop.appKey)"
        let head = "heads/production/bundle/app/any.json"
        let archive = "bundles/app/1.0.1.wvb"
        let beta = "heads/beta/bundle/app/any.json"
        let read = try loop.pythonClient(base, targets: [head, beta, archive])
        let begunHead = try #require(read[beta])
        let stable = (told["raw"] as? [String: Any])?["sha256"] as? String ?? "none"
        #expect(String(decoding: begunHead, as: UTF8.self).contains(stable))
        let bytes = try #require(read[archive])
        #expect(SHA256.hash(bytes).hex == stable)
        #expect(try BundleReader(bytes: bytes).contents(at: "/index.html").count > 0)
        _ = try loop.stopServer()
    }

    @Test("patchd serves what was released by the remote contract too")
    func contract() async throws {
        _ = try release("--version", "1.0.0")
        try write("beta")
        _ = try release("--version", "2.0.0-beta", "--channel", "beta")
        let base = "\(loop.address)/api/v1/apps/\(loop.appKey)"
        let result = try ChildProcess.run(
            Tools.python, ["-c", Self.client, base], in: loop.folder.url)
        #expect(result.standardOutput == "ok\n", "\(result.standardError)")
        // Our own client, which takes no word for granted.
        let remote = try Remote(endpoint: base)
        let list = try await remote.listBundles()
        #expect(list == [RemoteBundleListing(name: "app", version: "1.0.0")])
        let app = try TestFolders(loop.folder)
        let updater = try Updater(source: app.source, remote: remote, channel: "beta")
        let info = try await updater.getUpdate(bundleName: "app")
        #expect(info.version == "2.0.0-beta" && info.isAvailable)
        _ = try await updater.downloadUpdate(bundleName: "app", version: info.version)
        try await updater.install(bundleName: "app", version: info.version)
        let page = try app.source.fetchBundle("app").contents(at: "/index.html")
        #expect(String(decoding: page, as: UTF8.self).contains("beta"))
        _ = try loop.stopServer()
    }

    @Test(
        "a bundle whose page fails on six devices is halted by the server's gate, and no other gets it"
    )
    func gate() async throws {
        _ = try release("--version", "1.0.0")
        try write("broken")
        let candidate = try release("--stages", "100%:1h")
        let version = (candidate["release"] as? [String: Any])?["version"] as? String
        #expect(version == "1.0.1")
        for device in 1...6 {
            let app = try app("\(device)", telemetry: .on)
            let releases = try #require(app.releases)
            #expect(try await releases.update("app"))
            #expect(await shown(app) == "broken")
            // The web view says so when a page does not load or its process ends.
            await releases.pageFailed("app", detail: "the page's process ended")
            await releases.sendTelemetry()
            #expect(try releases.release(of: "app")?.version != "1.0.1", "it gave way")
        }
        let insights = try loop.json("insights", "--bundle-name", "app")["insights"]
        let numbers = (insights as? [String: Any])?["releases"] as? [[String: Any]]
        let digest = (candidate["release"] as? [String: Any])?["raw"] as? [String: Any]
        let own = numbers?.first { $0["release"] as? String == digest?["sha256"] as? String }
        #expect(own?["failed"] as? Int == 6, "\(numbers ?? [])")

        // A server looks at its gates when it starts, then once a minute.
        _ = try loop.stopServer()
        try loop.startServer()
        func rollout() throws -> [String: Any] {
            let found = try loop.json("rollout", "1.0.1", "--bundle-name", "app")["rollouts"]
            return (found as? [[String: Any]])?.first ?? [:]
        }
        try loop.eventually { try rollout()["halted"] as? Bool == true }
        let explained = try loop.json("explain", "--gate", "1.0.1", "--bundle-name", "app")
        #expect(explained["reproduced"] as? Bool == true)
        let words = try loop.cli("explain", "--gate", "1.0.1", "--bundle-name", "app")
        #expect(words.standardOutput.contains("6 of 6 starts failed"), "\(words)")
        let live = try #require((try loop.json("status")["live"] as? [[String: Any]])?.first)
        #expect(live["halted"] as? Bool == true && live["bundle"] as? String == "app")

        // The next device is spared, and the reason is the same there, here and for whoever asks.
        let app = try app("7")
        let releases = try #require(app.releases)
        #expect(try await releases.update("app"))
        #expect(await shown(app) == "one")
        let reason = try loop.json("explain", "--bundle-name", "app")
        let excluded = (reason["excluded"] as? [[String: Any]])?.first
        #expect(excluded?["reason"] as? String == "halted")
        #expect(try await releases.explain("app").contains("[halted]"))

        // Brakes need a token only, also those of people.
        _ = try loop.json("resume", "1.0.1", "--bundle-name", "app")
        #expect(try rollout()["halted"] as? Bool == false)
        _ = try loop.json("channel", "pause", "production")
        #expect(try rollout()["halted"] as? Bool == true)
        _ = try loop.json("channel", "resume", "production")
        _ = try loop.json("halt", "1.0.1", "--bundle-name", "app")
        #expect(try rollout()["halted"] as? Bool == true)
        _ = try loop.stopServer()
    }

    /// A client that knows the contract and nothing of us.
    private static let client = """
        import base64, hashlib, json, sys, urllib.error, urllib.request
        base = sys.argv[1]
        def get(path, method="GET", **headers):
            request = urllib.request.Request(base + path, method=method, headers=headers)
            try: answer = urllib.request.urlopen(request)
            except urllib.error.HTTPError as error: answer = error
            return answer.status, answer.headers, answer.read()
        status, headers, body = get("/bundles")
        assert (status, json.loads(body)) == (200, [{"name": "app", "version": "1.0.0"}]), body
        assert json.loads(get("/bundles?channel=beta")[2])[0]["version"] == "2.0.0-beta"
        status, headers, body = get("/bundles/app")
        assert status == 200 and headers["Content-Type"] == "application/webview-bundle"
        assert headers["Webview-Bundle-Name"] == "app", headers
        assert headers["Webview-Bundle-Version"] == "1.0.0"
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        assert headers["Webview-Bundle-Integrity"] == "sha256:" + digest
        status, head, nothing = get("/bundles/app", method="HEAD")
        assert status == 200 and nothing == b"" and int(head["Content-Length"]) == len(body)
        assert get("/bundles/app", **{"If-None-Match": headers["ETag"]})[0] == 304
        assert get("/bundles/app", Range="bytes=10-")[2] == body[10:]
        assert get("/bundles/app/2.0.0-beta")[1]["Webview-Bundle-Version"] == "2.0.0-beta"
        assert get("/bundles/app/9.9")[0] == 404 and get("/bundles/other")[0] == 404
        assert get("/bundles/app", method="DELETE")[0] == 405
        print("ok")
        """

    @Test("what is no site, no name or no version is refused with words and nothing is published")
    func refusals() throws {
        try loop.folder.write("not an archive", to: "app/broken.wvb")
        try loop.folder.write("<h1>in the wrong folder</h1>", to: "app/outer/dist/index.html")
        let packed = try ChildProcess.run(
            Loop.patchcli, ["web", "pack", "outer", "-o", "outer.wvb"], in: loop.app)
        #expect(packed.status == 0, "\(packed)")
        let allowed = try loop.cli("release", "--bundle", "outer", "--no-index", "--dry-run")
        #expect(allowed.status == 0, "\(allowed)")
        for (arguments, status) in [
            (["release", "--bundle", "nowhere"], Int32(66)),
            (["release", "--bundle", "broken.wvb"], 65),
            (["release", "--bundle", "outer"], 65),
            (["release", "--bundle", "outer.wvb"], 65),
            (["release", "--bundle", "dist", "--bundle-name", "../x"], 64),
            (["rollback", "--bundle-name", "app"], 3),
        ] {
            let result = try ChildProcess.run(
                Loop.patchcli, arguments, in: loop.app,
                environment: ["XDG_CONFIG_HOME": loop.folder.file("config").path])
            #expect(result.status == status, "\(arguments) \(result.standardError)")
            #expect(!result.standardError.isEmpty)
        }
        #expect((try loop.json("status")["live"] as? [Any])?.isEmpty == true)
        _ = try loop.stopServer()
    }
}

/// Two empty folders of an app.
private struct TestFolders {
    let source: BundleSource

    init(_ folder: TemporaryDirectory) throws {
        source = BundleSource(
            options: SourceOptions(
                builtinDir: folder.path + "/other-builtin", remoteDir: folder.path + "/other"))
    }
}
