import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import UpdateEngine

/// One bundle that releases deliver: joins the update engine, which knows what should be shown, with
/// the source, which serves it.
final class ReleasedBundle: Sendable {
    /// What it stands on and whom it tells.
    struct Parts: Sendable {
        var source: BundleSource
        var settings: UpdateSettings
        var config: WebViewBundleReleasesConfig
        /// The machine, with this bundle's own folder.
        var environment: UpdateEngine.Environment
        /// Where that folder lies.
        var folder: URL
        var reporter: BundleReporter
        var tell: @Sendable (BundleReleaseEvent) -> Void
    }

    /// Looks at the page that is shown; nil when it cannot tell at this moment.
    typealias Look = @Sendable () async -> Bool?

    /// What is served and how it is doing.
    private struct Shown {
        var release: BundleRelease?
        /// Nil when what is shown has proved itself.
        var trial: PageTrial?
        /// Grows with each change of what is shown.
        var number = 0
        var isWatched = false
        var look: Look?
        /// Whether only a web view says when a page of this version has come.
        var waitsForCommit = false
        var update: BundleReleaseUpdate?
        var hasStarted = false
        var hasEnded = false
    }

    let name: String
    let engine: UpdateEngine
    let parts: Parts
    /// Start, apply and taking back, which never wait for the network.
    let activation = SerialGate()
    /// Check and fetch, which do.
    let network = SerialGate()
    private let shown = Lock(Shown())

    init(_ name: String, _ parts: Parts) {
        self.name = name
        self.parts = parts
        var settings = parts.settings
        let source = parts.source
        // What the app ships is what the first delta starts from.
        settings.baseModule = {
            guard let version = source.builtinVersion(name),
                let path = try? source.filepath(.builtin, name, version),
                let data = try? Data(contentsOf: URL(fileURLWithPath: path))
            else { return nil }
            return [UInt8](data)
        }
        engine = UpdateEngine(
            settings: settings, kind: BundleKind(bundle: name, limits: source.limits),
            environment: parts.environment)
    }

    /// The release that is served; nil for what the app ships.
    var release: BundleRelease? { shown.withLock { $0.release } }
    /// Whether what is served has not proved itself yet.
    var isOnTrial: Bool { shown.withLock { $0.trial != nil } }
    /// Whether ``start()`` has been.
    var hasStarted: Bool { shown.withLock { $0.hasStarted } }
    /// The update that waits on disk or at the server.
    var knownUpdate: BundleReleaseUpdate? { shown.withLock { $0.update } }

    func note(update: BundleReleaseUpdate?) { shown.withLock { $0.update = update } }

    func problem(_ error: any Swift.Error) {
        let error = BundleReleaseFailure.updateError(error)
        parts.tell(.problem(bundle: name, code: error.code, message: error.description))
    }

    // MARK: Start

    /// Judges earlier starts and shows the best version there is; later calls do nothing.
    func start() async {
        if hasStarted { return }
        await activation.run { [self] in
            guard !hasStarted else { return }
            do {
                let plan = try await engine.launch()
                heed(plan)
                if plan.isSafeMode {
                    problem(UpdateError(.safeMode))
                    try showShipped()
                } else {
                    try await climb(plan.state)
                }
            } catch {
                // What cannot be judged must not run: a crash would go unseen.
                problem(error)
                do { try showShipped() } catch { problem(error) }
            }
            shown.withLock { $0.hasStarted = true }
        }
    }

    /// What was concluded from earlier starts is said and told.
    private func heed(_ plan: LaunchPlan) {
        for verdict in plan.verdicts {
            let error = UpdateError(verdict.reason, String(verdict.digest.prefix(16)))
            switch verdict.action {
            case .confirmed: parts.reporter.note(.ready, verdict.digest)
            case .counted: problem(error)
            case .reported:
                problem(error)
                parts.reporter.note(.crashAfterReady, verdict.digest, reason: verdict.reason)
            case .rolledBack, .safeMode:
                problem(error)
                parts.reporter.note(.rollback, verdict.digest, reason: verdict.reason)
            }
        }
    }

    /// Staged, current, previous, shipped: the first that works. Each that fails is taken off, so
    /// this ends.
    private func climb(_ state: BuildState) async throws {
        var own = state
        if engine.readsOnly { own.staged = nil }
        for _ in 0..<4 {
            let slot: Slot
            switch (own.staged, own.current) {
            case (.embedded, _):
                try showShipped()
                return try await engine.didActivateStaged()
            case (.release(let staged), _): slot = staged
            case (nil, .some(let current)): slot = current
            case (nil, nil): return try showShipped()
            }
            // A store update brought something newer; the next check says the same.
            if slot.sequence <= parts.settings.embeddedSequence { return try showShipped() }
            do {
                return try await activate(slot, isStaged: own.staged != nil)
            } catch let error as UpdateError where error.isOfBundle {
                problem(error)
                parts.reporter.note(.rollback, slot.digest, reason: error.reason)
                try await engine.didFail(slot.digest, because: error.reason)
                own = try await engine.open()
            }
        }
        try showShipped()
    }

    // MARK: Activation

    /// Shows a payload, and makes it current when it was staged. What fails leaves all as it was.
    /// - Throws: ``UpdateError``; ``Error`` when the folder of bundles cannot be written.
    private func activate(_ slot: Slot, isStaged: Bool) async throws {
        // What began to run while the app ends would look like a crash to the next start.
        if shown.withLock({ $0.hasEnded }) { throw UpdateError(.cancelled) }
        let begun = parts.environment.clock.monotonicNanoseconds()
        let file = try await engine.payloadFile(of: slot)
        try await engine.willActivate(slot.digest)
        do {
            let path = parts.folder.appendingPathComponent(file).path
            try parts.source.show(
                .init(
                    version: slot.version, path: path,
                    digest: Hex.decode(slot.digest) ?? []), as: name)
            if isStaged { try await engine.didActivateStaged() }
        } catch let error as BundleFormatError {
            engine.didNotActivate(slot.digest)
            throw UpdateError(.bundleMalformed, error.description)
        } catch {
            engine.didNotActivate(slot.digest)
            throw error
        }
        engine.didActivate()
        let release = BundleRelease(bundle: name, version: slot.version, digest: slot.digest)
        let readiness = parts.config.readiness
        setShown(release, trial: slot.isConfirmed ? nil : PageTrial(readiness))
        let milliseconds =
            (parts.environment.clock.monotonicNanoseconds() &- begun) / 1_000_000
        parts.reporter.note(.activate, slot.digest) {
            $0.durationMilliseconds = Int(clamping: milliseconds)
        }
    }

    private func showShipped() throws {
        try parts.source.show(nil, as: name)
        setShown(nil, trial: nil)
    }

    private func setShown(_ release: BundleRelease?, trial: PageTrial?) {
        shown.withLock {
            $0.release = release
            $0.trial = trial
            $0.number += 1
            $0.isWatched = false
            $0.update = nil
        }
        parts.tell(.shows(bundle: name, release: release))
    }

    /// Shows what is staged.
    /// - Throws: ``UpdateError``, `not_staged` when nothing is; what is shown stays then.
    func apply() async throws {
        try await activation.run { [self] in
            switch try await engine.open().staged {
            case nil: throw UpdateError(.notStaged)
            case .embedded:
                let left = release?.digest
                try showShipped()
                try await engine.didActivateStaged()
                parts.reporter.note(.rollback, left, reason: .embedded)
            case .release(let slot):
                do {
                    try await activate(slot, isStaged: true)
                } catch let error as UpdateError where error.isOfBundle {
                    try await engine.didFail(slot.digest, because: error.reason)
                    throw error
                }
            }
        }
    }

    // MARK: The page

    /// A web view that can tell what its page shows, and perhaps when a page has come.
    func watch(tellsCommits: Bool, with look: @escaping Look) {
        shown.withLock {
            $0.look = look
            $0.waitsForCommit = tellsCommits
        }
    }

    /// The document of the version that is shown was served.
    func servedDocument() { pageCame(byCommit: false) }

    /// The document of the version that is shown has taken the place of the earlier page: what is
    /// said from now on is said by it.
    func committedDocument() { pageCame(byCommit: true) }

    private func pageCame(byCommit: Bool) {
        let clock = parts.environment.clock
        let now = Double(clock.monotonicNanoseconds()) / 1e9
        let (isOnTrial, mustWatch, number) = shown.withLock { shown -> (Bool, Bool, Int) in
            guard shown.trial != nil else { return (false, false, 0) }
            guard byCommit || !shown.waitsForCommit else { return (true, false, 0) }
            shown.trial?.begin(at: now)
            let mustWatch = !shown.isWatched
            shown.isWatched = true
            return (true, mustWatch, shown.number)
        }
        if isOnTrial { engine.patchedCallBegan() }
        if mustWatch { Task.detached { [weak self] in await self?.watchTrial(number) } }
    }

    /// The page says that it works.
    /// - Returns: whether a released version is shown that has proved itself or may still do so.
    @discardableResult
    func pageSaysReady() async -> Bool {
        let (counts, number) = shown.withLock { shown -> (Bool, Int) in
            guard shown.trial != nil else { return (shown.release != nil, shown.number) }
            return (shown.trial?.say() ?? false, shown.number)
        }
        if counts { await decide(number) }
        return counts
    }

    /// The page could not be loaded, or its process ended.
    func pageFailed(_ detail: String) async {
        let (number, isOnTrial, release) = shown.withLock {
            ($0.number, $0.trial != nil, $0.release)
        }
        if isOnTrial { return await takeBack(number, UpdateError(.pageFailed, detail)) }
        guard let release else { return }
        problem(UpdateError(.pageFailed, detail))
        parts.reporter.note(.crashAfterReady, release.digest, reason: .pageFailed)
    }

    /// The app ends as it wants to.
    func didEnd() {
        shown.withLock { $0.hasEnded = true }
        engine.didEndCleanly()
    }

    /// The app was out of sight for so many seconds, and pages stand still then.
    func wasHidden(for seconds: Double) { shown.withLock { $0.trial?.pause(for: seconds) } }

    /// How often a page on trial is looked at, in seconds.
    static let glance = 0.25

    private func watchTrial(_ number: Int) async {
        while await decide(number) == .waiting {
            guard (try? await parts.environment.clock.sleep(seconds: Self.glance)) != nil else {
                return
            }
        }
    }

    /// Looks at the page if that is worth it, and draws the conclusion.
    @discardableResult
    private func decide(_ number: Int) async -> PageTrial.Outcome {
        let (trial, look) = shown.withLock {
            ($0.number == number ? $0.trial : nil, $0.look)
        }
        guard var trial else { return .works }
        if trial.wantsSight {
            if let look {
                if let isVisible = await look() { trial.sight = isVisible ? .visible : .blank }
            } else {
                trial.sight = .untold
            }
        }
        let sight = trial.sight
        let now = Double(parts.environment.clock.monotonicNanoseconds()) / 1e9
        let outcome = shown.withLock { shown -> PageTrial.Outcome in
            guard shown.number == number, shown.trial != nil else { return .works }
            shown.trial?.sight = sight
            let outcome = shown.trial?.outcome(at: now) ?? .works
            if outcome == .works { shown.trial = nil }
            return outcome
        }
        switch outcome {
        case .waiting: break
        case .works: if trial.outcome(at: now) == .works { await confirm(number) }
        case .failed(let reason): await takeBack(number, UpdateError(reason))
        }
        return outcome
    }

    private func confirm(_ number: Int) async {
        guard let release = shown.withLock({ $0.number == number ? $0.release : nil }) else {
            return
        }
        do {
            try await engine.markReady()
        } catch {
            problem(error)
        }
        parts.reporter.note(.ready, release.digest)
        parts.tell(.ready(release))
        await parts.reporter.send()
    }

    /// Shows the version before instead; this one is not tried again until its ban ends.
    private func takeBack(_ number: Int, _ error: UpdateError) async {
        await activation.run { [self] in
            let release = shown.withLock { shown -> BundleRelease? in
                guard shown.number == number, shown.trial != nil else { return nil }
                shown.trial = nil
                return shown.release
            }
            guard let release else { return }
            parts.reporter.note(.rollback, release.digest, reason: error.reason)
            do {
                try await engine.didFail(release.digest, because: error.reason)
                try await climb(try await engine.open())
            } catch {
                problem(error)
                do { try showShipped() } catch { problem(error) }
            }
            parts.tell(
                .tookBack(
                    release, code: error.code, message: error.description,
                    now: self.release?.version))
        }
        await parts.reporter.send()
    }
}

extension UpdateError {
    /// Whether it is the bundle's fault, or its file's, rather than that of the state around it.
    fileprivate var isOfBundle: Bool {
        (reason.band != .state && reason != .cancelled) || reason == .slotMissing
            || reason == .slotDamaged
    }
}
