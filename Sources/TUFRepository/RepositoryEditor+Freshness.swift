import PatchCrypto
import TUF

extension RepositoryEditor {
    /// Signs a new snapshot (when a role changed or it nears its expiry) and a new timestamp.
    ///
    /// Roles that are no longer delegated to stay listed: a client that has seen them refuses a
    /// snapshot without them (§5.5.5).
    /// - Parameter signers: enough of the keys that root lists for snapshot and timestamp.
    /// - Throws: ``TUFError`` `repository_incomplete` when there are no targets, `key_unusable`
    ///   when root does not list the signers, `signing_failed`.
    public mutating func signFreshness(signers: [TUFSigner], at now: MetadataTime) throws {
        guard let targets else {
            throw TUFError(
                .repositoryIncomplete, role: "targets",
                "There are no targets to take a snapshot of; sign the targets first.")
        }
        let expires = now.adding(days: expiryPlan.freshnessDays)
        var meta = snapshot?.signed.meta ?? [:]
        meta["targets.json"] = MetaFile(version: targets.signed.version)
        for (role, document) in delegated {
            meta["\(role).json"] = MetaFile(version: document.signed.version)
        }
        let ageing = now.adding(days: max(1, expiryPlan.freshnessDays * 3 / 4))
        let current: SignedMetadata<Snapshot>
        var isNew = true
        if let snapshot, snapshot.signed.meta == meta, !snapshot.signed.isExpired(at: ageing),
            (try? root.signed.verify(snapshot, as: .snapshot)) != nil
        {
            current = snapshot
            isNew = false
        } else {
            let version = nextVersion(of: "snapshot", after: snapshot?.signed.version)
            var next =
                snapshot?.signed
                ?? Snapshot(header: MetadataHeader(version: version, expires: expires), meta: meta)
            next.meta = meta
            next.header.version = version
            next.header.expires = expires
            current = try freshDocument(next, signers, as: .snapshot)
        }
        let bytes = current.encoded()
        var next =
            timestamp?.signed
            ?? Timestamp(
                header: MetadataHeader(version: 1, expires: expires),
                snapshot: MetaFile(version: current.signed.version))
        // Digest and length, so that no mirror can mix two snapshots of one version.
        next.snapshot = MetaFile(
            version: current.signed.version, length: bytes.count,
            hashes: ["sha256": HashAlgorithm.sha256.hash(bytes).hex])
        next.header.version = nextVersion(of: "timestamp", after: timestamp?.signed.version)
        next.header.expires = expires
        let newTimestamp = try freshDocument(next, signers, as: .timestamp)
        if isNew { record("snapshot", current) }
        snapshot = current
        timestamp = newTimestamp
        record("timestamp", newTimestamp)
    }

    private func freshDocument<Role>(
        _ next: Role, _ signers: [TUFSigner], as role: TopLevelRole
    ) throws -> SignedMetadata<Role> {
        let usable = signers.filter { root.signed[role].keyIDs.contains($0.key.keyID) }
        guard !usable.isEmpty else {
            throw TUFError(
                .keyUnusable, role: role.rawValue,
                "Root lists none of the given keys for the role '\(role.rawValue)'.")
        }
        let document = try SignedMetadata(next, signers: usable)
        try root.signed.verify(document, as: role)
        return document
    }
}
