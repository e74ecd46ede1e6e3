import Rollout

/// Judges how earlier starts went (updates.md §4): state and marks in, state and verdicts out.
/// Nothing is read or written here.
struct BootJudge: Sendable {
    /// So many unclean starts ban a payload.
    static let uncleanStartsAllowed = 2
    /// So many clean ends confirm a payload that is rarely called.
    static let cleanEndsWanted = 3
    /// In so many runs after it became ready, an unclean end is worth reporting.
    static let watchedRuns = 10

    /// Which boot of the device this is, if known.
    var deviceBoot: String?
    /// Seconds since 1970.
    var now: Double
    /// How long a ban lasts, in seconds.
    var banSeconds: Double

    /// How one start ended.
    enum Ending: Equatable {
        /// It says nothing about the payload.
        case neutral
        /// It became ready; `crashed` when it ended unclean after that.
        case ready(crashed: Bool)
        /// It ended well without having become ready.
        case clean
        /// It ran the payload, and ended as a crash or a hang ends.
        case unclean
    }

    /// How a start ended whose process is gone.
    func ending(_ mark: StartMark) -> Ending {
        guard let newest = mark.activations.last else { return .neutral }
        let isSameBoot = deviceBoot != nil && mark.header.deviceBoot == deviceBoot
        let isUnclean =
            !mark.hasEnded && mark.isInForeground && isSameBoot && !mark.header.isDebugged
        if newest.isReady { return .ready(crashed: isUnclean) }
        // A process that ends in the middle of an activation was running the payload.
        let hasRun = newest.wasCalled || !newest.isActivated
        if isUnclean { return hasRun ? .unclean : .neutral }
        let isClean = mark.hasEnded || (!mark.isInForeground && !hasRun)
        return isClean ? .clean : .neutral
    }

    /// Draws the conclusions from starts whose processes are gone.
    ///
    /// However many processes ended unclean with one payload, they count as one unclean start: they
    /// may have been ended together.
    func judge(_ state: BuildState, _ marks: [StartMark]) -> (BuildState, [BootVerdict]) {
        var after = state
        var verdicts: [BootVerdict] = []
        var counted: Set<String> = []
        let fresh = marks.filter { !state.boot.judged.contains($0.nonce) }
        for mark in fresh {
            guard let newest = mark.activations.last else { continue }
            switch ending(mark) {
            case .neutral: break
            case .ready(let crashed):
                Self.becameReady(newest, runs: newest.readyRuns + 1, &after)
                if crashed, newest.readyRuns < Self.watchedRuns {
                    verdicts.append(
                        BootVerdict(
                            digest: newest.digest, reason: .crashAfterReady, action: .reported))
                }
            case .clean:
                if let verdict = countClean(newest, &after) { verdicts.append(verdict) }
            case .unclean:
                if counted.insert(newest.digest).inserted {
                    verdicts.append(countUnclean(newest, &after))
                }
            }
        }
        after.forgetUnusedStarts()
        boundTimes(&after)
        // A mark is removed after the state was written; one that was not removed must not count
        // twice.
        if after != state || !verdicts.isEmpty {
            let present = Set(marks.map(\.nonce))
            after.boot.judged = state.boot.judged.intersection(present)
                .union(fresh.map(\.nonce))
        }
        return (after, verdicts)
    }

    /// A payload works: it is confirmed, and its unclean starts are forgotten.
    static func becameReady(
        _ activation: StartMark.Activation, runs: Int, _ state: inout BuildState
    ) {
        let digest = activation.digest
        if state.current?.digest == digest {
            state.current?.isConfirmed = true
            state.boot.isFallback = false
        }
        var record = state.boot.starts[digest] ?? StartRecord()
        record.unclean = 0
        record.cleanEnds = 0
        record.readyRuns = min(max(record.readyRuns, runs), watchedRuns)
        state.boot.remember(activation, record)
    }

    private func countClean(
        _ activation: StartMark.Activation, _ state: inout BuildState
    ) -> BootVerdict? {
        let digest = activation.digest
        guard let current = state.current, current.digest == digest, !current.isConfirmed else {
            return nil
        }
        var record = state.boot.starts[digest] ?? StartRecord()
        record.cleanEnds += 1
        state.boot.remember(activation, record)
        guard record.cleanEnds >= Self.cleanEndsWanted else { return nil }
        Self.becameReady(activation, runs: 0, &state)
        return BootVerdict(digest: digest, reason: .confirmed, action: .confirmed)
    }

    private func countUnclean(
        _ activation: StartMark.Activation, _ state: inout BuildState
    ) -> BootVerdict {
        let digest = activation.digest
        var record = state.boot.starts[digest] ?? StartRecord()
        record.unclean += 1
        state.boot.remember(activation, record)
        guard record.unclean >= Self.uncleanStartsAllowed else {
            return BootVerdict(digest: digest, reason: .startUnclean, action: .counted)
        }
        let action = ban(activation, &state)
        return BootVerdict(digest: digest, reason: .startUnclean, action: action)
    }

    private func ban(
        _ activation: StartMark.Activation, _ state: inout BuildState
    ) -> BootVerdict.Action {
        let digest = activation.digest
        let isEmbedded = activation.isShipped && state.current == nil
        let wasCurrent = state.current?.digest == digest
        let wasFallback = state.boot.isFallback
        state.ban(digest, because: .startUnclean, until: now + banSeconds)
        if isEmbedded || (wasCurrent && wasFallback && state.current == nil) {
            state.boot.safeModeUntil = now + banSeconds
            return .safeMode
        }
        return .rolledBack(to: state.current?.digest)
    }

    /// A clock that was wrong when a ban began cannot make it longer than a ban is.
    private func boundTimes(_ state: inout BuildState) {
        let latest = now + banSeconds
        for (digest, failure) in state.failed where failure.expires > latest {
            state.failed[digest]?.expires = latest
        }
        if let until = state.boot.safeModeUntil {
            state.boot.safeModeUntil = until <= now ? nil : min(until, latest)
        }
    }
}
