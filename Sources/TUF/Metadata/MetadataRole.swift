/// What every kind of metadata says about itself (specification §4.3).
public struct MetadataHeader: Equatable, Sendable {
    /// The version of the specification that the document follows.
    public var specVersion: String
    /// Counts up by one with each issue of the document.
    public var version: Int
    /// From this moment on the document is not trusted any more.
    public var expires: MetadataTime
    /// Members of the signed part that this library does not know.
    public var unrecognized: [String: JSONValue]

    /// A header as this library writes it.
    public init(version: Int, expires: MetadataTime) {
        specVersion = Self.writtenSpecVersion
        self.version = version
        self.expires = expires
        unrecognized = [:]
    }

    /// The specification that is implemented.
    public static let writtenSpecVersion = "1.0.34"
}

/// A kind of metadata: ``Root``, ``Timestamp``, ``Snapshot``, ``Targets``.
public protocol MetadataRole: Equatable, Sendable {
    /// The value of `_type`.
    static var typeName: String { get }
    /// What it says about itself.
    var header: MetadataHeader { get set }
    /// Reads what is special about the kind.
    /// - Throws: ``TUFError`` `metadata_malformed`.
    init(header: MetadataHeader, fields: inout MetadataFields) throws
    /// What is special about the kind, without the header.
    var specificMembers: [String: JSONValue] { get }
}

/// The members of a signed part that have not been read yet.
public struct MetadataFields {
    var reader: FieldReader
}

extension MetadataRole {
    /// The version of the document.
    public var version: Int { header.version }
    /// When trust in the document ends.
    public var expires: MetadataTime { header.expires }

    /// Whether the document is expired at `time` (§5.3.10: the expiry must be later).
    public func isExpired(at time: MetadataTime) -> Bool { header.expires <= time }

    /// The signed part.
    public var json: JSONValue {
        var members = header.unrecognized
        members.merge(specificMembers) { $1 }
        members["_type"] = .string(Self.typeName)
        members["spec_version"] = .string(header.specVersion)
        members["version"] = .integer(Int64(header.version))
        members["expires"] = .string(header.expires.iso8601)
        return .object(members)
    }

    /// Reads a signed part.
    /// - Throws: ``TUFError`` `metadata_malformed`, `metadata_wrong_type`,
    ///   `spec_version_unsupported`.
    public init(json: JSONValue) throws {
        var (header, fields) = try MetadataHeader.read(json, type: Self.typeName)
        var role = try Self(header: header, fields: &fields)
        header.unrecognized = fields.reader.rest
        role.header = header
        self = role
    }
}

extension MetadataHeader {
    /// Takes the header out of a signed part; the same code for all kinds.
    fileprivate static func read(
        _ json: JSONValue, type expected: String
    ) throws -> (MetadataHeader, MetadataFields) {
        var fields = try FieldReader(json, "signed")
        let type = try fields.string("_type")
        guard type == expected else {
            throw TUFError(
                .metadataWrongType,
                "Metadata of type '\(expected)' was expected, '\(type.prefix(40))' came.")
        }
        let specVersion = try fields.string("spec_version")
        let parts = specVersion.split(separator: ".", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts.allSatisfy({ Int($0) != nil }),
            parts.first == "1"
        else {
            throw TUFError(
                .specVersionUnsupported,
                "The metadata follows version '\(specVersion.prefix(40))' of the TUF "
                    + "specification; 1.x is supported.")
        }
        var header = MetadataHeader(
            version: try fields.integer("version", in: .versions),
            expires: try fields.time("expires"))
        header.specVersion = specVersion
        return (header, MetadataFields(reader: fields))
    }
}
