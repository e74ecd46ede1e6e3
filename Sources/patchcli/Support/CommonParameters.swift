import CommandLineKit
import Foundation

/// Parameters that several commands share.
enum Common {
    static let project = Parameter<String>.option(
        "project", placeholder: "folder", default: ".",
        help: "The folder with openpatch.json.", completion: .folder)
    static let channel = Parameter<String?>.option(
        "channel", placeholder: "name", help: "The channel, instead of the one in openpatch.json.",
        check: checkName)
    static let fingerprint = Parameter<String?>.option(
        "fingerprint", placeholder: "digits",
        help: "First digits of a registered build's fingerprint, instead of the latest build.",
        check: checkDigits)
    static let bundleName = Parameter<String?>.option(
        "bundle-name", placeholder: "name",
        help: "A web bundle's releases instead of the modules', as in app of app://app.wvb.",
        check: checkName)
    static let dryRun = Parameter<Bool>.flag(
        "dry-run", help: "Print exactly what would be signed; change and publish nothing.")

    static let yes = Parameter<Bool>.flag(
        "yes", help: "Do not ask, on a terminal either.")

    static let signCommand = Parameter<String?>.option(
        "sign-cmd", placeholder: "command",
        help: "Have this command sign instead of a key file: bytes on its standard input, the "
            + "signature as hex or base64 on its output, the key in OPENPATCH_KEY_ID.",
        environment: "OPENPATCH_SIGN_CMD")
    static let allowRemoved = Parameter<Bool>.flag(
        "allow-removed",
        help: "Go on although routed functions or guest exports of the build are gone.")

    /// An empty text, as from an unset variable in a script, would stand for any build.
    static let checkDigits: @Sendable (String) -> String? = { digits in
        let isFine = !digits.isEmpty && digits.utf8.count <= 64 && digits.allSatisfy(\.isHexDigit)
        return isFine ? nil : "expected 1 to 64 hexadecimal digits"
    }

    /// Names that become part of a path.
    static let checkName: @Sendable (String) -> String? = { name in
        let isFine =
            !name.isEmpty && name.utf8.count <= 100 && name.utf8.first != 0x2E
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                    || (0x61...0x7A).contains($0) || [0x2E, 0x5F, 0x2D].contains($0)
            }
        return isFine ? nil : "expected up to 100 letters, digits, '.', '_' and '-'"
    }
}

extension Invocation {
    /// The project's folder as an absolute location.
    var projectFolder: URL {
        get throws {
            URL(fileURLWithPath: try self[Common.project]).standardizedFileURL
        }
    }
}
