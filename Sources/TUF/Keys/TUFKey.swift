import PatchCrypto

/// A public key as metadata lists it (specification §4.2.1).
public struct TUFKey: Equatable, Sendable {
    /// The identifier by which roles and signatures refer to the key.
    ///
    /// Taken as the metadata gives it, and never computed anew (decision record 0030).
    public let keyID: String
    /// `ed25519`, `ecdsa` or `rsa`; others are kept, and verify nothing.
    public let keyType: String
    /// The signature scheme, such as `ed25519`.
    public let scheme: String
    /// The key's public part in the form of its type.
    public let keyValue: [String: JSONValue]
    /// Members that this library does not know.
    public let unrecognized: [String: JSONValue]
    /// The key in usable form; nil when type, scheme or encoding is not supported.
    public let verifyingKey: VerifyingKey?

    /// A key for new metadata; its identifier is the SHA-256 of its canonical form.
    public init(_ key: VerifyingKey, scheme: SignatureScheme? = nil) {
        let scheme = scheme ?? key.kind.defaultScheme
        let type: String
        let value: String
        switch key.kind {
        case .ed25519: (type, value) = ("ed25519", key.rawRepresentation.hex)
        case .p256, .p384: (type, value) = ("ecdsa", key.pemRepresentation)
        case .rsa: (type, value) = ("rsa", key.pemRepresentation)
        }
        keyType = type
        self.scheme = scheme.rawValue
        keyValue = ["public": .string(value)]
        unrecognized = [:]
        verifyingKey = scheme.keyKind == key.kind ? key : nil
        keyID = Self.computedID(type: type, scheme: scheme.rawValue, value: keyValue)
    }

    /// Reads a key object.
    /// - Throws: ``TUFError`` `metadata_malformed`.
    public init(keyID: String, json: JSONValue) throws {
        guard !keyID.isEmpty, keyID.utf8.count <= 256 else {
            throw FieldReader.malformed("a key identifier must have 1 to 256 bytes")
        }
        var fields = try FieldReader(json, "key \(keyID)")
        self.keyID = keyID
        keyType = try fields.string("keytype")
        scheme = try fields.string("scheme")
        keyValue = try fields.object("keyval")
        unrecognized = fields.rest
        verifyingKey = Self.usable(type: keyType, scheme: scheme, value: keyValue)
    }

    /// Reads a key object and gives it its computed identifier.
    /// - Throws: ``TUFError`` `metadata_malformed`.
    public init(json: JSONValue) throws {
        let read = try TUFKey(keyID: "unnamed", json: json)
        let id = Self.computedID(type: read.keyType, scheme: read.scheme, value: read.keyValue)
        try self.init(keyID: id, json: json)
    }

    /// The key object, as it stands in root and delegations.
    public var json: JSONValue {
        var members = unrecognized
        members["keytype"] = .string(keyType)
        members["scheme"] = .string(scheme)
        members["keyval"] = .object(keyValue)
        return .object(members)
    }

    /// Whether `signature` (hexadecimal) over `message` was made with this key.
    public func isValidSignature(_ signature: String, for message: [UInt8]) -> Bool {
        guard let verifyingKey, let scheme = SignatureScheme(rawValue: scheme),
            let bytes = Hex.decode(signature)
        else { return false }
        return verifyingKey.isValidSignature(bytes, for: message, scheme: scheme)
    }

    private static func computedID(
        type: String, scheme: String, value: [String: JSONValue]
    ) -> String {
        let form: JSONValue = [
            "keytype": .string(type), "scheme": .string(scheme), "keyval": .object(value),
        ]
        return SHA256.hash(CanonicalJSON.encode(form)).hex
    }

    private static func usable(
        type: String, scheme: String, value: [String: JSONValue]
    ) -> VerifyingKey? {
        guard let scheme = SignatureScheme(rawValue: scheme), let text = value["public"]?.string
        else { return nil }
        switch (type, scheme.keyKind) {
        case ("ed25519", .ed25519):
            guard let bytes = Hex.decode(text) else { return nil }
            return try? VerifyingKey(.ed25519, rawRepresentation: bytes)
        case ("rsa", .rsa):
            return pem(text, .rsa)
        case ("ecdsa", let kind), ("ecdsa-sha2-nistp256", let kind),
            ("ecdsa-sha2-nistp384", let kind):
            guard kind == .p256 || kind == .p384 else { return nil }
            // Repositories of before 2022 hold the bare point in hexadecimal.
            if let point = Hex.decode(text) {
                return try? VerifyingKey(kind, rawRepresentation: point)
            }
            return pem(text, kind)
        default:
            return nil
        }
    }

    private static func pem(_ text: String, _ kind: KeyKind) -> VerifyingKey? {
        guard let key = try? VerifyingKey(pemRepresentation: text), key.kind == kind else {
            return nil
        }
        return key
    }
}
