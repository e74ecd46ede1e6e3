import Foundation
import PatchPlatform
import TestSupport
import Testing
import UpdateTestSupport

@testable import PatchSDK

/// The public API as its reference shows it. That this compiles is half of the test.
@Suite struct ReferenceTests {
    @Test("the whole configuration can be written as the reference writes it")
    func configuration() {
        let configuration = PatchConfiguration(
            appKey: "pak_live_1", appID: "3f2b", apiBaseURL: URL(string: "https://e.com/api/v1"),
            fingerprint: "3f2b", deviceID: nil, channel: .production, autoApply: true,
            nativeFallbackEnabled: true)
        #expect(configuration.channel == .production)
        #expect(configuration.appGroupIdentifier == nil)
        let named = PatchConfiguration(appKey: "pak_live_1", channelName: "beta-eu")
        #expect(named.channel == .custom("beta-eu"))
        #expect(PatchConfiguration(appKey: "k", channelName: "staging").channel == .staging)
    }

    @Test("only the app key is required, and what is left out has the reference's defaults")
    func defaults() {
        let configuration = PatchConfiguration(appKey: "pak_live_1")
        #expect(configuration.appID == nil && configuration.fingerprint == nil)
        #expect(configuration.deviceID == nil)
        #expect(configuration.autoApply && configuration.nativeFallbackEnabled)
        #expect(configuration.apiBaseURL == PatchConfiguration.bundledBaseURL)
        #expect(configuration.telemetry == .on)
        #expect(configuration.applies == .safePoint)
        #expect(configuration.checkPolicy == .standard)
        #expect(configuration.trust == .bundledRoot)
        #expect(configuration.mirrors.isEmpty)
    }

    @Test("a nil address means local only: no file of trust is missed and nothing is asked")
    func localOnly() async throws {
        let fixture = try AppFixture()
        fixture.configuration.apiBaseURL = nil
        fixture.configuration.autoApply = true
        #expect(await fixture.launch() == .activated("base"))
        #expect(
            await fixture.failure { _ = try await fixture.patch.checkForUpdate() } == .localOnly)
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("start, check, fetch and reload as the reference calls them")
    func imperative() async throws {
        let fixture = try AppFixture()
        let outcome = await fixture.launch()
        switch outcome {
        case .activated(let version): #expect(version == "base")
        case .fallback(let state): Issue.record("\(state)")
        case .noModule: Issue.record("no module")
        }
        let digest = try fixture.app.add(
            try fixture.module("one", 1), version: "1.1", sequence: 1
        ) { $0.notes = "What is new" }
        try fixture.app.setHead { $0.stable = digest }
        let update = try #require(try await fixture.patch.checkForUpdate())
        let (version, notes, isMandatory, size): (String, String?, Bool, Int) = (
            update.version, update.releaseNotes, update.isMandatory, update.sizeBytes
        )
        #expect(version == "1.1" && notes == "What is new" && !isMandatory && size > 0)
        #expect(update.digest == digest)
        let staged = try await fixture.patch.fetchUpdate()
        if staged { try await fixture.patch.reloadAsync() }
        #expect(fixture.greeting() == "one")
        await fixture.patch.enforceMandatoryUpdates()
        #expect(
            await fixture.failure { try await fixture.patch.reloadAsync() } == .notStaged,
            "never silent: it changes what runs or it throws")
    }

    @Test("every state of an update is a case to switch over, with real progress")
    func states() async throws {
        let fixture = try AppFixture()
        await fixture.launch()
        try fixture.release("one", 1)
        let stream = fixture.patch.updateStates
        try await fixture.update()
        var names: [String] = []
        for await state in stream {
            switch state {
            case .idle: names.append("idle")
            case .checking: names.append("checking")
            case .available(let info): names.append("available \(info.version)")
            case .downloading(let share):
                #expect((0...1).contains(share))
                if names.last != "downloading" { names.append("downloading") }
            case .readyToReload: names.append("ready")
            case .upToDate: names.append("up to date")
            case .failed(let text): Issue.record("\(text)")
            }
            if names.last == "up to date" { break }
        }
        #expect(names == ["checking", "available 1.1", "downloading", "ready", "up to date"])
        #expect(await fixture.patch.updateState.state == .upToDate)
    }

    #if canImport(Observation)
        @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
        @Test("the observable model follows the same states")
        @MainActor func model() async throws {
            let fixture = try AppFixture()
            await fixture.launch()
            let model = PatchUpdateModel(fixture.patch)
            #expect(model.state == .idle)
            _ = try await fixture.patch.checkForUpdate()
            try await fixture.eventuallyOnMain { model.state == .upToDate }
        }
    #endif

    @Test("an error can be caught by its reason, and says what to do wherever it is shown")
    func errors() async throws {
        do {
            let _: Int32 = try Patch().call("greeting_len")
            Issue.record("no error")
        } catch PatchError.noActiveModule {
            // As the reference has it.
        }
        do {
            _ = try await Patch().checkForUpdate()
            Issue.record("no error")
        } catch PatchError.notConfigured {
        }
        let error: any Error = PatchError(.diskFull, "3 bytes")
        #expect(error.localizedDescription.contains("too full"))
        #expect((error as? PatchError)?.recoverySuggestion == "Free some space.")
        #expect((error as? PatchError)?.code == "disk_full")
        #expect((error as? PatchError)?.advice == "Free some space.")
        #expect(!(PatchError.notConfigured ~= error))
    }

    @Test("the version of the SDK is the one of the tools")
    func version() throws {
        let tool = try String(
            contentsOf: SharedData.checkout.appendingPathComponent(
                "Sources/patchcli/PatchCLI.swift"),
            encoding: .utf8)
        #expect(tool.contains("\"\(Patch.sdkVersion)\""))
    }

    @Test("the privacy manifest names the API that the sources use, and no tracking")
    func privacyManifest() throws {
        let sources = SharedData.checkout.appendingPathComponent("Sources")
        let data = try Data(
            contentsOf: sources.appendingPathComponent("PatchSDK/PrivacyInfo.xcprivacy"))
        let manifest = try #require(
            try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        #expect((manifest["NSPrivacyTrackingDomains"] as? [String])?.isEmpty == true)
        let accessed = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        let declared = Set(accessed.compactMap { $0["NSPrivacyAccessedAPIType"] as? String })
        #expect(
            accessed.allSatisfy {
                ($0["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false
            })

        // Apple's list of API that needs a reason, by category.
        let listed = [
            "FileTimestamp": [" stat(", "fstat(", "lstat(", "getattrlist", "modificationDate"],
            "DiskSpace": ["statvfs(", "statfs(", "volumeAvailableCapacity", "systemFreeSize"],
            "SystemBootTime": ["systemUptime", "mach_absolute_time("],
            "ActiveKeyboards": ["activeInputModes"],
            "UserDefaults": ["UserDefaults"],
        ]
        var used: Set<String> = []
        for target in Self.linkedTargets {
            let folder = sources.appendingPathComponent(target)
            for case let file as URL in FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: nil) ?? .init()
            where ["swift", "c", "h", "inc"].contains(file.pathExtension) {
                let text = try String(contentsOf: file, encoding: .utf8)
                for (category, names) in listed where names.contains(where: { text.contains($0) }) {
                    used.insert("NSPrivacyAccessedAPICategory\(category)")
                }
            }
        }
        #expect(used == declared)
        #expect(!used.isEmpty, "the scan finds something")
    }

    /// What an app with PatchSDK links.
    static let linkedTargets = [
        "CPatchGate", "CWasmCore", "ModuleABI", "PatchCompression", "PatchCrypto", "PatchDelta",
        "PatchPlatform", "PatchSDK", "Rollout", "TUF", "UpdateEngine", "WebAssembly",
    ]
}
