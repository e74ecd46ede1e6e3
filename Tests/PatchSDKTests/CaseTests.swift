import Foundation
import ModuleABI
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateTestSupport

@testable import PatchSDK

/// Public faults of this field, each turned into a case with the right outcome. The ids are those
/// of the project's list of cases.
@Suite struct CaseTests {
    let fixture: AppFixture
    init() throws { fixture = try AppFixture() }

    private func downloads() -> Int {
        fixture.server.requests.filter { $0.contains("/modules/") }.count
    }

    @Test("P01: publishing what runs already makes no device download or reload")
    func P01_republished() async throws {
        await fixture.launch()
        let bytes = try fixture.module("one", 1)
        let digest = try fixture.app.release(bytes, version: "1.1", sequence: 1)
        try await fixture.update()
        #expect(downloads() == 1)
        // The same head again, and then the same bytes under the same sequence.
        try fixture.app.setHead { $0.stable = digest }
        #expect(try await fixture.patch.checkForUpdate() == nil)
        #expect(await fixture.patch.explain().contains("[up_to_date]"))
        await fixture.launch()
        #expect(try await fixture.patch.checkForUpdate() == nil)
        #expect(downloads() == 1)
    }

    @Test("where the disk is full when an update is activated, the release that ran still does")
    func diskFullAtActivation() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        try await fixture.update()
        fixture.patch.markReady()
        let state = fixture.folder.file("state")
        try await fixture.eventually {
            try String(contentsOf: state.appendingPathComponent("state.json"), encoding: .utf8)
                .contains("\"confirmed\":true")
        }
        try fixture.release("two", 2)
        _ = try await fixture.patch.checkForUpdate()
        _ = try await fixture.patch.fetchUpdate()
        for steps in [Set([FileStep.write]), [.rename]] {
            fixture.environment.files = LocalFileStore(folder: state) { step, name in
                if steps.contains(step) { throw FileError(.diskFull, name: name) }
            }
            #expect(await fixture.launch() == .activated("1.1"))
            #expect(fixture.greeting() == "one")
        }
        // It was not given up: the next start that can keep what it does takes it.
        fixture.environment.files = nil
        #expect(await fixture.launch() == .activated("1.2"))
    }

    @Test("P02: a rollback sticks: after a cold start the check finds nothing to do")
    func P02_rollbackSticks() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        try await fixture.update()
        try fixture.release("two", 2)
        try await fixture.update()
        let one = try #require(fixture.app.releases.first { $0.value.version == "1.1" }?.key)
        try fixture.app.setHead { $0.stable = one }
        try await fixture.update()
        for _ in 0..<3 {
            #expect(await fixture.launch() == .activated("1.1"))
            #expect(try await fixture.patch.checkForUpdate() == nil)
        }
    }

    @Test("P03: going back to the embedded code leaves nothing behind that could come again")
    func P03_embedded() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        try await fixture.update()
        try fixture.app.setHead { $0.kind = .embedded }
        try await fixture.update()
        #expect(fixture.greeting() == "bundled")
        for _ in 0..<2 {
            #expect(await fixture.launch() == .activated("base"))
            #expect(try await fixture.patch.checkForUpdate() == nil)
        }
    }

    @Test("P13: a crash loop reaches its fix, because the updater runs no patched code")
    func P13_crashLoop() async throws {
        fixture.environment.process = RunningProcess(pid: 1)
        await fixture.launch()
        try fixture.release("crashes", 1)
        try await fixture.update()
        // Each start calls the release and ends; the next one finds its mark.
        for pid: Int32 in 2..<4 {
            fixture.environment.process = RunningProcess(pid: pid)
            await fixture.launch()
            _ = fixture.greeting()
        }
        try fixture.release("fixed", 2)
        fixture.environment.process = RunningProcess(pid: 4)
        await fixture.launch()
        #expect(fixture.greeting() != "crashes")
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "fixed")
    }

    @Test("P15: what was offered and fetched is what runs next, whoever activates it")
    func P15_onePredicate() async throws {
        await fixture.launch()
        for number in 1...3 {
            try fixture.release("number \(number)", number)
            let info = try #require(try await fixture.patch.checkForUpdate())
            #expect(try await fixture.patch.fetchUpdate())
            if number == 2 {
                try await fixture.patch.reloadAsync()
            } else {
                await fixture.launch()
            }
            #expect(fixture.patch.currentRelease?.version == info.version)
            #expect(fixture.patch.currentRelease?.digest == info.digest)
        }
    }

    @Test("P20: a host that swallows everything delays no start, and a wait that is asked for ends")
    func P20_blackHole() async throws {
        let sleeps = Sleeps()
        fixture.environment.sleep = sleeps.sleep
        fixture.configuration.autoApply = true
        try fixture.server.setFaults(["": .stall])
        #expect(await fixture.launch() == .activated("base"))
        let patch = fixture.patch
        let waiting = Task { await patch.start(waitingAtMost: 30) }
        #expect(await sleeps.next() == 2, "no longer than two seconds, whatever is asked for")
        sleeps.end()
        #expect(await waiting.value == .activated("base"))
    }

    @Test("P20: where the server answers, the wait that is asked for brings the update")
    func P20_waited() async throws {
        let sleeps = Sleeps()
        fixture.environment.sleep = sleeps.sleep
        fixture.configuration.autoApply = true
        fixture.configuration.checkPolicy = .manual
        try fixture.release("one", 1)
        await fixture.launch()
        #expect(await fixture.patch.start(waitingAtMost: 2) == .activated("1.1"))
        #expect(fixture.greeting() == "one")
    }

    @Test("P21: whatever is wrong with a bundled module, the app starts natively and says why")
    func P21_everyLoadError() async throws {
        let good = try Guests.fullModule("x")
        var foreign = WasmBuilder()
        foreign.function("f", [], [.i32], WasmBuilder.i32(1))
        let cases: [(Reason, [UInt8])] = [
            (.notWasm, Array("<html>".utf8)),
            (.moduleMalformed, Array(good.prefix(60))),
            (.sectionMissing, foreign.build()),
            (.moduleOfOtherApp, try Guests.module(foreign) { $0.app_id = "other" }),
            (.abiUnsupported, try Guests.module(foreign) { $0.abi = 99 }),
            (
                .moduleOfOtherBuild,
                try Guests.module(foreign) { $0.fp = String(repeating: "0", count: 64) }
            ),
            (
                .surfaceMissing,
                try Guests.module(foreign) { $0.needs = [.init(id: 0xDEAD, sig: 1)] }
            ),
            (
                .sectionMalformed,
                try Guests.module(foreign) {
                    $0.functions = [.init(id: 1, export: "absent", sig: 1)]
                }
            ),
        ]
        for (reason, bytes) in cases {
            try fixture.bundle(bytes, "base.wasm")
            guard case .fallback(let text) = await fixture.launch() else {
                Issue.record("\(reason.code): no fallback")
                continue
            }
            #expect(text.contains(reason.text), "\(reason.code): \(text)")
            #expect(fixture.greeting() == "native")
            #expect(
                fixture.events.withLock { $0 }.last { $0.kind == .refused }?.reason == reason)
        }
    }

    @Test("P24: a state that cannot be read yet makes no new identity, and is as before afterwards")
    func P24_beforeFirstUnlock() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        try await fixture.update()
        let file = fixture.folder.file("state/state.json")
        let before = try Data(contentsOf: file)
        // A folder in its place cannot be read as a file, whoever runs the test.
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(await fixture.launch() == .activated("base"))
        #expect(
            await fixture.failure { _ = try await fixture.patch.checkForUpdate() }
                == .stateUnreadable)
        try FileManager.default.removeItem(at: file)
        try before.write(to: file)
        #expect(await fixture.launch() == .activated("1.1"))
        #expect(try Data(contentsOf: file) == before)
    }

    @Test("P25: a state folder that was purged means the bundled code and a new download, no error")
    func P25_purged() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        try await fixture.update()
        try FileManager.default.removeItem(at: fixture.folder.file("state"))
        #expect(await fixture.launch() == .activated("base"))
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "one")
    }

    @Test(
        "P30: after a store update the old build's release is out of reach before anything is loaded"
    )
    func P30_storeUpdate() async throws {
        await fixture.launch()
        try fixture.release("old build", 1)
        try await fixture.update()
        let next = String(repeating: "ef56", count: 16)
        try fixture.bundleConfiguration(["fingerprint": next])
        try fixture.bundle(
            try Guests.module(Guests.greeting("new build"), release: "new") { $0.fp = next },
            "base.wasm")
        #expect(await fixture.launch() == .activated("new"))
        #expect(fixture.greeting() == "new build")
        let slots = try FileManager.default.contentsOfDirectory(
            atPath: fixture.folder.file("state/slots").path)
        #expect(slots.isEmpty, "and its payload is gone")
    }

    @Test("P51: an app and its extension are one device, in one bucket")
    func P51_oneIdentity() async throws {
        await fixture.launch()
        _ = try await fixture.patch.checkForUpdate()
        func deviceID() throws -> String? {
            let data = try Data(contentsOf: fixture.folder.file("state/state.json"))
            let state = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            return state?["device_id"] as? String
        }
        let id = try #require(try deviceID())
        fixture.environment.process = ExtensionProcess()
        await fixture.launch()
        #expect(try deviceID() == id)
    }

    @Test("P51: an App Group that is not there is said, and nothing is kept elsewhere instead")
    func P51_missingGroup() {
        var configuration = PatchConfiguration(appKey: "")
        configuration.appGroupIdentifier = "group.example"
        let resolved = ResolvedConfiguration(configuration, environment: PatchEnvironment())
        #expect(resolved.problems.contains { $0.reason == .appGroupMissing })
    }

    @Test("P52: rollouts by tag and cohort are decided on the device, from what is signed")
    func P52_targeting() async throws {
        let digest = try fixture.app.add(
            try fixture.module("eu", 1), version: "1.1", sequence: 1)
        try fixture.app.setHead {
            $0.candidate = Candidate(
                digest: digest, grant: 10_000, salt: String(repeating: "5a", count: 16),
                require: Requirement(tags: ["eu"], cohorts: ["staff"]))
        }
        for (tags, cohort, takes) in [
            (["eu"], "staff", true), (["us"], "staff", false), (["eu"], "public", false),
            ([], nil, false),
        ] as [([String], String?, Bool)] {
            fixture.configuration.tags = Set(tags)
            fixture.configuration.cohort = cohort
            fixture.configuration.stateFolder = fixture.folder.file("state-\(tags)-\(cohort ?? "")")
            await fixture.launch()
            #expect((try await fixture.patch.checkForUpdate() != nil) == takes)
        }
        let asked = fixture.server.requests.joined()
        #expect(!asked.contains("eu") && !asked.contains("staff"), "and nobody is told")
    }

    @Test("S14: a module that imports what the app does not grant is refused before it is kept")
    func S14_undeclaredImport() async throws {
        await fixture.launch()
        for (name, reason) in [
            ("fetch.get", Reason.capabilityDenied), ("log.erase", .importUnknown),
        ] {
            var wasm = WasmBuilder()
            _ = wasm.importFunction("openpatch", name, [.i32, .i32, .i32])
            let bytes = try Guests.module(wasm, release: "1.9", sequence: 9) {
                $0.capabilities = [.log, CapabilityName(rawValue: "fetch") ?? .log]
            }
            try fixture.app.release(bytes, version: "1.9", sequence: 9)
            #expect(await fixture.failure { _ = try await fixture.update() } == reason)
            #expect(fixture.greeting() == "bundled")
            let slots = try? FileManager.default.contentsOfDirectory(
                atPath: fixture.folder.file("state/slots").path)
            #expect(slots?.isEmpty != false)
        }
    }

    @Test("unsigned updates are refused for every host but this machine")
    func insecureTrust() async throws {
        fixture.configuration.trust = .insecureForLocalDevelopment
        await fixture.launch()
        #expect(try await fixture.patch.checkForUpdate() == nil, "loopback may")
        for host in ["http://10.0.0.1/", "https://127.0.0.1.example.com/", "http://0.0.0.0/"] {
            fixture.configuration.apiBaseURL = URL(string: host)
            #expect(await fixture.launch() == .activated("base"))
            #expect(
                await fixture.failure { _ = try await fixture.patch.checkForUpdate() }
                    == .insecureTrustRefused)
        }
    }

    @Test("in a debug build nothing is asked, and the reason says how to change that")
    func debugBuild() async throws {
        fixture.environment.remoteRefusal = .debugBuild
        fixture.configuration.autoApply = true
        #expect(await fixture.launch() == .activated("base"))
        let error = #expect(throws: PatchError.self) { throw PatchError(.debugBuild) }
        #expect(error?.advice.contains("OPENPATCH_DEV=1") == true)
        #expect(
            await fixture.failure { _ = try await fixture.patch.checkForUpdate() } == .debugBuild)
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("P42: where the first address is down a mirror serves, and need not be trusted")
    func P42_mirrors() async throws {
        let mirror = fixture.server.baseURL
        fixture.configuration.apiBaseURL = URL(
            string: "http://127.0.0.1:\(Tools.freePort())/")
        fixture.configuration.mirrors = [mirror]
        await fixture.launch()
        try fixture.release("one", 1)
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "one")
    }
}
