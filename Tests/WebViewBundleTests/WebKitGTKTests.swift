import Foundation
import TestSupport
import Testing

@testable import WebViewBundle

/// Everything together in a real WebKit: the example app WebShell shows bundles in WebKitGTK on a
/// display of its own, and the pages themselves tell what they saw (Scripts/test-webkitgtk.sh).
@Suite("In WebKitGTK", .serialized, .enabled(if: WebShell.isBuilt, "WebShell was not built"))
struct WebKitGTKTests {
    private let app: TestApp

    init() throws { app = try TestApp(builtin: ["1.0.0": WebShell.site("1.0.0")]) }

    @Test("parts, modules, fetch, ranges, wasm and the bridge work in a page from a bundle")
    func page() throws {
        let shot = app.folder.file("shot.png")
        let seen = try WebShell.run(
            app, ["--shot", shot.path],
            script: """
                import { answer } from "./module.js";
                await test("module", () => answer);
                await test("charset", () => document.querySelector("h1").textContent);
                await test("style", () => getComputedStyle(document.querySelector("h1")).color);
                await test("fetch", async () => (await fetch("/digits.txt")).text());
                await test("folder", async () => (await fetch("/docs")).text());
                await test("range", async () => {
                  const part = await fetch("/digits.txt", { headers: { Range: "bytes=2-4" } });
                  return [part.status, part.headers.get("content-range"), await part.text()];
                });
                await test("missing", async () => (await fetch("/nope.js")).status);
                await test("post", async () => (await fetch("/", { method: "POST" })).status);
                await test("secure", () => isSecureContext);
                await test("wasm", async () => {
                  const module = await WebAssembly.instantiateStreaming(fetch("/add.wasm"));
                  return module.instance.exports.add(2, 3);
                });
                await test("worker", async () => {
                  await navigator.serviceWorker.register("/worker.js");
                });
                await test("command", () => post("sourceLoadVersion", { bundleName: "app" }));
                await test("unknown", () => post("nope"));
                await test("denied", () => post("sourcePruneRemoteBundles", { bundleName: "app" }));
                """)
        #expect(seen["module"] == .number(42))
        #expect(seen["charset"] == .string("version 1.0.0 – grüße"))
        #expect(seen["style"] == .string("rgb(10, 120, 60)"))
        #expect(seen["fetch"] == .string("0123456789"))
        #expect(seen["folder"] == .string("the docs"))
        #expect(seen["range"] == .array([.number(206), .string("bytes 2-4/10"), .string("234")]))
        #expect(seen["missing"] == .number(404))
        #expect(seen["post"] == .number(405))
        #expect(seen["secure"] == .bool(true))
        #expect(seen["wasm"] == .number(5))
        #expect(seen["worker"]?.string?.hasPrefix("failed") == true)
        #expect(seen["command"]?["version"] == .string("1.0.0"))
        #expect(seen["unknown"]?.string?.contains("handler_not_found") == true)
        #expect(seen["denied"]?.string?.contains("command_not_allowed") == true)
        let png = try Data(contentsOf: shot)
        #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(png.count > 4_000, "an empty picture is smaller")
    }

    @Test(
        "a media file comes in ranges, and plays and is sought in; its element takes it as a blob")
    func media() throws {
        let seen = try WebShell.run(
            app,
            script: """
                await test("pieces", async () => {
                  const piece = async (range) => {
                    const answer = await fetch("/sound.wav", { headers: { Range: range } });
                    return [answer.status, answer.headers.get("content-range"),
                      (await answer.arrayBuffer()).byteLength];
                  };
                  return [await piece("bytes=0-43"), await piece("bytes=-1000")];
                });
                const play = (source) => new Promise((resolve, reject) => {
                  const audio = new Audio(source);
                  audio.muted = true;
                  audio.onerror = () => reject(new Error("media error " + audio.error.code));
                  audio.onloadedmetadata = () => { audio.currentTime = 50; };
                  audio.onseeked = () => resolve([Math.round(audio.duration), audio.currentTime]);
                });
                await test("blob", async () =>
                  play(URL.createObjectURL(await (await fetch("/sound.wav")).blob())));
                await test("direct", () => play("/sound.wav"));
                """)
        let size = 60 * 8_000 + 44
        #expect(
            seen["pieces"]
                == .array([
                    .array([.number(206), .string("bytes 0-43/\(size)"), .number(44)]),
                    .array([
                        .number(206), .string("bytes \(size - 1000)-\(size - 1)/\(size)"),
                        .number(1000),
                    ]),
                ]))
        #expect(seen["blob"] == .array([.number(60), .number(50)]))
        // WebKitGTK hands media elements' addresses to GStreamer, which knows no custom scheme. A
        // version that does will end this test, and the advice in Docs/web-bundles.md with it.
        #expect(seen["direct"]?.string?.contains("media error 4") == true)
    }

    @Test("two schemes are answered at once, each an origin of its own")
    func twoSchemes() throws {
        let seen = try WebShell.run(
            app, ["--scheme", "app", "--scheme", "second"],
            script: """
                await test("second", () => new Promise((resolve) => {
                  window.addEventListener("message", (event) =>
                    resolve([event.origin, event.data]), { once: true });
                  const frame = document.createElement("iframe");
                  frame.src = "second://app.wvb/where.html";
                  document.body.append(frame);
                }));
                await test("blocked", async () => (await fetch("second://app.wvb/digits.txt")).status);
                """)
        #expect(
            seen["second"]
                == .array([.string("second://app.wvb"), .string("second://app.wvb/where.html")]))
        #expect(seen["blocked"]?.string?.hasPrefix("failed") == true)
    }

    @Test("a page of a local server is shown through its scheme, and has the bridge")
    func localPage() throws {
        let server = try TestRemote()
        server.fault = [
            "page": """
            <script>
            window.webkit.messageHandlers.wvbIos.postMessage({
              name: "sourceLoadVersion", params: { bundleName: "app" },
            }).then((loaded) => { document.title = location.origin + " " + loaded.version; });
            </script>
            """
        ]
        try server.save()
        let lines = try WebShell.start(
            app,
            [
                "--local", "web=\(server.endpoint)", "--url", "dev://web/evil", "--until-title",
            ])
        #expect(lines.contains { $0["title"] == .string("dev://web 1.0.0") }, "\(lines)")
    }

    @Test("replies also come to the callbacks that a message names")
    func callbacks() throws {
        let seen = try WebShell.run(
            app,
            script: """
                const called = (name, message) => new Promise((resolve) => {
                  window.callbacks = { [name]: resolve };
                  window.webkit.messageHandlers.wvbIos.postMessage(message).catch(() => {});
                });
                await test("success", () => called("ok", {
                  name: "sourceLoadVersion", params: { bundleName: "app" },
                  success: 'window.callbacks["ok"]', error: "window.nothing" }));
                await test("error", () => called("bad", {
                  name: "nope", success: "window.nothing", error: "window.callbacks.bad" }));
                window.ran = false;
                await test("injected", async () => {
                  await window.webkit.messageHandlers.wvbIos.postMessage({
                    name: "sourceListBundles", success: "(() => { window.ran = true; })" });
                  await new Promise((resolve) => setTimeout(resolve, 300));
                  return window.ran;
                });
                """)
        #expect(seen["success"]?["version"] == .string("1.0.0"))
        #expect(seen["error"]?["code"] == .string("handler_not_found"))
        #expect(seen["injected"] == .bool(false))
    }

    @Test("frames inside a page, and pages of other origins, have no bridge")
    func origins() throws {
        let server = try TestRemote()
        let seen = try WebShell.run(
            app, ["--scheme", "app", "--scheme", "second", "--local", "web=\(server.endpoint)"],
            script: """
                await test("frame", async () => {
                  const frame = document.createElement("iframe");
                  frame.src = "/frame.html";
                  const told = new Promise((resolve) =>
                    window.addEventListener("message", (event) => resolve(event.data)));
                  document.body.append(frame);
                  return told;
                });
                await test("second", async () => (await fetch("second://app.wvb/digits.txt",
                  { mode: "no-cors" })).type);
                await test("local", async () => (await fetch("dev://web/bundles",
                  { mode: "no-cors" })).type);
                """)
        #expect(seen["frame"] == .string("no bridge"))
        #expect(seen["second"] == .string("opaque"))
        #expect(seen["local"] == .string("opaque"))
        #expect(server.requests().contains { $0.hasPrefix("GET /bundles") })
    }

    @Test("a page elsewhere on the web gets no answer, though it is in the main frame")
    func foreignPage() throws {
        let server = try TestRemote()
        server.fault = [
            "page": """
            <script>
            const post = (name, params) =>
              window.webkit.messageHandlers.wvbIos.postMessage({ name, params });
            const code = (promise) => promise.then(() => "answered", (failure) => failure.code);
            const first = code(post("sourceListBundles"));
            history.replaceState(null, "", "/app%3A//app.wvb/");
            const second = code(post("report", { forged: true }));
            Promise.all([first, second]).then((codes) => { document.title = codes.join(" "); });
            </script>
            """
        ]
        try server.save()
        let result = try WebShell.start(
            app, ["--url", server.endpoint + "/evil", "--until-title"])
        #expect(result.contains { $0["title"] == .string("dropped dropped") }, "\(result)")
        #expect(!result.contains { $0["report"] != nil })
    }

    @Test("an update that the page itself fetches and installs shows the new page")
    func update() throws {
        let server = try TestRemote()
        try server.publish(
            "app", "1.1.0",
            WebShell.site(
                "1.1.0",
                script: """
                    await test("version", () => document.querySelector("h1").textContent);
                    await test("confirmed", () => post("updaterConfirm"));
                    """))
        let lines = try WebShell.start(
            app, ["--endpoint", server.endpoint],
            script: """
                const info = await window.webkit.messageHandlers.wvbIos.postMessage({
                  name: 'updaterGetUpdate',
                  params: { bundleName: 'app' },
                });
                await post("updaterDownload", { bundleName: "app", version: info.version });
                await post("updaterInstall", { bundleName: "app", version: info.version });
                await post("reload");
                await new Promise(() => {});
                """)
        let report = lines.compactMap { $0["report"] }.last
        #expect(report?["version"] == .string("version 1.1.0 – grüße"))
        #expect(report?["confirmed"] == .bool(true))
        #expect(app.restarted().isConfirmed("app"))
    }

    @Test("a page that runs but never says that it works is taken back by itself")
    func brokenUpdate() throws {
        for (version, script) in [("1.1.0", "await test('never', () => new Promise(() => {}));")] {
            try app.source.writeRemoteBundle(
                "app", version, data: WebShell.site(version, script: script))
            try app.source.updateVersion("app", version)
        }
        let lines = try WebShell.start(app, ["--ready-within", "4"])
        #expect(lines.contains { $0["reverted"] == .string("1.0.0") })
        #expect(
            lines.compactMap { $0["report"] }.last?["version"]
                == .string("version 1.0.0 – grüße"))
        #expect(app.restarted().loadVersion("app")?.version == "1.0.0")
    }
}

/// The example app, built with the tests when WebKitGTK is wanted.
enum WebShell {
    private static let program = Tools.builtProducts.appendingPathComponent("webshell").path

    static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// A site whose page runs `script` with two helpers: `test(name, body)` notes a result, and
    /// `post(name, params)` calls the app. At the end the page reports and closes the app.
    static func site(
        _ version: String,
        script: String = """
        await test("version", () => document.querySelector("h1").textContent);
        """
    ) throws -> [UInt8] {
        var builder = BundleBuilder()
        func add(_ path: String, _ text: String) throws {
            try builder.insertEntry(path, data: Array(text.utf8))
        }
        try add(
            "/index.html",
            """
            <!doctype html><title>\(version)</title><link rel="stylesheet" href="/style.css">
            <body><h1>version \(version) – grüße</h1><pre></pre>
            <script type="module" src="/app.js"></script></body>
            """)
        let imports = script.split(separator: "\n").filter { $0.hasPrefix("import ") }
        let body = script.split(separator: "\n").filter { !$0.hasPrefix("import ") }
        try add(
            "/app.js",
            """
            \(imports.joined(separator: "\n"))
            const seen = {};
            const post = (name, params) =>
              window.webkit.messageHandlers.wvbIos.postMessage({ name, params });
            const test = async (name, body) => {
              try { seen[name] = await body() ?? null; }
              catch (failure) { seen[name] = `failed ${failure.code ?? ""} ${failure.message}`; }
            };
            \(body.joined(separator: "\n"))
            document.querySelector("pre").textContent = JSON.stringify(seen, null, 1);
            await post("report", seen);
            await post("quit");
            """)
        try add("/module.js", "export const answer = 42;")
        try add("/style.css", "h1 { color: rgb(10, 120, 60); }")
        try add("/digits.txt", "0123456789")
        try add("/docs/index.html", "the docs")
        try add("/worker.js", "")
        try add(
            "/frame.html",
            """
            <script>parent.postMessage(window.webkit ? "a bridge" : "no bridge", "*");</script>
            """)
        try add(
            "/where.html", "<script>parent.postMessage(location.href, \"*\");</script>")
        try builder.insertEntry("/sound.wav", data: sound(seconds: 60))
        // (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add)
        try builder.insertEntry(
            "/add.wasm",
            data: [
                0, 0x61, 0x73, 0x6D, 1, 0, 0, 0, 1, 7, 1, 0x60, 2, 0x7F, 0x7F, 1, 0x7F, 3, 2, 1, 0,
                7,
                7, 1, 3, 0x61, 0x64, 0x64, 0, 0, 10, 9, 1, 7, 0, 0x20, 0, 0x20, 1, 0x6A, 0x0B,
            ])
        return try builder.build()
    }

    /// Silence, 8,000 samples of 8 bits a second.
    private static func sound(seconds: Int) -> [UInt8] {
        func number(_ value: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let size = seconds * 8_000
        return Array("RIFF".utf8) + number(36 + size, 4) + Array("WAVEfmt ".utf8)
            + number(16, 4) + number(1, 2) + number(1, 2) + number(8_000, 4) + number(8_000, 4)
            + number(1, 2) + number(8, 2) + Array("data".utf8) + number(size, 4)
            + [UInt8](repeating: 0x80, count: size)
    }

    /// Shows the app, with `script` in its builtin page, until the page closes it; every line that
    /// it printed.
    static func start(
        _ app: TestApp, _ arguments: [String] = [], script: String? = nil
    ) throws -> [JSONValue] {
        if let script { try app.replaceBuiltin(["1.0.0": site("1.0.0", script: script)]) }
        let limit = arguments.contains("--seconds") ? [] : ["--seconds", "240"]
        let process = try ChildProcess(
            "xvfb-run",
            [
                "-a", "-s", "-screen 0 1024x768x24", program, "--builtin",
                app.folder.path + "/builtin",
                "--remote", app.folder.path + "/remote",
            ] + limit + arguments,
            environment: [
                "HOME": app.folder.path, "GSK_RENDERER": "cairo", "OPENPATCH_DEV": "1",
            ])
        let result = try process.wait()
        return result.standardOutput.split(separator: "\n").compactMap {
            JSONValue(json: Array($0.utf8))
        }
    }

    /// As `start`; what the page reported.
    static func run(
        _ app: TestApp, _ arguments: [String] = [], script: String
    ) throws -> JSONValue {
        let lines = try start(app, arguments, script: script)
        return try #require(
            lines.compactMap { $0["report"] }.last, "the page did not report: \(lines)")
    }
}
