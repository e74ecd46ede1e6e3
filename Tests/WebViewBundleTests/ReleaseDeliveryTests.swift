import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

@testable import WebViewBundle

/// Who gets which release, and how its bytes come.
@Suite("Delivery of released bundles")
struct ReleaseDeliveryTests {
    @Test("a rollout reaches the devices that it grants, and a halt stops it")
    func rollout() async throws {
        let app = try ReleasedApp()
        let digest = try app.published.addBundle(
            "app", page("1.1.0"), version: "1.1.0", sequence: 1)
        func offer(_ grant: Int) throws {
            try app.published.setBundleHead("app") {
                $0.candidate = Candidate(
                    digest: digest, grant: grant, salt: String(repeating: "0", count: 32))
            }
        }
        try offer(0)
        #expect(try await app.releases.check("app") == nil)
        #expect(await (try app.releases.explain("app")).contains("outside_rollout"))
        try offer(10_000)
        #expect(try await app.update())
        #expect(await app.visit() == "version 1.1.0")
    }

    @Test("a channel has its own release, and a device that changes channel moves")
    func channels() async throws {
        let app = try ReleasedApp()
        try app.publish("1.1.0", 1)
        let beta = try app.published.addBundle(
            "app", page("2.0.0-beta"), version: "2.0.0-beta", sequence: 2)
        try app.published.setBundleHead("app", channel: "beta") { $0.stable = beta }
        try await app.update()
        #expect(await app.visit() == "version 1.1.0")
        await (try app.releases).setAudience(channel: "beta")
        #expect(try await app.update())
        #expect(await app.visit() == "version 2.0.0-beta")
    }

    @Test("a recalled version is left for the one that the app ships, without asking")
    func recall() async throws {
        let app = try ReleasedApp()
        let digest = try app.publish("1.1.0", 1)
        try await app.update()
        await app.call("updaterConfirm").ignore()
        try app.published.setBundleHead("app") {
            $0.stable = nil
            $0.recalled = [digest]
        }
        let update = try #require(try await app.releases.check("app"))
        #expect(update.isMandatory && update.reason == "recalled" && update.version == nil)
        #expect(try await app.releases.fetch("app") != nil)
        try await app.releases.apply("app")
        #expect(await app.visit() == "version 1.0.0")
        #expect(try app.manifest().entries["app"]?.currentVersion == nil)
    }

    @Test("a rollback sends devices to the version before, from their own disk")
    func rollback() async throws {
        let app = try ReleasedApp()
        let first = try app.publish("1.1.0", 1)
        try await app.update()
        await app.call("updaterConfirm").ignore()
        try app.publish("1.2.0", 2)
        try await app.update()
        try app.published.setBundleHead("app") { $0.stable = first }
        try app.server.setFaults(["bundles/": .status(500)])
        #expect(try await app.update())
        #expect(await app.visit() == "version 1.1.0")
    }

    @Test("a delta from the shipped bundle, and from a release, brings the new archive")
    func deltas() async throws {
        let (one, two) = (
            try page("1.1.0", padding: 60_000), try changed(page("1.1.0", padding: 60_000))
        )
        let app = try ReleasedApp()
        try app.published.releaseBundle("app", one, version: "1.1.0", sequence: 1)
        try await app.update()
        await app.call("updaterConfirm").ignore()
        try app.published.releaseBundle(
            "app", two, version: "1.2.0", sequence: 2, deltasFrom: [one])
        try app.server.setFaults(["bundles/": .status(500)])
        #expect(try await app.update())
        #expect(await app.visit() == "version 1.1.0, changed")

        let fresh = try ReleasedApp()
        let shipped = try page("1.0.0", padding: 60_000)
        try Data(shipped).write(to: fresh.folder.file("builtin/app/app_1.0.0.wvb"))
        try fresh.published.releaseBundle(
            "app", changed(shipped), version: "1.1.0", sequence: 1, deltasFrom: [shipped])
        try fresh.server.setFaults(["bundles/": .status(500)])
        #expect(try await fresh.update())
        #expect(await fresh.visit() == "version 1.0.0, changed")
    }

    /// The same archive with another first page.
    private func changed(_ archive: [UInt8]) throws -> [UInt8] {
        let reader = try BundleReader(bytes: archive)
        var builder = BundleBuilder()
        for entry in reader.entries {
            var contents = try reader.contents(of: entry)
            if entry.path == "/index.html" { contents += Array(", changed".utf8) }
            try builder.insertEntry(entry.path, data: contents)
        }
        return try builder.build()
    }

    @Test("a download cut at every tenth goes on where it ended, and brings the archive")
    func resume() async throws {
        for percent in stride(from: 10, through: 90, by: 10) {
            let app = try ReleasedApp()
            let archive = try page("1.1.0", padding: 100_000)
            try app.publish("1.1.0", 1, archive)
            try app.server.setFaults(["bundles/": .cut(after: archive.count * percent / 100)])
            #expect(try await app.update(), "\(percent) %")
            #expect(await app.visit() == "version 1.1.0", "\(percent) %")
            let asked = app.server.requests.filter { $0.contains("bundles/") }
            #expect(asked.count > 1 && asked.last?.contains("bytes=") == true, "\(asked)")
        }
    }

    @Test("a release that requires what the app does not offer is not taken")
    func capabilities() async throws {
        let app = try ReleasedApp { $0.capabilities = ["app.camera"] }
        func offer(_ version: String, _ sequence: Int, _ needs: [String]) throws {
            let digest = try app.published.addBundle(
                "app", page(version), version: version, sequence: sequence
            ) { $0.capabilities = needs }
            try app.published.setBundleHead("app") { $0.stable = digest }
        }
        try offer("1.1.0", 1, ["app.nfc"])
        #expect(try await app.releases.check("app") == nil)
        #expect(await (try app.releases.explain("app")).contains("capability_denied"))
        try offer("1.2.0", 2, ["app.camera"])
        #expect(try await app.update())
        #expect(await app.visit() == "version 1.2.0")
    }

    @Test("a head that names an archive of another bundle brings nothing")
    func otherBundle() async throws {
        let app = try ReleasedApp(bundles: ["app", "shop"])
        let other = try app.published.addBundle(
            "shop", page("9.0.0"), version: "9.0.0", sequence: 1)
        try app.published.setBundleHead("app") { $0.stable = other }
        #expect(try await app.releases.check("app") == nil)
        #expect(await (try app.releases.explain("app")).contains("release_missing"))
        try app.published.setBundleHead("shop") { $0.stable = other }
        #expect(try await app.releases.update("shop"))
        #expect(await app.visit("app://shop.wvb/") == "version 9.0.0")
        #expect(await app.visit() == "version 1.0.0")
    }

    @Test("a bundle that ships with the app and is newer than the release wins")
    func storeUpdate() async throws {
        let app = try ReleasedApp()
        try app.publish("1.1.0", 1)
        try await app.update()
        await app.call("updaterConfirm").ignore()
        let source = try TestApp(builtin: ["2.0.0": page("2.0.0")])
        try FileManager.default.removeItem(at: app.folder.file("builtin"))
        try FileManager.default.copyItem(
            at: source.folder.file("builtin"), to: app.folder.file("builtin"))
        app.config.embeddedSequence = 5
        try app.restart()
        #expect(await app.visit() == "version 2.0.0")
        #expect(try await app.releases.update("app"), "the core leaves the old release too")
        #expect(await app.visit() == "version 2.0.0")
        try app.publish("2.1.0", 6)
        #expect(try await app.update())
        #expect(await app.visit() == "version 2.1.0")
    }

    @Test("signed bytes that are no archive are refused and not fetched again")
    func malformed() async throws {
        let app = try ReleasedApp()
        var archive = try page("1.1.0")
        archive[archive.count - 1] ^= 1
        try app.publish("1.1.0", 1, archive)
        #expect(try await app.releases.check("app") != nil)
        #expect(await failure { _ = try await app.releases.fetch("app") } == "bundle_malformed")
        #expect(try await app.releases.check("app") == nil)
        #expect(await app.visit() == "version 1.0.0")
    }

    @Test("bytes that are not those signed are refused", arguments: [true, false])
    func forged(isLonger: Bool) async throws {
        let app = try ReleasedApp()
        try app.publish("1.1.0", 1)
        let file = try app.published.bundleFile("app", version: "1.1.0")
        var bytes = [UInt8](try Data(contentsOf: file))
        if isLonger { bytes.append(0) } else { bytes[bytes.count / 2] ^= 1 }
        try Data(bytes).write(to: file)
        let code = await failure { _ = try await app.releases.update("app") }
        #expect(["digest_mismatch", "size_mismatch", "answer_too_large"].contains(code))
        #expect(await app.visit() == "version 1.0.0")
    }

    @Test("an archive that was changed on the disk is not served, and comes anew")
    func damagedSlot() async throws {
        let app = try ReleasedApp()
        let digest = try app.publish("1.1.0", 1)
        try await app.update()
        await app.call("updaterConfirm").ignore()
        // In place, so that the name in the folder of bundles sees it too.
        let handle = try FileHandle(
            forWritingTo: app.folder.file("state/app/slots/\(digest)"))
        try handle.seek(toOffset: 60)
        try handle.write(contentsOf: Data([0xFF, 0xFF]))
        try handle.close()
        try app.restart()
        #expect(await app.visit() == "version 1.0.0")
        #expect(app.problems.contains("slot_damaged"))
        #expect(try await app.update(), "what was only lost is no failure of the release")
        #expect(await app.visit() == "version 1.1.0")
    }

    @Test("without a network the app shows what it has and says so")
    func offline() async throws {
        let app = try ReleasedApp()
        try app.publish("1.1.0", 1)
        try await app.update()
        await app.call("updaterConfirm").ignore()
        app.server.stop()
        try app.restart()
        #expect(await app.visit() == "version 1.1.0")
        #expect(await failure { _ = try await app.releases.check("app") } == "server_unreachable")
    }

    @Test("an app without a root of trust serves its bundles and takes no release")
    func noTrust() async throws {
        let app = try ReleasedApp { $0.trust = .bundledRoot }
        #expect(try app.releases.problems.contains { $0.contains("root_missing") })
        #expect(await app.visit() == "version 1.0.0")
        #expect(await failure { _ = try await app.releases.check("app") } == "root_missing")
    }

    @Test("the server is told what happened to releases, in the words that modules use")
    func telemetry() async throws {
        let app = try ReleasedApp { $0.telemetry = .on }
        let digest = try app.publish("1.1.0", 1)
        try await app.update()
        try await app.releases.pageFailed("app", detail: "gone")
        let file = app.folder.file("state/outbox")
        func told() -> String {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: file.path)) ?? []
            return names.compactMap {
                try? String(contentsOf: file.appendingPathComponent($0), encoding: .utf8)
            }.joined()
        }
        for word in ["\"check\"", "\"download\"", "\"activate\"", "\"rollback\"", "page_failed"] {
            #expect(try await app.eventually { told().contains(word) }, "\(word)")
        }
        #expect(told().contains(digest))
    }

    @Test("a page drives the whole cycle with the commands that it knows")
    func bridge() async throws {
        let app = try ReleasedApp()
        await app.visit()
        try app.publish("1.1.0", 1)
        guard case .success(let info) = await app.call("updaterGetUpdate") else {
            Issue.record("no answer")
            return
        }
        #expect(info["isAvailable"] == .bool(true) && info["version"] == .string("1.1.0"))
        #expect(info["localVersion"] == .string("1.0.0"))
        let named: [String: JSONValue] = [
            "bundleName": .string("app"), "version": .string("1.1.0"),
        ]
        if case .failure(let failure) = await app.call("updaterDownload", named) {
            Issue.record("\(failure)")
        }
        #expect(await app.call("updaterInstall", named) == .success(.null))
        #expect(await app.visit() == "version 1.1.0")
        #expect(await app.call("updaterConfirm", [:]) == .success(.bool(true)))
        let wrong = named.merging(["version": .string("9.9.9")]) { $1 }
        guard case .failure(let failure) = await app.call("updaterInstall", wrong) else {
            Issue.record("a version that nobody published was installed")
            return
        }
        #expect(failure.code == "bundle_version_not_found")
    }

    @Test("pages cannot take out of the folder what releases put there, whatever is granted")
    func refusedCommands() async throws {
        let app = try ReleasedApp()
        let bridge = BridgeDispatcher(
            commands: BridgeCommands.all(
                source: app.instance.source, remote: nil, updater: nil,
                releases: app.instance.releases),
            own: nil, policy: BridgePolicy(permissions: .all), schemes: ["app"])
        for name in ["sourceUpdateVersion", "sourceRemoveRemoteBundle", "sourcePruneRemoteBundles"]
        {
            let reply = await bridge.dispatch(
                .object([
                    "name": .string(name),
                    "params": .object([
                        "bundleName": .string("app"), "version": .string("1.0.0"),
                    ]),
                ]), from: BridgeCaller(url: "app://app.wvb/", isMainFrame: true))
            guard case .failure(let failure) = reply else {
                Issue.record("\(name) was carried out")
                continue
            }
            #expect(failure.code == "bundle_is_released")
        }
    }
}
