/// What kind of key pair a key belongs to.
public enum KeyKind: String, Sendable, CaseIterable {
    case ed25519
    case p256
    case p384
    case rsa
}

/// How a signature is made, by the names that TUF metadata uses.
public enum SignatureScheme: String, Sendable, CaseIterable {
    /// RFC 8032.
    case ed25519
    /// ECDSA over P-256; the signature is a DER sequence of two integers.
    case ecdsaP256SHA256 = "ecdsa-sha2-nistp256"
    /// ECDSA over P-384; the signature is a DER sequence of two integers.
    case ecdsaP384SHA384 = "ecdsa-sha2-nistp384"
    /// RSASSA-PSS with a salt as long as the digest (RFC 8017 §8.1).
    case rsaPSSSHA256 = "rsassa-pss-sha256"
    case rsaPSSSHA384 = "rsassa-pss-sha384"
    case rsaPSSSHA512 = "rsassa-pss-sha512"
    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
    case rsaPKCS1v15SHA256 = "rsa-pkcs1v15-sha256"
    case rsaPKCS1v15SHA384 = "rsa-pkcs1v15-sha384"
    case rsaPKCS1v15SHA512 = "rsa-pkcs1v15-sha512"

    /// The kind of key that this scheme needs.
    public var keyKind: KeyKind {
        switch self {
        case .ed25519: .ed25519
        case .ecdsaP256SHA256: .p256
        case .ecdsaP384SHA384: .p384
        default: .rsa
        }
    }

    /// The hash that is signed; nil for Ed25519, which hashes by itself.
    public var digest: HashAlgorithm? {
        switch self {
        case .ed25519: nil
        case .ecdsaP256SHA256, .rsaPSSSHA256, .rsaPKCS1v15SHA256: .sha256
        case .ecdsaP384SHA384, .rsaPSSSHA384, .rsaPKCS1v15SHA384: .sha384
        case .rsaPSSSHA512, .rsaPKCS1v15SHA512: .sha512
        }
    }

    var isPSS: Bool {
        self == .rsaPSSSHA256 || self == .rsaPSSSHA384 || self == .rsaPSSSHA512
    }
}

extension KeyKind {
    /// The scheme that is used when nothing says otherwise.
    public var defaultScheme: SignatureScheme {
        switch self {
        case .ed25519: .ed25519
        case .p256: .ecdsaP256SHA256
        case .p384: .ecdsaP384SHA384
        case .rsa: .rsaPSSSHA256
        }
    }

    /// Bytes of a private scalar or of one coordinate; nil for RSA.
    var scalarSize: Int? {
        switch self {
        case .ed25519, .p256: 32
        case .p384: 48
        case .rsa: nil
        }
    }
}
