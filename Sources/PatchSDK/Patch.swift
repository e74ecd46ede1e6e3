import Foundation
import PatchPlatform

/// The SDK: activates the best module it has, looks for updates, and calls into modules.
///
/// Everything here may be called from any thread; nothing waits for the network unless it says so.
public final class Patch: Sendable {
    /// The one of this process.
    public static let shared = Patch()

    /// The version of the SDK.
    public static let sdkVersion = "0.1.0"

    /// How far an update is, for user interfaces.
    public let updateState = PatchUpdateStateObservable()

    let routing: RoutingTable
    private let observers = Observers()
    private let configured = Lock<Configured?>(nil)

    private struct Configured {
        let session: Session
        let lifecycle: AppLifecycle
    }

    init() {
        let observers = observers
        let configured = configured
        routing = RoutingTable { [weak configured] error, release in
            observers.send(
                .event(
                    PatchEvent(
                        kind: .call, reason: error.reason, text: error.description,
                        release: release)))
            configured?.withLock({ $0?.session })?.reporter.note(
                error.reason == .demoted ? .demotion : .trap, release.digest, reason: error.reason
            ) { $0.detail = error.context }
        }
    }

    /// Sets the SDK up; no network and no module yet. Call it once, early in the launch; a later
    /// call replaces the configuration for the next ``start()``.
    public static func configure(_ configuration: PatchConfiguration) {
        shared.configure(configuration, environment: PatchEnvironment())
        _ = noteCleanEnd
    }

    // Once for the process. A program that returns from `main` or calls `exit` has not crashed.
    private static let noteCleanEnd: Void = {
        _ = atexit { Patch.shared.willTerminate() }
    }()

    func configure(_ configuration: PatchConfiguration, environment: PatchEnvironment) {
        let (updateState, observers) = (updateState, observers)
        let session = Session(
            configuration, environment: environment, routing: routing,
            outlets: Session.Outlets(
                event: { observers.send(.event($0)) },
                state: { state in
                    updateState.post(state)
                    observers.send(.state(state))
                },
                release: { observers.send(.release($0)) }))
        let lifecycle = AppLifecycle(
            environment.lifecycle,
            foreground: { [weak session] in session?.didEnterForeground() },
            background: { [weak session] in session?.didEnterBackground() },
            end: { [weak session] in session?.engine.didEndCleanly() })
        configured.withLock { $0 = Configured(session: session, lifecycle: lifecycle) }
    }

    /// What ``configure(_:)`` made, if it was called.
    var session: Session? { configured.withLock { $0?.session } }

    /// - Throws: ``PatchError`` `not_configured`.
    func requireSession() throws -> Session {
        guard let session else { throw PatchError.notConfigured }
        return session
    }

    // MARK: What runs

    /// The release whose module runs; nil when native code alone does.
    public var currentRelease: PatchRelease? { routing.active?.release }

    /// Whether a module runs.
    public var hasActiveModule: Bool { routing.active != nil }

    /// The configuration in use; nil before ``configure(_:)``.
    public var currentConfiguration: PatchConfiguration? { session?.configuration }

    /// Calls `body` after every change of ``currentRelease``, on whatever thread made it: the place
    /// to tag crash reports with the release.
    @discardableResult
    public func onReleaseChange(
        _ body: @escaping @Sendable (PatchRelease?) -> Void
    ) -> PatchObservation {
        observers.add { if case .release(let release) = $0 { body(release) } }
    }

    /// Calls `body` with what is worth a line in a log, on whatever thread it happened.
    @discardableResult
    public func onEvent(_ body: @escaping @Sendable (PatchEvent) -> Void) -> PatchObservation {
        observers.add { if case .event(let event) = $0 { body(event) } }
    }

    /// The update states from now on, for code that is not on the main actor.
    public var updateStates: AsyncStream<PatchUpdateState> {
        AsyncStream { continuation in
            let observation = observers.add {
                if case .state(let state) = $0 { continuation.yield(state) }
            }
            continuation.onTermination = { _ in observation.cancel() }
        }
    }

    // MARK: Start

    /// Activates the best module on disk, else the bundled one. Returns when that is done and
    /// never waits for the network; with `autoApply`, check and update go on behind it.
    @discardableResult
    public func start() async -> StartOutcome {
        guard let session else { return .fallback(PatchError.notConfigured.description) }
        let outcome = await session.start()
        session.beginAutomatic()
        return outcome
    }

    /// The same, but with `autoApply` waits for the first check and what comes of it, for apps that
    /// would rather show the newest release than the first picture.
    /// - Parameter seconds: the longest wait; more than 2 counts as 2.
    /// - Returns: what runs at the end of the wait; what goes on, goes on behind it.
    @discardableResult
    public func start(waitingAtMost seconds: Double) async -> StartOutcome {
        guard let session else { return .fallback(PatchError.notConfigured.description) }
        let outcome = await session.start()
        await session.beginAutomatic(waitingAtMost: min(max(0, seconds), 2))
        return routing.active.map { .activated($0.release.version) } ?? outcome
    }

    /// Says that the app works with the release that runs. Needed only with
    /// ``PatchReadiness/manual``; earlier than the SDK's own judgement it is welcome, too.
    public func markReady() {
        guard let session else { return }
        Task.detached { await session.markReady() }
    }
}
