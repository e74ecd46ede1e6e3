import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import UpdateEngine
import WebAssembly

/// One configured app: joins the update engine, which knows what should run, with the routing
/// table, which runs it.
final class Session: Sendable {
    let resolved: ResolvedConfiguration
    let routing: RoutingTable
    let engine: UpdateEngine
    private let host: HostFunctions
    /// Start and reload, which never wait for the network.
    private let activation = SerialGate()
    /// Check and fetch, which do.
    private let network = SerialGate()
    private let send: @Sendable (PatchEvent) -> Void
    private let post: @Sendable (PatchUpdateState) -> Void
    private let releaseChanged: @Sendable (PatchRelease?) -> Void

    init(
        _ configuration: PatchConfiguration, environment: PatchEnvironment,
        routing: RoutingTable, send: @escaping @Sendable (PatchEvent) -> Void,
        post: @escaping @Sendable (PatchUpdateState) -> Void,
        releaseChanged: @escaping @Sendable (PatchRelease?) -> Void
    ) {
        let resolved = ResolvedConfiguration(configuration, environment: environment)
        self.resolved = resolved
        self.routing = routing
        self.send = send
        self.post = post
        self.releaseChanged = releaseChanged
        let folder = ResolvedConfiguration.stateFolder(configuration)
        let files =
            environment.files ?? folder.map { LocalFileStore(folder: $0) } ?? NoFileStore()
        host = HostFunctions(
            clock: environment.clock, random: environment.random,
            log: { level, text in
                send(PatchEvent(kind: .log, reason: nil, text: "[\(level)] \(text)", release: nil))
            })
        engine = UpdateEngine(
            settings: resolved.settings, kind: ModuleKind(expected: resolved.expectation),
            environment: UpdateEngine.Environment(
                files: files, transport: environment.transport, clock: environment.clock,
                random: environment.random, process: environment.process))
        routing.setSurface(resolved.surface)
    }

    private func report(
        _ kind: PatchEvent.Kind, _ error: PatchError, _ release: PatchRelease? = nil
    ) {
        send(
            PatchEvent(
                kind: kind, reason: error.reason, text: error.description, release: release))
    }

    // MARK: Start

    /// Activates the best module there is: staged, current, previous, bundled.
    func start() async -> StartOutcome {
        await activation.run { [self] in
            for problem in resolved.problems { report(.configuration, problem) }
            if case .firstUse = resolved.settings.trust {
                Self.warnLoudly()
            }
            var failure: PatchError?
            if let outcome = await startDownloaded(&failure) { return outcome }
            return startBundled(failure)
        }
    }

    private static func warnLoudly() {
        let text = "OpenPatch: trust is insecureForLocalDevelopment; updates are NOT verified.\n"
        FileHandle.standardError.write(Data(text.utf8))
    }

    private func startDownloaded(_ failure: inout PatchError?) async -> StartOutcome? {
        do {
            var own = try await engine.open()
            // Staged updates are the app's to activate; its extensions run what is current.
            if engine.readsOnly { own.staged = nil }
            // Each failed rung is taken off the ladder, so this ends.
            for _ in 0..<4 {
                if own.staged == .embedded {
                    try await engine.didActivateStaged()
                    return nil
                }
                let isStaged: Bool
                let slot: Slot
                if case .release(let staged) = own.staged {
                    (slot, isStaged) = (staged, true)
                } else if let current = own.current {
                    (slot, isStaged) = (current, false)
                } else {
                    return nil
                }
                do {
                    let module = try await load(slot)
                    if isStaged { try await engine.didActivateStaged() }
                    activate(module)
                    return .activated(slot.version)
                } catch let error as PatchError
                    where error.reason.band != .state
                    || error.reason == .slotMissing || error.reason == .slotDamaged
                {
                    failure = error
                    report(.refused, error)
                    try await engine.didFail(slot.digest, because: error.reason)
                    own = try await engine.open()
                }
            }
        } catch {
            let error = Self.patchError(error)
            failure = error
            report(.state, error)
        }
        return nil
    }

    private func startBundled(_ failure: PatchError?) -> StartOutcome {
        var failure = failure
        do {
            if let module = try loadBundled() {
                activate(module)
                return .activated(module.release.version)
            }
        } catch {
            failure = Self.patchError(error)
            report(.refused, Self.patchError(error))
        }
        routing.swap(to: nil)
        guard resolved.configuration.nativeFallbackEnabled, let failure else { return .noModule }
        return .fallback(failure.description)
    }

    private func load(_ slot: Slot) async throws -> LoadedModule {
        let bytes: [UInt8]
        do {
            bytes = try await engine.payload(of: slot)
        } catch {
            throw Self.patchError(error)
        }
        // What was signed for it was checked when it was staged; the digest ties the two.
        return try LoadedModule(
            bytes, release: nil,
            identity: { _ in
                PatchRelease(
                    version: slot.version, sequence: slot.sequence, digest: slot.digest,
                    origin: .downloaded)
            },
            expected: resolved.expectation.trustingBuild, host: host)
    }

    private func loadBundled() throws -> LoadedModule? {
        let limit = resolved.configuration.limits.moduleBytes
        guard let bytes = try resolved.resources.module(maximumSize: limit) else { return nil }
        let digest = SHA256.hash(bytes).hex
        return try LoadedModule(
            bytes, release: nil,
            identity: { section in
                PatchRelease(
                    version: section?.release ?? "bundled", sequence: section?.sequence ?? 0,
                    digest: digest, origin: .bundled)
            },
            expected: resolved.expectation, host: host)
    }

    private func activate(_ module: LoadedModule?) {
        routing.swap(to: module)
        if let module {
            send(
                PatchEvent(
                    kind: .activated, reason: nil,
                    text: "\(module.release.origin.rawValue) module runs",
                    release: module.release))
        }
        releaseChanged(module?.release)
    }

    // MARK: Updates

    func check() async throws -> UpdateInfo? {
        try await network.run { [self] in try await checkLocked() }
    }

    private func checkLocked() async throws -> UpdateInfo? {
        post(.checking)
        do {
            let check = try await engine.check()
            guard check.isUpdate else {
                if check.decision.reason.isFailureToAgree {
                    throw UpdateError(check.decision.reason, check.decision.context)
                }
                post(.upToDate)
                return nil
            }
            let info = info(of: check)
            post(.available(info))
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
            reason: check.decision.reason)
    }

    func fetch() async throws -> Bool {
        try await network.run { [self] in try await fetchLocked() }
    }

    private func fetchLocked() async throws -> Bool {
        do {
            let throttle = ProgressThrottle(post: post)
            let staged = try await engine.fetch(progress: { throttle.report($0) })
            post(staged == nil ? .upToDate : .readyToReload)
            return staged != nil
        } catch {
            throw failed(error)
        }
    }

    func reload() async throws {
        try await activation.run { [self] in try await reloadLocked() }
    }

    private func reloadLocked() async throws {
        do {
            guard let staged = try await engine.open().staged else {
                throw PatchError(.notStaged)
            }
            switch staged {
            case .embedded:
                let module = try loadBundled()
                try await engine.didActivateStaged()
                activate(module)
            case .release(let slot):
                let module: LoadedModule
                do {
                    module = try await load(slot)
                } catch let error as PatchError {
                    try await engine.didFail(slot.digest, because: error.reason)
                    throw error
                }
                try await engine.didActivateStaged()
                activate(module)
            }
            post(.upToDate)
        } catch {
            throw failed(error)
        }
    }

    /// Why this device runs what it runs.
    func explain() async -> String {
        guard let decision = await engine.lastDecision else {
            return "No check has been made yet."
        }
        var lines = ["\(decision.reason.text) [\(decision.reason.code)]"]
        if !decision.context.isEmpty { lines.append(decision.context) }
        for left in decision.excluded {
            lines.append("Not \(left.digest.prefix(12)): \(left.reason.text) [\(left.reason.code)]")
        }
        if let head = decision.headSequence { lines.append("Decided by head \(head).") }
        return lines.joined(separator: "\n")
    }

    /// Check, fetch and apply in one; failures are reported as events.
    func applyUpdate(onlyMandatory: Bool) async {
        let isReady = try? await network.run { [self] in
            guard let info = try await checkLocked() else { return false }
            if onlyMandatory && !info.isMandatory { return false }
            return try await fetchLocked()
        }
        if isReady == true { try? await reload() }
    }

    private func failed(_ error: any Error) -> PatchError {
        let error = Self.patchError(error)
        report(.update, error)
        post(.failed(error.description))
        return error
    }

    private static func patchError(_ error: any Error) -> PatchError {
        switch error {
        case let error as PatchError: return error
        case let error as UpdateError: return PatchError(error.reason, error.context)
        case is CancellationError: return PatchError(.cancelled)
        default: return PatchError(.callFailed, "\(error)")
        }
    }
}
