import CommandLineKit
import Foundation
import PatchCrypto
import WebViewBundle

extension SignatureAlgorithm: ArgumentValue {}

/// `patchcli web verify BUNDLE`
enum WebVerifyCommand {
    private static let integrity = Parameter<String?>.option(
        "integrity", placeholder: "text", help: "The archive must have this integrity string.")
    private static let signature = Parameter<String?>.option(
        "signature", placeholder: "base64", help: "The integrity string must have this signature.")
    private static let key = Parameter<String?>.option(
        "key", placeholder: "file", help: "The publisher's public key, a PEM file.",
        completion: .file(["pem"]))
    private static let algorithm = Parameter<SignatureAlgorithm>.option(
        "algorithm", default: .ed25519, help: "The algorithm of the signature.")

    private struct Report: Encodable {
        let entries: Int
        let integrity: String
        let signed: Bool
        let valid: Bool
    }

    static var command: Command {
        Command(
            "verify", abstract: "Check an archive: every entry, its integrity, its signature.",
            discussion: """
                Reads all entries. Ends with exit code 0, with 65 when the archive is damaged, or \
                with 4 when integrity or signature are not those demanded.
                """,
            examples: [
                ("patchcli web verify app.wvb", "Check that every entry can be read."),
                (
                    "patchcli web verify app.wvb --key release.pem --signature \"$SIGNATURE\"",
                    "Check who signed it."
                ),
            ],
            parameters: parameters(WebCommands.bundle, integrity, signature, key, algorithm),
            body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) throws {
        let path = try invocation[WebCommands.bundle]
        let bundle = try WebCommands.open(path)
        try WebCommands.explaining { try bundle.verify() }
        let wanted = try invocation[integrity]
        let stated = try wanted.map { text in try WebCommands.explaining { try Integrity(text) } }
        let found = try WebDigest.integrity(of: path, stated?.algorithm ?? .sha256)
        if let stated, stated != found {
            throw CommandFailure(
                "integrity_mismatch", "The archive is not the one that the integrity string names",
                why: "It has \(found).", exit: .gateFailed)
        }
        let isSigned = try checkSignature(invocation, over: found)
        let report = Report(
            entries: bundle.count, integrity: found.description, signed: isSigned, valid: true)
        try invocation.console.report(report) { console in
            console.print(
                "valid: \(Quantity.count(bundle.count, "entry", "entries"))"
                    + (isSigned ? ", signature checked" : ""))
            console.print(report.integrity)
        }
    }

    /// Whether a signature was asked for; throws when it is not right.
    private static func checkSignature(
        _ invocation: Invocation, over integrity: Integrity
    ) throws -> Bool {
        let text = try invocation[signature]
        guard let file = try invocation[key] else {
            guard text == nil else {
                throw CommandFailure(
                    "missing_key", "A signature cannot be checked without a key",
                    fix: "add --key FILE", exit: .usage)
            }
            return false
        }
        let pem = try WebKey.read(file)
        let format: SignatureKeyFormat =
            pem.contains("BEGIN RSA PUBLIC KEY") ? .pkcs1Pem : .spkiPem
        let options = SignatureVerifierOptions(
            algorithm: try invocation[algorithm],
            key: SignatureVerifyingKey(format: format, pem: pem))
        do {
            try SignatureVerifier(options).verify(text, overIntegrity: integrity.description)
        } catch let error as WebViewBundle.Error {
            throw CommandFailure(
                error.code, WebCommands.sentence(of: error), exit: .gateFailed)
        }
        return true
    }
}

/// Key files.
enum WebKey {
    /// The text of a key file, which is small.
    static func read(_ path: String) throws -> String {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: 64 << 10)
        else {
            throw CommandFailure("no_input", "'\(path)' cannot be read", exit: .noInput)
        }
        return String(decoding: data, as: UTF8.self)
    }
}
