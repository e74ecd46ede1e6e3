import Foundation

/// The SDK: activates the best module it has, looks for updates, and calls into modules.
public final class Patch: Sendable {
    /// The one of this process.
    public static let shared = Patch()

    /// How far an update is, for user interfaces.
    public let updateState = PatchUpdateStateObservable()

    let routing = RoutingTable()

    init() {}

    /// Sets the SDK up. No network; a second call replaces the first before ``start()``.
    public static func configure(_ configuration: PatchConfiguration) {}

    /// The release that runs; nil when native code alone does.
    public var currentRelease: PatchRelease? { nil }

    /// Calls `body` after every change of ``currentRelease``, from any thread.
    @discardableResult
    public func onReleaseChange(
        _ body: @escaping @Sendable (PatchRelease?) -> Void
    ) -> PatchObservation { PatchObservation {} }

    /// Activates the best module on disk and never waits for the network.
    @discardableResult
    public func start() async -> StartOutcome { .noModule }

    /// Asks whether this device should take another release. Applies nothing.
    /// - Throws: ``PatchError``.
    public func checkForUpdate() async throws -> UpdateInfo? { nil }

    /// Downloads and verifies the update and keeps it on disk.
    /// - Returns: whether an update is ready to be applied.
    /// - Throws: ``PatchError``; what runs keeps running.
    @discardableResult
    public func fetchUpdate() async throws -> Bool { false }

    /// Applies the update that was fetched: the next calls reach the new module.
    /// - Throws: ``PatchError``; what runs keeps running.
    public func reloadAsync() async throws { throw PatchError(.notStaged) }

    /// Fetches and applies the update if there is one and it is mandatory.
    public func enforceMandatoryUpdates() async {}
}
