/// SubjectPublicKeyInfo (RFC 5280 §4.1) and PKCS #8 (RFC 5208, RFC 5958), in portable Swift so
/// that Linux tests what Apple devices run.
enum KeyEncoding {
    /// The AlgorithmIdentifier of each kind, DER without its outer header.
    private static let ed25519: [UInt8] = [0x06, 0x03, 0x2B, 0x65, 0x70]
    private static let ecPublicKey: [UInt8] = [
        0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
    ]
    private static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    private static let p384: [UInt8] = [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
    private static let rsa: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    static func algorithm(_ kind: KeyKind) -> [UInt8] {
        switch kind {
        case .ed25519: DER.write(DER.sequence, ed25519)
        case .p256: DER.write(DER.sequence, ecPublicKey + p256)
        case .p384: DER.write(DER.sequence, ecPublicKey + p384)
        case .rsa: DER.write(DER.sequence, rsa)
        }
    }

    private static func readAlgorithm(_ reader: inout DERReader) throws -> KeyKind {
        let identifier = Array(try reader.read(DER.sequence))
        switch identifier {
        case ed25519: return .ed25519
        case ecPublicKey + p256: return .p256
        case ecPublicKey + p384: return .p384
        case rsa: return .rsa
        default:
            throw CryptoError(
                .unsupportedKey,
                "The key's algorithm is none of Ed25519, ECDSA P-256, ECDSA P-384 and RSA.")
        }
    }

    // MARK: Public

    static func encodePublic(_ kind: KeyKind, _ key: [UInt8]) -> [UInt8] {
        DER.sequence(algorithm(kind), DER.write(DER.bitString, [0] + key))
    }

    static func decodePublic(_ der: [UInt8]) throws -> (kind: KeyKind, key: [UInt8]) {
        var outer = try DERReader(der)
        var info = try outer.readSequence()
        try outer.expectEnd()
        let kind = try readAlgorithm(&info)
        let bits = try info.read(DER.bitString)
        try info.expectEnd()
        guard bits.first == 0 else {
            throw CryptoError(.badDER, "The key is damaged: its bit string has unused bits.")
        }
        return (kind, Array(bits.dropFirst()))
    }

    // MARK: Private

    /// For Ed25519 the seed, for the curves the scalar, for RSA the PKCS #1 structure.
    static func encodePrivate(_ kind: KeyKind, _ secret: [UInt8], publicKey: [UInt8]) -> [UInt8] {
        let version = DER.write(DER.integer, [0])
        let inner: [UInt8] =
            switch kind {
            case .ed25519: DER.write(DER.octetString, secret)
            case .rsa: secret
            case .p256, .p384:
                // ECPrivateKey (RFC 5915) with the public key, which some readers need.
                DER.sequence(
                    DER.write(DER.integer, [1]), DER.write(DER.octetString, secret),
                    DER.write(0xA1, DER.write(DER.bitString, [0] + publicKey)))
            }
        return DER.sequence(version, algorithm(kind), DER.write(DER.octetString, inner))
    }

    static func decodePrivate(_ der: [UInt8]) throws -> (kind: KeyKind, secret: [UInt8]) {
        var outer = try DERReader(der)
        var info = try outer.readSequence()
        try outer.expectEnd()
        let version = Array(try info.read(DER.integer))
        guard version == [0] || version == [1] else {
            throw CryptoError(.unsupportedKey, "The key file is of an unknown PKCS #8 version.")
        }
        let kind = try readAlgorithm(&info)
        let inner = Array(try info.read(DER.octetString))
        // Optional attributes and, in version 1, the public key follow; neither is needed.
        switch kind {
        case .rsa: return (kind, inner)
        case .ed25519:
            var reader = try DERReader(inner)
            let seed = Array(try reader.read(DER.octetString))
            try reader.expectEnd()
            return (kind, seed)
        case .p256, .p384:
            var reader = try DERReader(inner)
            var key = try reader.readSequence()
            _ = try key.read(DER.integer)
            return (kind, Array(try key.read(DER.octetString)))
        }
    }

    // MARK: RSA (PKCS #1, RFC 8017 appendix A.1)

    /// Number of bits of the modulus of an RSAPublicKey.
    static func rsaModulusBits(_ pkcs1: [UInt8]) throws -> Int {
        var outer = try DERReader(pkcs1)
        var key = try outer.readSequence()
        try outer.expectEnd()
        let modulus = try key.read(DER.integer).drop { $0 == 0 }
        let exponent = try key.read(DER.integer).drop { $0 == 0 }
        try key.expectEnd()
        // A huge exponent makes one verification cost seconds; every key in use has 65537 or 3.
        guard let top = modulus.first, !exponent.isEmpty, exponent.count <= 4 else {
            throw CryptoError(.unsupportedKey, "The RSA key has an unusual modulus or exponent.")
        }
        return modulus.count * 8 - top.leadingZeroBitCount
    }
}
