import CommandLineKit
import Foundation

/// An address that apps are shipped with: what is wrong with it shows on devices, too late.
enum ServerAddress {
    /// The address as it was given.
    /// - Throws: ``CommandFailure`` `bad_server` where no device could use it, or none should.
    static func checked(_ text: String?, option: String) throws -> String? {
        guard let text else { return nil }
        guard let problem = problem(of: text) else { return text }
        // What it says may be a secret.
        let shown = text.contains("@") ? "The value of --\(option)" : "'\(text)'"
        throw CommandFailure(
            "bad_server",
            "\(shown) is no address of a \(option == "server" ? "server" : "static host")",
            why: problem,
            fix: option == "server"
                ? "patchcli init --server http://127.0.0.1:8080"
                : "patchcli init --base-url https://cdn.example.com/patches", exit: .usage)
    }

    private static func problem(of text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            let parts = URLComponents(string: text)
        else { return "It cannot be read as an address." }
        guard let scheme = parts.scheme, ["http", "https"].contains(scheme) else {
            return "It must begin with http:// or https://."
        }
        guard parts.user == nil, parts.password == nil else {
            return "It carries a name or password, which everybody who has the app could read."
        }
        guard let host = parts.host, !host.isEmpty else { return "It names no host." }
        guard parts.query == nil, parts.fragment == nil else {
            return "Paths are added to it, so it can have no '?' or '#'."
        }
        guard parts.port.map({ (1...65_535).contains($0) }) ?? true else {
            return "Its port is not between 1 and 65535."
        }
        return nil
    }
}
