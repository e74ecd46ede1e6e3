import Foundation
import PatchServer
import TestSupport
import Testing

@testable import PatchCompiler
@testable import PatchPreview

@Suite("The preview in a real browser", .serialized)
struct PreviewTests {
    private static var browser: String? {
        ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
            .lazy.compactMap { Tools.find($0) }.first
    }

    private static func session(_ folder: URL) throws -> PreviewSession {
        var options = GuestBuildOptions()
        options.cacheFolder = Tools.builtProducts.appendingPathComponent("guest-test-cache")
        options.timeout = 600
        let builder = GuestBuilder(toolchain: try Toolchain.discover(), options: options)
        return PreviewSession(source: folder, builder: ViewModuleBuilder(builder)) { _ in }
    }

    @Test(
        "people click, type, toggle, pick, navigate, scroll, and see their edits",
        .enabled(if: browser != nil))
    func driven() async throws {
        let folder = try TemporaryDirectory("preview")
        let views = folder.url.appendingPathComponent("Views")
        try FileManager.default.copyItem(
            at: SharedData.checkout.appendingPathComponent("Examples/Views"), to: views)
        let session = try Self.session(views)
        session.build()
        #expect(session.buildFailure == nil)
        let watch = PreviewWatch(session, every: 0.1)
        defer { watch.stop() }
        let server = HTTPServer(handler: PreviewServer(session))
        try server.start(host: "127.0.0.1", port: 0)
        defer { server.stop(seconds: 1) }
        let pictures =
            ProcessInfo.processInfo.environment["OPENPATCH_PREVIEW_PICTURES"]
            ?? folder.url.appendingPathComponent("pictures").path
        let script = SharedData.checkout
            .appendingPathComponent("Tests/PreviewTests/Python/drive_preview.py")
        let port = server.port
        let arguments = [
            script.path, "http://127.0.0.1:\(port)", pictures,
            views.appendingPathComponent("Counter.swift").path,
        ]
        // From a thread of its own: the pool's threads answer the browser.
        let result = try await withCheckedThrowingContinuation { continuation in
            Thread {
                continuation.resume(
                    with: Result {
                        try ChildProcess.run(Tools.python, arguments, seconds: 600)
                    })
            }.start()
        }
        #expect(
            result.status == 0, "\(result.standardOutput)\n\(result.standardError)")
        let held = result.standardOutput.split(separator: "\n").filter { $0.hasPrefix("held") }
        #expect(held.count == 15, "\(result.standardOutput)")
        for line in result.standardOutput.split(separator: "\n") where line.hasPrefix("figure") {
            print("preview:", line)
        }
    }

    @Test("a page of somewhere else is refused")
    func otherOrigins() throws {
        let server = PreviewServer(try Self.session(URL(fileURLWithPath: "/nowhere")))
        func status(_ origin: String?) -> Int? {
            var headers: HTTPHeaders = ["host": "127.0.0.1:4330"]
            if let origin { headers.add("origin", origin) }
            let request = HTTPRequest(
                method: "GET", path: "/status", query: [], headers: headers,
                address: "127.0.0.1")
            guard case .respond(let response) = server.plan(for: request) else { return nil }
            return response.status
        }
        #expect(status(nil) == 200)
        #expect(status("http://127.0.0.1:4330") == 200)
        #expect(status("http://evil.example") == 403)
        #expect(status("null") == 403)
    }

    @Test("a folder without Swift files is said to be one")
    func empty() throws {
        let folder = try TemporaryDirectory("empty")
        let session = try Self.session(folder.url)
        session.build()
        #expect(session.buildFailure?.contains("no_sources") == true)
    }
}
