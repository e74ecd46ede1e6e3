import Foundation
import PatchCrypto

/// The signature algorithms of the contract.
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    /// ECDSA over P-256 with SHA-256; the signature is r ‖ s.
    case ecdsaSecp256r1
    /// ECDSA over P-384 with SHA-384; the signature is r ‖ s.
    case ecdsaSecp384r1
    /// RFC 8032.
    case ed25519
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rsaPkcs1V15
    /// RSASSA-PSS with SHA-256 and a salt of 32 bytes.
    case rsaPss

    var scheme: SignatureScheme {
        switch self {
        case .ecdsaSecp256r1: .ecdsaP256SHA256
        case .ecdsaSecp384r1: .ecdsaP384SHA384
        case .ed25519: .ed25519
        case .rsaPkcs1V15: .rsaPKCS1v15SHA256
        case .rsaPss: .rsaPSSSHA256
        }
    }

    /// The kind of key that it needs.
    public var keyKind: KeyKind { scheme.keyKind }

    /// Bytes of one of the two numbers of an ECDSA signature.
    var scalarSize: Int? {
        switch self {
        case .ecdsaSecp256r1: 32
        case .ecdsaSecp384r1: 48
        default: nil
        }
    }
}

/// How a public key is written.
public enum SignatureKeyFormat: String, Sendable, CaseIterable {
    /// An uncompressed point: `04 ‖ x ‖ y`. ECDSA only.
    case sec1
    /// SubjectPublicKeyInfo.
    case spkiDer
    /// SubjectPublicKeyInfo in a `PUBLIC KEY` block.
    case spkiPem
    /// RSAPublicKey. RSA only.
    case pkcs1Der
    /// RSAPublicKey in an `RSA PUBLIC KEY` block. RSA only.
    case pkcs1Pem
    /// The 32 bytes themselves. Ed25519 only.
    case raw
}

/// A public key as an app configures it: `pem` is read for the PEM formats, `der` for the others.
public struct SignatureVerifyingKey: Sendable, Equatable {
    /// How the key is written.
    public var format: SignatureKeyFormat
    /// The text of a PEM format.
    public var pem: String?
    /// The bytes of the other formats.
    public var der: Data?

    /// Makes one of its parts.
    public init(format: SignatureKeyFormat, pem: String? = nil, der: Data? = nil) {
        self.format = format
        self.pem = pem
        self.der = der
    }
}

/// Whose signature a bundle must carry.
public struct SignatureVerifierOptions: Sendable, Equatable {
    /// The algorithm.
    public var algorithm: SignatureAlgorithm
    /// The publisher's public key.
    public var key: SignatureVerifyingKey

    /// Makes one of its parts.
    public init(algorithm: SignatureAlgorithm, key: SignatureVerifyingKey) {
        self.algorithm = algorithm
        self.key = key
    }
}

/// Checks that an integrity string was signed by the publisher.
public struct SignatureVerifier: Sendable {
    private let algorithm: SignatureAlgorithm
    private let key: VerifyingKey

    /// - Throws: ``Error/Signature(message:)`` `signature_key_unusable`.
    public init(_ options: SignatureVerifierOptions) throws {
        algorithm = options.algorithm
        do {
            key = try Self.read(options.key, for: options.algorithm.scheme.keyKind)
        } catch let error as CryptoError {
            throw FailureCode.badKey.signature("The signature key cannot be used: \(error.message)")
        }
        guard key.kind == algorithm.scheme.keyKind else {
            throw FailureCode.badKey.signature(
                "The signature key is a \(key.kind.rawValue) key, which does not go with "
                    + "\(algorithm.rawValue).")
        }
    }

    /// Checks a signature (standard base64 with padding) over the UTF-8 bytes of an integrity
    /// string.
    /// - Throws: ``Error/Signature(message:)``.
    public func verify(_ signature: String?, overIntegrity integrity: String) throws {
        guard let signature, !signature.isEmpty else {
            throw FailureCode.signatureMissing.signature(
                "The bundle is not signed, and this app demands a signature.")
        }
        guard let raw = Data(base64Encoded: signature), raw.base64EncodedString() == signature
        else {
            throw FailureCode.signatureMalformed.signature("The signature is not base64.")
        }
        let bytes = [UInt8](raw)
        let valid: Bool
        if let size = algorithm.scalarSize {
            guard bytes.count == 2 * size else {
                throw FailureCode.signatureMalformed.signature(
                    "An \(algorithm.rawValue) signature has \(2 * size) bytes, this one has "
                        + "\(bytes.count).")
            }
            valid = key.isValidSignature(
                ECDSASignature.der(fromConcatenated: bytes), for: Array(integrity.utf8),
                scheme: algorithm.scheme)
        } else {
            valid = key.isValidSignature(
                bytes, for: Array(integrity.utf8), scheme: algorithm.scheme)
        }
        guard valid else {
            throw FailureCode.signatureInvalid.signature(
                "The signature is not the publisher's signature of this bundle.")
        }
    }

    private static func read(_ key: SignatureVerifyingKey, for kind: KeyKind) throws -> VerifyingKey
    {
        func bytes() throws -> [UInt8] {
            guard let der = key.der else {
                throw FailureCode.badKey.signature(
                    "A key of format \(key.format.rawValue) is given in 'der', which is empty.")
            }
            return [UInt8](der)
        }
        func text() throws -> String {
            guard let pem = key.pem else {
                throw FailureCode.badKey.signature(
                    "A key of format \(key.format.rawValue) is given in 'pem', which is empty.")
            }
            return pem
        }
        func only(_ kinds: KeyKind...) throws {
            guard kinds.contains(kind) else {
                throw FailureCode.badKey.signature(
                    "The key format \(key.format.rawValue) does not go with the algorithm.")
            }
        }
        switch key.format {
        case .spkiDer: return try VerifyingKey(derRepresentation: bytes())
        case .spkiPem: return try VerifyingKey(pemRepresentation: text())
        case .raw:
            try only(.ed25519)
            return try VerifyingKey(.ed25519, rawRepresentation: bytes())
        case .sec1:
            try only(.p256, .p384)
            return try VerifyingKey(kind, rawRepresentation: bytes())
        case .pkcs1Der:
            try only(.rsa)
            return try VerifyingKey(.rsa, rawRepresentation: bytes())
        case .pkcs1Pem:
            try only(.rsa)
            return try VerifyingKey(
                .rsa, rawRepresentation: PKCS1Text.bytes(try text(), label: "RSA PUBLIC KEY"))
        }
    }
}

/// The two forms of an ECDSA signature: r ‖ s as the web's cryptography has it (IEEE P1363), and
/// a DER sequence of two integers as X.509 has it.
enum ECDSASignature {
    static func der(fromConcatenated bytes: [UInt8]) -> [UInt8] {
        let half = bytes.count / 2
        let body = integer(bytes[..<half]) + integer(bytes[half...])
        // At most 2 × (2 + 49) bytes, so a length of one byte always holds it.
        return [0x30, UInt8(body.count)] + body
    }

    /// Nil for bytes that are not two integers of at most `size` bytes.
    static func concatenated(fromDER der: [UInt8], size: Int) -> [UInt8]? {
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der[2...]
        var result: [UInt8] = []
        for _ in 0..<2 {
            guard rest.count >= 2, rest.removeFirst() == 0x02 else { return nil }
            let length = Int(rest.removeFirst())
            guard length <= rest.count else { return nil }
            let number = rest.prefix(length).drop { $0 == 0 }
            rest = rest.dropFirst(length)
            guard number.count <= size else { return nil }
            result += [UInt8](repeating: 0, count: size - number.count) + number
        }
        return rest.isEmpty ? result : nil
    }

    private static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(number.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}

/// The one PEM label that only this contract knows.
enum PKCS1Text {
    static func bytes(_ text: String, label: String) throws -> [UInt8] {
        let lines = text.split(whereSeparator: \.isNewline).map(\.trimmingBlanks)
        guard text.utf8.count <= 64 << 10,
            let start = lines.firstIndex(of: "-----BEGIN \(label)-----"),
            let end = lines[start...].firstIndex(of: "-----END \(label)-----"),
            let bytes = Data(base64Encoded: lines[(start + 1)..<end].joined())
        else {
            throw FailureCode.badKey.signature(
                "The key text has no \(label) block with base64 in it.")
        }
        return [UInt8](bytes)
    }
}

/// Signs integrity strings, as a publisher does.
public struct BundleSigner: Sendable {
    private let algorithm: SignatureAlgorithm
    private let key: SigningKey

    /// - Throws: ``Error/Signature(message:)`` when the key does not go with the algorithm.
    public init(_ algorithm: SignatureAlgorithm, key: SigningKey) throws {
        guard key.kind == algorithm.scheme.keyKind else {
            throw FailureCode.badKey.signature(
                "A \(key.kind.rawValue) key does not go with \(algorithm.rawValue).")
        }
        self.algorithm = algorithm
        self.key = key
    }

    /// The signature over an integrity string, in base64.
    /// - Throws: ``PatchCrypto/CryptoError``.
    public func sign(integrity: Integrity) throws -> String {
        let message = Array(integrity.description.utf8)
        let signature = try key.sign(message, scheme: algorithm.scheme)
        guard let size = algorithm.scalarSize else {
            return Data(signature).base64EncodedString()
        }
        guard let both = ECDSASignature.concatenated(fromDER: signature, size: size) else {
            throw FailureCode.signatureMalformed.signature("The key made no usable signature.")
        }
        return Data(both).base64EncodedString()
    }
}
