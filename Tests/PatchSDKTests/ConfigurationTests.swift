import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

@testable import PatchSDK

/// What the app asks for, what it ships, and what follows when something is missing.
@Suite struct ConfigurationTests {
    let fixture: AppFixture
    init() throws { fixture = try AppFixture() }

    func resolved() -> ResolvedConfiguration {
        ResolvedConfiguration(fixture.configuration, environment: fixture.environment)
    }

    @Test("seed 2's initialisers compile as shown, and only the app key is required")
    func seedShape() {
        let long = PatchConfiguration(
            appKey: "pak_live_x", appID: "3f2b",
            apiBaseURL: URL(string: "https://a.example/api/v1"),
            fingerprint: "3f2b", deviceID: nil, channel: .production, autoApply: true,
            nativeFallbackEnabled: true)
        #expect(long.channel == .production)
        let short = PatchConfiguration(appKey: "pak_x")
        #expect(short.autoApply && short.nativeFallbackEnabled && short.deviceID == nil)
        #expect(short.apiBaseURL == PatchConfiguration.bundledBaseURL)
        let named = PatchConfiguration(appKey: "pak_x", channelName: "beta-eu")
        #expect(named.channel == .custom("beta-eu"))
        #expect(PatchConfiguration(appKey: "p", channelName: "staging").channel == .staging)
        #expect(
            PatchConfiguration(appKey: "p", channel: .development).channel.name == "development")
    }

    @Test("what the app leaves out is the bundled configuration's")
    func defaults() throws {
        try fixture.bundleConfiguration([
            "channel": "beta", "embedded_sequence": 4,
            "floors": ["min_targets_version": 3, "min_sequence": 2],
        ])
        let settings = resolved().settings
        #expect(settings.baseURL == fixture.server.baseURL)
        #expect(settings.appID == PublishedApp.appID)
        #expect(settings.fingerprint == PublishedApp.fingerprint)
        #expect(settings.channel == "beta")
        #expect(settings.embeddedSequence == 4)
        #expect(settings.minimumSequence == 2)
        #expect(settings.minimumTargetsVersion == 3)
        #expect(
            try PatchConfiguration.bundled(resources: fixture.configuration.resources).appKey
                == PublishedApp.appKey)
    }

    @Test("what the app says goes before the bundled configuration")
    func explicit() {
        fixture.configuration.appID = "mine"
        fixture.configuration.fingerprint = "ff"
        fixture.configuration.channel = .staging
        fixture.configuration.deviceID = "device"
        fixture.configuration.apiBaseURL = nil
        let settings = resolved().settings
        #expect(settings.appID == "mine" && settings.fingerprint == "ff")
        #expect(settings.channel == "staging" && settings.deviceID == "device")
        #expect(settings.baseURL == nil)
    }

    @Test("an app that ships nothing runs natively and says what is missing")
    func nothingBundled() async throws {
        for name in ["patch-root.json", "patch-config.json", "base.wasm"] {
            try fixture.remove(name)
        }
        #expect(await fixture.launch() == .noModule)
        #expect(fixture.greeting() == "native")
        #expect(fixture.patch.currentRelease == nil)
        #expect(
            await fixture.failure { _ = try await fixture.patch.checkForUpdate() } == .localOnly)
        #expect(resolved().settings.fingerprint == "_any")
        let error = #expect(throws: PatchError.self) {
            try PatchConfiguration.bundled(resources: fixture.configuration.resources)
        }
        #expect(error?.reason == .configMissing)
    }

    @Test("an explicit nil URL means no remote checks")
    func localOnly() async throws {
        fixture.configuration.apiBaseURL = nil
        #expect(await fixture.launch() == .activated("base"))
        #expect(
            await fixture.failure { _ = try await fixture.patch.checkForUpdate() } == .localOnly)
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("without a root of trust remote updates are refused and the rest runs")
    func noRoot() async throws {
        try fixture.remove("patch-root.json")
        #expect(await fixture.launch() == .activated("base"))
        #expect(
            await fixture.failure { _ = try await fixture.patch.checkForUpdate() } == .rootMissing)
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("insecure trust works on loopback only")
    func insecure() async throws {
        try fixture.remove("patch-root.json")
        try fixture.release("one", 1)
        fixture.configuration.trust = .insecureForLocalDevelopment
        await fixture.launch()
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "one")
        fixture.configuration.apiBaseURL = URL(string: "http://updates.example.com/")
        await fixture.launch()
        #expect(
            await fixture.failure { _ = try await fixture.patch.checkForUpdate() }
                == .insecureTrustRefused)
    }

    @Test("a debug build takes no updates unless it is told to")
    func debugBuild() async throws {
        fixture.environment.remoteRefusal = .debugBuild
        try fixture.release("one", 1)
        fixture.configuration.autoApply = true
        await fixture.launch()
        #expect(
            await fixture.failure { _ = try await fixture.patch.checkForUpdate() } == .debugBuild)
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("a bundled configuration of another app or of nonsense is reported and not used")
    func badConfiguration() async throws {
        try fixture.bundleConfiguration(["app_key": "pak_other"])
        #expect(
            await fixture.launch()
                == .fallback(
                    PatchError(
                        .moduleOfOtherBuild,
                        "the module says \(PublishedApp.fingerprint.prefix(16)), this build is _any"
                    ).description))
        #expect(fixture.events.withLock { $0 }.first?.reason == .configMalformed)
        try fixture.bundle(Array("{".utf8), "patch-config.json")
        fixture.events.withLock { $0 = [] }
        await fixture.launch()
        #expect(fixture.events.withLock { $0 }.first?.reason == .configMalformed)
    }

    @Test("a bundled module that cannot run leaves native code, and the outcome says why")
    func brokenBundledModule() async throws {
        try fixture.bundle(Array("nonsense".utf8), "base.wasm")
        guard case .fallback(let text) = await fixture.launch() else {
            Issue.record("not a fallback")
            return
        }
        #expect(text.contains("not a WebAssembly module"))
        #expect(fixture.greeting() == "native")
        // Updates still come.
        try fixture.release("one", 1)
        #expect(try await fixture.update())
        #expect(fixture.greeting() == "one")
    }

    @Test("without native fallback an app without a module is told noModule, and calls throw")
    func noFallback() async throws {
        fixture.configuration.nativeFallbackEnabled = false
        try fixture.bundle(Array("nonsense".utf8), "base.wasm")
        #expect(await fixture.launch() == .noModule)
        let error = #expect(throws: PatchError.self) {
            try fixture.patch.call("greeting_len", returning: Int32.self)
        }
        #expect(error?.reason == .noActiveModule)
    }

    @Test("a state folder that cannot be used leaves the bundled module, and the reason is told")
    func stateFolder() async throws {
        try fixture.folder.write("x", to: "plain")
        fixture.configuration.stateFolder = fixture.folder.file("plain/state")
        #expect(await fixture.launch() == .activated("base"))
        #expect(fixture.greeting() == "bundled")
        #expect(
            await fixture.failure { _ = try await fixture.patch.checkForUpdate() }
                == .stateUnwritable)
        #expect(fixture.events.withLock { $0 }.contains { $0.reason == .stateUnwritable })
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("a release on disk is not run while the state that names it cannot be read")
    func unreadableState() async throws {
        await fixture.launch()
        try fixture.release("one", 1)
        try await fixture.update()
        try Data("{".utf8).write(to: fixture.folder.file("state/state.json"))
        #expect(await fixture.launch() == .activated("base"))
        #expect(fixture.events.withLock { $0 }.contains { $0.reason == .stateUnreadable })
        #expect(
            try String(contentsOf: fixture.folder.file("state/state.json"), encoding: .utf8) == "{")
    }

    @Test("before it is configured the SDK throws, and starts as a fallback")
    func unconfigured() async throws {
        let patch = Patch()
        #expect(
            await fixture.failure { _ = try await patch.checkForUpdate() } == .notConfigured)
        guard case .fallback = await patch.start() else {
            Issue.record("not a fallback")
            return
        }
        await patch.enforceMandatoryUpdates()
    }

    @Test("an app key that makes no folder name gets no state folder of its own")
    func appKeyAsFolder() {
        var configuration = PatchConfiguration(appKey: "../../etc")
        #expect(ResolvedConfiguration.stateFolder(configuration) == nil)
        configuration.appKey = ""
        #expect(ResolvedConfiguration.stateFolder(configuration) == nil)
        configuration.appKey = "pak_1-A"
        #expect(ResolvedConfiguration.stateFolder(configuration)?.lastPathComponent == "pak_1-A")
    }
}
