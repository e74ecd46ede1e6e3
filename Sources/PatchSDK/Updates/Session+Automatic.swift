import PatchPlatform
import Rollout

/// What goes on by itself behind ``Patch/start()``.
extension Session {
    /// How long a swap waits for calls in progress, in seconds. After that it happens all the same:
    /// where calls overlap without end, each still ends on the module it began with.
    static let patienceForCalls: Double = 5

    /// Whether anything goes on by itself.
    var isAutomatic: Bool {
        configuration.autoApply && resolved.isRemote && !engine.readsOnly
    }

    /// Begins looking for updates as the policy says; a second call begins nothing.
    func beginAutomatic(atLaunch: Bool = true) {
        guard isAutomatic else { return }
        let isNew = automatic.withLock {
            let isNew = !$0.isScheduled
            $0.isScheduled = true
            return isNew
        }
        let policy = configuration.checkPolicy
        if policy.atLaunch, atLaunch {
            Task.detached { [weak self] in await self?.automaticUpdate() }
        }
        guard isNew, let wanted = policy.interval, wanted > 0 else { return }
        let interval = max(wanted, PatchCheckPolicy.minimumInterval)
        Task.detached { [weak self, sleep = environment.sleep] in
            while (try? await sleep(interval)) != nil {
                guard let self else { return }
                await self.automaticUpdate()
            }
        }
    }

    /// The same, and looks for an update now; returns when that has ended or the time is up.
    func beginAutomatic(waitingAtMost seconds: Double) async {
        guard isAutomatic else { return }
        let (ends, end) = AsyncStream<Void>.makeStream()
        Task.detached { [self] in
            await automaticUpdate()
            end.finish()
        }
        let timer = Task.detached { [environment] in
            try? await environment.sleep(seconds)
            end.finish()
        }
        for await _ in ends {}
        timer.cancel()
        beginAutomatic(atLaunch: false)
    }

    /// Looks for an update, brings it here, and lets it run when the time has come.
    func automaticUpdate() async {
        let found = try? await network.run { [self] () -> UpdateInfo? in
            guard let info = try await checkLocked() else { return nil }
            return try await fetchLocked() ? info : nil
        }
        if let found {
            automatic.withLock { $0.waiting = found }
            await applyWaiting()
        }
        await reporter.send()
    }

    /// Applies the update that waits on disk, if this is the moment for it.
    func applyWaiting() async {
        guard let info = automatic.withLock({ $0.waiting }) else { return }
        let now = environment.clock.now()
        let active = routing.active
        let rule = ApplyRule(
            applies: configuration.applies, isMandatory: info.isMandatory, applyBy: info.applyBy,
            now: now, lastInterruption: choices.load().lastInterruption,
            isReady: active?.release.origin != .downloaded || active?.trial?.isOver != false)
        let (answer, isInterruption) = rule.answer
        switch answer {
        case .wait: return
        case .applyIfSafe:
            guard configuration.isSafePoint() else { return }
            await waitForCalls()
        case .apply: break
        }
        do {
            // Kept first: a swap that crashes the app must not interrupt again at once.
            if isInterruption { try choices.change { $0.lastInterruption = now } }
            try await reload()
        } catch {
            // Reported where it happened; the next check decides anew.
            automatic.withLock { $0.waiting = nil }
        }
    }

    private func waitForCalls() async {
        let step = 0.01
        var waited = 0.0
        while waited < Self.patienceForCalls, !routing.isIdle {
            guard (try? await environment.sleep(step)) != nil else { return }
            waited += step
        }
    }

    // MARK: The app comes and goes

    func didEnterForeground() {
        engine.didEnterForeground()
        guard isAutomatic else { return }
        let now = environment.clock.monotonicNanoseconds()
        let spacing = UInt64(PatchCheckPolicy.foregroundSpacing * 1e9)
        let isDue =
            configuration.checkPolicy.onForeground
            && automatic.withLock { automatic in
                guard automatic.isScheduled else { return false }
                guard let last = automatic.lastCheck else { return true }
                return now >= last && now - last >= spacing
            }
        Task.detached { [weak self] in
            await self?.applyWaiting()
            if isDue { await self?.automaticUpdate() }
        }
    }

    func didEnterBackground() {
        engine.didEnterBackground()
        Task.detached { [reporter] in await reporter.send() }
    }

    // MARK: Whom the device speaks for

    /// Speaks for what is kept from the next check on.
    private func speak(for choices: Choices) async {
        await engine.setAudience(
            channel: choices.channel ?? resolved.configuredChannel,
            tags: configuration.tags.union(choices.tags), cohort: configuration.cohort)
    }

    /// - Throws: ``PatchError`` `channel_refused`, `state_unwritable`.
    func setChannel(_ channel: PatchChannel) async throws {
        if let name = channel.name, !PlainName.isSound(name) {
            throw PatchError(.channelRefused, "'\(name.prefix(80))'")
        }
        let chosen = try choices.change { $0.channel = channel.name }
        await speak(for: chosen)
    }

    /// Takes part in a test and runs what is tested.
    /// - Throws: ``PatchError``; nothing is changed then.
    func join(_ invitation: PatchInvitation) async throws -> PatchRelease? {
        let before = choices.load()
        guard before.tags.union([invitation.tag]).count <= Choices.maximumTags else {
            throw PatchError(.invitationMalformed, "too many tests at a time; leave one first")
        }
        await speak(for: try choices.change { $0.tags.insert(invitation.tag) })
        do {
            let info = try await check()
            if let wanted = invitation.digest {
                let offered = info?.digest ?? routing.active?.release.digest
                guard offered?.hasPrefix(wanted) == true else {
                    let offered = offered.map { String($0.prefix(16)) } ?? "native code"
                    throw PatchError(
                        .invitationMismatch, "wanted is \(wanted.prefix(16)), offered \(offered)")
                }
            }
            if info != nil, try await fetch() { try await reload() }
            return routing.active?.release
        } catch {
            if !before.tags.contains(invitation.tag) {
                await speak(for: try choices.change { $0.tags.remove(invitation.tag) })
            }
            throw error
        }
    }

    /// Takes no part in a test any more.
    /// - Throws: ``PatchError`` `state_unwritable`.
    func leave(_ tag: String) async throws {
        await speak(for: try choices.change { $0.tags.remove(tag) })
    }
}
