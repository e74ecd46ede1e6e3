/// A metadata document: a signed part and the signatures over it (specification §4.2).
public struct SignedMetadata<Role: MetadataRole>: Sendable {
    /// The signed part.
    public let signed: Role
    /// The signatures, at most one for each key.
    public private(set) var signatures: [MetadataSignature]
    /// The signed part exactly as it came, so that signatures hold whatever we understood of it.
    private let signedJSON: JSONValue
    /// Its bytes, when they are in the form that signatures are made over.
    private let canonicalBytes: [UInt8]?
    private let unrecognized: [String: JSONValue]

    /// Reads a document. Signatures are not checked: ``TrustedMetadataSet`` does.
    /// - Throws: ``TUFError`` with a `json_` or `metadata_` code, `spec_version_unsupported`.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws {
        let (json, range) = try JSONParser.parse(bytes, limits)
        var fields = try FieldReader(json, "metadata")
        signatures = try fields.array("signatures").map { try MetadataSignature(json: $0) }
        guard let part = fields.take("signed") else {
            throw FieldReader.malformed("'signed' is missing")
        }
        signedJSON = part
        canonicalBytes = range.map { Array(bytes[$0]) }
        unrecognized = fields.rest
        guard Set(signatures.map(\.keyID)).count == signatures.count else {
            throw FieldReader.malformed("'signatures' must not name a key twice")
        }
        signed = try Role(json: part)
    }

    /// A document without signatures.
    public init(_ signed: Role) {
        self.signed = signed
        signedJSON = signed.json
        canonicalBytes = nil
        signatures = []
        unrecognized = [:]
    }

    /// Adds a signature that was made elsewhere, in place of an older one by the same key.
    public mutating func add(_ signature: MetadataSignature) {
        signatures.removeAll { $0.keyID == signature.keyID }
        signatures.append(signature)
    }

    /// The bytes that signatures are made over.
    public var signedBytes: [UInt8] { canonicalBytes ?? CanonicalJSON.encode(signedJSON) }

    /// The document as a file.
    public func encoded() -> [UInt8] {
        var members = unrecognized
        members["signatures"] = .array(signatures.map(\.json))
        members["signed"] = signedJSON
        return JSONValue.object(members).encoded()
    }
}
