import Foundation
import PatchPlatform
import Rollout
import UpdateEngine

/// Tells the server what happens to releases, through the engine's outbox.
struct Reporter: Sendable {
    private let outbox: Outbox?
    private let url: URL?
    private let transport: any HTTPTransport
    private let clock: any SystemClock
    private let random: any RandomSource
    private let fingerprint: String
    private let system: String?
    private let appVersion: @Sendable () -> String?

    init(_ resolved: ResolvedConfiguration, files: any FileStore, environment: PatchEnvironment) {
        let settings = resolved.settings
        let base = resolved.isRemote ? settings.baseURL : nil
        url = base?.appendingPathComponent("apps/\(settings.appKey)/events")
        let telemetry = resolved.configuration.telemetry
        let tells = url != nil && telemetry != .off && environment.process.kind == .app
        outbox =
            tells
            ? Outbox(
                files: files, clock: environment.clock, random: environment.random,
                telemetry: telemetry.engineValue)
            : nil
        transport = environment.transport
        clock = environment.clock
        random = environment.random
        fingerprint = settings.fingerprint
        system = environment.systemVersion.map { "\(settings.platform) \($0)" }
        appVersion = environment.appVersion
    }

    /// Keeps an event for the next time the server is told.
    /// - Parameter change: fills in what this kind of event has.
    func note(
        _ name: TelemetryEvent.Name, _ release: String? = nil, reason: Reason? = nil,
        _ change: (inout TelemetryEvent) -> Void = { _ in }
    ) {
        guard let outbox else { return }
        var event = TelemetryEvent(
            name, at: clock.now(), fingerprint: fingerprint, sdk: Patch.sdkVersion, random: random)
        event.release = release
        event.reason = reason?.code
        event.os = system
        event.appVersion = appVersion()
        change(&event)
        outbox.post(event)
    }

    /// Sends what waits. Whatever comes of it, nothing depends on it.
    func send() async {
        guard let outbox, let url else { return }
        _ = await outbox.send(to: url, transport: transport)
    }

    /// Runs a step and notes how it went and how long it took.
    func timed<Result>(
        _ name: TelemetryEvent.Name, _ body: () async throws -> Result,
        describe: (Result, inout TelemetryEvent) -> Void
    ) async throws -> Result {
        let begun = clock.monotonicNanoseconds()
        func milliseconds() -> Int {
            Int(clamping: (clock.monotonicNanoseconds() &- begun) / 1_000_000)
        }
        do {
            let result = try await body()
            note(name) {
                $0.durationMilliseconds = milliseconds()
                describe(result, &$0)
            }
            return result
        } catch {
            let error = PatchError(of: error)
            note(name, reason: error.reason) {
                $0.durationMilliseconds = milliseconds()
                $0.detail = error.context
            }
            throw error
        }
    }
}

extension PatchTelemetry {
    /// The same in the engine's words; a share outside 0 to 1 is taken to the nearer end.
    var engineValue: Telemetry {
        switch self {
        case .on: return .on
        case .off: return .off
        case .sampled(let share): return .sampled(share.isNaN ? 0 : min(max(share, 0), 1))
        }
    }
}
