import Foundation
import PatchCrypto
import TestSupport
import Testing
import UpdateTestSupport

@testable import WebViewBundle

/// Processes that share the folders of an app, die in the middle, or meet a full disk.
@Suite("Processes and bundles", .serialized)
struct ProcessTests {
    private static let child = Tools.builtProducts.appendingPathComponent("bundle-child").path

    private func start(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(Self.child, arguments, environment: ["OPENPATCH_DEV": "1"])
    }

    private func install(_ app: TestApp, _ remote: TestRemote, _ versions: [String]) -> [String] {
        ["install", app.folder.path + "/builtin", app.folder.path + "/remote", remote.endpoint]
            + versions
    }

    @Test("two processes that install at once leave one version that is served, listed and whole")
    func installs() throws {
        let app = try TestApp(builtin: ["1.0.0": page("1.0.0")])
        let remote = try TestRemote()
        remote.allowOther = true
        let versions = (1...6).map { "1.\($0).0" }
        for version in versions {
            try remote.publish("app", version, page(version, padding: 9_000))
        }
        let children = try (0..<2).map { _ in try start(install(app, remote, versions)) }
        for child in children {
            let result = try child.wait()
            #expect(result.status == 0, "\(result.standardOutput)")
        }
        let source = app.restarted()
        #expect(source.loadVersion("app")?.version == "1.6.0")
        #expect(shown(source) == "version 1.6.0")
        let manifest = try BundleManifest(
            json: [UInt8](Data(contentsOf: app.folder.file("remote/manifest.json"))))
        #expect(manifest.entries["app"]?.currentVersion == "1.6.0")
        let listed = manifest.entries["app"]?.versions.keys.map { "app_\($0).wvb" } ?? []
        #expect(Set(listed) == Set(app.remoteFiles()))
        #expect(app.leftOvers() == [])
    }

    @Test("a process killed at any moment leaves a version that is served whole")
    func kills() throws {
        let app = try TestApp(builtin: ["1.0.0": page("1.0.0")])
        let remote = try TestRemote()
        remote.allowOther = true
        let versions = (1...4).map { "1.\($0).0" }
        for version in versions {
            try remote.publish("app", version, page(version, padding: 9_000))
        }
        var random = SeededGenerator()
        for _ in 0..<12 {
            let child = try start(install(app, remote, versions))
            usleep(UInt32(random.next() % 120_000))
            child.kill()
            _ = try child.wait()
            let source = app.restarted()
            let version = try #require(source.loadVersion("app")?.version, "\(random)")
            #expect(shown(source) == "version \(version)", "\(random)")
        }
        let result = try start(install(app, remote, versions)).wait()
        #expect(
            result.standardOutput.hasSuffix("shows 1.4.0\n"), "\(result.standardOutput) \(random)")
        #expect(app.leftOvers() == [], "\(random)")
    }

    @Test("a disk that is full during a download leaves what is served, and says so")
    func fullDisk() throws {
        let app = try TestApp(builtin: ["1.0.0": page("1.0.0")])
        let remote = try TestRemote()
        try remote.publish("app", "1.1.0", page("1.1.0", padding: 200_000))
        let limited = try ChildProcess(
            "bash",
            [
                "-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"", Self.child,
            ] + install(app, remote, ["1.1.0"]))
        let result = try limited.wait()
        #expect(result.status == 1)
        #expect(
            result.standardOutput == "failed bundle_storage_failed\n", "\(result.standardOutput)")
        #expect(shown(app.restarted()) == "version 1.0.0")
        let later = try start(install(app, remote, ["1.1.0"])).wait()
        #expect(later.standardOutput.hasSuffix("shows 1.1.0\n"))
    }

    private func follow(_ app: TestApp) -> [String] {
        ["follow"] + ["builtin", "remote", "resources", "state"].map { app.folder.path + "/" + $0 }
    }

    private func publisher(_ app: TestApp) throws -> (PublishedApp, FaultServer) {
        let site = app.folder.file("site")
        let published = try PublishedApp(site, fingerprint: "_any")
        let server = try FaultServer(site)
        try app.folder.write(
            """
            {"v": 1, "app_key": "\(PublishedApp.appKey)", "app_id": "\(PublishedApp.appID)",
             "api_base_url": "\(server.baseURL.absoluteString)", "channel": "production",
             "platform": "linux"}
            """, to: "resources/patch-config.json")
        try Data(published.rootBytes).write(to: app.folder.file("resources/patch-root.json"))
        return (published, server)
    }

    @Test("two processes that follow a release at once end with that release")
    func followers() throws {
        let app = try TestApp(builtin: ["1.0.0": page("1.0.0")])
        let (published, server) = try publisher(app)
        for (sequence, version) in ["1.1.0", "1.2.0"].enumerated() {
            try published.releaseBundle(
                "app", page(version, padding: 9_000), version: version, sequence: sequence + 1)
            let children = try (0..<2).map { _ in try start(follow(app)) }
            for child in children {
                let result = try child.wait()
                let told = result.standardOutput
                // The slower one may find the state or a download in the other's hands.
                let isFine =
                    result.status == 0 || told == "failed state_busy\n"
                    || told == "failed not_staged\n"
                #expect(isFine, "\(told) \(result.standardError)")
            }
            let last = try start(follow(app)).wait()
            #expect(last.standardOutput == "shows version \(version)\n", "\(last.standardError)")
        }
        _ = server
    }

    @Test("a full disk keeps a release out and the app on what it has")
    func fullDiskRelease() throws {
        let app = try TestApp(builtin: ["1.0.0": page("1.0.0")])
        let (published, server) = try publisher(app)
        try published.releaseBundle(
            "app", page("1.1.0", padding: 200_000), version: "1.1.0", sequence: 1)
        let limited = try ChildProcess(
            "bash",
            ["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"", Self.child] + follow(app),
            environment: ["OPENPATCH_DEV": "1"])
        let result = try limited.wait()
        #expect(result.status == 1)
        #expect(
            ["failed state_unwritable\n", "failed disk_full\n"].contains(result.standardOutput),
            "\(result.standardOutput)")
        let later = try start(follow(app)).wait()
        #expect(later.standardOutput == "shows version 1.1.0\n", "\(later.standardOutput)")
        _ = server
    }
}
