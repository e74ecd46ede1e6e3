/// A metadata document: a signed part and the signatures over it (specification §4.2).
public struct SignedMetadata<Role: MetadataRole>: Sendable {
    /// The signed part.
    public var signed: Role { content.role }
    /// The signatures, at most one for each key.
    public var signatures: [MetadataSignature] { envelope.signatures }

    /// Behind a reference, because documents are large and handed around.
    private let content: Content
    private var envelope: Envelope

    private final class Content: Sendable {
        let role: Role

        init(_ role: Role) { self.role = role }
    }

    /// Reads a document. Signatures are not checked: ``TrustedMetadataSet`` does.
    /// - Throws: ``TUFError`` with a `json_` or `metadata_` code, `spec_version_unsupported`.
    public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws {
        envelope = try Envelope(parsing: bytes, limits: limits)
        content = Content(try Role(json: envelope.signedJSON))
    }

    /// A document without signatures.
    public init(_ signed: Role) {
        content = Content(signed)
        envelope = Envelope(signed.json)
    }

    /// Adds a signature that was made elsewhere, in place of an older one by the same key.
    public mutating func add(_ signature: MetadataSignature) { envelope.add(signature) }

    /// The bytes that signatures are made over.
    public var signedBytes: [UInt8] { envelope.signedBytes }

    /// The document as a file.
    public func encoded() -> [UInt8] { envelope.encoded() }
}

/// What is the same in documents of every kind.
private struct Envelope: Sendable {
    private(set) var signatures: [MetadataSignature]
    /// The signed part exactly as it came, so that signatures hold whatever we understood of it.
    let signedJSON: JSONValue
    /// Its bytes, when they are in the form that signatures are made over.
    private let canonicalBytes: [UInt8]?
    private let unrecognized: [String: JSONValue]

    init(parsing bytes: [UInt8], limits: JSONLimits) throws {
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
    }

    init(_ signedJSON: JSONValue) {
        self.signedJSON = signedJSON
        canonicalBytes = nil
        signatures = []
        unrecognized = [:]
    }

    mutating func add(_ signature: MetadataSignature) {
        signatures.removeAll { $0.keyID == signature.keyID }
        signatures.append(signature)
    }

    var signedBytes: [UInt8] { canonicalBytes ?? CanonicalJSON.encode(signedJSON) }

    func encoded() -> [UInt8] {
        var members = unrecognized
        members["signatures"] = .array(signatures.map(\.json))
        members["signed"] = signedJSON
        return JSONValue.object(members).encoded()
    }
}
