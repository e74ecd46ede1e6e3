import Foundation
import PatchPlatform
import Rollout
import UpdateEngine

/// One configured app: joins the update engine, which knows what should run, with the routing
/// table, which runs it.
final class Session: Sendable {
    /// Who is told what happens.
    struct Outlets: Sendable {
        var event: @Sendable (PatchEvent) -> Void
        var state: @Sendable (PatchUpdateState) -> Void
        var release: @Sendable (PatchRelease?) -> Void
    }

    /// What the automatic part remembers from one step to the next.
    struct Automatic {
        /// An update that is on disk and waits for its moment.
        var waiting: UpdateInfo?
        /// When the last check began, by the clock that never goes back.
        var lastCheck: UInt64?
        var isScheduled = false
        /// What earlier starts led to, for ``Patch/explain()``.
        var verdicts: [BootVerdict] = []
        var isSafeMode = false
    }

    let resolved: ResolvedConfiguration
    let routing: RoutingTable
    let engine: UpdateEngine
    let environment: PatchEnvironment
    let host: HostFunctions
    let reporter: Reporter
    let choices: ChoiceStore
    let outlets: Outlets
    /// Start and reload, which never wait for the network.
    let activation = SerialGate()
    /// Check and fetch, which do.
    let network = SerialGate()
    let automatic = Lock(Automatic())

    var configuration: PatchConfiguration { resolved.configuration }

    init(
        _ configuration: PatchConfiguration, environment: PatchEnvironment,
        routing: RoutingTable, outlets: Outlets
    ) {
        let folder = ResolvedConfiguration.stateFolder(configuration)
        let files =
            environment.files ?? folder.map { LocalFileStore(folder: $0) } ?? NoFileStore()
        choices = ChoiceStore(files: files)
        resolved = ResolvedConfiguration(
            configuration, environment: environment, choices: choices.load())
        self.routing = routing
        self.environment = environment
        self.outlets = outlets
        reporter = Reporter(resolved, files: files, environment: environment)
        host = HostFunctions(
            clock: environment.clock, random: environment.random,
            log: { level, text in
                outlets.event(
                    PatchEvent(kind: .log, reason: nil, text: "[\(level)] \(text)", release: nil))
            }, natives: .compiledIn())
        engine = UpdateEngine(
            settings: resolved.settings, kind: ModuleKind(expected: resolved.expectation),
            environment: UpdateEngine.Environment(
                files: files, transport: environment.transport, clock: environment.clock,
                random: environment.random, process: environment.process))
        routing.setSurface(resolved.surface)
    }

    // MARK: Saying what happened

    func report(_ kind: PatchEvent.Kind, _ error: PatchError, _ release: PatchRelease? = nil) {
        outlets.event(
            PatchEvent(
                kind: kind, reason: error.reason, text: error.description, release: release))
    }

    /// Reports that a step failed and shows it.
    func failed(_ error: any Error) -> PatchError {
        let error = PatchError(of: error)
        report(.update, error)
        outlets.state(.failed(error.description))
        return error
    }
}
