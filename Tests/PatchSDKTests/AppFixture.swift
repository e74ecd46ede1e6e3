import Foundation
import PatchPlatform
import Rollout
import TestSupport
import Testing
import UpdateEngine
import UpdateTestSupport

@testable import PatchSDK

/// An installed app with its bundled files, its state, and the server that it asks.
final class AppFixture {
    let folder: TemporaryDirectory
    let app: PublishedApp
    let server: FaultServer
    let events = Lock<[PatchEvent]>([])
    let states = Lock<[PatchUpdateState]>([])
    let releases = Lock<[PatchRelease?]>([])
    var configuration: PatchConfiguration
    var environment = PatchEnvironment()
    private(set) var patch = Patch()

    init() throws {
        folder = try TemporaryDirectory("sdk")
        let site = folder.file("site")
        app = try PublishedApp(site)
        server = try FaultServer(site)
        configuration = PatchConfiguration(appKey: PublishedApp.appKey)
        configuration.resources = folder.file("resources")
        configuration.stateFolder = folder.file("state")
        configuration.autoApply = false
        // These tests are a debug build.
        environment.remoteRefusal = nil
        environment.surface = { Guests.surface }
        try bundle(app.rootBytes, "patch-root.json")
        try bundle(try Guests.fullModule("bundled", number: 0, release: "base"), "base.wasm")
        try bundleConfiguration()
    }

    func bundle(_ bytes: [UInt8], _ name: String) throws {
        try folder.write("", to: "resources/\(name)")
        try Data(bytes).write(to: folder.file("resources/\(name)"))
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: folder.file("resources/\(name)"))
    }

    func bundleConfiguration(_ changes: [String: Any] = [:]) throws {
        var document: [String: Any] = [
            "v": 1, "app_key": PublishedApp.appKey, "app_id": PublishedApp.appID,
            "api_base_url": server.baseURL.absoluteString, "channel": "production",
            "platform": "linux", "fingerprint": PublishedApp.fingerprint,
            "embedded_sequence": 0, "floors": ["min_targets_version": 0, "min_sequence": 0],
        ]
        for (name, value) in changes { document[name] = value }
        try bundle(
            [UInt8](try JSONSerialization.data(withJSONObject: document)), "patch-config.json")
    }

    /// Starts the app as a new process would.
    @discardableResult
    func launch() async -> StartOutcome {
        patch = Patch()
        let (events, releases) = (events, releases)
        patch.onEvent { event in events.withLock { $0.append(event) } }
        patch.onReleaseChange { release in releases.withLock { $0.append(release) } }
        let states = states
        await patch.updateState.onChange { state in states.withLock { $0.append(state) } }
        patch.configure(configuration, environment: environment)
        return await patch.start()
    }

    func release(_ text: String, _ sequence: Int) throws {
        try app.release(
            try module(text, sequence), version: "1.\(sequence)", sequence: sequence)
    }

    func module(_ text: String, _ sequence: Int) throws -> [UInt8] {
        try Guests.fullModule(
            text, number: Int64(sequence), release: "1.\(sequence)", sequence: sequence)
    }

    /// Check, fetch, reload; false when there was nothing to do.
    @discardableResult
    func update() async throws -> Bool {
        guard try await patch.checkForUpdate() != nil else { return false }
        guard try await patch.fetchUpdate() else { return false }
        try await patch.reloadAsync()
        return true
    }

    /// What the app shows: the module's greeting, or the native one.
    func greeting() -> String {
        guard let count = try? patch.call("greeting_len", returning: Int32.self) else {
            return "native"
        }
        let bytes = (0..<count).compactMap { index in
            (try? patch.call("greeting_byte", index, returning: Int32.self)).map { UInt8($0) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func failure(_ body: () async throws -> Void) async -> Reason? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? PatchError)?.reason
        }
    }

    /// Waits for something that happens behind a call. Only a failure takes the whole time.
    func eventually(
        _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: () async throws -> Bool
    ) async throws {
        for _ in 0..<60_000 {
            if try await condition() { return }
            try await Task.sleep(nanoseconds: 5_000_000)
        }
        Issue.record("it did not happen: \(what)", sourceLocation: sourceLocation)
    }

    /// The same for what lives on the main actor.
    @MainActor func eventuallyOnMain(
        sourceLocation: SourceLocation = #_sourceLocation, _ condition: @MainActor () -> Bool
    ) async throws {
        for _ in 0..<60_000 {
            if condition() { return }
            try await Task.sleep(nanoseconds: 5_000_000)
        }
        Issue.record("it did not happen", sourceLocation: sourceLocation)
    }

    /// Lets the main actor deliver what was posted.
    func seenStates() async -> [PatchUpdateState] {
        await Task { @MainActor in }.value
        return states.withLock { $0 }
    }
}

struct ExtensionProcess: ProcessIdentity {
    var processIdentifier: Int32 { 1 }
    var kind: ProcessKind { .appExtension }
    var bootIdentifier: String? { nil }
}
