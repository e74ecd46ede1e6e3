import CommandLineKit
import Foundation
import PatchCrypto
import WebViewBundle

/// `patchcli web …`
enum WebCommands {
    static var group: Command {
        Command(
            "web", abstract: "Pack, check and serve web bundles (.wvb).",
            subcommands: [
                WebPackCommand.command,
                WebUnpackCommand.command,
                WebInspectCommand.command,
                WebDiffCommand.command,
                WebVerifyCommand.command,
                WebServeCommand.command,
                WebKeygenCommand.command,
                WebSignCommand.command,
                WebUploadCommand.command,
                WebDeployCommand.command,
                WebServeRemoteCommand.command,
                WebDownloadCommand.command,
                WebBuiltinCommand.command,
            ])
    }

    static let bundle = Parameter<String>.argument(
        "bundle", help: "The archive, a .wvb file.", completion: .file(["wvb"]))

    /// Opens an archive that somebody named.
    static func open(_ path: String) throws -> BundleReader {
        do {
            return try BundleReader(path: path)
        } catch let error as BundleFormatError {
            let isMissing = error.reason == .unreadable
            throw CommandFailure(
                error.code, isMissing ? error.message : "'\(path)' is no valid archive",
                why: isMissing ? nil : (error.path.map { "\($0): " } ?? "") + error.message,
                exit: isMissing ? .noInput : .dataError)
        }
    }

    /// Runs `body`; what the library throws becomes a ``CommandFailure``.
    static func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as BundleFormatError {
            throw CommandFailure(
                error.code, error.path.map { "\($0): \(error.message)" } ?? error.message,
                exit: .dataError)
        } catch let error as WebViewBundle.Error {
            throw CommandFailure(error.code, sentence(of: error), exit: .dataError)
        } catch let error as CryptoError {
            throw CommandFailure(error.code, error.message, exit: .dataError)
        }
    }

    /// The message without the code at its end.
    static func sentence(of error: WebViewBundle.Error) -> String {
        let suffix = " [\(error.code)]"
        return error.message.hasSuffix(suffix)
            ? String(error.message.dropLast(suffix.count)) : error.message
    }

    static let overwrite = Parameter<Bool>.flag(
        "overwrite", help: "Replace the file if it exists.")

    /// Refuses to replace a file that nobody said may be replaced.
    /// - Throws: ``CommandFailure`` `file_exists`.
    static func guardExisting(_ path: String, _ mayReplace: Bool) throws {
        guard mayReplace || !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                "file_exists", "'\(path)' exists already", fix: "add --overwrite or name another",
                exit: .cannotCreate)
        }
    }

    /// Writes a file whole or not at all.
    static func write(_ bytes: [UInt8], to path: String, secret: Bool = false) throws {
        do {
            let url = URL(fileURLWithPath: path)
            let parent = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            if secret {
                // Created with its final mode, so that the key is at no time open to others.
                guard
                    FileManager.default.createFile(
                        atPath: path, contents: Data(bytes),
                        attributes: [.posixPermissions: 0o600])
                else { throw CocoaError(.fileWriteUnknown) }
            } else {
                try Data(bytes).write(to: url, options: .atomic)
            }
        } catch {
            throw CommandFailure(
                "cannot_create", "'\(path)' cannot be written", why: error.localizedDescription,
                exit: .cannotCreate)
        }
    }
}
