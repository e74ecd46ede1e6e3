import TUF

extension RepositoryEditor {
    // MARK: Root

    /// What a new root says.
    public struct RootPlan: Sendable {
        /// The root keys; the second one is the backup.
        public var rootKeys: [TUFKey]
        /// How many root keys must sign the next root.
        public var rootThreshold = 1
        /// The release keys, which sign targets and build roles.
        public var targetsKeys: [TUFKey]
        /// The keys that sign snapshot and timestamp.
        public var freshnessKeys: [TUFKey]
        /// OpenPatch's own member.
        public var openPatch: Root.OpenPatchExtension?

        /// A plan with a threshold of 1 for every role.
        public init(
            rootKeys: [TUFKey], targetsKeys: [TUFKey], freshnessKeys: [TUFKey],
            openPatch: Root.OpenPatchExtension? = nil
        ) {
            self.rootKeys = rootKeys
            self.targetsKeys = targetsKeys
            self.freshnessKeys = freshnessKeys
            self.openPatch = openPatch
        }
    }

    /// Begins a new repository with root 1.
    /// - Parameter signers: enough of the root keys.
    /// - Throws: ``TUFError`` `signing_failed`, `signatures_insufficient`.
    public init(
        _ plan: RootPlan, signers: [TUFSigner], at now: MetadataTime,
        expiryPlan: ExpiryPlan = .server
    ) throws {
        var root = Root(
            header: MetadataHeader(version: 1, expires: now.adding(days: expiryPlan.rootDays)),
            keys: [], roles: [:], openPatch: plan.openPatch)
        for role in TopLevelRole.allCases { root[role] = RoleKeys(keyIDs: []) }
        root.setKeys(plan.rootKeys, threshold: plan.rootThreshold, of: .root)
        root.setKeys(plan.targetsKeys, of: .targets)
        root.setKeys(plan.freshnessKeys, of: .snapshot)
        root.setKeys(plan.freshnessKeys, of: .timestamp)
        let document = try SignedMetadata(root, signers: signers)
        try root.verify(document, as: .root)
        self.init(root: document, expiryPlan: expiryPlan)
        record("root", document)
    }

    /// Issues the next root: other keys, floors, a new expiry.
    ///
    /// - Parameter signers: enough keys of the present root and of the new one (§5.3.4).
    /// - Throws: ``TUFError`` `signing_failed`, `signatures_insufficient`.
    public mutating func editRoot(
        signers: [TUFSigner], at now: MetadataTime, _ edit: (inout Root) throws -> Void
    ) throws {
        var next = root.signed
        try edit(&next)
        next.header.version = root.signed.version + 1
        next.header.expires = now.adding(days: expiryPlan.rootDays)
        let document = try SignedMetadata(next, signers: signers)
        try root.signed.verify(document, as: .root)
        try next.verify(document, as: .root)
        root = document
        record("root", document)
    }

    // MARK: Targets

    /// Issues the next top-level targets, or the first.
    /// - Parameter signers: enough of the release keys.
    /// - Throws: ``TUFError`` `signing_failed`, `signatures_insufficient`,
    ///   `target_path_refused`.
    public mutating func editTargets(
        signers: [TUFSigner], at now: MetadataTime,
        _ edit: (inout Targets) throws -> Void = { _ in }
    ) throws {
        let document = try next(
            "targets", targets, days: expiryPlan.targetsDays, signers, now, edit)
        try root.signed.verify(document, as: .targets)
        targets = document
        record("targets", document)
    }

    /// Issues the next version of a delegated role, or the first. Targets stay as they were unless
    /// `edit` changes them.
    ///
    /// - Parameter signers: enough keys of the delegation.
    /// - Throws: ``TUFError`` `role_not_delegated`, `signing_failed`,
    ///   `signatures_insufficient`, `target_path_refused`.
    public mutating func editRole(
        _ role: String, signers: [TUFSigner], at now: MetadataTime,
        _ edit: (inout Targets) throws -> Void
    ) throws {
        let (delegations, delegation) = try delegation(of: role)
        let days = role == BrakesRole.name ? expiryPlan.brakesDays : expiryPlan.targetsDays
        let document = try next(role, delegated[role], days: days, signers, now, edit)
        try delegations.verify(document, as: role)
        try Self.check(document.signed, within: delegation)
        delegated[role] = document
        record(role, document)
    }

    /// Puts `files` into a delegated role in place of those of the same paths.
    ///
    /// - Parameter removing: paths that the role shall no longer list.
    /// - Throws: ``TUFError``, see ``editRole(_:signers:at:_:)``.
    public mutating func setTargets(
        _ files: [TargetFile], removing: [String] = [], in role: String, signers: [TUFSigner],
        at now: MetadataTime
    ) throws {
        try editRole(role, signers: signers, at: now) { targets in
            for path in removing { targets.targets[path] = nil }
            for file in files { targets.targets[file.path] = file }
        }
    }

    /// Delegates to a role (or changes its delegation) and issues the role's first version when it
    /// has none. Both documents are signed with the release keys.
    /// - Throws: ``TUFError``, see ``editTargets(signers:at:_:)``.
    public mutating func delegate(
        to role: DelegatedRole, keys: [TUFKey], signers: [TUFSigner], at now: MetadataTime
    ) throws {
        try editTargets(signers: signers, at: now) { targets in
            var delegations = targets.delegations ?? Delegations()
            delegations.set(role, keys: keys)
            targets.delegations = delegations
        }
        if delegated[role.name] == nil {
            try editRole(role.name, signers: signers, at: now) { _ in }
        }
    }

    /// Registers a store build: the delegation `build-<fp16>` to the release keys, with the paths
    /// that belong to the build (formats.md, "Tree and trust").
    /// - Returns: the name of the role.
    /// - Throws: ``TUFError``, see ``editTargets(signers:at:_:)``.
    @discardableResult
    public mutating func registerBuild(
        fingerprint: String, signers: [TUFSigner], at now: MetadataTime
    ) throws -> String {
        let keys = root.signed.keys(of: .targets)
        let role = BuildRole.delegation(
            fingerprint: fingerprint,
            keys: RoleKeys(
                keyIDs: keys.map(\.keyID), threshold: root.signed[.targets].threshold))
        if let known = targets?.signed.delegations?.role(role.name), known == role,
            delegated[role.name] != nil
        {
            return role.name
        }
        try delegate(to: role, keys: keys, signers: signers, at: now)
        return role.name
    }

    func delegation(of role: String) throws -> (Delegations, DelegatedRole) {
        guard let delegations = targets?.signed.delegations,
            let delegation = delegations.role(role)
        else {
            throw TUFError(
                .roleNotDelegated, role: role,
                "The targets delegate nothing to '\(role)'; register the build first.")
        }
        return (delegations, delegation)
    }

    private func next(
        _ role: String, _ current: SignedMetadata<Targets>?, days: Int, _ signers: [TUFSigner],
        _ now: MetadataTime, _ edit: (inout Targets) throws -> Void
    ) throws -> SignedMetadata<Targets> {
        let expires = now.adding(days: days)
        var next = current?.signed ?? Targets(header: MetadataHeader(version: 1, expires: expires))
        try edit(&next)
        next.header.version = nextVersion(of: role, after: current?.signed.version)
        next.header.expires = expires
        next.role = role
        for path in next.targets.keys { try TargetPath.check(path) }
        return try SignedMetadata(next, signers: signers)
    }

    /// A target outside the delegation would never be found by a client.
    static func check(_ targets: Targets, within delegation: DelegatedRole) throws {
        for path in targets.targets.keys {
            try TargetPath.check(path)
            guard delegation.covers(path) else {
                throw TUFError(
                    .targetPathRefused, role: delegation.name,
                    "The role '\(delegation.name)' may not list '\(path.prefix(120))': the path is "
                        + "outside its delegation.")
            }
        }
    }
}
