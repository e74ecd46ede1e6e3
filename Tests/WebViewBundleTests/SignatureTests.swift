import Foundation
import PatchCrypto
import TestSupport
import Testing

@testable import WebViewBundle

/// Signatures against the `openssl` program, which makes the keys and the other half of each pair.
@Suite("Integrity and signatures")
struct SignatureTests {
    private static let integrity = "sha256:QEnVkRXYJwROa3ue1MbMLJUrnFHu03tLWe7LJLJg7ao="

    /// A key pair made by openssl.
    private struct Pair {
        let folder: TemporaryDirectory
        let algorithm: SignatureAlgorithm

        init(_ algorithm: SignatureAlgorithm) throws {
            self.algorithm = algorithm
            folder = try TemporaryDirectory("keys")
            let arguments: [String]
            switch algorithm {
            case .ed25519: arguments = ["-algorithm", "ed25519"]
            case .ecdsaSecp256r1:
                arguments = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .ecdsaSecp384r1:
                arguments = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
            case .rsaPkcs1V15, .rsaPss:
                arguments = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            }
            try openssl(["genpkey"] + arguments + ["-out", "key.pem"])
            try openssl(["pkey", "-in", "key.pem", "-pubout", "-out", "pub.pem"])
            try openssl(["pkey", "-in", "key.pem", "-pubout", "-outform", "DER", "-out", "pub.der"])
        }

        func openssl(_ arguments: [String]) throws {
            let result = try ChildProcess.run("openssl", arguments, in: folder.url)
            guard result.status == 0 else { throw Failed(text: result.standardError) }
        }

        func data(_ name: String) throws -> Data { try Data(contentsOf: folder.file(name)) }

        func text(_ name: String) throws -> String {
            String(decoding: try data(name), as: UTF8.self)
        }

        private var padding: [String] {
            switch algorithm {
            case .rsaPss:
                ["-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt", "rsa_pss_saltlen:32"]
            default: []
            }
        }

        private var digest: [String] {
            switch algorithm {
            case .ed25519: []
            case .ecdsaSecp384r1: ["-digest", "sha384"]
            default: ["-digest", "sha256"]
            }
        }

        /// A signature by openssl, in the contract's form.
        func sign(_ message: String) throws -> String {
            try folder.write(message, to: "message")
            try openssl(
                [
                    "pkeyutl", "-sign", "-inkey", "key.pem", "-rawin", "-in", "message", "-out",
                    "sig",
                ]
                    + digest + padding)
            let raw = [UInt8](try data("sig"))
            guard let size = algorithm.scalarSize else { return Data(raw).base64EncodedString() }
            let both = try #require(ECDSASignature.concatenated(fromDER: raw, size: size))
            return Data(both).base64EncodedString()
        }

        /// Whether openssl accepts a signature in the contract's form.
        func accepts(_ signature: String, _ message: String) throws -> Bool {
            try folder.write(message, to: "message")
            var raw = [UInt8](try #require(Data(base64Encoded: signature)))
            if algorithm.scalarSize != nil { raw = ECDSASignature.der(fromConcatenated: raw) }
            try Data(raw).write(to: folder.file("sig"))
            let result = try ChildProcess.run(
                "openssl",
                [
                    "pkeyutl", "-verify", "-pubin", "-inkey", "pub.pem", "-rawin", "-in", "message",
                    "-sigfile", "sig",
                ] + digest + padding, in: folder.url)
            return result.status == 0
        }

        /// The public key in every format that goes with the algorithm.
        func formats() throws -> [SignatureVerifyingKey] {
            let spki = try data("pub.der")
            var keys = [
                SignatureVerifyingKey(format: .spkiPem, pem: try text("pub.pem")),
                SignatureVerifyingKey(format: .spkiDer, der: spki),
            ]
            switch algorithm {
            case .ed25519: keys.append(.init(format: .raw, der: spki.suffix(32)))
            case .ecdsaSecp256r1: keys.append(.init(format: .sec1, der: spki.suffix(65)))
            case .ecdsaSecp384r1: keys.append(.init(format: .sec1, der: spki.suffix(97)))
            case .rsaPkcs1V15, .rsaPss:
                try openssl(["rsa", "-in", "key.pem", "-RSAPublicKey_out", "-out", "p1.pem"])
                try openssl([
                    "rsa", "-in", "key.pem", "-RSAPublicKey_out", "-outform", "DER", "-out", "p1",
                ])
                keys.append(.init(format: .pkcs1Pem, pem: try text("p1.pem")))
                keys.append(.init(format: .pkcs1Der, der: try data("p1")))
            }
            return keys
        }
    }

    private struct Failed: Swift.Error { let text: String }

    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch let error as WebViewBundle.Error {
            return error.code
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "signatures of openssl are accepted in every key format, and changed ones are not",
        arguments: SignatureAlgorithm.allCases)
    func theirSignatures(algorithm: SignatureAlgorithm) throws {
        let pair = try Pair(algorithm)
        let signature = try pair.sign(Self.integrity)
        var flipped = [UInt8](try #require(Data(base64Encoded: signature)))
        flipped[flipped.count - 1] ^= 1
        let formats = try pair.formats()
        #expect(formats.count >= 3)
        for key in formats {
            let verifier = try SignatureVerifier(.init(algorithm: algorithm, key: key))
            #expect(code { try verifier.verify(signature, overIntegrity: Self.integrity) } == nil)
            let other = Integrity(of: []).description
            #expect(
                code { try verifier.verify(signature, overIntegrity: other) }
                    == "signature_invalid")
            #expect(
                code {
                    try verifier.verify(
                        Data(flipped).base64EncodedString(), overIntegrity: Self.integrity)
                } == "signature_invalid")
        }
    }

    @Test("our signatures are accepted by openssl", arguments: SignatureAlgorithm.allCases)
    func ourSignatures(algorithm: SignatureAlgorithm) throws {
        let pair = try Pair(algorithm)
        let signer = try BundleSigner(
            algorithm, key: SigningKey(pemRepresentation: pair.text("key.pem")))
        for round in 0..<4 {
            let integrity = Integrity(of: [UInt8(round)])
            let signature = try signer.sign(integrity: integrity)
            #expect(try pair.accepts(signature, integrity.description))
            #expect(try !pair.accepts(signature, "sha256:other"))
        }
    }

    @Test("a signature that is missing or no base64 of the right size says so")
    func malformed() throws {
        let pair = try Pair(.ecdsaSecp256r1)
        let verifier = try SignatureVerifier(
            .init(algorithm: .ecdsaSecp256r1, key: pair.formats()[0]))
        for (signature, expected) in [
            (nil, "signature_missing"), ("", "signature_missing"), ("*", "signature_malformed"),
            ("AAAA", "signature_malformed"),
            (Data(repeating: 0, count: 64).base64EncodedString(), "signature_invalid"),
            (Data(repeating: 255, count: 64).base64EncodedString(), "signature_invalid"),
        ] as [(String?, String)] {
            #expect(
                code { try verifier.verify(signature, overIntegrity: Self.integrity) } == expected)
        }
    }

    @Test("a key that does not go with its format or algorithm is refused when configured")
    func badKeys() throws {
        let ed = try Pair(.ed25519)
        let spki = try ed.data("pub.der")
        let bad: [(SignatureAlgorithm, SignatureVerifyingKey)] = [
            (.ed25519, .init(format: .spkiDer)), (.ed25519, .init(format: .spkiPem, der: spki)),
            (.ed25519, .init(format: .raw, der: spki)),
            (.rsaPss, .init(format: .spkiDer, der: spki)),
            (.ed25519, .init(format: .sec1, der: spki)),
            (.ed25519, .init(format: .pkcs1Der, der: spki)),
            (.ecdsaSecp256r1, .init(format: .raw, der: spki.suffix(32))),
            (.ecdsaSecp256r1, .init(format: .sec1, der: Data(repeating: 4, count: 64))),
            (.rsaPss, .init(format: .pkcs1Pem, pem: "nothing")),
            (.rsaPss, .init(format: .pkcs1Der, der: Data([0x30, 0x03, 0x02, 0x01, 0x05]))),
        ]
        for (algorithm, key) in bad {
            let refusal = code { _ = try SignatureVerifier(.init(algorithm: algorithm, key: key)) }
            #expect(refusal == "signature_key_unusable", "\(algorithm) \(key.format)")
        }
    }

    @Test(
        "an integrity string has one spelling",
        arguments: [
            "", "sha256", "sha256:", "sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha256:QEnV",
            "sha256:QEnVkRXYJwROa3ue1MbMLJUrnFHu03tLWe7LJLJg7ao",
            "SHA256:QEnVkRXYJwROa3ue1MbMLJUrnFHu03tLWe7LJLJg7ao=",
            "sha256: QEnVkRXYJwROa3ue1MbMLJUrnFHu03tLWe7LJLJg7ao=",
            "sha256:QEnVkRXYJwROa3ue1MbMLJUrnFHu03tLWe7LJLJg7ap=",
            "sha384:QEnVkRXYJwROa3ue1MbMLJUrnFHu03tLWe7LJLJg7ao=",
        ])
    func integritySpelling(text: String) {
        #expect(code { _ = try Integrity(text) } == "integrity_malformed")
    }

    // What was stated × the policy × whether a signature is demanded.
    @Test("policies decide as documented, and a signature forces the digest check")
    func policies() throws {
        let key = try SigningKey.generate(.ed25519)
        let bytes: [UInt8] = [1, 2, 3]
        let right = Integrity(of: bytes)
        let wrong = Integrity(of: [9])
        let signer = try BundleSigner(.ed25519, key: key)
        let verifier = try SignatureVerifier(
            .init(
                algorithm: .ed25519,
                key: .init(format: .spkiPem, pem: key.publicKey.pemRepresentation)))
        func judge(
            _ policy: IntegrityPolicy, _ stated: Integrity?, _ signed: Integrity?, checks: Bool
        ) throws -> String? {
            let signature = try signed.map { try signer.sign(integrity: $0) }
            let judge = BundleVerifier(policy: policy, signature: checks ? verifier : nil)
            return code {
                try judge.check(
                    bytes, statedIntegrity: stated?.description, statedSignature: signature)
            }
        }
        #expect(try judge(.strict, right, nil, checks: false) == nil)
        #expect(try judge(.strict, nil, nil, checks: false) == "integrity_missing")
        #expect(try judge(.strict, wrong, nil, checks: false) == "integrity_mismatch")
        #expect(try judge(.optional, nil, nil, checks: false) == nil)
        #expect(try judge(.optional, wrong, nil, checks: false) == "integrity_mismatch")
        #expect(try judge(.none, wrong, nil, checks: false) == nil)
        for policy in IntegrityPolicy.allCases {
            #expect(try judge(policy, right, right, checks: true) == nil)
            #expect(try judge(policy, right, nil, checks: true) == "signature_missing")
            #expect(try judge(policy, right, wrong, checks: true) == "signature_invalid")
            #expect(try judge(policy, wrong, wrong, checks: true) == "integrity_mismatch")
            #expect(try judge(policy, nil, right, checks: true) == "integrity_missing")
        }
    }

    @Test("errors carry a sentence and give their code back")
    func codes() {
        for code in FailureCode.allCases {
            for error in [code.core("a"), code.http("a"), code.signature("a")] {
                #expect(error.code == code.rawValue)
                #expect(error.message == "a [\(code.rawValue)]")
            }
        }
        #expect(Error.Signature(message: "made elsewhere").code == "signature")
        #expect(Error.Core(message: "").code == "core")
    }
}
