import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import TUF
import TestSupport
import UpdateEngine
import UpdateTestSupport

/// Takes any payload, unless it is told to refuse.
package final class AnyPayload: PayloadKind {
    package init() {}

    package let refused = Lock<Reason?>(nil)
    package var name: String { "module" }

    package func headPath(channel: String, build: String) -> String {
        "heads/\(channel)/module/\(build).json"
    }

    package func inspect(_ payload: [UInt8], of release: Release) throws {
        if let reason = refused.withLock({ $0 }) { throw UpdateError(reason, "told to") }
    }
}

/// A device, a published app and a web server between them.
package final class EngineFixture {
    package let folder: TemporaryDirectory
    package let app: PublishedApp
    package let server: FaultServer
    package let files: LocalFileStore
    package let clock: ManualClock
    package let kind = AnyPayload()
    package var settings: UpdateSettings
    package private(set) var engine: UpdateEngine

    package init(minimumSequence: Int = 0) throws {
        folder = try TemporaryDirectory("engine")
        let site = folder.file("site")
        app = try PublishedApp(site, minimumSequence: minimumSequence)
        server = try FaultServer(site)
        files = LocalFileStore(folder: folder.file("state"))
        clock = ManualClock(now: Double(app.now.secondsSince1970))
        settings = UpdateSettings(
            appKey: PublishedApp.appKey, appID: PublishedApp.appID, platform: "linux",
            channel: "production", fingerprint: PublishedApp.fingerprint,
            baseURL: server.baseURL, trust: .root(app.rootBytes))
        engine = UpdateEngine(
            settings: settings, kind: kind,
            environment: UpdateEngine.Environment(files: files, clock: clock))
    }

    /// A new process: nothing but the disk is remembered.
    package func restart(
        files other: (any FileStore)? = nil, process: any ProcessIdentity = LiveProcess()
    ) {
        engine = UpdateEngine(
            settings: settings, kind: kind,
            environment: UpdateEngine.Environment(
                files: other ?? files, clock: clock, process: process))
    }

    /// The same app on another device, which has seen nothing yet.
    package func anotherInstall() -> UpdateEngine {
        let state = folder.file("state-\(UUID().uuidString.prefix(8))")
        return UpdateEngine(
            settings: settings, kind: kind,
            environment: UpdateEngine.Environment(
                files: LocalFileStore(folder: state), clock: clock))
    }

    /// Check, fetch, activate.
    @discardableResult
    package func update() async throws -> Staged? {
        guard try await engine.check().isUpdate else { return nil }
        let staged = try await engine.fetch()
        try await engine.didActivateStaged()
        return staged
    }

    /// Launches, activates what is current, calls it and finds that it works.
    @discardableResult
    package func start() async throws -> LaunchPlan {
        let plan = try await engine.launch()
        if let current = plan.state.current {
            try await engine.willActivate(current.digest)
            engine.didActivate()
            engine.patchedCallBegan()
            try await engine.markReady()
        }
        return plan
    }

    /// The reason that `body` fails with.
    package func failure(_ body: () async throws -> Void) async -> Reason? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? UpdateError)?.reason
        }
    }

    /// The state file and the names of all slots: what no failure may change.
    package func disk() throws -> [String] {
        let state = try files.read("state.json", maximumSize: 1 << 20) ?? []
        return [String(decoding: state, as: UTF8.self)] + (try files.list("slots"))
    }

    package func state() throws -> UpdateState {
        let bytes = try files.read("state.json", maximumSize: 1 << 20) ?? []
        return try UpdateState(parsing: bytes)
    }

    /// Bytes that no compression makes small, so that a download can be cut anywhere.
    package static func payload(_ text: String) -> [UInt8] {
        (0..<100).flatMap { SHA256.hash("\(text) \($0)") }
    }

    package static func digest(_ text: String) -> String { SHA256.hash(payload(text)).hex }
}
