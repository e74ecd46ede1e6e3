import TUF

extension RepositoryEditor {
    /// Lets `keys` sign brakes, in place of those that could before. The delegation is signed with
    /// the release keys; the role itself follows with ``setBrakes(_:signers:at:)``.
    ///
    /// - Parameters:
    ///   - keys: the ops keys, one of which suffices.
    ///   - signers: enough of the release keys.
    /// - Throws: ``TUFError`` `signing_failed`, `signatures_insufficient`.
    public mutating func delegateBrakes(
        to keys: [TUFKey], signers: [TUFSigner], at now: MetadataTime
    ) throws {
        let role = BrakesRole.delegation(keys: RoleKeys(keyIDs: keys.map(\.keyID)))
        if targets?.signed.delegations?.role(role.name) == role { return }
        try editTargets(signers: signers, at: now) { targets in
            var delegations = targets.delegations ?? Delegations()
            delegations.set(role, keys: keys)
            targets.delegations = delegations
        }
    }

    /// Issues the next version of the brakes role, or the first.
    ///
    /// - Parameters:
    ///   - brakes: one file per channel and kind; takes the place of those of the same path. None
    ///     signs what is there for another term.
    ///   - signers: one of the ops keys.
    /// - Throws: ``TUFError`` `role_not_delegated`, `signing_failed`, `signatures_insufficient`,
    ///   `target_path_refused`.
    public mutating func setBrakes(
        _ brakes: [TargetFile], signers: [TUFSigner], at now: MetadataTime
    ) throws {
        try setTargets(brakes, in: BrakesRole.name, signers: signers, at: now)
    }
}
