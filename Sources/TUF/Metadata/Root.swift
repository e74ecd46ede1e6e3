/// Names of the roles that root speaks for (specification §4.3).
public enum TopLevelRole: String, Sendable, CaseIterable {
    case root
    case timestamp
    case snapshot
    case targets
}

/// Root metadata: which keys count for the top-level roles (specification §4.3).
public struct Root: MetadataRole {
    /// See ``MetadataRole``.
    public static let typeName = "root"
    /// See ``MetadataRole``.
    public var header: MetadataHeader
    /// Whether file names carry versions and digests (§6.2).
    public var consistentSnapshot: Bool
    /// All keys by identifier.
    public var keys: [String: TUFKey]
    /// The keys of each role, by the role's name; others than the four are kept.
    public var roles: [String: RoleKeys]
    /// What OpenPatch adds; nil in a repository of others.
    public var openPatch: OpenPatchExtension?
    private var namesConsistentSnapshot = true

    /// The member `x_openpatch` (formats.md, "Tree and trust").
    public struct OpenPatchExtension: Equatable, Sendable {
        /// The app that the repository serves.
        public var appID: String
        /// No release with a lower sequence may run.
        public var minSequence: Int
        /// No lower version of the top-level targets may be trusted.
        public var minTargetsVersion: Int
        /// Members that this library does not know.
        public var unrecognized: [String: JSONValue] = [:]

        /// An extension with floors; 0 means none.
        public init(appID: String, minSequence: Int = 0, minTargetsVersion: Int = 0) {
            self.appID = appID
            self.minSequence = minSequence
            self.minTargetsVersion = minTargetsVersion
        }
    }

    /// A root for new metadata.
    public init(
        header: MetadataHeader, keys: [TUFKey], roles: [TopLevelRole: RoleKeys],
        openPatch: OpenPatchExtension? = nil
    ) {
        self.header = header
        consistentSnapshot = true
        self.keys = Dictionary(keys.map { ($0.keyID, $0) }) { first, _ in first }
        self.roles = Dictionary(roles.map { ($0.key.rawValue, $0.value) }) { first, _ in first }
        self.openPatch = openPatch
    }

    /// See ``MetadataRole``.
    public init(header: MetadataHeader, fields: inout MetadataFields) throws {
        self.header = header
        let consistent = try fields.reader.optionalBool("consistent_snapshot")
        consistentSnapshot = consistent ?? false
        namesConsistentSnapshot = consistent != nil
        keys = try TUFKey.dictionary(try fields.reader.object("keys"))
        roles = [:]
        for (name, value) in try fields.reader.object("roles") {
            roles[name] = try RoleKeys(json: value, place: "role '\(name.prefix(40))'")
        }
        for role in TopLevelRole.allCases where roles[role.rawValue] == nil {
            throw FieldReader.malformed("root must speak for the role '\(role.rawValue)'")
        }
        if let value = fields.reader.take("x_openpatch") {
            var reader = try FieldReader(value, "x_openpatch")
            openPatch = OpenPatchExtension(
                appID: try reader.string("app_id"),
                minSequence: try reader.integer("min_sequence", in: .lengths),
                minTargetsVersion: try reader.integer("min_targets_version", in: .lengths))
            openPatch?.unrecognized = reader.rest
        }
    }

    /// See ``MetadataRole``.
    public var specificMembers: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "keys": .object(keys.mapValues(\.json)),
            "roles": .object(roles.mapValues(\.json)),
        ]
        if namesConsistentSnapshot { members["consistent_snapshot"] = .bool(consistentSnapshot) }
        if let openPatch {
            var own = openPatch.unrecognized
            own["app_id"] = .string(openPatch.appID)
            own["min_sequence"] = .integer(Int64(openPatch.minSequence))
            own["min_targets_version"] = .integer(Int64(openPatch.minTargetsVersion))
            members["x_openpatch"] = .object(own)
        }
        return members
    }

    /// The keys of a top-level role.
    public subscript(role: TopLevelRole) -> RoleKeys {
        get { roles[role.rawValue] ?? RoleKeys(keyIDs: []) }
        set { roles[role.rawValue] = newValue }
    }

    /// The usable keys that `role` lists.
    public func keys(of role: TopLevelRole) -> [TUFKey] {
        self[role].keyIDs.compactMap { keys[$0] }
    }

    /// Checks that the keys of `role` signed a document.
    package func verify<Role>(_ document: SignedMetadata<Role>, as role: TopLevelRole) throws {
        try self[role].verify(
            document.signedBytes, document.signatures, keys: keys, role: role.rawValue)
    }
}

extension TUFKey {
    static func dictionary(_ members: [String: JSONValue]) throws -> [String: TUFKey] {
        var keys: [String: TUFKey] = [:]
        for (id, value) in members { keys[id] = try TUFKey(keyID: id, json: value) }
        return keys
    }
}
