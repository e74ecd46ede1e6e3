import Foundation
import TestSupport
import Testing

@testable import WebViewBundle

@Suite("Sources")
struct SourceTests {
    // MARK: Names and versions

    @Test(
        "what could not be a file name on some system is no name and no version",
        arguments: [
            "", ".", "..", ".x", "x.", "a/b", "a\\b", "a b", "ü", "con", "CON", "Nul.txt", "com1.x",
            "LPT9", "a\0", "a%2f", String(repeating: "a", count: 129),
        ])
    func badNames(name: String) {
        #expect(failure { try BundleNaming.check(name: name) } == "bundle_name_refused")
        #expect(failure { try BundleNaming.check(version: name) } == "bundle_version_refused")
    }

    @Test(
        "usual names and versions are taken", arguments: ["app", "My_App-2", "1.0.0-rc.1", "com10"])
    func goodNames(name: String) { #expect(BundleNaming.problem(with: name) == nil) }

    @Test("versions are ordered as Semantic Versioning says")
    func order() throws {
        let ordered = [
            "0.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
            "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2", "1.10", "2", "2025.7.31",
        ]
        for (low, high) in zip(ordered, ordered.dropFirst()) {
            #expect(BundleVersion.isNewer(high, than: low), "\(high) after \(low)")
            #expect(BundleVersion.isOlder(low, than: high))
            #expect(!BundleVersion.isNewer(low, than: high))
        }
        #expect(!BundleVersion.isNewer("1.0.0+b", than: "v1.0"))
        #expect(BundleVersion.isNewer("abc", than: "1.0"), "without an order, differing is newer")
        #expect(!BundleVersion.isOlder("abc", than: "1.0"))
    }

    // MARK: Manifests of other implementations

    @Test("a folder of another implementation is read as it is, and its manifest stays readable")
    func foreignFolder() throws {
        let app = try TestApp()
        for version in ["1.0.0", "0.9.0"] {
            let file = app.folder.file("remote/app/app_\(version).wvb")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(page(version)).write(to: file)
        }
        try app.folder.write(
            """
            {"manifestVersion":1,"future":true,"entries":{"app":{"versions":{"1.0.0":
            {"etag":"e","integrity":"sha256:x","extra":1},"0.9.0":{}},"currentVersion":"1.0.0",
            "previousVersion":"0.9.0"}}}
            """, to: "remote/manifest.json")
        #expect(shown(app.source) == "version 1.0.0")
        #expect(app.source.metadata(.remote, "app", "1.0.0")?.etag == "e")
        #expect(app.source.remoteRetainedVersions("app") == ["0.9.0", "1.0.0"])
        try app.source.writeRemoteBundle("app", "1.1.0", data: page("1.1.0"))
        try app.source.updateVersion("app", "1.1.0")
        let manifest = try BundleManifest(
            json: [UInt8](Data(contentsOf: app.folder.file("remote/manifest.json"))))
        #expect(manifest.entries["app"]?.currentVersion == "1.1.0")
        #expect(manifest.entries["app"]?.previousVersion == "1.0.0")
        #expect(manifest.entries["app"]?.versions["1.0.0"]?.integrity == "sha256:x")
    }

    @Test(
        "a manifest that is damaged, of another version or full of bad names leaves the builtin page",
        arguments: [
            "", "{", "[]", #"{"manifestVersion":2,"entries":{}}"#, #"{"entries":{}}"#,
            #"{"manifestVersion":1,"entries":{"app":{"versions":{},"currentVersion":"9.9.9"}}}"#,
            #"{"manifestVersion":1,"entries":{"../x":{"versions":{"1":{}},"currentVersion":"1"}}}"#,
            #"{"manifestVersion":1,"entries":{"app":{"versions":{"../..":{}},"currentVersion":"../.."}}}"#,
        ])
    func damagedManifest(text: String) throws {
        let app = try TestApp(builtin: ["1.0.0": page("1.0.0")])
        try app.folder.write(text, to: "remote/manifest.json")
        #expect(shown(app.source) == "version 1.0.0")
        try app.source.writeRemoteBundle("app", "1.1.0", data: page("1.1.0"))
        try app.source.updateVersion("app", "1.1.0")
        #expect(shown(app.restarted()) == "version 1.1.0")
    }

    // MARK: Which version is served

    @Test("a download wins over the builtin version, until the app brings a newer one")
    func storeUpdate() throws {
        let app = try TestApp(builtin: ["1.0.0": page("1.0.0")])
        #expect(app.source.loadVersion("app") == LoadedVersion(type: .builtin, version: "1.0.0"))
        try app.source.writeRemoteBundle("app", "1.1.0", data: page("1.1.0"))
        #expect(shown(app.source) == "version 1.0.0", "a download alone changes nothing")
        try app.source.updateVersion("app", "1.1.0")
        #expect(shown(app.source) == "version 1.1.0")
        try app.replaceBuiltin(["1.0.5": page("1.0.5")])
        #expect(shown(app.restarted()) == "version 1.1.0", "the app's is still older")
        try app.replaceBuiltin(["2.0.0": page("2.0.0")])
        #expect(shown(app.restarted()) == "version 2.0.0")
        #expect(shown(app.source) == "version 2.0.0", "also in a process that runs on")
    }

    @Test("what was deliberately installed beside a newer builtin version stays")
    func deliberate() throws {
        let app = try TestApp(builtin: ["2.0.0": page("2.0.0")])
        try app.source.writeRemoteBundle("app", "1.9.0", data: page("1.9.0"))
        try app.source.updateVersion("app", "1.9.0")
        #expect(shown(app.source) == "version 1.9.0")
        #expect(shown(app.restarted()) == "version 1.9.0")
    }

    @Test("a bundle that nobody has is an error with its name")
    func unknown() throws {
        let app = try TestApp()
        #expect(app.source.loadVersion("nope") == nil)
        #expect(failure { _ = try app.source.fetchBundle("nope") } == "bundle_not_found")
        #expect(failure { _ = try app.source.fetchBundle("../x") } == "bundle_not_found")
        #expect(failure { try app.source.updateVersion("app", "1") } == "bundle_version_not_found")
        #expect(
            failure { try app.source.writeRemoteBundle("../x", "1", data: page("1")) }
                == "bundle_name_refused")
    }

    @Test("every version of both folders is listed")
    func listing() throws {
        let app = try TestApp(builtin: ["1.0.0": page("1.0.0")])
        try app.source.writeRemoteBundle(
            "app", "1.1.0", data: page("1.1.0"), metadata: BundleMetadata(etag: "e"))
        try app.source.writeRemoteBundle("app", "1.2.0", data: page("1.2.0"))
        try app.source.updateVersion("app", "1.2.0")
        let lines = app.source.listBundles().map {
            "\($0.type) \($0.name) \($0.version) \($0.current)"
        }
        #expect(
            lines == [
                "builtin app 1.0.0 true", "remote app 1.1.0 false", "remote app 1.2.0 true",
            ])
    }

    // MARK: Changes

    @Test("pruning leaves the current, the previous and the last version that worked")
    func pruning() throws {
        let app = try TestApp()
        for version in ["1", "2", "3", "4"] {
            try app.source.writeRemoteBundle("app", version, data: page(version))
            try app.source.updateVersion("app", version)
            if version == "2" { try app.source.confirm("app") }
        }
        #expect(app.source.remoteRetainedVersions("app") == ["2", "3", "4"])
        #expect(try app.source.pruneRemoteBundles("app") == ["1"])
        #expect(app.remoteFiles() == ["app_2.wvb", "app_3.wvb", "app_4.wvb"])
        try app.source.confirm("app")
        #expect(try app.source.pruneRemoteBundles("app") == ["2"])
        #expect(try app.source.pruneRemoteBundles("app") == [])
    }

    @Test(
        "a version that does not work is taken back to the last one that did, and not offered again"
    )
    func reverting() throws {
        let app = try TestApp(builtin: ["1": page("1")])
        for version in ["2", "3"] {
            try app.source.writeRemoteBundle("app", version, data: page(version))
            try app.source.updateVersion("app", version)
            if version == "2" { try app.source.confirm("app") }
        }
        #expect(try app.source.revert("app") == LoadedVersion(type: .remote, version: "2"))
        #expect(shown(app.restarted()) == "version 2")
        #expect(app.source.remoteState().bundles["app"]?.rejected == ["3"])
        #expect(try app.source.revert("app") == LoadedVersion(type: .builtin, version: "1"))
        #expect(shown(app.source) == "version 1")
        #expect(try app.source.revert("app") == LoadedVersion(type: .builtin, version: "1"))
    }

    @Test("the current version is not removed, others are")
    func removing() throws {
        let app = try TestApp()
        for version in ["1", "2"] {
            try app.source.writeRemoteBundle("app", version, data: page(version))
            try app.source.updateVersion("app", version)
        }
        #expect(
            failure { try app.source.removeRemoteBundle("app", "2") } == "bundle_version_in_use")
        #expect(try app.source.removeRemoteBundle("app", "1"))
        #expect(try !app.source.removeRemoteBundle("app", "1"))
        #expect(app.remoteFiles() == ["app_2.wvb"])
        #expect(app.source.remoteState().bundles["app"]?.previous == nil)
    }

    @Test("a version in use keeps its bytes; one that is not may be published again")
    func republishing() throws {
        let app = try TestApp()
        try app.source.writeRemoteBundle("app", "1", data: page("one"))
        try app.source.writeRemoteBundle("app", "1", data: page("two"))
        try app.source.updateVersion("app", "1")
        #expect(shown(app.source) == "version two")
        #expect(
            failure { try app.source.writeRemoteBundle("app", "1", data: page("three")) }
                == "bundle_version_in_use")
        try app.source.writeRemoteBundle("app", "1", data: page("two"))
        #expect(shown(app.source) == "version two")
        #expect(app.leftOvers().isEmpty)
    }

    @Test("an archive that cannot be served is not stored")
    func damagedArchive() throws {
        let app = try TestApp()
        var bytes = try page("1")
        bytes[bytes.count - 1] ^= 1
        #expect(
            failure { try app.source.writeRemoteBundle("app", "1", data: bytes) }
                == "bundle_data_checksum")
        #expect(app.remoteFiles().isEmpty && app.leftOvers().isEmpty)
    }

    @Test("a current file that became unreadable gives the previous page, then the builtin one")
    func damageOnDisk() throws {
        let app = try TestApp(builtin: ["1": page("1")])
        for version in ["2", "3"] {
            try app.source.writeRemoteBundle("app", version, data: page(version))
            try app.source.updateVersion("app", version)
        }
        #expect(shown(app.source) == "version 3")
        try Data("broken".utf8).write(to: app.folder.file("remote/app/app_3.wvb"))
        #expect(shown(app.source) == "version 2")
        try FileManager.default.removeItem(at: app.folder.file("remote/app/app_2.wvb"))
        #expect(shown(app.restarted()) == "version 1")
        try FileManager.default.removeItem(at: app.folder.file("builtin/app/app_1.wvb"))
        #expect(failure { _ = try app.restarted().fetchBundle("app") } == "bundle_bad_magic")
    }

    @Test("a bundle that is open stays readable when another version is installed and pruned")
    func inFlight() throws {
        let app = try TestApp()
        try app.source.writeRemoteBundle("app", "1", data: page("1"))
        try app.source.updateVersion("app", "1")
        let old = try app.source.fetchBundle("app")
        for version in ["2", "3"] {
            try app.source.writeRemoteBundle("app", version, data: page(version))
            try app.source.updateVersion("app", version)
        }
        try app.source.pruneRemoteBundles("app")
        #expect(app.remoteFiles() == ["app_2.wvb", "app_3.wvb"])
        #expect(try old.contents(at: "/index.html") == Array("version 1".utf8))
        #expect(shown(app.source) == "version 3")
        #expect(app.source.unloadDescriptor("app"))
        #expect(!app.source.unloadDescriptor("app"))
    }

    // MARK: Crashes and processes

    @Test("after a crash between state and manifest the state counts and the manifest is mended")
    func crashBetweenFiles() throws {
        let app = try TestApp()
        try app.source.writeRemoteBundle("app", "1", data: page("1"))
        try app.source.updateVersion("app", "1")
        let old = try Data(contentsOf: app.folder.file("remote/manifest.json"))
        try app.source.writeRemoteBundle("app", "2", data: page("2"))
        try app.source.updateVersion("app", "2")
        // As if the process had ended before the second file was written.
        try old.write(to: app.folder.file("remote/manifest.json"))
        let next = app.restarted()
        #expect(shown(next) == "version 2")
        try next.confirm("app")
        let manifest = try BundleManifest(
            json: [UInt8](Data(contentsOf: app.folder.file("remote/manifest.json"))))
        #expect(manifest.entries["app"]?.currentVersion == "2")
    }

    @Test("a damaged state file falls back to the manifest")
    func damagedState() throws {
        let app = try TestApp()
        try app.source.writeRemoteBundle("app", "1", data: page("1"))
        try app.source.updateVersion("app", "1")
        try Data("{".utf8).write(to: app.folder.file("remote/\(SourceState.fileName)"))
        #expect(shown(app.restarted()) == "version 1")
    }

    @Test("another process's install is seen without restarting")
    func otherProcess() throws {
        let app = try TestApp()
        try app.source.writeRemoteBundle("app", "1", data: page("1"))
        try app.source.updateVersion("app", "1")
        #expect(shown(app.source) == "version 1")
        let other = app.restarted()
        try other.writeRemoteBundle("app", "2", data: page("2"))
        try other.updateVersion("app", "2")
        #expect(shown(app.source) == "version 2")
    }

    @Test("many installs at once leave one consistent state")
    func concurrent() async throws {
        let app = try TestApp()
        let versions = (1...12).map { "1.\($0)" }
        await withTaskGroup(of: String?.self) { group in
            for version in versions {
                let source = app.restarted()
                group.addTask {
                    failure {
                        try source.writeRemoteBundle("app", version, data: page(version))
                        try source.updateVersion("app", version)
                    }
                }
            }
            for await code in group { #expect(code == nil) }
        }
        let state = app.source.remoteState().bundles["app"]
        #expect(state?.versions.keys.sorted() == versions.sorted())
        let current = try #require(state?.current)
        #expect(shown(app.source) == "version \(current)")
        #expect(app.source.remoteState().manifest.entries["app"]?.currentVersion == current)
    }

    @Test("a folder that cannot be written says so")
    func unwritable() throws {
        let app = try TestApp()
        try app.folder.write("a file where the folder should be", to: "remote")
        #expect(
            failure { try app.source.writeRemoteBundle("app", "1", data: page("1")) }
                == "bundle_storage_failed")
    }
}
