/// The metadata that is trusted so far in one run of the client workflow (specification §5), and
/// the rules by which more becomes trusted. Without I/O: bytes in, decisions out.
///
/// Documents are offered in the order root…, timestamp, snapshot, targets, delegated roles.
/// Offering an older document of one's own (from a cache) before the newest one is how rollback is
/// noticed: an expired timestamp or a snapshot of another version is kept to compare with, and the
/// error says that it is not final.
public struct TrustedMetadataSet: Sendable {
    /// What to do about expired metadata.
    public enum ExpiryPolicy: Sendable {
        /// Refuse it, as the specification demands.
        case refuse
        /// Take it and list the role in ``TrustedMetadataSet/expiredRoles``. For metadata that may
        /// only restrict (updates.md §1), never to install something.
        case collect
    }

    /// The fixed update start time (§5.1).
    public private(set) var referenceTime: MetadataTime
    /// What is done about expired metadata.
    public let expiryPolicy: ExpiryPolicy
    /// Bounds on each document.
    public let limits: JSONLimits
    /// The trusted root.
    public private(set) var root: SignedMetadata<Root>
    /// The trusted timestamp, once there is one.
    public private(set) var timestamp: SignedMetadata<Timestamp>?
    /// The trusted snapshot, once there is one.
    public private(set) var snapshot: SignedMetadata<Snapshot>?
    /// When trust in each role that was looked at ends; a newer document replaces an older one's.
    private var expiries: [String: MetadataTime] = [:]
    /// The trusted top-level targets, once there are any.
    public private(set) var targets: SignedMetadata<Targets>?

    /// Begins with a root that came with the app, or that was trusted in an earlier run. Its
    /// expiry does not matter (§5.2).
    /// - Throws: ``TUFError`` when it cannot be read or is not signed by its own keys.
    public init(
        trustedRoot bytes: [UInt8], at referenceTime: MetadataTime,
        expiryPolicy: ExpiryPolicy = .refuse, limits: JSONLimits = JSONLimits()
    ) throws {
        self.referenceTime = referenceTime
        self.expiryPolicy = expiryPolicy
        self.limits = limits
        root = try SignedMetadata(parsing: bytes, limits: limits)
        try root.signed.verify(root, as: .root)
    }

    /// Roles that were taken although expired, under ``ExpiryPolicy/collect``.
    public var expiredRoles: Set<String> {
        Set(expiries.filter { $0.value <= referenceTime }.keys)
    }

    /// When the first of the roles that were looked at expires; nil before any was.
    public var earliestExpiry: MetadataTime? { expiries.values.min() }

    /// The same trust at a later check, if it is complete and nothing that was looked at has
    /// expired by then; nil otherwise.
    func renewed(at time: MetadataTime) -> TrustedMetadataSet? {
        guard targets != nil, let earliestExpiry, earliestExpiry > time else { return nil }
        var set = self
        set.referenceTime = time
        return set
    }

    // MARK: Root (§5.3)

    /// Takes the next root of the chain.
    /// - Throws: ``TUFError`` `signatures_insufficient`, `metadata_version_mismatch`, or what
    ///   reading throws.
    public mutating func updateRoot(_ bytes: [UInt8]) throws {
        guard timestamp == nil else { throw Self.wrongOrder("root after timestamp") }
        let new: SignedMetadata<Root> = try SignedMetadata(parsing: bytes, limits: limits)
        // §5.3.4: signed by the old keys and by its own.
        try root.signed.verify(new, as: .root)
        let expected = root.signed.version + 1
        guard new.signed.version == expected else {
            throw TUFError(
                .metadataVersionMismatch, role: "root",
                "Root version \(expected) was asked for, version \(new.signed.version) came.")
        }
        try new.signed.verify(new, as: .root)
        root = new
    }

    // MARK: Timestamp (§5.4)

    /// Takes a timestamp.
    ///
    /// One of the same version as the trusted one changes nothing.
    /// - Returns: whether the timestamp is newer than the trusted one.
    /// - Throws: ``TUFError``; after `metadata_expired` of the timestamp it is kept to compare
    ///   with.
    @discardableResult
    public mutating func updateTimestamp(_ bytes: [UInt8]) throws -> Bool {
        guard snapshot == nil else { throw Self.wrongOrder("timestamp after snapshot") }
        // §5.3.10. Keys that were rotated away (§5.3.11) need no deletion: a timestamp or snapshot
        // signed with them no longer verifies, so it is not compared with.
        try check(root.signed, "root")
        let new: SignedMetadata<Timestamp> = try SignedMetadata(parsing: bytes, limits: limits)
        try root.signed.verify(new, as: .timestamp)
        if let old = timestamp?.signed {
            guard new.signed.version >= old.version else {
                throw Self.rollback("timestamp", from: old.version, to: new.signed.version)
            }
            if new.signed.version == old.version { return false }
            guard new.signed.snapshot.version >= old.snapshot.version else {
                throw Self.rollback(
                    "snapshot", from: old.snapshot.version, to: new.signed.snapshot.version)
            }
        }
        timestamp = new
        try check(new.signed, "timestamp")
        return true
    }

    // MARK: Snapshot (§5.5)

    /// Takes a snapshot.
    /// - Parameter isStored: true for one that was verified in an earlier run: its digest is that
    ///   of an older timestamp, which is no fault.
    /// - Throws: ``TUFError``; after `metadata_expired` and `metadata_version_mismatch` the
    ///   snapshot is kept to compare with.
    public mutating func updateSnapshot(_ bytes: [UInt8], isStored: Bool = false) throws {
        guard let timestamp = timestamp?.signed else {
            throw Self.wrongOrder("snapshot before timestamp")
        }
        guard targets == nil else { throw Self.wrongOrder("snapshot after targets") }
        try check(timestamp, "timestamp")
        if !isStored { try timestamp.snapshot.verify(bytes, role: "snapshot") }
        let new: SignedMetadata<Snapshot> = try SignedMetadata(parsing: bytes, limits: limits)
        try root.signed.verify(new, as: .snapshot)
        if let old = snapshot?.signed {
            for (name, file) in old.meta {
                guard let newFile = new.signed.meta[name] else {
                    throw TUFError(
                        .metadataRollback, role: "snapshot",
                        "The new snapshot no longer lists '\(name)', which the trusted one does; "
                            + "someone may be hiding it.")
                }
                guard newFile.version >= file.version else {
                    throw Self.rollback(name, from: file.version, to: newFile.version)
                }
            }
        }
        snapshot = new
        try checkFinalSnapshot()
    }

    private mutating func checkFinalSnapshot() throws {
        guard let snapshot = snapshot?.signed, let timestamp = timestamp?.signed else {
            throw Self.wrongOrder("targets before snapshot")
        }
        try check(snapshot, "snapshot")
        guard snapshot.version == timestamp.snapshot.version else {
            throw TUFError(
                .metadataVersionMismatch, role: "snapshot",
                "The timestamp names snapshot \(timestamp.snapshot.version), this is version "
                    + "\(snapshot.version).")
        }
    }

    // MARK: Targets (§5.6)

    /// Takes the top-level targets.
    /// - Throws: ``TUFError``.
    public mutating func updateTargets(_ bytes: [UInt8]) throws {
        let root = root.signed
        targets = try verifiedTargets(bytes, role: "targets") { try root.verify($0, as: .targets) }
    }

    /// Verifies the metadata of a delegated role against its delegator.
    ///
    /// The result is not kept: trust in a role holds for the delegation it was reached by only,
    /// and a role may be reached by several.
    /// - Parameter delegations: those of the verified metadata of the delegator.
    /// - Throws: ``TUFError``.
    public mutating func verifyDelegatedTargets(
        _ bytes: [UInt8], role: String, delegations: Delegations
    ) throws -> SignedMetadata<Targets> {
        try verifiedTargets(bytes, role: role) { try delegations.verify($0, as: role) }
    }

    private mutating func verifiedTargets(
        _ bytes: [UInt8], role: String, _ verify: (SignedMetadata<Targets>) throws -> Void
    ) throws -> SignedMetadata<Targets> {
        try checkFinalSnapshot()
        guard let file = snapshot?.signed[role: role] else {
            throw TUFError(
                .roleNotInSnapshot, role: role,
                "The role '\(role)' is delegated to, but the snapshot does not list it.")
        }
        try file.verify(bytes, role: role)
        let new: SignedMetadata<Targets> = try SignedMetadata(parsing: bytes, limits: limits)
        try verify(new)
        try new.signed.checkRole(role)
        guard new.signed.version == file.version else {
            throw TUFError(
                .metadataVersionMismatch, role: role,
                "The snapshot names version \(file.version) of role '\(role)', this is version "
                    + "\(new.signed.version).")
        }
        try check(new.signed, role)
        return new
    }

    // MARK: Checks

    private mutating func check(_ document: some MetadataRole, _ role: String) throws {
        expiries[role] = document.expires
        guard expiryPolicy == .refuse, document.isExpired(at: referenceTime) else { return }
        throw TUFError(
            .metadataExpired, role: role,
            "The metadata of role '\(role)' expired at \(document.expires); nothing new is "
                + "taken until it is signed again (or this device's clock is wrong).")
    }

    private static func rollback(_ what: String, from old: Int, to new: Int) -> TUFError {
        TUFError(
            .metadataRollback, role: what,
            "Version \(new) of '\(what)' is older than version \(old), which is trusted already; "
                + "someone may be replaying old metadata.")
    }

    private static func wrongOrder(_ what: String) -> TUFError {
        TUFError(.wrongOrder, "Metadata was offered in the wrong order: \(what).")
    }
}
