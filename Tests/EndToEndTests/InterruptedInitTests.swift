import Foundation
import TestSupport
import Testing

/// `patchcli init` goes on after it was cut off, whatever was written by then.
@Suite struct InterruptedInitTests {
    private func files(_ loop: Loop) -> (root: URL, resource: URL) {
        (
            loop.app.appendingPathComponent(".openpatch/root.json"),
            loop.app.appendingPathComponent("Resources/patch-root.json")
        )
    }

    private func remove(_ urls: URL...) throws {
        for url in urls { try FileManager.default.removeItem(at: url) }
    }

    @Test("cut off after the root was published, it takes that root and makes no other app")
    func afterPublishing() throws {
        let loop = try Loop("init-published")
        try loop.startServer()
        _ = try loop.json(
            "init", "--server", loop.address, "--admin-token-file", "\(loop.data.path)/admin-token")
        let (app, (root, resource)) = (loop.appKey, files(loop))
        let signed = try Data(contentsOf: root)
        try remove(root, resource)
        let again = try loop.json("init")
        #expect(again["app_key"] as? String == app)
        #expect(try Data(contentsOf: root) == signed)
        #expect(try Data(contentsOf: resource) == signed)
        _ = try loop.json("prepare")
        _ = try loop.json("fingerprint", "register")
    }

    @Test("cut off before the root was published, it publishes one with the server's key")
    func beforePublishing() throws {
        let loop = try Loop("init-unpublished")
        try loop.startServer()
        _ = try loop.json(
            "init", "--server", loop.address, "--admin-token-file", "\(loop.data.path)/admin-token")
        let app = loop.appKey
        // As if the upload had never come.
        _ = try loop.stopServer()
        try remove(
            files(loop).root, files(loop).resource,
            loop.data.appendingPathComponent("apps/\(app)/tree"))
        try loop.startServer()
        let again = try loop.json("init")
        #expect(again["app_key"] as? String == app)
        _ = try loop.json("prepare")
        _ = try loop.json("fingerprint", "register")
    }

    @Test("a project that may not be written makes no app on the server")
    func refusedConfiguration() throws {
        let loop = try Loop("init-refused")
        try loop.startServer()
        let refused = try loop.cli(
            "init", "--server", loop.address, "--admin-token-file",
            "\(loop.data.path)/admin-token", "--resources", "../outside")
        #expect(refused.status == 78, "\(refused)")
        let apps = try? FileManager.default.contentsOfDirectory(
            atPath: loop.data.appendingPathComponent("apps").path)
        #expect(apps ?? [] == [])
    }

    @Test("a static project cut off before its tree was written stays a static project")
    func staticProject() throws {
        let loop = try Loop("init-static")
        _ = try loop.json("init", "--base-url", "https://cdn.example.com")
        let (app, tree) = (loop.appKey, loop.app.appendingPathComponent(".openpatch/tree"))
        try remove(files(loop).root, files(loop).resource, tree)
        try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: true)
        let again = try loop.json("init")
        #expect(again["app_key"] as? String == app && again["mode"] as? String == "static")
        _ = try loop.json("prepare")
        _ = try loop.json("fingerprint", "register")
    }

    @Test("on a machine without the root keys it makes none up, and says what was lost")
    func otherMachine() throws {
        let loop = try Loop("init-elsewhere")
        try loop.startServer()
        _ = try loop.json(
            "init", "--server", loop.address, "--admin-token-file", "\(loop.data.path)/admin-token")
        try remove(files(loop).root)
        let elsewhere = loop.folder.file("elsewhere").path
        let result = try loop.cli("init", environment: ["XDG_CONFIG_HOME": elsewhere])
        #expect(result.status == 78)
        #expect(result.standardError.contains("root_lost") || result.standardError.contains("root"))
        #expect(!FileManager.default.fileExists(atPath: "\(elsewhere)/openpatch/keys"))
    }
}
