/// A public key: checks signatures, never makes them.
public struct VerifyingKey: Equatable, Sendable {
    /// The kind of the key.
    public let kind: KeyKind
    /// The key itself: 32 bytes for Ed25519, an uncompressed point (`04 ‖ x ‖ y`) for the curves,
    /// a PKCS #1 RSAPublicKey for RSA.
    public let rawRepresentation: [UInt8]

    /// A key from its raw form.
    /// - Throws: ``CryptoError`` `unsupported_key` when the length or form is wrong for `kind`, or
    ///   when an RSA key has fewer than 2048 or more than 8192 bits.
    public init(_ kind: KeyKind, rawRepresentation: [UInt8]) throws {
        switch kind {
        case .ed25519:
            guard rawRepresentation.count == 32 else {
                throw CryptoError(
                    .unsupportedKey,
                    "An Ed25519 public key has 32 bytes, this one has \(rawRepresentation.count).")
            }
        case .p256, .p384:
            let size = 1 + 2 * (kind.scalarSize ?? 0)
            guard rawRepresentation.count == size, rawRepresentation.first == 4 else {
                throw CryptoError(
                    .unsupportedKey,
                    "A \(kind.rawValue) public key is an uncompressed point of \(size) bytes.")
            }
        case .rsa:
            let bits = try KeyEncoding.rsaModulusBits(rawRepresentation)
            guard (2048...8192).contains(bits) else {
                throw CryptoError(
                    .unsupportedKey,
                    "RSA keys of 2048 to 8192 bits are accepted, this one has \(bits).")
            }
        }
        self.kind = kind
        self.rawRepresentation = rawRepresentation
    }

    /// A key from SubjectPublicKeyInfo DER (RFC 5280).
    /// - Throws: ``CryptoError``.
    public init(derRepresentation: [UInt8]) throws {
        let (kind, key) = try KeyEncoding.decodePublic(derRepresentation)
        try self.init(kind, rawRepresentation: key)
    }

    /// A key from a `PUBLIC KEY` PEM block.
    /// - Throws: ``CryptoError``.
    public init(pemRepresentation: String) throws {
        let block = try PEM(pemRepresentation)
        guard block.label == "PUBLIC KEY" else {
            throw CryptoError(
                .badPEM, "A public key file has a PUBLIC KEY block; this one has \(block.label).")
        }
        try self.init(derRepresentation: block.bytes)
    }

    /// The key as SubjectPublicKeyInfo DER.
    public var derRepresentation: [UInt8] {
        KeyEncoding.encodePublic(kind, rawRepresentation)
    }

    /// The key as a `PUBLIC KEY` PEM block.
    public var pemRepresentation: String {
        PEM.encode(derRepresentation, label: "PUBLIC KEY")
    }

    /// Whether `signature` over `message` was made with the private half of this key.
    ///
    /// False for every malformed signature or key and for a scheme of another kind of key.
    /// - Parameter scheme: nil means the kind's default scheme.
    public func isValidSignature(
        _ signature: [UInt8], for message: [UInt8], scheme: SignatureScheme? = nil
    ) -> Bool {
        let scheme = scheme ?? kind.defaultScheme
        // No scheme that we accept has signatures longer than RSA-8192's.
        guard scheme.keyKind == kind, !signature.isEmpty, signature.count <= 1024 else {
            return false
        }
        return Backend.verify(signature, message, key: self, scheme: scheme)
    }
}
