import Rollout
import UpdateEngine

/// The imperative steps: check and fetch.
extension ReleasedBundle {
    /// Asks whether there is something else to show; downloads metadata only.
    /// - Throws: ``UpdateError``.
    func check() async throws -> BundleReleaseUpdate? {
        try await network.run { [self] in try await checkLocked() }
    }

    private func checkLocked() async throws -> BundleReleaseUpdate? {
        let check = try await parts.reporter.timed(.check, engine.check) { check, event in
            event.reason = check.decision.reason.code
        }
        guard check.isUpdate else {
            note(update: nil)
            if check.decision.reason.isDisagreement {
                throw UpdateError(check.decision.reason, check.decision.context)
            }
            return nil
        }
        let update = BundleReleaseUpdate(
            bundle: name, version: check.release?.version, digest: check.release?.raw.sha256,
            notes: check.release?.notes, isMandatory: check.decision.isMandatory,
            size: check.downloadSize, reason: check.decision.reason.code)
        note(update: update)
        parts.tell(.available(update))
        return update
    }

    /// Brings what the last check found (or a check made now) onto this device.
    /// - Returns: what can be applied; nil when there is nothing.
    /// - Throws: ``UpdateError``.
    func fetch() async throws -> BundleReleaseUpdate? {
        try await network.run { [self] in try await fetchLocked() }
    }

    private func fetchLocked() async throws -> BundleReleaseUpdate? {
        let known = knownUpdate
        let update: BundleReleaseUpdate?
        if let known { update = known } else { update = try await checkLocked() }
        guard let update else { return nil }
        let (name, tell) = (name, parts.tell)
        let throttle = ProgressSteps { received, total in
            tell(.progress(bundle: name, received: received, total: total))
        }
        let engine = engine
        let (staged, _) = try await parts.reporter.timed(.download) {
            let staged = try await engine.fetch(onBytes: { throttle.report($0, $1) })
            return (staged, await engine.lastDownload)
        } describe: { result, event in
            if case .release(let slot) = result.0 { event.release = slot.digest }
            event.bytes = result.1?.bytes
            event.isDelta = result.1?.isDelta
            event.isResumed = result.1?.isResumed
        }
        guard staged != nil else { return nil }
        parts.tell(.staged(update))
        return update
    }

    /// Check, fetch and, when the app wants it so, apply. Failures are told as problems.
    func automaticUpdate() async {
        do {
            if let update = try await check(), try await fetch() != nil {
                if parts.config.applies == .now || update.isMandatory { try await apply() }
            }
        } catch {
            problem(error)
        }
        await parts.reporter.send()
    }

    /// Why this device shows what it shows.
    func explain() async -> String {
        var lines: [String] = []
        if let release {
            let state = isOnTrial ? "on trial" : "works"
            lines.append(
                "\(name): shows \(release.version), \(state), \(release.digest.prefix(12)).")
        } else {
            let shipped = parts.source.builtinVersion(name)
            lines.append("\(name): shows what the app ships\(shipped.map { ", \($0)" } ?? "").")
        }
        if let decision = await engine.lastDecision {
            lines.append("\(decision.reason.text) [\(decision.reason.code)]")
            for left in decision.excluded {
                lines.append(
                    "Not \(left.digest.prefix(12)): \(left.reason.text) [\(left.reason.code)]")
            }
            if let head = decision.headSequence { lines.append("Decided by head \(head).") }
        } else {
            lines.append("No check has been made yet.")
        }
        return lines.joined(separator: "\n")
    }
}

extension Reason {
    /// Whether it says that head and device are not of one mind, which somebody has to mend.
    fileprivate var isDisagreement: Bool {
        switch self {
        case .headRejected, .appMismatch, .platformMismatch, .channelMismatch,
            .fingerprintMismatch:
            return true
        default: return false
        }
    }
}
