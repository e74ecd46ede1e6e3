import CommandLineKit
import Foundation
import PatchCrypto
import WebViewBundle

/// `patchcli web keygen FILE`
enum WebKeygenCommand {
    private static let file = Parameter<String>.argument(
        "file", help: "Where to write the private key (PKCS #8 PEM, mode 0600).",
        completion: .file(["pem"]))
    private static let algorithm = Parameter<SignatureAlgorithm>.option(
        "algorithm", default: .ed25519, help: "What the key is for; RSA keys are not made here.")

    private struct Report: Encodable {
        let privateKeyFile: String
        let publicKeyFile: String
        let publicKey: String
    }

    static var command: Command {
        Command(
            "keygen", abstract: "Make a key pair for signing bundles.",
            discussion: "The public key is written beside the private one, with '.pub' added.",
            parameters: parameters(file, algorithm)
        ) { invocation in
            let path = try invocation[file]
            guard !FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure(
                    "file_exists", "'\(path)' exists already",
                    why: "A key that is replaced is lost.", fix: "name another file",
                    exit: .cannotCreate)
            }
            let key = try WebCommands.explaining {
                try SigningKey.generate(try invocation[algorithm].keyKind)
            }
            try WebCommands.write(Array(key.pemRepresentation.utf8), to: path, secret: true)
            try WebCommands.write(Array(key.publicKey.pemRepresentation.utf8), to: path + ".pub")
            let report = Report(
                privateKeyFile: path, publicKeyFile: path + ".pub",
                publicKey: key.publicKey.pemRepresentation)
            try invocation.console.report(report) { console in
                console.print("\(path): private key, keep it secret")
                console.print("\(path).pub: public key, for the app's configuration")
            }
        }
    }
}

/// `patchcli web sign BUNDLE`
enum WebSignCommand {
    private static let key = Parameter<String>.required(
        "key", placeholder: "file", help: "The private key, a PKCS #8 PEM file.",
        completion: .file(["pem"]))
    private static let algorithm = Parameter<SignatureAlgorithm>.option(
        "algorithm", default: .ed25519, help: "The algorithm.")

    private struct Report: Encodable {
        let integrity: String
        let signature: String
    }

    static var command: Command {
        Command(
            "sign", abstract: "Sign an archive: print integrity and signature.",
            discussion: """
                The signature covers the integrity string of the whole archive. A remote sends \
                both as the headers Webview-Bundle-Integrity and Webview-Bundle-Signature.
                """,
            parameters: parameters(WebCommands.bundle, key, algorithm)
        ) { invocation in
            let path = try invocation[WebCommands.bundle]
            let bundle = try WebCommands.open(path)
            let pem = try WebKey.read(try invocation[key])
            let report = try WebCommands.explaining {
                // What cannot be read by a device shall not be signed.
                try bundle.verify()
                let integrity = try WebDigest.integrity(of: path)
                let signer = try BundleSigner(
                    try invocation[algorithm], key: SigningKey(pemRepresentation: pem))
                return Report(
                    integrity: integrity.description,
                    signature: try signer.sign(integrity: integrity))
            }
            try invocation.console.report(report) { console in
                console.print("Webview-Bundle-Integrity: \(report.integrity)")
                console.print("Webview-Bundle-Signature: \(report.signature)")
            }
        }
    }
}
