/// One entry of a document's `signatures`.
public struct MetadataSignature: Equatable, Sendable {
    /// The key that made it.
    public let keyID: String
    /// Hexadecimal; kept as text, because an invalid one must not spoil the valid others.
    public let signature: String
    /// Members that this library does not know.
    public let unrecognized: [String: JSONValue]

    /// A signature by the key `keyID`.
    public init(keyID: String, signature: String) {
        self.keyID = keyID
        self.signature = signature
        unrecognized = [:]
    }

    init(json: JSONValue) throws {
        var fields = try FieldReader(json, "signature")
        keyID = try fields.string("keyid")
        signature = try fields.string("sig")
        unrecognized = fields.rest
    }

    var json: JSONValue {
        var members = unrecognized
        members["keyid"] = .string(keyID)
        members["sig"] = .string(signature)
        return .object(members)
    }
}
