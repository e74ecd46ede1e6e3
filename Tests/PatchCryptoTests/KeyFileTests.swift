import Testing

@testable import PatchCrypto

@Suite("Key files")
struct KeyFileTests {
    @Test("a key survives PEM and DER, private and public", arguments: SignatureTests.madeHere)
    func roundTrip(kind: KeyKind) throws {
        let key = try SigningKey.generate(kind)
        let read = try SigningKey(pemRepresentation: key.pemRepresentation)
        #expect(read.secret == key.secret)
        #expect(read.publicKey == key.publicKey)
        #expect(try SigningKey(derRepresentation: key.derRepresentation).secret == key.secret)
        let publicKey = key.publicKey
        #expect(try VerifyingKey(pemRepresentation: publicKey.pemRepresentation) == publicKey)
        #expect(try VerifyingKey(derRepresentation: publicKey.derRepresentation) == publicKey)
    }

    @Test("text around a PEM block, CRLF and trailing spaces are no obstacle")
    func looseText() throws {
        let key = try SigningKey.generate()
        let lines = key.pemRepresentation.split(separator: "\n").map { $0 + " \r\n" }.joined()
        let read = try SigningKey(pemRepresentation: "release key of 2026\r\n" + lines + "\r\nend")
        #expect(read.secret == key.secret)
    }

    @Test("a DER file cut at any byte, or with any byte changed, never crashes")
    func damagedDER() throws {
        for kind in SignatureTests.madeHere {
            let key = try SigningKey.generate(kind)
            for der in [key.derRepresentation, key.publicKey.derRepresentation] {
                for cut in 0..<der.count {
                    let short = Array(der[..<cut])
                    #expect(throws: CryptoError.self, "cut at \(cut)") {
                        try SigningKey(derRepresentation: short)
                    }
                    #expect(throws: CryptoError.self, "cut at \(cut)") {
                        try VerifyingKey(derRepresentation: short)
                    }
                }
                for index in der.indices {
                    for value: UInt8 in [0, 0x7F, 0x80, 0x84, 0xFF] {
                        var bad = der
                        bad[index] = value
                        _ = try? SigningKey(derRepresentation: bad)
                        _ = try? VerifyingKey(derRepresentation: bad)
                    }
                }
            }
        }
    }

    @Test("lengths that reach beyond the file or into the gigabytes are refused")
    func lyingLengths() {
        for bytes: [UInt8] in [
            [0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF], [0x30, 0x80], [0x30, 0x81, 0x05],
            [0x30, 0x83, 0xFF, 0xFF, 0xFF], [0x30, 0xFF], [], [0x30],
        ] {
            #expect(throws: CryptoError.self) { try VerifyingKey(derRepresentation: bytes) }
        }
        let long = [UInt8](repeating: 0x30, count: 100_000)
        #expect(throws: CryptoError.self) { try VerifyingKey(derRepresentation: long) }
    }

    @Test("each wrong kind of file is named as what it is")
    func wrongFiles() throws {
        func code(_ text: String) -> String? {
            do {
                _ = try SigningKey(pemRepresentation: text)
                return nil
            } catch { return (error as? CryptoError)?.code }
        }
        let key = try SigningKey.generate()
        #expect(code("hello") == "bad_pem")
        #expect(code("-----BEGIN PRIVATE KEY-----\nMC4C") == "bad_pem")
        #expect(code("-----BEGIN PRIVATE KEY-----\n!!!!\n-----END PRIVATE KEY-----") == "bad_pem")
        #expect(code(key.publicKey.pemRepresentation) == "bad_pem")
        let encrypted =
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n"
            + "-----END ENCRYPTED PRIVATE KEY-----\n"
        #expect(code(encrypted) == "encrypted_key")
        #expect(throws: CryptoError.self) { try SigningKey.generate(.rsa) }
    }

    @Test("base64 with stray bits, wrong padding or foreign characters is refused")
    func base64() {
        #expect(Base64.decode(Array("aGk=".utf8)) == Array("hi".utf8))
        for text in ["aGl=", "aGk", "a===", "====", "aG k", "aGk=aGk="] {
            #expect(Base64.decode(Array(text.utf8)) == nil, "\(text)")
        }
        for count in 0..<40 {
            let bytes = SecureRandom.bytes(count)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test("RSA keys too short to be safe or with a huge exponent are refused")
    func weakRSA() {
        func pkcs1(bits: Int, exponent: [UInt8]) -> [UInt8] {
            let modulus = [UInt8(0)] + [UInt8](repeating: 0xC5, count: bits / 8)
            return DER.sequence(DER.write(DER.integer, modulus), DER.write(DER.integer, exponent))
        }
        #expect(throws: CryptoError.self) {
            try VerifyingKey(.rsa, rawRepresentation: pkcs1(bits: 1024, exponent: [1, 0, 1]))
        }
        #expect(throws: CryptoError.self) {
            try VerifyingKey(.rsa, rawRepresentation: pkcs1(bits: 16384, exponent: [1, 0, 1]))
        }
        #expect(throws: CryptoError.self) {
            try VerifyingKey(
                .rsa,
                rawRepresentation: pkcs1(bits: 2048, exponent: [UInt8](repeating: 0x7F, count: 200))
            )
        }
        #expect(throws: Never.self) {
            try VerifyingKey(.rsa, rawRepresentation: pkcs1(bits: 2048, exponent: [1, 0, 1]))
        }
    }
}
