import Foundation
import PatchCrypto
import Rollout
import UpdateEngine

extension Session {
    /// Activates the best module there is: staged, current, previous, bundled.
    func start() async -> StartOutcome {
        await activation.run { [self] in
            for problem in resolved.problems { report(.configuration, problem) }
            if case .firstUse = resolved.settings.trust { Self.warnLoudly() }
            var failure: PatchError?
            let outcome: StartOutcome
            if let downloaded = await startDownloaded(&failure) {
                outcome = downloaded
            } else if let failure, failure.reason == .safeMode {
                outcome = startNative(failure)
            } else {
                outcome = await startBundled(failure)
            }
            if case .fallback = outcome { reporter.note(.fallback, reason: failure?.reason) }
            return outcome
        }
    }

    private static func warnLoudly() {
        let text = "OpenPatch: trust is insecureForLocalDevelopment; updates are NOT verified.\n"
        FileHandle.standardError.write(Data(text.utf8))
    }

    private func startDownloaded(_ failure: inout PatchError?) async -> StartOutcome? {
        do {
            let plan = try await engine.launch()
            heed(plan)
            guard !plan.isSafeMode else {
                failure = PatchError(.safeMode)
                report(.refused, PatchError(.safeMode))
                return nil
            }
            var own = plan.state
            if engine.readsOnly { own.staged = nil }
            // Each failed rung is taken off the ladder, so this ends.
            for _ in 0..<4 {
                let slot: Slot
                switch (own.staged, own.current) {
                case (.embedded, _):
                    try await engine.didActivateStaged()
                    return nil
                case (.release(let staged), _): slot = staged
                case (nil, .some(let current)): slot = current
                case (nil, nil): return nil
                }
                do {
                    try await activate(slot, isStaged: own.staged != nil)
                    return .activated(slot.version)
                } catch let error as PatchError
                    where error.isOfDisk && own.staged != nil && own.current != nil
                {
                    // It stays staged for a start that can keep that it runs; what ran still does.
                    report(.state, error)
                    engine.didNotActivate(slot.digest)
                    own.staged = nil
                } catch let error as PatchError where error.isOfPayload {
                    failure = error
                    report(.refused, error)
                    reporter.note(.rollback, slot.digest, reason: error.reason)
                    try await engine.didFail(slot.digest, because: error.reason)
                    own = try await engine.open()
                }
            }
        } catch {
            let error = PatchError(of: error)
            failure = error
            report(.state, error)
        }
        return nil
    }

    /// What was concluded from earlier starts is said and told.
    private func heed(_ plan: LaunchPlan) {
        automatic.withLock {
            $0.verdicts = plan.verdicts
            $0.isSafeMode = plan.isSafeMode
        }
        for verdict in plan.verdicts {
            let error = PatchError(verdict.reason, String(verdict.digest.prefix(16)))
            switch verdict.action {
            case .confirmed: reporter.note(.ready, verdict.digest)
            case .counted: report(.refused, error)
            case .reported:
                report(.refused, error)
                reporter.note(.crashAfterReady, verdict.digest, reason: verdict.reason)
            case .rolledBack, .safeMode:
                report(.refused, error)
                reporter.note(.rollback, verdict.digest, reason: verdict.reason)
            }
        }
    }

    private func startBundled(_ failure: PatchError?) async -> StartOutcome {
        var failure = failure
        do {
            if let module = try await loadBundled() {
                swap(to: module)
                engine.didActivate()
                return .activated(module.release.version)
            }
        } catch {
            failure = PatchError(of: error)
            report(.refused, PatchError(of: error))
        }
        return startNative(failure)
    }

    private func startNative(_ failure: PatchError?) -> StartOutcome {
        if routing.active != nil { swap(to: nil) } else { routing.swap(to: nil) }
        guard configuration.nativeFallbackEnabled, let failure else { return .noModule }
        return .fallback(failure.description)
    }

    // MARK: Activation

    /// Loads a payload, makes it current when it was staged, and lets new calls reach it. What
    /// fails leaves everything as it was.
    /// - Throws: ``PatchError``.
    func activate(_ slot: Slot, isStaged: Bool) async throws {
        do {
            let begun = environment.clock.monotonicNanoseconds()
            let bytes = try await engine.payload(of: slot)
            try await engine.willActivate(slot.digest)
            let module = try load(slot, bytes: bytes)
            if isStaged { try await engine.didActivateStaged() }
            swap(to: module)
            engine.didActivate()
            let milliseconds = (environment.clock.monotonicNanoseconds() &- begun) / 1_000_000
            reporter.note(.activate, slot.digest) {
                $0.durationMilliseconds = Int(clamping: milliseconds)
            }
        } catch {
            throw PatchError(of: error)
        }
    }

    private func load(_ slot: Slot, bytes: [UInt8]) throws -> LoadedModule {
        // What was signed for it was checked when it was staged; the digest ties the two.
        try LoadedModule(
            bytes, release: nil,
            identity: { _ in
                PatchRelease(
                    version: slot.version, sequence: slot.sequence, digest: slot.digest,
                    origin: .downloaded)
            },
            expected: resolved.expectation.trustingBuild, host: host,
            trial: trial(isOver: slot.isConfirmed))
    }

    /// Loads the module that the app ships with; nil when there is none.
    /// - Throws: ``PatchError``.
    func loadBundled() async throws -> LoadedModule? {
        let limit = configuration.limits.moduleBytes
        guard let bytes = try resolved.resources.module(maximumSize: limit) else { return nil }
        let digest = SHA256.hash(bytes).hex
        // Where nothing can be kept, nothing downloaded runs either; that was reported already.
        try? await engine.willActivate(digest)
        do {
            return try LoadedModule(
                bytes, release: nil,
                identity: { section in
                    PatchRelease(
                        version: section?.release ?? "bundled", sequence: section?.sequence ?? 0,
                        digest: digest, origin: .bundled)
                },
                expected: resolved.expectation, host: host, trial: trial(isOver: false))
        } catch {
            engine.didNotActivate(digest)
            throw error
        }
    }

    /// Lets the calls that begin from now on reach `module`; nil for native code alone.
    func swap(to module: LoadedModule?) {
        routing.swap(to: module)
        if let module {
            outlets.event(
                PatchEvent(
                    kind: .activated, reason: nil,
                    text: "\(module.release.origin.rawValue) module runs",
                    release: module.release))
        }
        outlets.release(module?.release)
    }
}

extension PatchError {
    /// Whether the disk refused to keep something.
    var isOfDisk: Bool { [.diskFull, .stateUnwritable, .stateBusy].contains(reason) }

    /// Whether it is the payload's fault, or its file's, rather than that of the state around it.
    var isOfPayload: Bool {
        reason.band != .state || reason == .slotMissing || reason == .slotDamaged
    }
}
