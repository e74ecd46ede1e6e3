import Foundation
import PatchPlatform
import Rollout
import TUF

/// Keeps one app up to date: asks, decides, downloads, verifies, and remembers what runs. It never
/// looks into a payload; that is the ``PayloadKind``'s part.
///
/// Every method that fails leaves the state on disk as it was.
public actor UpdateEngine {
    /// The parts of the machine that it stands on.
    public struct Environment: Sendable {
        /// The state folder.
        public var files: any FileStore
        /// The network.
        public var transport: any HTTPTransport
        /// The time.
        public var clock: any SystemClock
        /// Random numbers.
        public var random: any RandomSource
        /// This process.
        public var process: any ProcessIdentity

        /// The machine itself, with the state in `files`.
        public init(
            files: any FileStore, transport: any HTTPTransport = URLSessionTransport(),
            clock: any SystemClock = LiveClock(), random: any RandomSource = LiveRandom(),
            process: any ProcessIdentity = LiveProcess()
        ) {
            self.files = files
            self.transport = transport
            self.clock = clock
            self.random = random
            self.process = process
        }
    }

    /// What a check found.
    public struct Check: Sendable {
        /// What this device should do and why.
        public let decision: Decision
        /// The release to move to, if there is one.
        public let release: Release?
        /// Bytes to download; 0 when the payload is on disk already or none is needed.
        public let downloadSize: Int
        /// When a mandatory release should run at the latest, in seconds since 1970, if its head
        /// says.
        public let applyBy: Double?

        /// Whether there is something to fetch and apply.
        public var isUpdate: Bool { decision.target != .current }
    }

    private(set) var settings: UpdateSettings
    private let kind: any PayloadKind
    let environment: Environment
    let store: StateStore
    let slots: SlotStore
    nonisolated let boot: BootGuard
    private var remote: Remote?
    private var catalog: Catalog?
    private var lastCheck: Check?
    private var hasTidied = false
    /// The state of this build as this engine last saw or left it.
    var lastKnown: BuildState?

    /// What the last download of this process took; nil when the last fetch needed none or failed.
    public private(set) var lastDownload: DownloadReport?
    /// The last decision of this process, for explanations.
    public private(set) var lastDecision: Decision?

    /// Whether this process only looks at what the app has (it is an extension).
    public nonisolated var readsOnly: Bool { environment.process.kind == .appExtension }

    /// An engine; it touches neither disk nor network before it is asked something.
    public init(settings: UpdateSettings, kind: any PayloadKind, environment: Environment) {
        self.settings = settings
        self.kind = kind
        self.environment = environment
        store = StateStore(
            files: environment.files, random: environment.random, patience: settings.patience)
        slots = SlotStore(files: environment.files)
        boot = BootGuard(
            files: environment.files, random: environment.random, process: environment.process,
            fingerprint: settings.fingerprint)
    }

    // MARK: State

    /// What this device has for the running build, without judging anything.
    /// - Throws: ``UpdateError`` when the state cannot be read; then nothing was minted or changed,
    ///   and the shipped code should run.
    public func open() throws -> BuildState {
        guard readsOnly else { return try ownState() }
        var own = try store.reading { try ownState() }
        // Staged updates are the app's to activate; its extensions run what is current.
        own.staged = nil
        return own
    }

    /// The id that rollouts draw by, the app's and its extensions' alike; nil before the first
    /// check.
    /// - Throws: ``UpdateError`` when the state cannot be read.
    public func deviceID() throws -> String? {
        if let own = settings.deviceID { return own }
        return try readsOnly
            ? store.reading { try store.load()?.deviceID } : store.load()?.deviceID
    }

    private func ownState() throws -> BuildState {
        try store.load()?.builds[settings.fingerprint] ?? BuildState()
    }

    /// The payload of a slot, hashed again.
    /// - Throws: ``UpdateError`` `slot_missing` or `slot_damaged`.
    public func payload(of slot: Slot) throws -> [UInt8] {
        readsOnly ? try store.reading { try slots.load(slot) } : try slots.load(slot)
    }

    /// The file of a slot, hashed again; for payloads that are read in parts and not whole.
    /// - Returns: its name in the state folder.
    /// - Throws: ``UpdateError`` `slot_missing` or `slot_damaged`.
    public func payloadFile(of slot: Slot) throws -> String {
        readsOnly ? try store.reading { try slots.check(slot) } : try slots.check(slot)
    }

    /// Says that what was staged runs now: it becomes current, and what ran stays as previous.
    /// - Throws: ``UpdateError`` when the state cannot be written.
    public func didActivateStaged() throws {
        try change { $0.activateStaged() }
        lastCheck = nil
    }

    /// Says that a payload cannot run. Unless it was only lost or damaged on this disk, its release
    /// is not tried again until the ban ends or is lifted. An extension keeps nothing of it.
    /// - Throws: ``UpdateError`` when the state cannot be written.
    public func didFail(_ digest: String, because reason: Reason) throws {
        if readsOnly { return }
        didNotActivate(digest)
        let isOnlyDisk = reason == .slotMissing || reason == .slotDamaged
        let expires = environment.clock.now() + settings.banSeconds
        try change { own in
            if isOnlyDisk {
                own.takeOut(digest)
            } else {
                own.ban(digest, because: reason, until: expires)
            }
        }
        lastCheck = nil
    }

    /// Changes what is kept for this build, and removes payloads that are no longer in use.
    func change(
        mustLast: Bool = true, _ body: (inout BuildState) throws -> Void
    ) throws {
        guard !readsOnly else { throw UpdateError(.extensionReadsOnly) }
        let now = environment.clock.now()
        var known: BuildState?
        try store.update(mustLast: mustLast) { state in
            var own = state.builds[settings.fingerprint] ?? BuildState()
            try body(&own)
            // Bans that ended are forgotten, or the file would grow for ever.
            own.failed = own.failed.filter { $0.value.expires > now }
            if own != BuildState() || state.builds[settings.fingerprint] != nil {
                state.builds[settings.fingerprint] = own
            }
            known = own
        }
        lastKnown = known
        removeUnused()
    }

    /// Removes payloads that no slot names, unless a download is in progress: its payload is on
    /// disk a little before the state names it.
    /// - Parameter isDone: whether parts of downloads are of no use either.
    func removeUnused(isDone: Bool = false) {
        guard let idle = try? lockFetch() else { return }
        defer { idle.release() }
        // Read under that lock. A state that cannot be read says nothing about what is in use.
        guard let state = try? store.load() else { return }
        slots.prune(keeping: state.builds[settings.fingerprint]?.digestsInUse ?? [])
        if isDone { DownloadPart.removeAll(files: environment.files) }
    }

    // MARK: Check

    /// Asks what is published and decides. Downloads metadata only.
    /// - Throws: ``UpdateError``.
    public func check() async throws -> Check {
        guard environment.process.kind == .app else { throw UpdateError(.extensionReadsOnly) }
        // Before the network: with a state that cannot be kept nothing may be minted or decided.
        _ = try store.update { _ in }
        let remote = try await openRemote()
        // What is known counts only as long as every step after it went well: "not modified" after
        // a head that could not be read must read it again.
        let known = catalog
        catalog = nil
        lastCheck = nil
        let found = try await remote.catalog(known: known)
        catalog = found
        // The state may have changed while the network was being waited for.
        guard let state = try store.load() else {
            throw UpdateError(.stateUnreadable, "it went away")
        }
        let own = state.builds[settings.fingerprint] ?? BuildState()
        let device = device(state, own, found)
        let decision = decide(
            device, head: found.head, brake: found.brake, releases: found.listing.releases,
            restriction: found.restriction?.reason)
        try remember(decision, device, found, own)
        let check = makeCheck(decision, found, own)
        lastDecision = decision
        if !hasTidied {
            hasTidied = true
            Leftovers(
                files: environment.files, folders: Leftovers.stateFolders,
                process: environment.process
            ).remove()
            removeUnused(isDone: decision.target == .current)
        }
        // Nothing is to be left, and nothing new may be taken.
        if let restriction = found.restriction, decision.target == .current { throw restriction }
        lastCheck = check
        return check
    }

    private func device(_ state: UpdateState, _ own: BuildState, _ found: Catalog) -> Device {
        var device = Device(
            deviceID: settings.deviceID ?? state.deviceID,
            // An app that does not know its id takes the root's.
            appID: settings.appID ?? found.rootAppID ?? found.head?.appID ?? "",
            platform: settings.platform,
            channel: settings.channel, fingerprint: settings.fingerprint, abi: settings.abi,
            capabilities: settings.capabilities, now: environment.clock.now())
        device.surface = settings.surface
        device.systemVersion = settings.systemVersion
        device.appVersion = settings.appVersion()
        device.tags = settings.tags
        device.cohort = settings.cohort
        device.hasWrittenData = own.hasWrittenData
        device.failed = own.failed
        if own.signers == nil || own.signers == found.signers {
            device.heldHeadSequence = own.heads[settings.channel] ?? 0
            device.heldBrakeSequence = own.brakes?[settings.channel] ?? 0
        }
        device.held = own.digestsInUse
        device.floor = max(settings.minimumSequence, found.rootFloor)
        device.embeddedSequence = settings.embeddedSequence
        if let current = own.current {
            device.current = .release(
                digest: current.digest, sequence: current.sequence, channel: current.channel)
        }
        return device
    }

    /// Keeps what the next start or check must know. An unchanged outcome writes nothing, so that
    /// frequent checks do not wear the disk.
    private func remember(
        _ decision: Decision, _ device: Device, _ found: Catalog, _ own: BuildState
    ) throws {
        let isNews =
            own.lastCheck?.reason != decision.reason
            || own.lastCheck?.headSequence != decision.headSequence
            || own.retryGeneration != (found.head?.retryGeneration ?? own.retryGeneration)
            || own.signers != found.signers
            || device.heldBrakeSequence < (found.brake?.brakeSequence ?? 0)
        var mustUnstage = own.staged != nil && !matches(own.staged, decision.target)
        if mustUnstage, found.restriction != nil, decision.target == .current {
            // What was staged was no news then and is none now, unless it may not run any more.
            let free = decide(
                device, head: found.head, brake: found.brake, releases: found.listing.releases)
            mustUnstage = !matches(own.staged, free.target)
        }
        guard isNews || mustUnstage else { return }
        let time = environment.clock.now()
        try change { own in
            if own.signers != found.signers {
                if own.signers != nil { own.heads = [:] }
                own.brakes = nil
                own.signers = found.signers
            }
            let isRejected = [.headRejected, .brakeRejected].contains(decision.reason)
            if let head = found.head, !isRejected {
                own.heads[settings.channel] = max(
                    own.heads[settings.channel] ?? 0, head.headSequence)
                own.retryGeneration = max(own.retryGeneration, head.retryGeneration)
            }
            if let brake = found.brake, !isRejected {
                own.brakes = (own.brakes ?? [:]).merging(
                    [settings.channel: brake.brakeSequence], uniquingKeysWith: max)
            }
            if mustUnstage { own.staged = nil }
            own.lastCheck = CheckRecord(
                time: time, reason: decision.reason, headSequence: decision.headSequence)
        }
    }

    private func matches(_ staged: Staged?, _ target: Decision.Target) -> Bool {
        switch (staged, target) {
        case (.embedded, .embedded): return true
        case (.release(let slot), .release(let digest)): return slot.digest == digest
        default: return false
        }
    }

    private func makeCheck(_ decision: Decision, _ found: Catalog, _ own: BuildState) -> Check {
        guard case .release(let digest) = decision.target else {
            return Check(
                decision: decision, release: nil, downloadSize: 0, applyBy: applyBy(found))
        }
        let isOnDisk = own.digestsInUse.contains(digest)
        return Check(
            decision: decision, release: found.listing.releases[digest],
            downloadSize: isOnDisk ? 0 : found.listing.targets[digest]?.length ?? 0,
            applyBy: applyBy(found))
    }

    private func applyBy(_ found: Catalog) -> Double? {
        found.head?.applyBy.flatMap { MetadataTime(iso8601: $0) }
            .map { Double($0.secondsSince1970) }
    }

    /// Speaks as a device of another channel, with other tags and cohort, from the next check on.
    /// What is staged for the old ones stays until that check decides about it.
    public func setAudience(channel: String, tags: Set<String>, cohort: String?) {
        settings.channel = channel
        settings.tags = tags
        settings.cohort = cohort
        remote = nil
        catalog = nil
        lastCheck = nil
    }

    // MARK: Fetch

    /// Brings what the last check decided (or a check made now) onto this device.
    /// - Parameter progress: called with the share of bytes received, 0 to 1.
    /// - Returns: what is ready to be activated; nil when there is nothing to do.
    /// - Throws: ``UpdateError``.
    public func fetch(progress: @escaping @Sendable (Double) -> Void = { _ in }) async throws
        -> Staged?
    {
        try await fetch(onBytes: { received, total in
            progress(total == 0 ? 1 : min(1, Double(received) / Double(total)))
        })
    }

    /// The same, with progress in bytes: those that are here and those that there will be. The
    /// second number grows when a delta turned out to be of no use.
    /// - Returns: what is ready to be activated; nil when there is nothing to do.
    /// - Throws: ``UpdateError``.
    public func fetch(onBytes progress: @escaping @Sendable (Int, Int) -> Void) async throws
        -> Staged?
    {
        guard environment.process.kind == .app else { throw UpdateError(.extensionReadsOnly) }
        let checked: Check
        if let lastCheck { checked = lastCheck } else { checked = try await check() }
        switch checked.decision.target {
        case .current: return nil
        case .embedded:
            try change { $0.staged = .embedded }
            return .embedded
        case .release(let digest):
            guard let release = checked.release else {
                throw UpdateError(.releaseMissing, digest)
            }
            let slot = try await stage(release, progress: progress)
            // What was staged before has no use any more.
            removeUnused()
            return .release(slot)
        }
    }

    private func stage(
        _ release: Release, progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> Slot {
        guard let busy = try lockFetch() else { throw UpdateError(.stateBusy) }
        defer { busy.release() }
        let slot = try await bring(release, progress: progress)
        // Lost, it would be fetched again; what runs does not depend on it.
        try change(mustLast: false) { $0.staged = .release(slot) }
        return slot
    }

    private func bring(
        _ release: Release, progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws -> Slot {
        lastDownload = nil
        let digest = release.raw.sha256
        let slot = Slot(
            digest: digest, size: release.raw.size, version: release.version,
            sequence: release.sequence, channel: settings.channel, dataEpoch: release.dataEpoch,
            isConfirmed: false)
        // An earlier release that is still here (a rollback) needs no network.
        if (try? slots.load(slot)) != nil {
            progress(release.raw.size, release.raw.size)
            return slot
        }
        guard let catalog else { throw UpdateError(.releaseMissing, digest) }
        let held = HeldPayloads(
            slots: slots, baseModule: settings.baseModule, maximumSize: settings.maximumPayload)
        let (payload, report) = try await openRemote().download(
            release, of: catalog, holding: held, progress: progress)
        lastDownload = report
        do {
            try kind.inspect(payload, of: release)
        } catch {
            let reason = (error as? UpdateError)?.reason ?? .moduleMalformed
            try didFail(digest, because: reason)
            throw error as? UpdateError ?? UpdateError(reason, "\(error)")
        }
        try slots.store(payload, digest: digest)
        return slot
    }

    private func lockFetch() throws -> FileLock? {
        do {
            return try environment.files.lock("fetch.lock", wait: false)
        } catch {
            throw UpdateError.state(error)
        }
    }

    // MARK: Remote

    private func openRemote() async throws -> Remote {
        if let remote { return remote }
        guard let base = settings.baseURL else { throw UpdateError(.localOnly) }
        let root: [UInt8]
        switch settings.trust {
        case .root(let bytes): root = bytes
        case .firstUse: root = try await firstRoot(base)
        case .none(let error): throw error
        }
        let opened = Remote(
            settings: settings, root: root, base: base, kind: kind,
            environment: environment)
        remote = opened
        return opened
    }

    /// The first root of a server on this machine (development only).
    private func firstRoot(_ base: URL) async throws -> [UInt8] {
        guard Loopback.contains(base) else { throw UpdateError(.insecureTrustRefused) }
        let url = Remote.folder(base, settings, "metadata").appendingPathComponent("1.root.json")
        do {
            let response = try await environment.transport.fetch(
                HTTPRequest(url, maximumSize: 512_000))
            guard response.status == 200 else {
                throw HTTPError(.badStatus, url: url, status: response.status)
            }
            return response.body
        } catch {
            throw UpdateError.network(error)
        }
    }
}

/// Addresses that never leave this machine.
public enum Loopback {
    /// Whether a URL's host is one of them.
    public static func contains(_ url: URL) -> Bool {
        guard let host = url.host?.lowercased() else { return false }
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        // 127.0.0.0/8 as a dotted quad, and nothing that merely begins like one.
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
