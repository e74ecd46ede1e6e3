import TUF

/// The metadata of a repository, to be changed and signed anew (specification §6).
///
/// A value without I/O: it is loaded through a closure, changed by those who hold the keys, and its
/// ``changes`` are then written, targets first and in the order given, and ``clearChanges()`` says
/// so. Until then several changes of one role make one new version of it. Who holds only some of the
/// keys makes only some of the changes: a release key signs targets and build roles, a server's
/// freshness key snapshot and timestamp.
public struct RepositoryEditor: Sendable {
    /// The newest root.
    public internal(set) var root: SignedMetadata<Root>
    /// The top-level targets.
    public internal(set) var targets: SignedMetadata<Targets>?
    /// Delegated roles by name.
    public internal(set) var delegated: [String: SignedMetadata<Targets>] = [:]
    /// The newest snapshot; nil before freshness was signed for the first time.
    public internal(set) var snapshot: SignedMetadata<Snapshot>?
    /// The newest timestamp; nil before freshness was signed for the first time.
    public internal(set) var timestamp: SignedMetadata<Timestamp>?
    /// How long new metadata is valid.
    public var expiryPlan: ExpiryPlan
    var changed: [MetadataFile] = []

    init(root: SignedMetadata<Root>, expiryPlan: ExpiryPlan) {
        self.root = root
        self.expiryPlan = expiryPlan
    }

    /// The files that differ from what was loaded, in the order in which they must be published.
    public var changes: [MetadataFile] {
        // Stable: several roots keep their order.
        changed.enumerated().sorted {
            ($0.element.publishingOrder, $0.offset) < ($1.element.publishingOrder, $1.offset)
        }.map(\.element)
    }

    /// Says that the changes are published; from here on a change is a new version again.
    public mutating func clearChanges() { changed = [] }

    /// The version that the next issue of a role has. A version that is not published yet is
    /// replaced, so that what is uploaded follows what is served without a gap.
    func nextVersion(of role: String, after current: Int?) -> Int {
        guard let current else { return 1 }
        return changed.contains { $0.role == role } ? current : current + 1
    }

    mutating func record<Role>(_ role: String, _ document: SignedMetadata<Role>) {
        let file = MetadataFile(role, document)
        changed.removeAll { $0.name == file.name }
        changed.append(file)
    }

    /// All target files that live roles list, each path once.
    public var listedTargets: [TargetFile] {
        var files: [TargetFile] = []
        var known: [String: [TargetFile]] = [:]
        for document in [targets].compactMap({ $0 }) + delegated.values {
            for file in document.signed.targets.values
            where known[file.path]?.contains(file) != true {
                known[file.path, default: []].append(file)
                files.append(file)
            }
        }
        return files.sorted { $0.path < $1.path }
    }

    // MARK: Load

    /// Loads a repository. Signatures, versions and digests are verified; expiry is not, because
    /// expired metadata is what needs to be signed again.
    ///
    /// - Parameters:
    ///   - trustedRoot: the root to begin from; nil trusts `1.root.json`.
    ///   - read: gives a file of the folder `metadata/`, or nil when there is none.
    /// - Throws: ``TUFError``, or what `read` throws.
    public static func load(
        trustedRoot: [UInt8]? = nil, expiryPlan: ExpiryPlan = .server,
        limits: JSONLimits = JSONLimits(),
        reading read: (String) async throws -> [UInt8]?
    ) async throws -> RepositoryEditor {
        var anchor = trustedRoot
        if anchor == nil { anchor = try await read("1.root.json") }
        guard let anchor else {
            throw TUFError(
                .repositoryIncomplete, role: "root",
                "There is no 1.root.json: the folder holds no repository.")
        }
        // Time zero: nothing was expired then.
        var set = try TrustedMetadataSet(
            trustedRoot: anchor, at: MetadataTime(secondsSince1970: 0), limits: limits)
        for _ in 0..<1024 {
            let next = MetadataFileName.of(role: "root", version: set.root.signed.version + 1)
            guard let bytes = try await read(next) else { break }
            try set.updateRoot(bytes)
        }
        var editor = RepositoryEditor(root: set.root, expiryPlan: expiryPlan)
        let consistent = set.root.signed.consistentSnapshot
        func file(_ role: String, _ version: Int) async throws -> [UInt8] {
            let name = MetadataFileName.of(role: role, version: consistent ? version : nil)
            guard let bytes = try await read(name) else {
                throw TUFError(
                    .repositoryIncomplete, role: role,
                    "The repository lacks '\(name)', which its own metadata names.")
            }
            return bytes
        }
        guard let bytes = try await read("timestamp.json") else { return editor }
        try set.updateTimestamp(bytes)
        editor.timestamp = set.timestamp
        guard let version = set.timestamp?.signed.snapshot.version else { return editor }
        try set.updateSnapshot(try await file("snapshot", version))
        editor.snapshot = set.snapshot
        guard let snapshot = set.snapshot?.signed, let top = snapshot[role: "targets"] else {
            return editor
        }
        try set.updateTargets(try await file("targets", top.version))
        editor.targets = set.targets
        var pending = set.targets?.signed.delegations.map { [$0] } ?? []
        while let delegations = pending.popLast() {
            for role in delegations.roles where editor.delegated[role.name] == nil {
                guard let entry = snapshot[role: role.name] else { continue }
                let document = try set.verifyDelegatedTargets(
                    try await file(role.name, entry.version), role: role.name,
                    delegations: delegations)
                editor.delegated[role.name] = document
                if let next = document.signed.delegations { pending.append(next) }
            }
        }
        return editor
    }
}
