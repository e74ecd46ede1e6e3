/// Snapshot metadata: the versions of all targets roles that belong together (specification §4.4).
public struct Snapshot: MetadataRole {
    /// See ``MetadataRole``.
    public static let typeName = "snapshot"
    /// See ``MetadataRole``.
    public var header: MetadataHeader
    /// What it says of each file, by the file's name such as `targets.json`.
    public var meta: [String: MetaFile]

    /// A snapshot of `meta`.
    public init(header: MetadataHeader, meta: [String: MetaFile]) {
        self.header = header
        self.meta = meta
    }

    /// See ``MetadataRole``.
    public init(header: MetadataHeader, fields: inout MetadataFields) throws {
        self.header = header
        meta = [:]
        for (name, value) in try fields.reader.object("meta") {
            meta[name] = try MetaFile(json: value, place: "'\(name.prefix(80))'")
        }
    }

    /// See ``MetadataRole``.
    public var specificMembers: [String: JSONValue] {
        ["meta": .object(meta.mapValues(\.json))]
    }

    /// What it says of the targets role `role`.
    public subscript(role role: String) -> MetaFile? {
        get { meta["\(role).json"] }
        set { meta["\(role).json"] = newValue }
    }
}
