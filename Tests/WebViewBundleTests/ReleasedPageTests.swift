import Foundation
import PatchCrypto
import TestSupport
import Testing
import UpdateTestSupport

@testable import WebViewBundle

extension WebKitGTKTests {
    /// Releases in a real WebKit: the page is found blank by looking at it, and the one before comes
    /// back by itself.
    @Suite("Released bundles in WebKitGTK")
    struct Released {
        private let shell: ReleasedShell

        init() throws { shell = try ReleasedShell() }

        @Test("a release that is published while the app runs is shown, and confirmed by its page")
        func live() throws {
            try shell.publish("1.1.0", 1, WebShell.site("1.1.0", script: shell.confirm))
            let lines = try shell.run(
                page: "await new Promise(() => {});", ["--ready-within", "200"])
            #expect(shell.words(lines, "shows") == ["shipped", "1.1.0"])
            #expect(shell.words(lines, "ready") == ["1.1.0"])
            let report = lines.compactMap { $0["report"] }.last
            #expect(report?["confirmed"] == .bool(true))
            #expect(report?["version"] == .string("version 1.1.0 – grüße"))
            let again = try shell.run(page: "await new Promise(() => {});")
            #expect(shell.words(again, "shows") == ["1.1.0"], "it is there from the start")
        }

        @Test("a page that runs script, says that it works and shows nothing is taken back")
        func blank() throws {
            try shell.publish("1.1.0", 1, WebShell.site("1.1.0", script: shell.confirmAndStay))
            let first = "localStorage.setItem('visits', 1); await new Promise(() => {});"
            _ = try shell.run(page: first, ["--ready-within", "200"])
            try shell.publish("1.2.0", 2, shell.blankSite("1.2.0"))
            let lines = try shell.run(
                page: "await new Promise(() => {});", ["--ready-within", "10"])
            let back = try #require(lines.compactMap { $0["tookBack"] }.first, "\(lines)")
            #expect(back["version"] == .string("1.2.0") && back["now"] == .string("1.1.0"))
            #expect(back["code"] == .string("page_blank"))
            #expect(lines.contains { $0["report"]?["said"] == .bool(true) }, "its script ran")
            let report = lines.compactMap { $0["report"] }.last
            #expect(report?["version"] == .string("version 1.1.0 – grüße"))
            // And not again at the next start.
            let later = try shell.run(page: first, ["--seconds", "10"])
            #expect(shell.words(later, "shows") == ["1.1.0"])
            #expect(later.compactMap { $0["tookBack"] }.isEmpty)
        }

        @Test("a page that throws before it says anything is taken back for the shipped one")
        func throwing() throws {
            try shell.publish("1.1.0", 1, WebShell.site("1.1.0", script: "throw new Error('no');"))
            let lines = try shell.run(
                page: shell.reportWhenSettled, ["--ready-within", "3"])
            let back = try #require(lines.compactMap { $0["tookBack"] }.first, "\(lines)")
            #expect(back["code"] == .string("page_not_ready") && back["now"] == .null)
            let report = lines.compactMap { $0["report"] }.last
            #expect(report?["version"] == .string("version 1.0.0 – grüße"))
        }
    }
}

/// WebShell as an app whose bundle comes by releases.
struct ReleasedShell {
    let app: TestApp
    private let published: PublishedApp
    private let server: FaultServer

    /// For pages that work: they say so and report.
    let confirm = """
        await test("version", () => document.querySelector("h1").textContent);
        await test("confirmed", () => post("updaterConfirm"));
        """
    /// The same for a page that stays open when it is the first that a start of the app shows.
    let confirmAndStay = """
        const visits = Number(localStorage.getItem("visits") ?? 0) + 1;
        localStorage.setItem("visits", visits);
        await test("version", () => document.querySelector("h1").textContent);
        await test("confirmed", () => post("updaterConfirm"));
        if (visits === 1) await new Promise(() => {});
        """
    /// For the shipped page: it waits for a release the first time, and reports when it is back.
    let reportWhenSettled = """
        const visits = Number(localStorage.getItem("visits") ?? 0) + 1;
        localStorage.setItem("visits", visits);
        if (visits === 1) await new Promise(() => {});
        await test("version", () => document.querySelector("h1").textContent);
        """

    init() throws {
        app = try TestApp(builtin: ["1.0.0": WebShell.site("1.0.0")])
        let site = app.folder.file("site")
        published = try PublishedApp(site, fingerprint: "_any")
        server = try FaultServer(site)
        try app.folder.write(
            """
            {"v": 1, "app_key": "\(PublishedApp.appKey)", "app_id": "\(PublishedApp.appID)",
             "api_base_url": "\(server.baseURL.absoluteString)", "channel": "production",
             "platform": "linux", "embedded_sequence": 0,
             "floors": {"min_targets_version": 1, "min_sequence": 0}}
            """, to: "resources/patch-config.json")
        try Data(published.rootBytes).write(to: app.folder.file("resources/patch-root.json"))
    }

    func publish(_ version: String, _ sequence: Int, _ archive: [UInt8]) throws {
        try published.releaseBundle("app", archive, version: version, sequence: sequence)
    }

    /// A page whose script runs and says that all is well, and that shows nothing.
    func blankSite(_ version: String) throws -> [UInt8] {
        try makeBundle([
            "/index.html": """
            <!doctype html><title>blank</title><body><div id="app" style="display:none">hidden</div>
            <script type="module">
            const post = (name, params) =>
              window.webkit.messageHandlers.wvbIos.postMessage({ name, params });
            const said = await post("updaterConfirm");
            await post("report", { said });
            </script></body>
            """
        ])
    }

    /// Runs the app with `page` as the script of its shipped page.
    func run(page: String, _ arguments: [String] = []) throws -> [JSONValue] {
        try WebShell.start(
            app,
            [
                "--resources", app.folder.path + "/resources", "--state",
                app.folder.path + "/state", "--apply-now", "--check-every", "1",
            ] + arguments, script: page)
    }

    func words(_ lines: [JSONValue], _ name: String) -> [String] {
        lines.compactMap { line in line[name].map { $0.string ?? "shipped" } }
    }
}
