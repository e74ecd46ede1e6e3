/// A private key. Its description never shows the secret.
public struct SigningKey: Sendable, CustomStringConvertible {
    /// The kind of the key.
    public var kind: KeyKind { publicKey.kind }
    /// The public half.
    public let publicKey: VerifyingKey
    /// Ed25519: the seed; the curves: the scalar; RSA: the PKCS #1 RSAPrivateKey.
    let secret: [UInt8]

    /// A new random key.
    /// - Throws: ``CryptoError`` `unsupported_key` for RSA, which only is read, never made.
    public static func generate(_ kind: KeyKind = .ed25519) throws -> SigningKey {
        guard kind != .rsa else {
            throw CryptoError(
                .unsupportedKey, "RSA keys are not made here; use Ed25519 or bring a PEM file.")
        }
        return try SigningKey(kind, secret: Backend.generate(kind))
    }

    init(_ kind: KeyKind, secret: [UInt8]) throws {
        if let size = kind.scalarSize, secret.count != size {
            throw CryptoError(
                .unsupportedKey,
                "A \(kind.rawValue) private key has \(size) bytes, this one has \(secret.count).")
        }
        let raw = try Backend.publicKey(kind, secret: secret)
        publicKey = try VerifyingKey(kind, rawRepresentation: raw)
        self.secret = secret
    }

    /// A key from a PKCS #8 structure (RFC 5208), not encrypted.
    /// - Throws: ``CryptoError``.
    public init(derRepresentation: [UInt8]) throws {
        let (kind, secret) = try KeyEncoding.decodePrivate(derRepresentation)
        try self.init(kind, secret: secret)
    }

    /// A key from a `PRIVATE KEY` PEM block.
    /// - Throws: ``CryptoError``, `encrypted_key` for a block that needs a password.
    public init(pemRepresentation: String) throws {
        let block = try PEM(pemRepresentation)
        switch block.label {
        case "PRIVATE KEY":
            try self.init(derRepresentation: block.bytes)
        case "ENCRYPTED PRIVATE KEY":
            throw CryptoError(
                .encryptedKey,
                "The key file is encrypted. Decrypt it with `openssl pkcs8` and protect the file.")
        default:
            throw CryptoError(
                .badPEM,
                "A private key file has a PRIVATE KEY block; this one has \(block.label). "
                    + "Convert it with `openssl pkcs8 -topk8 -nocrypt`.")
        }
    }

    /// The key as PKCS #8 DER. Secret.
    public var derRepresentation: [UInt8] {
        KeyEncoding.encodePrivate(kind, secret, publicKey: publicKey.rawRepresentation)
    }

    /// The key as a `PRIVATE KEY` PEM block. Secret: write it with mode 0600.
    public var pemRepresentation: String {
        PEM.encode(derRepresentation, label: "PRIVATE KEY")
    }

    /// Signs `message`.
    /// - Parameter scheme: nil means the kind's default scheme.
    /// - Throws: ``CryptoError`` `scheme_mismatch`, `crypto_backend_failure`.
    public func sign(_ message: [UInt8], scheme: SignatureScheme? = nil) throws -> [UInt8] {
        let scheme = scheme ?? kind.defaultScheme
        guard scheme.keyKind == kind else {
            throw CryptoError(
                .schemeMismatch,
                "The scheme \(scheme.rawValue) does not go with a \(kind.rawValue) key.")
        }
        return try Backend.sign(message, key: self, scheme: scheme)
    }

    /// Names the kind only.
    public var description: String { "SigningKey(\(kind.rawValue), secret not shown)" }
}
