import PatchPlatform
import Rollout

/// The boot guard (updates.md §4). A start goes: ``launch()``; for each payload
/// ``willActivate(_:)``, the activation, ``didActivate()``; ``patchedCallBegan()`` with the first
/// call; ``markReady()`` once the payload has been found to work.
extension UpdateEngine {
    /// Judges the starts that ended since the last launch, falls back from what crashed, and says
    /// what to run now. The network is not asked, and a device that has nothing gets no state.
    /// - Throws: ``UpdateError`` when the state cannot be read or written; the shipped code should
    ///   run then.
    public func launch() throws -> LaunchPlan {
        if readsOnly {
            return plan(try open(), [])
        }
        do {
            let state = try store.load()
            try forgetOtherBuilds(state)
            let own = state?.builds[settings.fingerprint] ?? BuildState()
            lastKnown = own
            var (marks, names) = try boot.ended()
            let judge = BootJudge(
                deviceBoot: environment.process.bootIdentifier, now: environment.clock.now(),
                banSeconds: settings.banSeconds)
            var (judged, verdicts) = judge.judge(own, marks)
            if judged != own {
                // Again under the lock: another process may have judged the same starts.
                try change { own in
                    (marks, names) = try boot.ended()
                    (own, verdicts) = judge.judge(own, marks)
                    judged = own
                }
            }
            boot.remove(names)
            return plan(judged, verdicts)
        } catch {
            throw UpdateError.state(error)
        }
    }

    /// After a store update the payloads of the old build are of no use to anyone.
    private func forgetOtherBuilds(_ state: UpdateState?) throws {
        let own = settings.fingerprint
        guard let state, state.builds.keys.contains(where: { $0 != own }) else { return }
        try store.update { $0.builds = $0.builds.filter { $0.key == own } }
        removeUnused()
    }

    private func plan(_ own: BuildState, _ verdicts: [BootVerdict]) -> LaunchPlan {
        let now = environment.clock.now()
        return LaunchPlan(
            state: own, isSafeMode: (own.boot.safeModeUntil ?? 0) > now, verdicts: verdicts)
    }

    /// Notes on disk that a payload is about to run; call it before any code of the payload does.
    /// - Parameter digest: SHA-256 of the payload, 64 hex digits; a bundled module has one too.
    /// - Throws: ``UpdateError`` when it cannot be noted and the payload was downloaded and has not
    ///   proved itself yet: then it must not run, for a crash would go unseen.
    public func willActivate(_ digest: String) throws {
        do {
            // As the launch or a later change left it, so that a start reads the state once.
            let own = try lastKnown ?? open()
            let readyRuns = own.boot.starts[digest]?.readyRuns ?? 0
            do {
                try boot.willActivate(
                    digest, readyRuns: readyRuns, isShipped: !own.digestsInUse.contains(digest))
            } catch {
                if own.isOnTrial(digest) { throw error }
            }
        } catch {
            throw UpdateError.state(error)
        }
    }

    /// Notes that the newest activation came to its end; until then, the end of the process counts
    /// against the payload even before its first call.
    public nonisolated func didActivate() {
        // A note that is lost makes the guard more careful, never less; this holds for all below.
        try? boot.note(.activated) { !$0.isActivated }
    }

    /// Takes the newest activation back, when it was of this payload and failed: what ran before
    /// it still runs. ``didFail(_:because:)`` does so by itself.
    public nonisolated func didNotActivate(_ digest: String) {
        try? boot.note(.abandoned) { $0.digest == digest }
    }

    /// Notes that a call into the newest payload began; cheap after the first.
    public nonisolated func patchedCallBegan() {
        try? boot.note(.called) { !$0.wasCalled }
    }

    /// Says that the newest payload of this start works. It is confirmed, if this start is still
    /// the one that activated it.
    /// - Throws: ``UpdateError`` when that cannot be kept; the next launch tries again.
    public func markReady() throws {
        do {
            try boot.note(.ready) { !$0.isReady }
            guard let newest = boot.mark?.activations.last, newest.isReady else { return }
            let runs = newest.readyRuns + 1
            var after = try open()
            let before = after
            BootJudge.becameReady(newest, runs: runs, &after)
            guard after != before else { return }
            try change { BootJudge.becameReady(newest, runs: runs, &$0) }
        } catch {
            throw UpdateError.state(error)
        }
    }

    /// Notes that the app has left the foreground: the system may end it from now on.
    public nonisolated func didEnterBackground() { try? boot.isInForeground(false) }

    /// Notes that the app is in the foreground (again).
    public nonisolated func didEnterForeground() { try? boot.isInForeground(true) }

    /// Notes that the process ends as it wants to.
    public nonisolated func didEndCleanly() { try? boot.didEnd() }
}
