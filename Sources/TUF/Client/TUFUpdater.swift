/// A client: brings trusted metadata up to date and finds targets in it (specification §5).
///
/// One updater may check many times. All reading is bounded, all that is stored was verified, and
/// after any failure the next check starts from what was trusted before.
public actor TUFUpdater {
    /// How a check ended.
    public enum RefreshOutcome: Sendable, Equatable {
        /// The server said that the timestamp is the one we hold; nothing else was asked.
        case notModified
        /// The whole workflow ran.
        case refreshed
    }

    private let bootstrap: [UInt8]?
    private let fetcher: any MetadataFetcher
    private let cache: any MetadataCache
    private let configuration: UpdaterConfiguration
    private let now: @Sendable () -> MetadataTime
    private var current: TrustedMetadataSet?
    /// The validator of the timestamp in ``current``.
    private var currentValidator: String?
    /// Delegated metadata read since the last check, not yet verified against any delegator.
    private var delegatedBytes: [String: [UInt8]] = [:]
    /// Roles that the top-level targets of ``current`` delegate to, verified against them.
    private var verified: [String: SignedMetadata<Targets>] = [:]
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// A client that trusts `bootstrap`, the root that came with the app.
    ///
    /// - Parameters:
    ///   - bootstrap: nil takes the cache's `root.json` as the anchor (for tools that were
    ///     initialised with one; an app passes its own).
    ///   - now: the clock; read once for each check (§5.1).
    public init(
        bootstrap: [UInt8]?, fetcher: any MetadataFetcher, cache: any MetadataCache,
        configuration: UpdaterConfiguration = UpdaterConfiguration(),
        now: @escaping @Sendable () -> MetadataTime = { .now }
    ) {
        self.bootstrap = bootstrap
        self.fetcher = fetcher
        self.cache = cache
        self.configuration = configuration
        self.now = now
    }

    /// The metadata trusted since the last check that succeeded.
    public var trusted: TrustedMetadataSet? { current }

    // An actor is re-entered at every `await`; checks and searches must not mix their documents.

    private func enter() async {
        guard isBusy else {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        if waiting.isEmpty {
            isBusy = false
        } else {
            waiting.removeFirst().resume()
        }
    }

    // MARK: Check

    /// Brings the top-level metadata up to date.
    /// - Throws: ``TUFError``.
    @discardableResult
    public func refresh() async throws -> RefreshOutcome {
        await enter()
        defer { leave() }
        return try await runRefresh()
    }

    /// Loads what earlier checks stored, without network; nothing expired is accepted.
    /// - Throws: ``TUFError`` when there is no complete, unexpired state.
    public func loadStored() async throws {
        await enter()
        defer { leave() }
        let stored = try await storedSet(try await trustedRoots())
        forgetDelegated()
        current = stored
        currentValidator = await storedValidator()
    }

    private func runRefresh() async throws -> RefreshOutcome {
        var roots: TrustedMetadataSet?
        var timestamp: Download?
        if configuration.asksConditionally {
            // What was verified in this process and is still unexpired needs no second reading.
            var held = current?.renewed(at: now())
            var validator = currentValidator
            if held == nil || validator == nil {
                let trusted = try await trustedRoots()
                roots = trusted
                held = try? await storedSet(trusted)
                validator = await storedValidator()
                if held != nil { forgetDelegated() }
            }
            if let held, let validator {
                let answer = try await fetch(
                    "timestamp", version: nil, limit: configuration.timestampMaximumLength,
                    validator: validator)
                switch answer {
                case .notModified:
                    current = held
                    currentValidator = validator
                    return .notModified
                case .found(let bytes, let validator): timestamp = Download(bytes, validator)
                case .missing: throw Self.unavailable("timestamp")
                }
            }
        }
        var set: TrustedMetadataSet
        if let roots { set = roots } else { set = try await trustedRoots() }
        try await updateRoots(&set)
        let validator = try await updateTimestamp(&set, fetched: timestamp)
        try await updateSnapshot(&set)
        try await updateTargets(&set)
        forgetDelegated()
        current = set
        currentValidator = validator
        return .refreshed
    }

    private func forgetDelegated() {
        delegatedBytes = [:]
        verified = [:]
    }

    private struct Download {
        let bytes: [UInt8]
        let validator: String?

        init(_ bytes: [UInt8], _ validator: String?) {
            self.bytes = bytes
            self.validator = validator
        }
    }

    // MARK: Root (§5.2, §5.3)

    /// The bootstrap root and the chain that earlier checks stored behind it.
    private func trustedRoots() async throws -> TrustedMetadataSet {
        var anchor = bootstrap
        if anchor == nil { anchor = try await load("root.json") }
        guard let anchor else {
            throw TUFError(
                .noTrustedRoot, role: "root",
                "There is no trusted root: ship one with the app or initialise the folder first.")
        }
        var set = try TrustedMetadataSet(
            trustedRoot: anchor, at: now(), expiryPolicy: configuration.expiryPolicy,
            limits: JSONLimits(maximumSize: largestDocument))
        for _ in 0..<configuration.maximumRootRotations {
            let next = set.root.signed.version + 1
            // A stored root that does not verify is as good as none: it is fetched again.
            guard let bytes = try? await cache.load(Self.rootName(next)),
                (try? set.updateRoot(bytes)) != nil
            else { break }
        }
        return set
    }

    private func updateRoots(_ set: inout TrustedMetadataSet) async throws {
        for _ in 0..<configuration.maximumRootRotations {
            let next = set.root.signed.version + 1
            let answer = try await fetch(
                "root", version: next, limit: configuration.rootMaximumLength, validator: nil)
            guard case .found(let bytes, _) = answer else {
                return
            }
            try set.updateRoot(bytes)
            try await store(Self.rootName(next), bytes)
            try await store("root.json", bytes)
        }
        let next = set.root.signed.version + 1
        let answer = try await fetch(
            "root", version: next, limit: configuration.rootMaximumLength, validator: nil)
        if case .found = answer {
            // What was followed is stored, so the next check goes on from there.
            throw TUFError(
                .rootChainTooLong, role: "root",
                "More than \(configuration.maximumRootRotations) new roots were offered; the next "
                    + "check goes on with root \(next).")
        }
    }

    // MARK: Timestamp, snapshot, targets (§5.4–5.6)

    /// - Returns: the validator of the timestamp that is trusted now.
    private func updateTimestamp(
        _ set: inout TrustedMetadataSet, fetched: Download?
    ) async throws -> String? {
        if let stored = try await load("timestamp.json") {
            // Whatever is wrong with it: it served to compare with, the newest one decides.
            _ = try? set.updateTimestamp(stored)
        }
        var download = fetched
        if let bytes = fetched?.bytes, !Self.isFinal(bytes, in: set) {
            // It was fetched before the root; keys may have been rotated in between.
            download = nil
        }
        if download == nil {
            let answer = try await fetch(
                "timestamp", version: nil, limit: configuration.timestampMaximumLength,
                validator: nil)
            guard case .found(let bytes, let validator) = answer else {
                throw Self.unavailable("timestamp")
            }
            download = Download(bytes, validator)
        }
        guard let download else { throw Self.unavailable("timestamp") }
        if try set.updateTimestamp(download.bytes) {
            try await store("timestamp.json", download.bytes)
        } else if let stored = set.timestamp {
            // Same version: the stored one stays (§5.4.3.1), and must itself be valid now.
            guard
                configuration.expiryPolicy == .collect
                    || !stored.signed.isExpired(at: set.referenceTime)
            else {
                throw TUFError(
                    .metadataExpired, role: "timestamp",
                    "The timestamp expired at \(stored.signed.expires) and the server has no newer "
                        + "one; nothing new is taken.")
            }
            // Its validator would pair with other bytes.
            if try await load("timestamp.json") != download.bytes {
                try await remove("timestamp.validator")
                return nil
            }
        }
        if let validator = download.validator, Self.isUsable(validator) {
            try await store("timestamp.validator", Array(validator.utf8))
            return validator
        }
        try await remove("timestamp.validator")
        return nil
    }

    private static func isFinal(_ bytes: [UInt8], in set: TrustedMetadataSet) -> Bool {
        var trial = set
        return (try? trial.updateTimestamp(bytes)) != nil
    }

    private func updateSnapshot(_ set: inout TrustedMetadataSet) async throws {
        if let stored = try await load("snapshot.json"),
            (try? set.updateSnapshot(stored, isStored: true)) != nil
        {
            return
        }
        guard let file = set.timestamp?.signed.snapshot else { throw Self.unavailable("timestamp") }
        let bytes = try await download(
            "snapshot", file, limit: configuration.snapshotMaximumLength, set)
        try set.updateSnapshot(bytes)
        try await store("snapshot.json", bytes)
    }

    private func updateTargets(_ set: inout TrustedMetadataSet) async throws {
        if let stored = try await load("targets.json"), (try? set.updateTargets(stored)) != nil {
            try checkFloor(set)
            return
        }
        guard let file = set.snapshot?.signed[role: "targets"] else {
            throw TUFError(
                .roleNotInSnapshot, role: "targets", "The snapshot does not list targets.json.")
        }
        let bytes = try await download(
            "targets", file, limit: configuration.targetsMaximumLength, set)
        try set.updateTargets(bytes)
        try checkFloor(set)
        try await store("targets.json", bytes)
    }

    /// OpenPatch's own rule above the specification (updates.md §1).
    private func checkFloor(_ set: TrustedMetadataSet) throws {
        var floor = configuration.minimumTargetsVersion
        if configuration.obeysRootFloors, let own = set.root.signed.openPatch {
            floor = max(floor, own.minTargetsVersion)
        }
        guard let version = set.targets?.signed.version, version < floor else { return }
        throw TUFError(
            .belowFloor, role: "targets",
            "Version \(version) of the targets is below the floor \(floor) of this build; someone "
                + "may be replaying old metadata.")
    }

    // MARK: Stored state

    /// All that is stored, verified as if it had just come and unexpired.
    private func storedSet(_ roots: TrustedMetadataSet) async throws -> TrustedMetadataSet {
        var set = roots
        guard let timestamp = try await load("timestamp.json"),
            let snapshot = try await load("snapshot.json"),
            let targets = try await load("targets.json")
        else { throw Self.unavailable("stored metadata") }
        try set.updateTimestamp(timestamp)
        try set.updateSnapshot(snapshot, isStored: true)
        try set.updateTargets(targets)
        try checkFloor(set)
        guard set.expiredRoles.isEmpty else { throw Self.unavailable("unexpired metadata") }
        return set
    }

    private func storedValidator() async -> String? {
        guard let bytes = try? await cache.load("timestamp.validator") else { return nil }
        let validator = String(decoding: bytes, as: UTF8.self)
        return Self.isUsable(validator) ? validator : nil
    }

    /// Whether a validator can stand in a header, and in little memory.
    private static func isUsable(_ validator: String) -> Bool {
        !validator.isEmpty && validator.utf8.count <= 1024
            && validator.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    // MARK: Targets (§5.6.7)

    /// Finds what the trusted roles say about the target `path`: a pre-order search through the
    /// delegations. Runs a check first when none has succeeded.
    /// - Returns: nil when no trusted role lists the target.
    /// - Throws: ``TUFError`` when metadata on the way cannot be had or verified.
    public func target(_ path: String) async throws -> TargetFile? {
        await enter()
        defer { leave() }
        if current == nil { _ = try await runRefresh() }
        guard var set = current, let top = set.targets else {
            throw Self.unavailable("targets")
        }
        defer { current = set }
        // The delegator stands beside its delegations: nil for the top-level targets.
        var pending: [(role: String, by: String?, delegations: Delegations?)] = [
            ("targets", nil, nil)
        ]
        var visited: Set<String> = []
        while let next = pending.popLast(), visited.count <= configuration.maximumDelegations {
            guard visited.insert(next.role).inserted else { continue }
            let document: SignedMetadata<Targets>
            if let delegations = next.delegations {
                document = try await delegated(
                    next.role, delegations, isTop: next.by == nil, &set)
            } else {
                document = top
            }
            if let target = document.signed.target(at: path) { return target }
            guard let delegations = document.signed.delegations else { continue }
            let by = next.delegations == nil ? nil : next.role
            var children: [(role: String, by: String?, delegations: Delegations?)] = []
            for role in delegations.roles where role.covers(path) {
                children.append((role.name, by, delegations))
                if role.terminating {
                    pending = []
                    break
                }
            }
            pending += children.reversed()
        }
        return nil
    }

    /// All targets of a delegated role that the top-level targets trust, filtered by the paths of
    /// the delegation.
    /// - Returns: nil when there is no such delegation.
    /// - Throws: ``TUFError``.
    public func targets(ofRole role: String) async throws -> [TargetFile]? {
        await enter()
        defer { leave() }
        if current == nil { _ = try await runRefresh() }
        guard var set = current, let delegations = set.targets?.signed.delegations,
            let delegation = delegations.role(role)
        else { return nil }
        defer { current = set }
        let document = try await delegated(role, delegations, isTop: true, &set)
        return document.signed.targets.values.filter { delegation.covers($0.path) }
            .sorted { $0.path < $1.path }
    }

    /// - Parameter isTop: whether `delegations` are those of the top-level targets.
    private func delegated(
        _ role: String, _ delegations: Delegations, isTop: Bool, _ set: inout TrustedMetadataSet
    ) async throws -> SignedMetadata<Targets> {
        if isTop, let known = verified[role] { return known }
        let name = MetadataFileName.of(role: role)
        var known = delegatedBytes[role]
        if known == nil { known = try await load(name) }
        if let known,
            let document = try? set.verifyDelegatedTargets(
                known, role: role, delegations: delegations)
        {
            delegatedBytes[role] = known
            if isTop { verified[role] = document }
            return document
        }
        guard let file = set.snapshot?.signed[role: role] else {
            throw TUFError(
                .roleNotInSnapshot, role: role,
                "The role '\(role)' is delegated to, but the snapshot does not list it.")
        }
        let bytes = try await download(role, file, limit: configuration.targetsMaximumLength, set)
        let document = try set.verifyDelegatedTargets(bytes, role: role, delegations: delegations)
        try await store(name, bytes)
        delegatedBytes[role] = bytes
        if isTop { verified[role] = document }
        return document
    }

    /// Downloads a target into memory and verifies it (§5.7).
    /// - Throws: ``TUFError``.
    public func download(_ target: TargetFile, from source: any TargetFetcher) async throws
        -> [UInt8]
    {
        let path = try filePath(of: target)
        let bytes: [UInt8]?
        do {
            bytes = try await source.fetchTarget(path, maximumLength: target.length)
        } catch FetchError.tooLarge {
            throw TUFError(
                .targetTooLarge,
                "The file '\(target.path)' goes on beyond the \(target.length) bytes that are "
                    + "signed for it.")
        } catch {
            throw TUFError(.downloadFailed, "'\(target.path)' could not be fetched: \(error)")
        }
        guard let bytes else {
            throw TUFError(.downloadFailed, "The server has no file '\(path)'.")
        }
        try target.verify(bytes)
        return bytes
    }

    /// Where the file of a target lies below the base URL of targets.
    /// - Throws: ``TUFError`` `target_path_refused`.
    public func filePath(of target: TargetFile) throws -> String {
        try target.filePath(consistentSnapshot: current?.root.signed.consistentSnapshot ?? true)
    }

    // MARK: I/O

    private var largestDocument: Int {
        max(
            configuration.rootMaximumLength, configuration.timestampMaximumLength,
            configuration.snapshotMaximumLength, configuration.targetsMaximumLength)
    }

    /// Without `.json`, so that no role has a file of this name.
    private static func rootName(_ version: Int) -> String { "root.\(version)" }

    private static func unavailable(_ what: String) -> TUFError {
        TUFError(
            .metadataUnavailable, role: what,
            "The repository has no \(what) to offer; check the base URL and that it was published.")
    }

    private func download(
        _ role: String, _ file: MetaFile, limit: Int, _ set: TrustedMetadataSet
    ) async throws -> [UInt8] {
        let answer = try await fetch(
            role, version: set.root.signed.consistentSnapshot ? file.version : nil,
            limit: min(file.length ?? limit, largestDocument), validator: nil)
        guard case .found(let bytes, _) = answer else { throw Self.unavailable(role) }
        return bytes
    }

    private func fetch(
        _ role: String, version: Int?, limit: Int, validator: String?
    ) async throws -> FetchResult {
        let name = MetadataFileName.of(role: role, version: version)
        let answer: FetchResult
        do {
            answer = try await fetcher.fetch(name, maximumLength: limit, ifNoneMatch: validator)
        } catch FetchError.tooLarge {
            throw Self.tooLarge(role, limit)
        } catch let error as TUFError {
            throw error
        } catch {
            throw TUFError(
                .downloadFailed, role: role, "'\(name)' could not be fetched: \(error)")
        }
        if case .found(let bytes, _) = answer, bytes.count > limit {
            throw Self.tooLarge(role, limit)
        }
        return answer
    }

    private static func tooLarge(_ role: String, _ limit: Int) -> TUFError {
        TUFError(
            .metadataTooLarge, role: role,
            "The metadata of role '\(role)' goes on beyond \(limit) bytes and was refused.")
    }

    private func load(_ name: String) async throws -> [UInt8]? {
        do {
            return try await cache.load(name)
        } catch {
            throw Self.cacheFailed(name, error)
        }
    }

    private func store(_ name: String, _ bytes: [UInt8]) async throws {
        do {
            try await cache.store(name, bytes)
        } catch {
            throw Self.cacheFailed(name, error)
        }
    }

    private func remove(_ name: String) async throws {
        do {
            try await cache.remove(name)
        } catch {
            throw Self.cacheFailed(name, error)
        }
    }

    private static func cacheFailed(_ name: String, _ error: any Error) -> TUFError {
        TUFError(
            .cacheFailed,
            "The metadata '\(name)' could not be read from or written to this machine's storage: "
                + "\(error)")
    }
}
