import Foundation
import PatchPlatform
import Rollout
import UpdateEngine

/// Bundles that are delivered as signed releases: what they show, how they are kept current, and how
/// one that does not work gives way to the last one that did.
///
/// Nothing has to be called for that: the first request for a bundle judges earlier starts and shows
/// the best version there is, and ``WebViewBundleReleasesConfig`` says when updates are looked for.
public final class BundleReleases: Sendable {
    /// The parts of the machine that it stands on; tests put others in their place.
    struct Environment: Sendable {
        var transport: any HTTPTransport = URLSessionTransport()
        var clock: any SystemClock = LiveClock()
        var random: any RandomSource = LiveRandom()
        var process: any ProcessIdentity = LiveProcess()
        /// The files of a folder of the state.
        var files: @Sendable (URL) -> any FileStore = { LocalFileStore(folder: $0) }
        /// Why this build takes no remote updates at all, if it does not.
        var remoteRefusal: Reason? = Self.liveRefusal
        var appVersion: String? =
            Foundation.Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String

        /// What is under development is never changed unawares.
        private static var liveRefusal: Reason? {
            #if DEBUG
                return ProcessInfo.processInfo.environment["OPENPATCH_DEV"] == "1"
                    ? nil : .debugBuild
            #else
                return nil
            #endif
        }
    }

    /// Told of an event, on any thread.
    public typealias Listener = @Sendable (BundleReleaseEvent) -> Void

    private let bundles: [String: ReleasedBundle]
    private let reporter: BundleReporter
    private let config: WebViewBundleReleasesConfig
    private let environment: Environment
    private let listeners: Lock<[Int: Listener]>
    private let isRemote: Bool
    private let background = Lock((hiddenSince: UInt64?.none, hasBegun: false))
    /// What is wrong with configuration or resources, as code and sentence; updates may be off.
    public let problems: [String]

    init(
        _ config: WebViewBundleReleasesConfig, source: BundleSource,
        environment: Environment = Environment(),
        onError: @escaping @Sendable (any Swift.Error) -> Void
    ) throws {
        self.config = config
        self.environment = environment
        for name in config.bundles { try BundleNaming.check(name: name) }
        let settings = ReleasesSettings(
            config, refusal: environment.remoteRefusal, appVersion: environment.appVersion)
        problems = settings.problems.map { "\($0.description) [\($0.code)]" }
        for problem in settings.problems { onError(BundleReleaseFailure.error(problem)) }
        isRemote = settings.isRemote
        let listeners = Lock<[Int: Listener]>([:])
        self.listeners = listeners
        guard let folder = settings.folder else {
            throw FailureCode.noRemoteFolder.core(
                "There is no folder for the state of releases; name one as 'stateDir'.")
        }
        func core(_ folder: URL) -> UpdateEngine.Environment {
            UpdateEngine.Environment(
                files: environment.files(folder), transport: environment.transport,
                clock: environment.clock, random: environment.random,
                process: environment.process)
        }
        let system = settings.engine.systemVersion.map { "\(settings.engine.platform) \($0)" }
        let reporter = BundleReporter(
            settings.engine, telemetry: isRemote ? config.telemetry : .off, system: system,
            environment: core(folder))
        self.reporter = reporter
        var bundles: [String: ReleasedBundle] = [:]
        for name in config.bundles {
            let own = folder.appendingPathComponent(name)
            bundles[name] = ReleasedBundle(
                name,
                .init(
                    source: source, settings: settings.engine, config: config,
                    environment: core(own), folder: own, reporter: reporter.about(name),
                    tell: { event in
                        for listener in listeners.withLock({ Array($0.values) }) {
                            listener(event)
                        }
                    }))
        }
        self.bundles = bundles
    }

    // MARK: What is shown

    /// The names of the bundles that releases deliver.
    public var names: [String] { bundles.keys.sorted() }

    /// Whether releases deliver a bundle.
    public func manages(_ bundleName: String) -> Bool { bundles[bundleName] != nil }

    /// The release that is shown; nil for the version that the app ships.
    /// - Throws: ``Error/Core(message:)`` `bundle_not_released`.
    public func release(of bundleName: String) throws -> BundleRelease? {
        try find(bundleName).release
    }

    /// Whether what is shown has yet to prove itself.
    /// - Throws: ``Error/Core(message:)`` `bundle_not_released`.
    public func isOnTrial(_ bundleName: String) throws -> Bool { try find(bundleName).isOnTrial }

    /// Judges earlier starts and chooses what is shown, before the first request does; and begins to
    /// look for updates, as configured.
    public func start() async {
        for bundle in bundles.values { await bundle.start() }
        beginUpdates()
    }

    // MARK: Updates

    /// Asks whether there is something else to show; downloads metadata only.
    /// - Throws: ``Error``.
    public func check(_ bundleName: String) async throws -> BundleReleaseUpdate? {
        try await explaining { try await started(bundleName).check() }
    }

    /// Brings an update onto this device, without showing it.
    /// - Returns: what can be applied; nil when there is nothing.
    /// - Throws: ``Error``.
    @discardableResult
    public func fetch(_ bundleName: String) async throws -> BundleReleaseUpdate? {
        try await explaining { try await started(bundleName).fetch() }
    }

    /// Shows what was fetched; web views of `makeWebView` and `BundleWebView` load the page anew.
    /// - Throws: ``Error``, `not_staged` when nothing waits.
    public func apply(_ bundleName: String) async throws {
        try await explaining { try await started(bundleName).apply() }
        await reporter.send()
    }

    /// Check, fetch and apply in one.
    /// - Returns: whether something else is shown now.
    /// - Throws: ``Error``.
    @discardableResult
    public func update(_ bundleName: String) async throws -> Bool {
        guard try await check(bundleName) != nil, try await fetch(bundleName) != nil else {
            return false
        }
        try await apply(bundleName)
        return true
    }

    /// Speaks as a device of another channel, with other tags and cohort, from the next check on.
    public func setAudience(channel: String, tags: Set<String> = [], cohort: String? = nil) async {
        for bundle in bundles.values {
            await bundle.engine.setAudience(channel: channel, tags: tags, cohort: cohort)
            bundle.note(update: nil)
        }
    }

    /// Why this device shows what it shows, in words.
    /// - Throws: ``Error/Core(message:)`` `bundle_not_released`.
    public func explain(_ bundleName: String) async throws -> String {
        await (try started(bundleName)).explain()
    }

    /// Tells the server what happened, if it may be told.
    public func sendTelemetry() async { await reporter.send() }

    private func beginUpdates() {
        guard isRemote else { return }
        let isNew = background.withLock { state in
            let isNew = !state.hasBegun
            state.hasBegun = true
            return isNew
        }
        guard isNew else { return }
        let interval = config.checkInterval.map { max($0, 1) }
        if config.checksAtLaunch { Task.detached { [weak self] in await self?.updateAll() } }
        guard let interval else { return }
        Task.detached { [weak self, clock = environment.clock] in
            while (try? await clock.sleep(seconds: interval)) != nil {
                guard let self else { return }
                await self.updateAll()
            }
        }
    }

    private func updateAll() async {
        for name in names { await bundles[name]?.automaticUpdate() }
    }

    // MARK: The page

    /// Says that the page of the version that is shown works, as its `updaterConfirm` does.
    /// - Returns: whether a released version is shown that has proved itself or may still do so.
    /// - Throws: ``Error/Core(message:)`` `bundle_not_released`.
    @discardableResult
    public func markReady(_ bundleName: String) async throws -> Bool {
        await (try started(bundleName)).pageSaysReady()
    }

    /// Says that the page could not be loaded or that its process ended; a version on trial is taken
    /// back. For apps with web views of their own.
    public func pageFailed(_ bundleName: String, detail: String) async {
        await bundles[bundleName]?.pageFailed(detail)
    }

    /// A web view that can tell whether its page shows something (``PageSight``).
    /// - Parameters:
    ///   - tellsCommits: whether the web view also calls ``pageCommitted(_:)``; what a page says
    ///     before that is not counted then.
    ///   - look: gives nil when it cannot tell at the moment.
    public func watch(
        _ bundleName: String, tellsCommits: Bool, look: @escaping @Sendable () async -> Bool?
    ) {
        bundles[bundleName]?.watch(tellsCommits: tellsCommits, with: look)
    }

    /// A page of the bundle took the place of the earlier one in a web view that watches.
    public func pageCommitted(_ bundleName: String) { bundles[bundleName]?.committedDocument() }

    /// The app left the foreground: the time of pages on trial stands still, and the system may end
    /// the app.
    public func didEnterBackground() {
        let now = environment.clock.monotonicNanoseconds()
        background.withLock { $0.hiddenSince = $0.hiddenSince ?? now }
        for bundle in bundles.values { bundle.engine.didEnterBackground() }
    }

    /// The app is in the foreground again.
    public func didEnterForeground() {
        let now = environment.clock.monotonicNanoseconds()
        let since = background.withLock { state in
            defer { state.hiddenSince = nil }
            return state.hiddenSince
        }
        for bundle in bundles.values {
            bundle.engine.didEnterForeground()
            if let since { bundle.wasHidden(for: Double(now - since) / 1e9) }
        }
    }

    /// The app ends as it wants to; nothing new is shown from now on.
    public func didEndCleanly() {
        for bundle in bundles.values { bundle.didEnd() }
    }

    // MARK: Listening

    /// Calls `listener` with every event from now on, on any thread.
    /// - Returns: what stops that.
    @discardableResult
    public func listen(_ listener: @escaping Listener) -> @Sendable () -> Void {
        let id = listeners.withLock { listeners in
            let id = (listeners.keys.max() ?? 0) + 1
            listeners[id] = listener
            return id
        }
        return { [listeners] in listeners.withLock { $0[id] = nil } }
    }

    // MARK: Requests

    /// The bundle that a request is for, with its start behind it; nil when releases do not deliver
    /// it.
    func prepared(_ bundleName: String) async -> ReleasedBundle? {
        guard let bundle = bundles[bundleName] else { return nil }
        await bundle.start()
        beginUpdates()
        return bundle
    }

    /// Whether it has been chosen what is shown; false during the first request.
    func hasStarted(_ bundleName: String) -> Bool { bundles[bundleName]?.hasStarted ?? false }

    func knownUpdate(_ bundleName: String) -> BundleReleaseUpdate? {
        bundles[bundleName]?.knownUpdate
    }

    private func started(_ bundleName: String) async throws -> ReleasedBundle {
        let bundle = try find(bundleName)
        await bundle.start()
        return bundle
    }

    private func find(_ bundleName: String) throws -> ReleasedBundle {
        guard let bundle = bundles[bundleName] else {
            throw FailureCode.notReleased.core(
                "'\(bundleName.printable)' is not among the bundles that releases deliver.")
        }
        return bundle
    }

    private func explaining<Result: Sendable>(
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch {
            throw BundleReleaseFailure.error(error)
        }
    }
}
