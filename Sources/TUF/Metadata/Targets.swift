/// Targets metadata, top-level or delegated: which files may be trusted (specification §4.5).
public struct Targets: MetadataRole {
    /// See ``MetadataRole``.
    public static let typeName = "targets"
    /// See ``MetadataRole``.
    public var header: MetadataHeader
    /// The targets by path.
    public var targets: [String: TargetFile]
    /// Roles that this one trusts with some paths.
    public var delegations: Delegations?
    /// The role that the document was signed for (`x_openpatch`, decision record 0034); nil in
    /// metadata of others, which does not say.
    public var role: String?
    private var unrecognizedExtension: [String: JSONValue] = [:]

    /// Targets and delegations.
    public init(
        header: MetadataHeader, targets: [TargetFile] = [], delegations: Delegations? = nil
    ) {
        self.header = header
        self.targets = Dictionary(targets.map { ($0.path, $0) }) { $1 }
        self.delegations = delegations
    }

    /// See ``MetadataRole``.
    public init(header: MetadataHeader, fields: inout MetadataFields) throws {
        self.header = header
        targets = [:]
        for (path, value) in try fields.reader.object("targets") {
            targets[path] = try TargetFile(path: path, json: value)
        }
        if let value = fields.reader.take("delegations") {
            delegations = try Delegations(json: value)
        }
        if let value = fields.reader.take("x_openpatch") {
            var own = try FieldReader(value, "x_openpatch")
            role = try own.string("role")
            unrecognizedExtension = own.rest
        }
    }

    /// See ``MetadataRole``.
    public var specificMembers: [String: JSONValue] {
        var members: [String: JSONValue] = ["targets": .object(targets.mapValues(\.json))]
        if let delegations { members["delegations"] = delegations.json }
        if let role {
            var own = unrecognizedExtension
            own["role"] = .string(role)
            members["x_openpatch"] = .object(own)
        }
        return members
    }

    /// Refuses a document that was signed for another role. All targets documents have one type and
    /// often one key, so their signatures alone do not tell them apart.
    package func checkRole(_ name: String) throws {
        guard let role, !role.utf8.elementsEqual(name.utf8) else { return }
        throw TUFError(
            .metadataWrongRole, role: name,
            "The metadata served for role '\(name)' was signed for role '\(role.prefix(80))'; a "
                + "mirror passes one off as the other.")
    }

    /// The target of exactly this path, byte by byte.
    public func target(at path: String) -> TargetFile? {
        // Swift holds strings of the same normal form for equal; a path is its bytes.
        guard let target = targets[path], target.path.utf8.elementsEqual(path.utf8) else {
            return nil
        }
        return target
    }
}
