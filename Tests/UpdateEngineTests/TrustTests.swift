import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import TUF
import TUFRepository
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

/// Nothing unsigned, stale or foreign gets in.
@Suite struct TrustTests {
    let fixture: EngineFixture

    init() async throws {
        fixture = try EngineFixture()
        try fixture.app.release(EngineFixture.payload("one"), version: "1.1", sequence: 1)
        try await fixture.update()
    }

    func publishTwo() throws {
        try fixture.app.release(EngineFixture.payload("two"), version: "1.2", sequence: 2)
    }

    func check() async -> Reason? {
        await fixture.failure { _ = try await fixture.engine.check() }
    }

    @Test("S01: one flipped bit in any document is refused, and the release that runs stays")
    func S01_bitFlips() async throws {
        try publishTwo()
        let metadata = fixture.app.folder.appendingPathComponent("metadata")
        let names = try FileManager.default.contentsOfDirectory(atPath: metadata.path)
        let newest =
            ["timestamp.json"]
            + ["snapshot", "build-\(PublishedApp.fingerprint.prefix(16))"].compactMap { role in
                names.filter { $0.hasSuffix(".\(role).json") }
                    .max { ($0.count, $0) < ($1.count, $1) }
            }
        #expect(newest.count == 3)
        for name in newest {
            let file = metadata.appendingPathComponent(name)
            let good = try Data(contentsOf: file)
            for part in 1...4 {
                var bad = good
                bad[good.count * part / 5] ^= 1
                try bad.write(to: file)
                let reason = await check()
                #expect(reason?.band == .trust, "\(name): \(String(describing: reason))")
                #expect(try await fixture.engine.open().current?.version == "1.1")
            }
            try good.write(to: file)
        }
        #expect(await check() == nil)
    }

    @Test("a head that is longer than signed is refused")
    func longHead() async throws {
        try publishTwo()
        try fixture.server.setFaults(["/heads/": .grow(by: 1)])
        #expect(await check() == .answerTooLarge)
        try fixture.server.setFaults([:])
        #expect(await check() == nil)
    }

    @Test("metadata of another app's keys is refused")
    func foreignKeys() async throws {
        let other = try PublishedApp(fixture.folder.file("other"))
        try other.release(EngineFixture.payload("evil"), version: "9.9", sequence: 99)
        let files = FileManager.default
        try files.removeItem(at: fixture.app.folder)
        try files.copyItem(at: other.folder, to: fixture.app.folder)
        fixture.restart()
        #expect(await check() == .metadataInvalid)
        #expect(try await fixture.engine.open().current?.version == "1.1")
    }

    @Test("S02: an old release in a new answer that nobody signed is refused")
    func S02_unsigned() async throws {
        let timestamp = fixture.app.folder.appendingPathComponent("metadata/timestamp.json")
        let old = try Data(contentsOf: timestamp)
        try publishTwo()
        try await fixture.update()
        var document = try #require(try JSONValue(parsing: [UInt8](old)).object)
        var signed = try #require(document["signed"]?.object)
        signed["version"] = 1_000
        document["signed"] = .object(signed)
        for signatures in [document["signatures"] ?? [], []] {
            document["signatures"] = signatures
            try Data(JSONValue.object(document).encoded()).write(to: timestamp)
            #expect(await check() == .metadataInvalid)
            #expect(try await fixture.engine.open().current?.version == "1.2")
        }
    }

    @Test("S03: an older tree played back is refused")
    func S03_replay() async throws {
        let files = FileManager.default
        let old = fixture.folder.file("old")
        try files.copyItem(at: fixture.app.folder, to: old)
        try publishTwo()
        try await fixture.update()
        try files.removeItem(at: fixture.app.folder)
        try files.copyItem(at: old, to: fixture.app.folder)
        #expect(await check() == .metadataRolledBack)
        fixture.restart()
        #expect(await check() == .metadataRolledBack)
        #expect(try await fixture.engine.open().current?.version == "1.2")
    }

    @Test("S17: a clock far ahead of the server's takes nothing new and says clock_skew")
    func S17_clockAhead() async throws {
        try publishTwo()
        fixture.clock.advance(by: 8 * 86400)
        // The server's own date is that of this machine, so the device's clock is what is off.
        #expect(await check() == .clockSkew)
        #expect(try await fixture.engine.open().current?.version == "1.1")
        fixture.clock.advance(by: -8 * 86400)
        #expect(await check() == nil)
    }

    @Test("S04: a tree that was left to expire says metadata_expired until it is refreshed")
    func S04_expired() async throws {
        let now = fixture.app.now
        fixture.app.now = now.adding(days: -10)
        try publishTwo()
        #expect(await check() == .metadataExpired)
        #expect(try await fixture.engine.open().current?.version == "1.1")
        fixture.app.now = now
        try fixture.app.save()
        #expect(await check() == nil)
    }

    @Test("S17: a clock ten years behind still takes updates")
    func S17_clockBehind() async throws {
        fixture.clock.advance(by: -3650 * 86400)
        fixture.restart()
        try publishTwo()
        try await fixture.update()
        #expect(try await fixture.engine.open().current?.version == "1.2")
    }

    @Test("S05: a release key replaced by a new root signs nothing any more")
    func S05_rotation() async throws {
        let fresh = TUFSigner(try SigningKey.generate())
        try fixture.app.editRoot { $0.setKeys([fresh.key], of: .targets) }
        // The tree still holds targets by the old key.
        #expect(await check() == .metadataInvalid)
        #expect(try await fixture.engine.open().current?.version == "1.1")
    }

    @Test("S12: a release for another app, platform, build or host in a valid tree is left out")
    func S12_foreignReleases() async throws {
        let cases: [((inout Release) -> Void, Reason)] = [
            ({ $0.appID = "someone-else" }, .appMismatch),
            ({ $0.platform = "ios" }, .platformMismatch),
            ({ $0.fingerprint = "other" }, .fingerprintMismatch),
            ({ $0.abi = 99 }, .abiUnsupported),
            ({ $0.capabilities = ["fetch.get"] }, .capabilityDenied),
        ]
        for (index, (change, reason)) in cases.enumerated() {
            let digest = try fixture.app.add(
                EngineFixture.payload("x\(index)"), version: "2.\(index)", sequence: 10 + index,
                encoding: .brotli, change)
            try fixture.app.setHead { $0.stable = digest }
            let found = try await fixture.engine.check()
            #expect(!found.isUpdate)
            #expect(found.decision.excluded.map(\.reason) == [reason])
        }
    }

    @Test(
        "P29: two binaries of one version are two builds, and neither is given the other's releases"
    )
    func P29_sameVersionOtherBinary() async throws {
        let other = SHA256.hash("the same version, compiled anew").hex
        try fixture.app.registerBuilds([other]) { _ in [] }
        let released = try fixture.app.release(
            EngineFixture.payload("1"), version: "1.1", sequence: 1)
        let version = "4.2.0"
        fixture.settings.appVersion = { version }
        fixture.restart()
        #expect(try await fixture.engine.check().release?.raw.sha256 == released)

        fixture.settings.fingerprint = other
        let rebuilt = fixture.anotherInstall()
        let before = fixture.server.requests.count
        let found = try await rebuilt.check()
        #expect(!found.isUpdate && found.release == nil)
        let asked = fixture.server.requests.dropFirst(before)
        #expect(!asked.isEmpty && !asked.contains { $0.contains("/modules/") }, "\(asked)")
    }

    @Test("a head that speaks for another app or build keeps what runs")
    func foreignHead() async throws {
        try fixture.app.setHead { $0.appID = "someone-else" }
        #expect(try await fixture.engine.check().decision.reason == .appMismatch)
        try fixture.app.setHead {
            $0.appID = PublishedApp.appID
            $0.fingerprint = "other"
        }
        #expect(try await fixture.engine.check().decision.reason == .fingerprintMismatch)
    }

    @Test("a head whose own number goes back is rejected even in a newer tree")
    func headGoesBack() async throws {
        try fixture.app.setHead { $0.headSequence = 10 }
        _ = try await fixture.engine.check()
        try fixture.app.setHead { $0.headSequence = 5 }
        #expect(try await fixture.engine.check().decision.reason == .headRejected)
    }

    @Test("a head that cannot be read is refused", arguments: ["", "[]", "{\"v\":1}", "{\"v\":2"])
    func malformedHead(_ text: String) async throws {
        let bytes = Array(text.utf8)
        let path = "heads/production/module/\(PublishedApp.fingerprint.prefix(16)).json"
        try fixture.app.list(TargetFile(path: path, contents: bytes), bytes)
        #expect(await check() == .headMalformed)
    }

    @Test("a tree for another app id is refused")
    func otherAppID() async throws {
        fixture.settings.appID = "another"
        fixture.restart()
        #expect(await check() == .appMismatch)
    }

    @Test("root and build raise the floor below which nothing runs")
    func floors() async throws {
        try fixture.app.editRoot { $0.openPatch?.minSequence = 2 }
        let found = try await fixture.engine.check()
        #expect(found.decision.reason == .belowFloor)
        #expect(found.decision.target == .embedded)
        fixture.settings.minimumTargetsVersion = 99
        fixture.restart()
        #expect(await check() == .metadataRolledBack)
    }

    @Test("with no root nothing remote is done, and the reason says so")
    func noRoot() async throws {
        fixture.settings.trust = .none(UpdateError(.rootMissing))
        fixture.restart()
        fixture.server.forgetRequests()
        #expect(await check() == .rootMissing)
        #expect(fixture.server.requests.isEmpty)
        fixture.settings.baseURL = nil
        fixture.restart()
        #expect(await check() == .localOnly)
    }

    @Test("trust on first use works on this machine and nowhere else")
    func firstUse() async throws {
        fixture.settings.trust = .firstUse
        fixture.restart()
        #expect(await check() == nil)
        fixture.settings.baseURL = URL(string: "https://updates.example.com/")
        fixture.restart()
        #expect(await check() == .insecureTrustRefused)
    }

    @Test("loopback is told from what merely looks like it")
    func loopback() throws {
        for good in [
            "http://127.0.0.1:80/", "http://localhost/x", "http://[::1]:9/", "http://127.9.9.9",
        ] {
            #expect(Loopback.contains(try #require(URL(string: good))), "\(good)")
        }
        for bad in [
            "http://127.0.0.1.example.com/", "http://localhost.example.com", "http://10.0.0.1",
            "http://128.0.0.1", "http://127.1", "file:///etc", "http://127.0.0.1@evil.example/",
        ] {
            #expect(!Loopback.contains(try #require(URL(string: bad))), "\(bad)")
        }
    }
}
