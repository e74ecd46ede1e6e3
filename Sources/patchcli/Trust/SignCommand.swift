import CommandLineKit
import Foundation
import PatchCrypto
import TUF
import TUFRepository

/// Has another program sign: a KMS, a hardware token, an agent. The private key never comes near.
///
/// The program is started once for each document by `/bin/sh -c`, with the exact bytes to sign on
/// its standard input and the public key in its environment; it writes the signature as hexadecimal
/// or base64 to its standard output and ends with 0. What it writes is verified before it is used.
struct SignCommand: Sendable {
    /// How long it may take, in seconds: somebody may have to touch a token.
    static let patience = 120.0
    /// The longest answer that is read, in bytes; an RSA signature of 4096 bits has 1024 digits.
    static let maximumAnswer = 16 << 10

    let command: String
    let environment: [String: String]

    /// A signer for a public key that the program holds the private one of.
    func signer(for key: TUFKey) -> TUFSigner {
        TUFSigner(key: key) { try signature(of: $0, by: key) }
    }

    private struct Failed: Error, CustomStringConvertible { let description: String }

    private func signature(of payload: [UInt8], by key: TUFKey) throws -> [UInt8] {
        // Files, not pipes: a program that does not read, or writes too much, blocks nobody.
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("openpatch-sign-\(SecureRandom.bytes(8).hex)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appendingPathComponent("payload")
        let output = folder.appendingPathComponent("signature")
        try Data(payload).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = environment.merging(
            [
                "OPENPATCH_KEY_ID": key.keyID, "OPENPATCH_KEY_TYPE": key.keyType,
                "OPENPATCH_KEY_SCHEME": key.scheme,
                "OPENPATCH_KEY_PUBLIC": key.verifyingKey?.pemRepresentation ?? "",
            ]) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = try FileHandle(forWritingTo: output)
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        if ended.wait(timeout: .now() + Self.patience) == .timedOut {
            process.terminate()
            throw Failed(
                description: "the signing command did not end within \(Int(Self.patience)) seconds")
        }
        guard process.terminationStatus == 0 else {
            throw Failed(
                description: "the signing command ended with \(process.terminationStatus)")
        }
        let answer = try FileHandle(forReadingFrom: output).read(upToCount: Self.maximumAnswer)
        guard let bytes = Self.bytes(of: answer ?? Data()) else {
            throw Failed(
                description: "the signing command wrote neither hexadecimal nor base64 on its "
                    + "standard output")
        }
        return bytes
    }

    /// Hexadecimal or base64, white space left out. Hexadecimal first: no signature is so short
    /// that its base64 could be read as hexadecimal by chance.
    static func bytes(of answer: Data) -> [UInt8]? {
        let text = String(decoding: answer, as: UTF8.self).filter { !$0.isWhitespace }
        guard !text.isEmpty else { return nil }
        if let bytes = Hex.decode(text.lowercased()) { return bytes }
        return Data(base64Encoded: text).map { [UInt8]($0) }
    }
}
