/// What timestamp and snapshot say about another metadata file (METAFILES, specification §4.4).
public struct MetaFile: Equatable, Sendable {
    /// The version of the file.
    public var version: Int
    /// Its length in bytes, when stated.
    public var length: Int?
    /// Its digests in hexadecimal by algorithm, when stated.
    public var hashes: [String: String]?
    /// Members that this library does not know.
    public var unrecognized: [String: JSONValue] = [:]

    /// A file of which only the version is stated.
    public init(version: Int, length: Int? = nil, hashes: [String: String]? = nil) {
        self.version = version
        self.length = length
        self.hashes = hashes
    }

    init(json: JSONValue, place: String) throws {
        var fields = try FieldReader(json, place)
        version = try fields.integer("version", in: .versions)
        if fields.has("length") {
            length = try fields.integer("length", in: .lengths)
        }
        if let members = try fields.optionalObject("hashes") {
            hashes = try FileHashes.read(members, place)
        }
        unrecognized = fields.rest
    }

    var json: JSONValue {
        var members = unrecognized
        members["version"] = .integer(Int64(version))
        if let length { members["length"] = .integer(Int64(length)) }
        if let hashes { members["hashes"] = .object(hashes.mapValues { .string($0) }) }
        return .object(members)
    }

    /// Checks the length and digests that are stated (§5.5.2, §5.6.2).
    func verify(_ bytes: [UInt8], role: String) throws {
        if let length, bytes.count != length {
            throw TUFError(
                .metadataLengthMismatch, role: role,
                "The metadata of role '\(role)' has \(bytes.count) bytes where \(length) are "
                    + "signed for; a mirror may mix two states.")
        }
        if let hashes, !(try FileHashes.match(hashes, { $0.hash(bytes) }, role: role)) {
            throw TUFError(
                .metadataHashMismatch, role: role,
                "The metadata of role '\(role)' is not the file that is signed for; a mirror may "
                    + "mix two states.")
        }
    }
}
