import TUF

extension RepositoryEditor {
    /// What an upload changed.
    public struct UploadOutcome: Sendable {
        /// Roles with a new version, in publishing order; empty when everything was there already.
        public let roles: [String]
        /// Targets that no role listed before: their files must be there before freshness is
        /// signed.
        public let newTargets: [TargetFile]
    }

    /// Verifies metadata that a holder of the root or release keys has signed, against this
    /// repository, and takes it over. What a server does before it signs freshness.
    ///
    /// All or nothing. Accepted are the next root (and the ones after it), the next top-level
    /// targets and the next version of delegated roles; files that are already current byte by
    /// byte change nothing. Snapshot and timestamp are never accepted: they are the server's.
    /// - Parameter files: contents by name, such as `4.targets.json`.
    /// - Throws: ``TUFError`` `upload_refused` for what does not follow the current state, else
    ///   the error of the failed check.
    public mutating func accept(
        _ files: [String: [UInt8]], at now: MetadataTime,
        limits: UpdaterConfiguration = UpdaterConfiguration()
    ) throws -> UploadOutcome {
        var trial = self
        var roots: [Int: [UInt8]] = [:]
        var roles: [String: [UInt8]] = [:]
        for (name, bytes) in files {
            guard let (role, version) = MetadataFileName.parse(name), let version,
                role != "snapshot", role != "timestamp"
            else {
                throw Self.refused(
                    "'\(name.prefix(80))' is no metadata that may be uploaded; "
                        + "N.root.json, N.targets.json and N.<role>.json may")
            }
            if role == "root" {
                roots[version] = bytes
            } else if roles.updateValue(bytes, forKey: role) != nil {
                throw Self.refused("two versions of '\(role)' were uploaded at once")
            }
        }
        for (version, bytes) in roots.sorted(by: { $0.key < $1.key }) {
            try trial.acceptRoot(bytes, version, now, limits.rootMaximumLength)
        }
        let json = JSONLimits(maximumSize: limits.targetsMaximumLength)
        if let bytes = roles.removeValue(forKey: "targets") {
            try trial.acceptTargets(bytes, files, json, now)
        }
        for (role, bytes) in roles.sorted(by: { $0.key < $1.key }) {
            try trial.acceptDelegated(role, bytes, files, json, now)
        }
        try trial.checkWhole()
        let before = listedTargets
        let outcome = UploadOutcome(
            roles: trial.changes.filter { !changed.contains($0) }.map(\.role),
            newTargets: trial.listedTargets.filter { !before.contains($0) })
        self = trial
        return outcome
    }

    private mutating func acceptRoot(
        _ bytes: [UInt8], _ version: Int, _ now: MetadataTime, _ limit: Int
    ) throws {
        let document: SignedMetadata<Root> = try SignedMetadata(
            parsing: bytes, limits: JSONLimits(maximumSize: limit))
        if document.encoded() == root.encoded() { return }
        guard document.signed.version == version, version == root.signed.version + 1 else {
            throw Self.conflict("root", root.signed.version, document.signed.version)
        }
        try root.signed.verify(document, as: .root)
        try document.signed.verify(document, as: .root)
        try Self.checkFresh(document.signed, "root", now)
        guard document.signed.openPatch?.appID == root.signed.openPatch?.appID else {
            throw Self.refused("the new root belongs to another app")
        }
        root = document
        record("root", document)
    }

    private mutating func acceptTargets(
        _ bytes: [UInt8], _ files: [String: [UInt8]], _ limits: JSONLimits, _ now: MetadataTime
    ) throws {
        let document: SignedMetadata<Targets> = try SignedMetadata(parsing: bytes, limits: limits)
        if let targets, document.encoded() == targets.encoded() { return }
        try root.signed.verify(document, as: .targets)
        try Self.checkNext("targets", document, after: targets, files, now)
        for path in document.signed.targets.keys { try TargetPath.check(path) }
        targets = document
        record("targets", document)
    }

    private mutating func acceptDelegated(
        _ role: String, _ bytes: [UInt8], _ files: [String: [UInt8]], _ limits: JSONLimits,
        _ now: MetadataTime
    ) throws {
        let document: SignedMetadata<Targets> = try SignedMetadata(parsing: bytes, limits: limits)
        if let current = delegated[role], document.encoded() == current.encoded() { return }
        let (delegations, delegation) = try delegation(of: role)
        try delegations.verify(document, as: role)
        try Self.checkNext(role, document, after: delegated[role], files, now)
        try Self.check(document.signed, within: delegation)
        delegated[role] = document
        record(role, document)
    }

    /// After a new root or new delegations, what was there before must still be trusted.
    private func checkWhole() throws {
        guard let targets else { return }
        do {
            try root.signed.verify(targets, as: .targets)
            // The brakes are signed by the server itself, after the delegation has come.
            for role in targets.signed.delegations?.roles ?? []
            where delegated[role.name] != nil || role.name != BrakesRole.name {
                guard let document = delegated[role.name] else {
                    throw TUFError(
                        .repositoryIncomplete, role: role.name,
                        "The role '\(role.name)' is delegated to, but has no metadata")
                }
                try targets.signed.delegations?.verify(document, as: role.name)
            }
        } catch let error as TUFError {
            throw Self.refused(
                "the repository would not be whole afterwards: \(error.message) Upload the roles "
                    + "signed with the new keys together with the change")
        }
    }

    private static func checkNext(
        _ role: String, _ new: SignedMetadata<Targets>, after old: SignedMetadata<Targets>?,
        _ files: [String: [UInt8]], _ now: MetadataTime
    ) throws {
        try new.signed.checkRole(role)
        let version = new.signed.version
        let current = old?.signed.version ?? 0
        guard version == current + 1 else { throw conflict(role, current, version) }
        guard files[MetadataFileName.of(role: role, version: version)] != nil else {
            throw refused("the file of '\(role)' says version \(version), its name another")
        }
        try checkFresh(new.signed, role, now)
    }

    private static func checkFresh(
        _ document: some MetadataRole, _ role: String, _ now: MetadataTime
    ) throws {
        guard document.isExpired(at: now) else { return }
        throw TUFError(
            .metadataExpired, role: role,
            "The uploaded metadata of role '\(role)' expired at \(document.expires); sign it again."
        )
    }

    private static func conflict(_ role: String, _ current: Int, _ new: Int) -> TUFError {
        TUFError(
            .uploadRefused, role: role,
            "The upload was refused: '\(role)' is at version \(current), so the next one is "
                + "\(current + 1), not \(new). Somebody else may have published; start again from "
                + "the current state.")
    }

    private static func refused(_ why: String) -> TUFError {
        TUFError(.uploadRefused, "The upload was refused: \(why).")
    }
}
