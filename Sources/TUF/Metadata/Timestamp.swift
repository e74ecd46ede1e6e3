/// Timestamp metadata: which snapshot is the latest (specification §4.6).
public struct Timestamp: MetadataRole {
    /// See ``MetadataRole``.
    public static let typeName = "timestamp"
    /// See ``MetadataRole``.
    public var header: MetadataHeader
    /// The snapshot.
    public var snapshot: MetaFile

    /// A timestamp of `snapshot`.
    public init(header: MetadataHeader, snapshot: MetaFile) {
        self.header = header
        self.snapshot = snapshot
    }

    /// See ``MetadataRole``.
    public init(header: MetadataHeader, fields: inout MetadataFields) throws {
        self.header = header
        let meta = try fields.reader.object("meta")
        guard meta.count == 1, let entry = meta["snapshot.json"] else {
            throw FieldReader.malformed("'meta' of timestamp must describe snapshot.json alone")
        }
        snapshot = try MetaFile(json: entry, place: "snapshot.json")
    }

    /// See ``MetadataRole``.
    public var specificMembers: [String: JSONValue] {
        ["meta": ["snapshot.json": snapshot.json]]
    }
}
