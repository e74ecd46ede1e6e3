import Foundation

extension Patch {
    /// Asks whether this device should take another release. Downloads metadata, applies nothing.
    /// - Returns: nil when it runs what it should.
    /// - Throws: ``PatchError``; what runs keeps running.
    public func checkForUpdate() async throws -> UpdateInfo? { try await requireSession().check() }

    /// Downloads and verifies the update and keeps it on disk; it survives the end of the process
    /// and is then activated by ``start()``.
    /// - Returns: whether an update is ready to be applied.
    /// - Throws: ``PatchError``; what runs keeps running.
    @discardableResult
    public func fetchUpdate() async throws -> Bool { try await requireSession().fetch() }

    /// Applies the update that was fetched: calls that begin from now on reach the new module,
    /// calls in progress end on the old one. Either ``currentRelease`` changes or it throws.
    /// - Throws: ``PatchError``, `not_staged` when nothing was fetched; what runs keeps running.
    public func reloadAsync() async throws { try await requireSession().reload() }

    /// Fetches and applies the update at once if there is one and it is mandatory, whatever the
    /// limits on interruptions say; what goes wrong is an event and a state.
    public func enforceMandatoryUpdates() async { await session?.enforceMandatory() }

    /// Looks for an update and brings it here without running it, for background refresh
    /// (`BGAppRefreshTask`, `performFetchWithCompletionHandler`).
    public func performBackgroundFetch() async -> PatchBackgroundResult {
        await session?.backgroundFetch() ?? .failed
    }

    /// Says in words why this device runs what it runs: the last decision with the rule that made
    /// it, what it left out and why, and what earlier starts led to.
    public func explain() async -> String {
        await session?.explain() ?? PatchError.notConfigured.description
    }

    // MARK: Safe points and lifecycle

    /// Says that this is a good moment for a swap: an update that waits for one begins to run.
    public func reachedSafePoint() async { await session?.applyWaiting() }

    /// Says that the app is in the foreground. The SDK hears it by itself from UIKit and AppKit;
    /// other programs with a notion of it say so here.
    public func didEnterForeground() { session?.didEnterForeground() }

    /// Says that the app has left the foreground, from where the system may end it.
    public func didEnterBackground() { session?.didEnterBackground() }

    /// Says that the process ends as it wants to. Returning from `main` and `exit` say so too.
    public func willTerminate() { session?.engine.didEndCleanly() }

    // MARK: Channel and tests

    /// Takes updates from another channel from the next check on, also after the next start;
    /// `.bundled` goes back to the configured one. A device is never stranded: a release of the
    /// old channel that the new one does not know is left with the next update.
    /// - Throws: ``PatchError`` `channel_refused`, `state_unwritable`.
    public func setChannel(_ channel: PatchChannel) async throws {
        try await requireSession().setChannel(channel)
    }

    /// Joins a test: carries its tag from now on, and runs at once what a signed rollout offers to
    /// that tag alone. An invitation that names a digest is refused when another is offered.
    ///
    /// Ask the user first when the invitation comes from a link: anybody can make a link. It can
    /// only lead to a release that your release key has signed for this build.
    /// - Parameter invitation: a tag, or a link such as `myapp://join?tag=qa-17&digest=3fa9…`.
    /// - Returns: the release that runs now.
    /// - Throws: ``PatchError``; the test is not joined then.
    @discardableResult
    public func join(_ invitation: String) async throws -> PatchRelease? {
        try await requireSession().join(try PatchInvitation(invitation))
    }

    /// The same for a link that the system hands over.
    /// - Throws: as ``join(_:)-(String)``.
    @discardableResult
    public func join(_ link: URL) async throws -> PatchRelease? {
        try await join(link.absoluteString)
    }

    /// Leaves a test. What runs keeps running until the channel's head moves on.
    /// - Throws: ``PatchError`` `state_unwritable`.
    public func leave(_ tag: String) async throws { try await requireSession().leave(tag) }
}
