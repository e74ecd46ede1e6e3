import CommandLineKit
import Foundation

/// The token of a server's administrator: from a file or from `OPENPATCH_ADMIN_TOKEN`, never asked
/// for and never kept.
enum AdminToken {
    /// - Parameters:
    ///   - file: the file that the command line names.
    ///   - what: what was to be done, when there is no token.
    /// - Throws: ``CommandFailure`` `no_admin_token`.
    static func read(
        file: String?, _ invocation: Invocation, what: String, fix: String
    ) throws -> String {
        if let file {
            guard let data = FileManager.default.contents(atPath: file), data.count <= 4096 else {
                throw CommandFailure(
                    "no_admin_token", "The admin token file '\(file)' cannot be read",
                    why: "patchd prints its place when it starts for the first time.",
                    exit: .noInput)
            }
            return String(decoding: data, as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        if let named = invocation.environment["OPENPATCH_ADMIN_TOKEN"], !named.isEmpty {
            return named
        }
        throw CommandFailure(
            "no_admin_token", what, why: "patchd wrote it to 'admin-token' in its data folder.",
            fix: fix, exit: .usage)
    }
}
