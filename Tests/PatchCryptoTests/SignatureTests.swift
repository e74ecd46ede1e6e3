import Testing

@testable import PatchCrypto

@Suite("Signatures")
struct SignatureTests {
    static let madeHere: [KeyKind] = [.ed25519, .p256, .p384]

    @Test("the first test vectors of RFC 8032 come out")
    func knownSignatures() throws {
        let seed = try #require(
            Hex.decode("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
        let key = try SigningKey(.ed25519, secret: seed)
        #expect(
            key.publicKey.rawRepresentation.hex
                == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        let signature = try key.sign([])
        #expect(
            signature.hex
                == "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b")
        #expect(key.publicKey.isValidSignature(signature, for: []))
    }

    @Test("what a key signs, only its public half accepts, for that message", arguments: madeHere)
    func signAndVerify(kind: KeyKind) throws {
        let key = try SigningKey.generate(kind)
        let other = try SigningKey.generate(kind)
        let message = SecureRandom.bytes(200)
        let signature = try key.sign(message)
        #expect(key.publicKey.isValidSignature(signature, for: message))
        #expect(!other.publicKey.isValidSignature(signature, for: message))
        #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
        #expect(!key.publicKey.isValidSignature([], for: message))
        #expect(
            !key.publicKey.isValidSignature([UInt8](repeating: 0, count: 64), for: message))
        #expect(
            !key.publicKey.isValidSignature([UInt8](repeating: 0xFF, count: 4000), for: message))
    }

    @Test("a signature with any one bit flipped is refused", arguments: madeHere)
    func flippedBits(kind: KeyKind) throws {
        let key = try SigningKey.generate(kind)
        let signature = try key.sign([1, 2, 3])
        for index in signature.indices {
            var bad = signature
            bad[index] ^= 1 << UInt8(index % 8)
            #expect(!key.publicKey.isValidSignature(bad, for: [1, 2, 3]), "byte \(index)")
        }
        #expect(!key.publicKey.isValidSignature(Array(signature.dropLast()), for: [1, 2, 3]))
    }

    @Test("a scheme of another kind of key signs nothing and verifies nothing")
    func schemeMismatch() throws {
        let key = try SigningKey.generate()
        #expect(throws: CryptoError.self) { try key.sign([1], scheme: .ecdsaP256SHA256) }
        let signature = try key.sign([1])
        #expect(!key.publicKey.isValidSignature(signature, for: [1], scheme: .rsaPSSSHA256))
    }

    @Test("a public key that is no point of its curve verifies nothing")
    func pointOffTheCurve() throws {
        let key = try SigningKey.generate(.p256)
        let signature = try key.sign([1])
        var raw = key.publicKey.rawRepresentation
        raw[40] ^= 1
        let bad = try VerifyingKey(.p256, rawRepresentation: raw)
        #expect(!bad.isValidSignature(signature, for: [1]))
    }

    @Test("a secret key's description keeps the secret")
    func description() throws {
        let key = try SigningKey.generate()
        #expect(!"\(key)".contains(key.secret.hex))
    }
}
