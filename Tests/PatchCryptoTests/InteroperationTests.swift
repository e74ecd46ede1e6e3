import Foundation
import TestSupport
import Testing

@testable import PatchCrypto

/// The `openssl` program and PyPI `cryptography` on the other side.
@Suite("Keys and signatures of others")
struct InteroperationTests {
    private static func openssl(
        _ arguments: String..., in folder: TemporaryDirectory
    ) throws -> ChildProcess.Result {
        try ChildProcess.run("openssl", arguments, in: folder.url, seconds: 60)
    }

    private static func read(_ url: URL) throws -> [UInt8] { Array(try Data(contentsOf: url)) }

    private static let recipes: [(KeyKind, [String])] = [
        (.ed25519, ["-algorithm", "ed25519"]),
        (.p256, ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]),
        (.p384, ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]),
        (.rsa, ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]),
    ]

    @Test("keys that openssl makes are read, and openssl reads those made here")
    func keyFiles() throws {
        for (kind, recipe) in Self.recipes {
            let folder = try TemporaryDirectory("keys")
            let made = try ChildProcess.run(
                "openssl", ["genpkey"] + recipe + ["-out", "key.pem"], in: folder.url)
            #expect(made.status == 0, "\(made.standardError)")
            _ = try Self.openssl(
                "pkey", "-in", "key.pem", "-pubout", "-out", "public.pem", in: folder)
            let key = try SigningKey(
                pemRepresentation: String(contentsOf: folder.file("key.pem"), encoding: .utf8))
            #expect(key.kind == kind)
            let publicText = try String(contentsOf: folder.file("public.pem"), encoding: .utf8)
            #expect(key.publicKey.pemRepresentation == publicText)

            // Back: our PEM, read by openssl, has the same public half.
            try folder.write(key.pemRepresentation, to: "ours.pem")
            let back = try Self.openssl("pkey", "-in", "ours.pem", "-pubout", in: folder)
            #expect(back.standardOutput == publicText, "\(kind): \(back.standardError)")
        }
    }

    @Test("openssl verifies what is signed here, and the other way round")
    func signatures() throws {
        let options: [SignatureScheme: [String]] = [
            .ecdsaP256SHA256: ["-digest", "sha256"], .ecdsaP384SHA384: ["-digest", "sha384"],
            .ed25519: [],
            .rsaPSSSHA256: pss("sha256"), .rsaPSSSHA384: pss("sha384"),
            .rsaPSSSHA512: pss("sha512"),
            .rsaPKCS1v15SHA256: ["-digest", "sha256"], .rsaPKCS1v15SHA384: ["-digest", "sha384"],
            .rsaPKCS1v15SHA512: ["-digest", "sha512"],
        ]
        for (kind, recipe) in Self.recipes {
            let folder = try TemporaryDirectory("signatures")
            _ = try ChildProcess.run(
                "openssl", ["genpkey"] + recipe + ["-out", "key.pem"], in: folder.url)
            let key = try SigningKey(
                pemRepresentation: String(contentsOf: folder.file("key.pem"), encoding: .utf8))
            try folder.write(key.publicKey.pemRepresentation, to: "public.pem")
            let message = Array("what is signed".utf8)
            try Data(message).write(to: folder.file("message"))
            for scheme in SignatureScheme.allCases where scheme.keyKind == kind {
                let extra = try #require(options[scheme])
                try Data(try key.sign(message, scheme: scheme)).write(to: folder.file("ours.sig"))
                let verified = try ChildProcess.run(
                    "openssl",
                    [
                        "pkeyutl", "-verify", "-pubin", "-inkey", "public.pem", "-rawin", "-in",
                        "message", "-sigfile", "ours.sig",
                    ] + extra, in: folder.url)
                #expect(verified.status == 0, "\(scheme): \(verified.standardError)")
                let signed = try ChildProcess.run(
                    "openssl",
                    [
                        "pkeyutl", "-sign", "-inkey", "key.pem", "-rawin", "-in", "message", "-out",
                        "theirs.sig",
                    ] + extra, in: folder.url)
                #expect(signed.status == 0, "\(scheme): \(signed.standardError)")
                let theirs = try Self.read(folder.file("theirs.sig"))
                #expect(key.publicKey.isValidSignature(theirs, for: message, scheme: scheme))
                #expect(
                    !key.publicKey.isValidSignature(theirs, for: message + [1], scheme: scheme))
            }
        }
    }

    private func pss(_ digest: String) -> [String] {
        [
            "-digest", digest, "-pkeyopt", "rsa_padding_mode:pss", "-pkeyopt",
            "rsa_pss_saltlen:digest",
        ]
    }

    @Test("PyPI cryptography reads our PEM files and agrees on every signature")
    func pythonCryptography() throws {
        let folder = try TemporaryDirectory("cryptography")
        for kind in SignatureTests.madeHere {
            let key = try SigningKey.generate(kind)
            try folder.write(key.pemRepresentation, to: "\(kind.rawValue).pem")
            try folder.write(key.publicKey.pemRepresentation, to: "\(kind.rawValue).pub")
            try Data(try key.sign(Array("message".utf8))).write(
                to: folder.file("\(kind.rawValue).sig"))
        }
        let script = """
            import sys
            from cryptography.hazmat.primitives import hashes
            from cryptography.hazmat.primitives.asymmetric import ec
            from cryptography.hazmat.primitives.serialization import (
                load_pem_private_key, load_pem_public_key)
            for kind, arguments in {
                "ed25519": (), "p256": (ec.ECDSA(hashes.SHA256()),),
                "p384": (ec.ECDSA(hashes.SHA384()),)}.items():
                private = load_pem_private_key(open(kind + ".pem", "rb").read(), None)
                public = load_pem_public_key(open(kind + ".pub", "rb").read())
                assert private.public_key() == public, kind
                public.verify(open(kind + ".sig", "rb").read(), b"message", *arguments)
                open(kind + ".theirs", "wb").write(private.sign(b"message", *arguments))
            print("agreed")
            """
        try folder.write(script, to: "check.py")
        let run = try ChildProcess.run(Tools.python, ["check.py"], in: folder.url)
        #expect(run.standardOutput == "agreed\n", "\(run.standardError)")
        for kind in SignatureTests.madeHere {
            let key = try SigningKey(
                pemRepresentation: String(
                    contentsOf: folder.file("\(kind.rawValue).pem"), encoding: .utf8))
            let theirs = try Self.read(folder.file("\(kind.rawValue).theirs"))
            #expect(key.publicKey.isValidSignature(theirs, for: Array("message".utf8)))
        }
    }
}
