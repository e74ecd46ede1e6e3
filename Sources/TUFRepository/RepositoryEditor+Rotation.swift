import TUF

extension RepositoryEditor {
    /// Lets other keys sign releases: a new root, and targets and build roles signed anew, so that
    /// the repository is whole afterwards. Signing freshness remains to be done.
    ///
    /// - Parameters:
    ///   - keys: the release keys from now on.
    ///   - signers: enough of `keys`.
    ///   - rootSigners: enough of the root keys.
    ///   - edit: what else changes in root, such as a floor.
    /// - Throws: ``TUFError`` `signing_failed`, `signatures_insufficient`.
    public mutating func replaceReleaseKeys(
        _ keys: [TUFKey], threshold: Int = 1, signers: [TUFSigner], rootSigners: [TUFSigner],
        at now: MetadataTime, _ edit: (inout Root) throws -> Void = { _ in }
    ) throws {
        try editRoot(signers: rootSigners, at: now) { root in
            root.setKeys(keys, threshold: threshold, of: .targets)
            try edit(&root)
        }
        let roleKeys = RoleKeys(keyIDs: keys.map(\.keyID), threshold: threshold)
        let builds = (targets?.signed.delegations?.roles ?? []).filter {
            $0.name != BrakesRole.name
        }
        try editTargets(signers: signers, at: now) { targets in
            for build in builds {
                var role = build
                role.keys = roleKeys
                targets.delegations?.set(role, keys: keys)
            }
        }
        for build in builds { try editRole(build.name, signers: signers, at: now) { _ in } }
    }

    /// Lets other keys sign freshness and brakes, which one server holds, in one go: a new root for
    /// snapshot and timestamp, new targets for the brakes, the brakes signed anew. Signing
    /// freshness with the new key remains to be done.
    ///
    /// - Parameters:
    ///   - freshness: the keys for snapshot and timestamp; nil leaves them.
    ///   - ops: the keys for brakes and the signers among them; nil leaves them.
    ///   - rootSigners: enough of the root keys; unused when `freshness` is nil.
    ///   - releaseSigners: enough of the release keys; unused when `ops` is nil.
    /// - Throws: ``TUFError`` `signing_failed`, `signatures_insufficient`.
    public mutating func replaceServerKeys(
        freshness: [TUFKey]?, ops: (keys: [TUFKey], signers: [TUFSigner])?,
        rootSigners: [TUFSigner], releaseSigners: [TUFSigner], at now: MetadataTime
    ) throws {
        if let freshness {
            try editRoot(signers: rootSigners, at: now) { root in
                root.setKeys(freshness, of: .snapshot)
                root.setKeys(freshness, of: .timestamp)
            }
        }
        guard let ops else { return }
        try delegateBrakes(to: ops.keys, signers: releaseSigners, at: now)
        if delegated[BrakesRole.name] != nil {
            try setBrakes([], signers: ops.signers, at: now)
        }
    }
}
