import Foundation
import PatchPlatform
import Rollout
import UpdateEngine

/// Tells the server what happens to released bundles, through the engine's outbox, in the words
/// that modules use.
struct BundleReporter: Sendable {
    /// The version of this library in telemetry.
    static let version = "1.0.0"

    private let outbox: Outbox?
    private let url: URL?
    private let environment: UpdateEngine.Environment
    private let settings: UpdateSettings
    private let system: String?
    /// The bundle that is told of.
    private var bundle: String?

    init(
        _ settings: UpdateSettings, telemetry: BundleTelemetry, system: String?,
        environment: UpdateEngine.Environment
    ) {
        self.settings = settings
        self.environment = environment
        self.system = system
        url = settings.baseURL?.appendingPathComponent("apps/\(settings.appKey)/events")
        let tells = url != nil && telemetry != .off && environment.process.kind == .app
        outbox =
            tells
            ? Outbox(
                files: environment.files, clock: environment.clock, random: environment.random,
                telemetry: telemetry.engineValue) : nil
    }

    /// The same, to tell of one bundle. All bundles of an app share an outbox and an install id.
    func about(_ bundle: String) -> BundleReporter {
        var reporter = self
        reporter.bundle = bundle
        return reporter
    }

    /// Keeps an event for the next time the server is told.
    func note(
        _ name: TelemetryEvent.Name, _ release: String? = nil, reason: Reason? = nil,
        _ change: (inout TelemetryEvent) -> Void = { _ in }
    ) {
        guard let outbox else { return }
        var event = TelemetryEvent(
            name, at: environment.clock.now(), fingerprint: settings.fingerprint,
            sdk: Self.version, random: environment.random)
        event.bundle = bundle
        event.release = release
        event.reason = reason?.code
        event.os = system
        event.appVersion = settings.appVersion()
        change(&event)
        outbox.post(event)
    }

    /// Sends what waits. Whatever comes of it, nothing depends on it.
    func send() async {
        guard let outbox, let url else { return }
        _ = await outbox.send(to: url, transport: environment.transport)
    }

    /// Runs a step and notes how it went and how long it took.
    func timed<Result>(
        _ name: TelemetryEvent.Name, _ body: () async throws -> Result,
        describe: (Result, inout TelemetryEvent) -> Void
    ) async throws -> Result {
        let begun = environment.clock.monotonicNanoseconds()
        func milliseconds() -> Int {
            Int(clamping: (environment.clock.monotonicNanoseconds() &- begun) / 1_000_000)
        }
        do {
            let result = try await body()
            note(name) {
                $0.durationMilliseconds = milliseconds()
                describe(result, &$0)
            }
            return result
        } catch {
            let failure = error as? UpdateError
            note(name, reason: failure?.reason) {
                $0.durationMilliseconds = milliseconds()
                $0.detail = failure?.context
            }
            throw error
        }
    }
}

extension BundleTelemetry {
    /// The same in the engine's words; a share outside 0 to 1 is taken to the nearer end.
    var engineValue: Telemetry {
        switch self {
        case .on: return .on
        case .off: return .off
        case .sampled(let share): return .sampled(share.isNaN ? 0 : min(max(share, 0), 1))
        }
    }
}
