import CommandLineKit
import Foundation

/// `patchcli login`, `whoami` and `token …`: who may do what on a server.
enum TokenCommands {
    /// What a token is good for.
    enum Action: String, CaseIterable, ArgumentValue, Codable {
        case read, release, rollout, admin
    }

    // MARK: login

    private static let tokenFile = Parameter<String?>.option(
        "token-file", placeholder: "file", help: "File with the token; '-' reads standard input.",
        completion: .file([]))

    static var login: Command {
        Command(
            "login", abstract: "Keep a token for this project's app, after asking the server.",
            discussion: """
                Takes the token from --token-file, from OPENPATCH_TOKEN, or from standard input \
                when that is no terminal. A token that the server does not accept is not kept. In \
                CI set OPENPATCH_TOKEN instead: nothing is kept then.
                """,
            examples: [
                ("patchcli login --token-file token.txt", "Keep it beside the keys."),
                ("pass show openpatch | patchcli login --token-file -", "From a password store."),
            ],
            parameters: parameters(tokenFile, Common.project)
        ) { invocation in
            let workspace = try Workspace(invocation)
            let token = try newToken(invocation)
            let identity = try await identify(workspace, token: token, invocation.console)
            guard identity.is_server || identity.app_key == workspace.app else {
                throw CommandFailure(
                    "other_app", "The token is for another app",
                    why: "It is good for \(identity.app_key ?? "none"), this project is "
                        + "\(workspace.app).", fix: "patchcli whoami", exit: .noPermission)
            }
            try workspace.keys.store(token: token, for: workspace.app)
            try invocation.console.report(identity) { console in
                console.print("Kept. " + identity.words)
            }
        }
    }

    private static func newToken(_ invocation: Invocation) throws -> String {
        let data: Data?
        switch try invocation[tokenFile] {
        case "-"?: data = try FileHandle.standardInput.read(upToCount: 4096)
        case let file?: data = FileManager.default.contents(atPath: file)
        case nil: data = invocation.environment["OPENPATCH_TOKEN"].map { Data($0.utf8) }
        }
        let token = String(decoding: (data ?? Data()).prefix(4096), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CommandFailure(
                "token_missing", "There is no token to keep",
                why: "--token-file names no readable file with one, and OPENPATCH_TOKEN is empty.",
                fix: "patchcli login --token-file <file>", exit: .usage)
        }
        return token
    }

    // MARK: whoami

    /// Who a token is, as the server says.
    struct Identity: Codable, Sendable {
        let actor: String
        let name: String
        let is_server: Bool
        let app_key: String?
        let channel: String?
        let actions: [String]
        let login: String?
        let expires: Int?

        var words: String {
            var words = "\(login ?? name) (\(actor)) may \(actions.joined(separator: ", "))"
            if let channel { words += " on the channel \(channel) only" }
            words += expires.map { ", until \(Moment.text($0))." } ?? "."
            return words
        }
    }

    static var whoami: Command {
        Command(
            "whoami", abstract: "Ask the server who the token is and what it may do.",
            parameters: parameters(Common.project)
        ) { invocation in
            let workspace = try Workspace(invocation)
            let access = try ServerAccess(workspace)
            let identity = try await identify(workspace, token: access.token, invocation.console)
            try invocation.console.report(identity) { console in
                console.print(identity.words)
                if let expires = identity.expires {
                    let days = (expires - Int(Date().timeIntervalSince1970)) / 86_400
                    if days < 14 { console.warn("the token ends in \(days) days") }
                }
            }
        }
    }

    private static func identify(
        _ workspace: Workspace, token: String, _ console: Console
    ) async throws -> Identity {
        let access = try ServerAccess(workspace, token: token)
        return try await console.step("Ask \(access.client.base.host ?? "the server")") { _ in
            try await access.client.call("GET", "whoami", token: token)
        }
    }

    // MARK: token

    fileprivate struct Token: Codable, Sendable {
        let id: String
        let name: String
        let actions: [String]
        let channel: String?
        let login: String?
        let created: Int
        let created_by: String
        let expires: Int?
        let revoked: Int?
        let token: String?
    }

    private struct Tokens: Codable, Sendable { let tokens: [Token] }

    private struct NewToken: Encodable, Sendable {
        let name: String
        let actions: [String]
        let channel: String?
        let expires_in: Int?
    }

    static var group: Command {
        Command(
            "token", abstract: "Tokens of the app on its server: scoped, ending, revocable.",
            subcommands: [create, list, revoke])
    }

    private static let name = Parameter<String>.argument(
        "name", help: "What it is called in lists and in the audit log.")
    private static let actions = Parameter<[Action]>.options(
        "allow", placeholder: "action",
        help: "What it is good for, any number of times; read and release when not given.")
    private static let lasting = Parameter<TimeSpan>.option(
        "for", placeholder: "time", default: TimeSpan(seconds: 90 * 86_400),
        help: "How long it is good.",
        check: { $0.seconds >= 60 ? nil : "expected a minute at least" })
    private static let output = Parameter<String?>.option(
        "output", placeholder: "file", help: "Write the token there (mode 0600) and not here.",
        completion: .file([]))

    private static var create: Command {
        Command(
            "create", abstract: "Make a token; it is shown this once.",
            examples: [
                (
                    "patchcli token create ci --allow release --channel beta --for 30d",
                    "For a pipeline that releases to beta."
                ),
                ("patchcli token create night --allow rollout", "For whoever may halt."),
            ],
            parameters: parameters(
                name, actions, lasting, output, Common.channel, Common.project)
        ) { invocation in
            let access = try ServerAccess(Workspace(invocation))
            let wanted = try invocation[actions]
            let new: Token = try await access.call(
                "POST", "tokens",
                body: NewToken(
                    name: try invocation[name],
                    actions: (wanted.isEmpty ? [.read, .release] : wanted).map(\.rawValue),
                    channel: try invocation[Common.channel],
                    expires_in: try invocation[lasting].seconds))
            let file = try invocation[output]
            if let file, let token = new.token { try write(token, to: file) }
            let shown = file == nil ? new : new.hidden
            try invocation.console.report(shown) { console in
                console.print(
                    "\(console.style.bold(new.name)) may \(new.actions.joined(separator: ", "))"
                        + (new.channel.map { " on \($0)" } ?? "")
                        + (new.expires.map { " until \(Moment.text($0))" } ?? "") + ".")
                if let file {
                    console.print("The token lies in \(file).")
                } else {
                    console.print(new.token ?? "")
                    console.note("It is not shown again. In CI it belongs in OPENPATCH_TOKEN.")
                }
            }
        }
    }

    private static func write(_ token: String, to file: String) throws {
        let made = FileManager.default.createFile(
            atPath: file, contents: Data((token + "\n").utf8),
            attributes: [.posixPermissions: 0o600])
        guard made else {
            throw CommandFailure(
                "file_failed", "The token cannot be written to '\(file)'",
                why: "It was made, and is lost: revoke it.", fix: "patchcli token list",
                exit: .cannotCreate)
        }
    }

    private static var list: Command {
        Command(
            "list", abstract: "List the app's tokens, without their secrets.",
            parameters: parameters(Common.project)
        ) { invocation in
            let access = try ServerAccess(Workspace(invocation))
            let found: Tokens = try await access.call("GET", "tokens")
            try invocation.console.report(found) { console in
                var table = Table(
                    "TOKEN", "NAME", "MAY", "CHANNEL", "MADE", "BY", "UNTIL", "")
                let now = Int(Date().timeIntervalSince1970)
                for token in found.tokens {
                    let isOver = token.expires.map { $0 <= now } ?? false
                    table.add([
                        token.id, token.name, token.actions.joined(separator: ", "),
                        token.channel ?? "every", Moment.text(token.created),
                        token.login ?? token.created_by,
                        token.expires.map(Moment.text) ?? "for ever",
                        token.revoked != nil
                            ? console.style.red("revoked")
                            : isOver ? console.style.yellow("over") : "",
                    ])
                }
                table.isEmpty ? console.print("There are no tokens.") : console.print(table)
            }
        }
    }

    private static let id = Parameter<String>.argument(
        "token", help: "Its id, as 'token list' shows it.", check: Common.checkName)

    private struct Revoked: Encodable { let revoked: String }

    private static var revoke: Command {
        Command(
            "revoke", abstract: "Take a token back; it is good for nothing from now on.",
            parameters: parameters(id, Common.project)
        ) { invocation in
            let access = try ServerAccess(Workspace(invocation))
            let id = try invocation[id]
            do {
                try await access.send("DELETE", "tokens/\(id)")
            } catch let refusal as ServerRefusal where refusal.status == 404 {
                throw CommandFailure(
                    "token_unknown", "There is no token '\(id)' that could be revoked",
                    fix: "patchcli token list", exit: .usage)
            }
            try invocation.console.report(Revoked(revoked: id)) { console in
                console.print("Revoked \(id).")
            }
        }
    }
}

extension TokenCommands.Token {
    /// Without its secret.
    fileprivate var hidden: Self {
        .init(
            id: id, name: name, actions: actions, channel: channel, login: login,
            created: created, created_by: created_by, expires: expires, revoked: revoked,
            token: nil)
    }
}
