import Foundation
import PatchPlatform

/// The SDK: activates the best module it has, looks for updates, and calls into modules.
///
/// Everything here may be called from any thread; nothing waits for the network unless it says so.
public final class Patch: Sendable {
    /// The one of this process.
    public static let shared = Patch()

    /// How far an update is, for user interfaces.
    public let updateState = PatchUpdateStateObservable()

    let routing: RoutingTable
    private let events = Observers<PatchEvent>()
    private let releases = Observers<PatchRelease?>()
    private let session = Lock<Session?>(nil)

    init() {
        let events = events
        routing = RoutingTable { error, release in
            events.send(
                PatchEvent(
                    kind: .call, reason: error.reason, text: error.description, release: release))
        }
    }

    /// Sets the SDK up; no network and no module yet. Call it once, early in the launch; a later
    /// call replaces the configuration for the next ``start()``.
    public static func configure(_ configuration: PatchConfiguration) {
        shared.configure(configuration, environment: PatchEnvironment())
    }

    func configure(_ configuration: PatchConfiguration, environment: PatchEnvironment) {
        let updateState = updateState
        let releases = releases
        let events = events
        let fresh = Session(
            configuration, environment: environment, routing: routing,
            send: { events.send($0) }, post: { updateState.post($0) },
            releaseChanged: { releases.send($0) })
        session.withLock { $0 = fresh }
    }

    private func configured() throws -> Session {
        guard let session = session.withLock({ $0 }) else { throw PatchError(.notConfigured) }
        return session
    }

    // MARK: What runs

    /// The release whose module runs; nil when native code alone does.
    public var currentRelease: PatchRelease? { routing.active?.release }

    /// Calls `body` after every change of ``currentRelease``, on whatever thread made it.
    @discardableResult
    public func onReleaseChange(
        _ body: @escaping @Sendable (PatchRelease?) -> Void
    ) -> PatchObservation { releases.add(body) }

    /// Calls `body` with what is worth a line in a log, on whatever thread it happened.
    @discardableResult
    public func onEvent(_ body: @escaping @Sendable (PatchEvent) -> Void) -> PatchObservation {
        events.add(body)
    }

    // MARK: Updates

    /// Activates the best module on disk, else the bundled one. Returns when that is done and
    /// never waits for the network; with `autoApply`, check and update go on behind it.
    @discardableResult
    public func start() async -> StartOutcome {
        guard let session = session.withLock({ $0 }) else {
            return .fallback(PatchError(.notConfigured).description)
        }
        let outcome = await session.start()
        let settings = session.resolved
        if settings.configuration.autoApply, settings.isRemote, !session.engine.readsOnly {
            Task.detached { await session.applyUpdate(onlyMandatory: false) }
        }
        return outcome
    }

    /// Asks whether this device should take another release. Downloads metadata, applies nothing.
    /// - Returns: nil when it runs what it should.
    /// - Throws: ``PatchError``; what runs keeps running.
    public func checkForUpdate() async throws -> UpdateInfo? { try await configured().check() }

    /// Downloads and verifies the update and keeps it on disk; it survives the end of the process
    /// and is then activated by ``start()``.
    /// - Returns: whether an update is ready to be applied.
    /// - Throws: ``PatchError``; what runs keeps running.
    @discardableResult
    public func fetchUpdate() async throws -> Bool { try await configured().fetch() }

    /// Applies the update that was fetched: calls that begin from now on reach the new module,
    /// calls in progress end on the old one.
    /// - Throws: ``PatchError``, `not_staged` when nothing was fetched; what runs keeps running.
    public func reloadAsync() async throws { try await configured().reload() }

    /// Fetches and applies the update at once if there is one and it is mandatory.
    public func enforceMandatoryUpdates() async {
        await session.withLock({ $0 })?.applyUpdate(onlyMandatory: true)
    }

    /// Says in words why this device runs what it runs: the last decision, and what it left out.
    public func explain() async -> String {
        guard let session = session.withLock({ $0 }) else {
            return PatchError(.notConfigured).description
        }
        return await session.explain()
    }
}
