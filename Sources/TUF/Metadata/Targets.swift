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
    }

    /// See ``MetadataRole``.
    public var specificMembers: [String: JSONValue] {
        var members: [String: JSONValue] = ["targets": .object(targets.mapValues(\.json))]
        if let delegations { members["delegations"] = delegations.json }
        return members
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
