import Foundation
import PatchPlatform
import Rollout
import TestSupport
import UpdateEngine
import UpdateTestSupport

@testable import WebViewBundle

/// Time that passes when a test says so: who watches a page wakes up then. Other waits, such as those
/// between two attempts of a download, are over at once.
final class StepClock: SystemClock {
    private struct Sleeper {
        let id: Int
        let until: UInt64
        let wake: CheckedContinuation<Void, Never>
    }
    private struct State {
        var wall: Double
        var monotonic: UInt64 = 0
        var next = 0
        var sleepers: [Sleeper] = []
    }
    private let state: Lock<State>

    init(now: Double) { state = Lock(State(wall: now)) }

    func now() -> Double { state.withLock { $0.wall } }
    func monotonicNanoseconds() -> UInt64 { state.withLock { $0.monotonic } }

    func sleep(seconds: Double) async throws {
        guard seconds == ReleasedBundle.glance else {
            advance(by: max(0, seconds))
            return
        }
        await withCheckedContinuation { continuation in
            state.withLock {
                $0.next += 1
                $0.sleepers.append(
                    Sleeper(
                        id: $0.next, until: $0.monotonic + UInt64(seconds * 1e9),
                        wake: continuation))
            }
        }
    }

    /// How many wait for time to pass.
    var sleeping: Int { state.withLock { $0.sleepers.count } }

    /// Lets time pass, and tells how many woke up.
    @discardableResult
    func advance(by seconds: Double) -> Int {
        let woken = state.withLock { state -> [Sleeper] in
            state.wall += seconds
            state.monotonic += UInt64(seconds * 1e9)
            let woken = state.sleepers.filter { $0.until <= state.monotonic }
            state.sleepers.removeAll { $0.until <= state.monotonic }
            return woken
        }
        for sleeper in woken { sleeper.wake.resume() }
        return woken.count
    }

    deinit {
        for sleeper in state.withLock({ $0.sleepers }) { sleeper.wake.resume() }
    }
}

/// An app whose bundle `app` is delivered by releases, the place that publishes them, and a web
/// server between.
final class ReleasedApp {
    let folder: TemporaryDirectory
    let published: PublishedApp
    let server: FaultServer
    let clock: StepClock
    let events = Lock<[BundleReleaseEvent]>([])
    var config: WebViewBundleReleasesConfig
    var environment: BundleReleases.Environment
    private(set) var instance: WebViewBundle

    init(
        bundles: [String] = ["app"],
        _ change: (inout WebViewBundleReleasesConfig) -> Void = { _ in }
    ) throws {
        let app = try TestApp(builtin: ["1.0.0": page("1.0.0")])
        folder = app.folder
        let site = folder.file("site")
        published = try PublishedApp(site, fingerprint: "_any")
        server = try FaultServer(site)
        clock = StepClock(now: Double(published.now.secondsSince1970))
        config = WebViewBundleReleasesConfig(
            bundles: bundles, appKey: PublishedApp.appKey,
            endpoint: server.baseURL.absoluteString, channel: "production",
            trust: .root(published.rootBytes))
        config.checksAtLaunch = false
        config.stateDir = folder.path + "/state"
        config.telemetry = .off
        change(&config)
        environment = BundleReleases.Environment()
        environment.remoteRefusal = nil
        environment.clock = clock
        instance = try Self.make(folder, config, environment, events)
    }

    private static func make(
        _ folder: TemporaryDirectory, _ config: WebViewBundleReleasesConfig,
        _ environment: BundleReleases.Environment, _ events: Lock<[BundleReleaseEvent]>
    ) throws -> WebViewBundle {
        let instance = try WebViewBundle(
            config: WebViewBundleConfig(
                source: SourceOptions(
                    builtinDir: folder.path + "/builtin", remoteDir: folder.path + "/remote"),
                protocols: [.bundle(scheme: "app")], releases: config),
            environment: environment)
        instance.releases?.listen { event in events.withLock { $0.append(event) } }
        return instance
    }

    /// A new process: nothing but the disk is remembered.
    func restart(process: any ProcessIdentity = LiveProcess()) throws {
        environment.process = process
        instance = try Self.make(folder, config, environment, events)
    }

    var releases: BundleReleases {
        get throws { try requireNotNil(instance.releases) }
    }

    /// The document as a navigation gets it.
    @discardableResult
    func visit(_ url: String = "app://app.wvb/") async -> String {
        guard let request = BundleRequest(url: url, headers: [HeaderField("Accept", "text/html")])
        else { return "no request" }
        let response = await instance.respond(to: request)
        return response.status == 200
            ? String(decoding: response.body, as: UTF8.self) : "status \(response.status)"
    }

    /// Update, show, visit.
    @discardableResult
    func update() async throws -> Bool {
        let isNew = try await releases.update("app")
        await visit()
        return isNew
    }

    /// Publishes a version and makes it stable.
    @discardableResult
    func publish(_ version: String, _ sequence: Int, _ archive: [UInt8]? = nil) throws -> String {
        try published.releaseBundle(
            "app", archive ?? page(version), version: version, sequence: sequence)
    }

    /// What the bridge answers to a page of the bundle.
    func call(_ name: String, _ parameters: [String: JSONValue] = ["bundleName": .string("app")])
        async
        -> BridgeReply
    {
        await instance.makeBridge().dispatch(
            .object(["name": .string(name), "params": .object(parameters)]),
            from: BridgeCaller(url: "app://app.wvb/", isMainFrame: true))
    }

    /// Lets time pass in small steps until `condition` holds, at most `seconds` of it.
    ///
    /// Time stands still until whoever looks at the page waits for it, so that a slow machine sees
    /// the same as a fast one.
    func pass(_ seconds: Double, until condition: () throws -> Bool) async throws {
        var rest = seconds
        while try !condition(), rest > 0 {
            // Whoever woke up waits again, or has ended, which changes what is waited for here.
            guard try await eventually({ try clock.sleeping > 0 || condition() }) else { return }
            clock.advance(by: 0.25)
            rest -= 0.25
        }
        _ = try await eventually(condition)
    }

    /// Waits for something that another task is about to do; false when it does not within minutes.
    func eventually(_ condition: () throws -> Bool) async throws -> Bool {
        for attempt in 0..<30_000 {
            if try condition() { return true }
            if attempt < 100 {
                await Task.yield()
            } else {
                try await Task.sleep(nanoseconds: 10_000_000)
            }
        }
        return try condition()
    }

    /// The codes with which versions were taken back, oldest first.
    var takenBack: [String] {
        events.withLock { events in
            events.compactMap { event in
                if case .tookBack(let release, let code, _, let now) = event {
                    return "\(release.version) \(code) \(now ?? "shipped")"
                }
                return nil
            }
        }
    }

    var problems: [String] {
        events.withLock { events in
            events.compactMap { event in
                if case .problem(_, let code, _) = event { return code }
                return nil
            }
        }
    }

    func manifest() throws -> BundleManifest {
        try BundleManifest(
            json: [UInt8](try Data(contentsOf: folder.file("remote/manifest.json"))))
    }
}

struct Missing: Swift.Error {}

func requireNotNil<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}
