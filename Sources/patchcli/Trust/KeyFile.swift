import CommandLineKit
import Foundation
import PatchCrypto
import PatchPlatform

/// Keys in files that a command line names.
enum KeyFile {
    /// A private key in PEM.
    /// - Throws: ``CommandFailure``.
    static func privateKey(_ path: String) throws -> SigningKey {
        try read(path) { try SigningKey(pemRepresentation: $0) }
    }

    /// A public key in PEM.
    /// - Throws: ``CommandFailure``.
    static func publicKey(_ path: String) throws -> VerifyingKey {
        try read(path) { try VerifyingKey(pemRepresentation: $0) }
    }

    private static func read<Key>(_ path: String, _ parse: (String) throws -> Key) throws -> Key {
        let file = URL(fileURLWithPath: path)
        let files = LocalFileStore(folder: file.deletingLastPathComponent())
        guard let bytes = try files.read(file.lastPathComponent, maximumSize: 64 << 10) else {
            throw CommandFailure(
                "file_missing", "There is no key file '\(path)'", exit: .noInput)
        }
        do {
            return try parse(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw CommandFailure(
                "key_unreadable", "The key '\(path)' cannot be read", why: Explain.text(error),
                exit: .dataError)
        }
    }
}
