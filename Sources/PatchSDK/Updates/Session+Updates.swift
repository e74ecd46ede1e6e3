import Rollout
import UpdateEngine

/// The imperative steps: check, fetch, reload.
extension Session {
    /// - Throws: ``PatchError``.
    func check() async throws -> UpdateInfo? {
        try await network.run { [self] in try await checkLocked() }
    }

    func checkLocked() async throws -> UpdateInfo? {
        outlets.state(.checking)
        automatic.withLock { $0.lastCheck = environment.clock.monotonicNanoseconds() }
        do {
            let check = try await reporter.timed(.check, engine.check) { check, event in
                event.reason = check.decision.reason.code
            }
            guard check.isUpdate else {
                if check.decision.reason.isFailureToAgree {
                    throw UpdateError(check.decision.reason, check.decision.context)
                }
                automatic.withLock { $0.waiting = nil }
                outlets.state(.upToDate)
                return nil
            }
            let info = info(of: check)
            outlets.state(.available(info))
            return info
        } catch {
            throw failed(error)
        }
    }

    private func info(of check: UpdateEngine.Check) -> UpdateInfo {
        let running = routing.active?.release
        let isOlder = (check.release?.sequence ?? -1) < (running?.sequence ?? 0)
        return UpdateInfo(
            version: check.release?.version ?? "embedded", releaseNotes: check.release?.notes,
            isMandatory: check.decision.isMandatory, sizeBytes: check.downloadSize,
            isRollback: check.release == nil || (isOlder && running?.origin == .downloaded),
            reason: check.decision.reason, digest: check.release?.raw.sha256,
            applyBy: check.applyBy)
    }

    /// - Throws: ``PatchError``.
    func fetch() async throws -> Bool {
        try await network.run { [self] in try await fetchLocked() }
    }

    func fetchLocked() async throws -> Bool {
        do {
            let throttle = ProgressThrottle(post: outlets.state)
            let staged = try await reporter.timed(.download) {
                try await engine.fetch(progress: { throttle.report($0) })
            } describe: { staged, event in
                if case .release(let slot) = staged { event.release = slot.digest }
            }
            outlets.state(staged == nil ? .upToDate : .readyToReload)
            return staged != nil
        } catch {
            throw failed(error)
        }
    }

    /// - Throws: ``PatchError``; what runs keeps running.
    func reload() async throws {
        try await activation.run { [self] in try await reloadLocked() }
        await reporter.send()
    }

    private func reloadLocked() async throws {
        automatic.withLock { $0.waiting = nil }
        do {
            switch try await engine.open().staged {
            case nil: throw PatchError(.notStaged)
            case .embedded:
                let left = routing.active?.release.digest
                let module = try await loadBundled()
                try await engine.didActivateStaged()
                swap(to: module)
                engine.didActivate()
                reporter.note(.rollback, left, reason: .embedded)
            case .release(let slot):
                do {
                    try await activate(slot, isStaged: true)
                } catch let error as PatchError where error.isOfPayload {
                    try await engine.didFail(slot.digest, because: error.reason)
                    throw error
                }
            }
            outlets.state(.upToDate)
        } catch {
            throw failed(error)
        }
    }

    /// Check, fetch and apply in one, when there is an update that cannot wait for the user.
    /// Failures are reported as events.
    func enforceMandatory() async {
        let isReady = try? await network.run { [self] in
            guard let info = try await checkLocked(), info.isMandatory else { return false }
            return try await fetchLocked()
        }
        if isReady == true { try? await reload() }
    }

    /// Check and fetch, for a moment at which nothing may change under the user.
    func backgroundFetch() async -> PatchBackgroundResult {
        do {
            let isNew = try await network.run { [self] in
                guard let info = try await checkLocked() else { return false }
                guard try await fetchLocked() else { return false }
                automatic.withLock { $0.waiting = info }
                return true
            }
            await reporter.send()
            return isNew ? .newData : .noData
        } catch {
            return .failed
        }
    }

    /// Why this device runs what it runs.
    func explain() async -> String {
        var lines: [String] = []
        let (verdicts, isSafeMode, waiting) = automatic.withLock {
            ($0.verdicts, $0.isSafeMode, $0.waiting)
        }
        if let release = routing.active?.release {
            let digest = release.digest.prefix(12)
            lines.append("Runs \(release.version), \(release.origin.rawValue), \(digest).")
        } else {
            lines.append("Runs native code alone.")
        }
        func add(_ reason: Reason, _ prefix: String = "") {
            lines.append("\(prefix)\(reason.text) [\(reason.code)]")
        }
        for problem in resolved.problems { add(problem.reason) }
        if isSafeMode { add(.safeMode) }
        for verdict in verdicts { add(verdict.reason, "Earlier: \(verdict.digest.prefix(12)): ") }
        if let decision = await engine.lastDecision {
            add(decision.reason)
            if !decision.context.isEmpty { lines.append(decision.context) }
            for left in decision.excluded { add(left.reason, "Not \(left.digest.prefix(12)): ") }
            if let head = decision.headSequence { lines.append("Decided by head \(head).") }
        } else {
            lines.append("No check has been made yet.")
        }
        if let waiting { lines.append("\(waiting.version) is on disk and waits for its moment.") }
        return lines.joined(separator: "\n")
    }
}
