import CommandLineKit
import Foundation

/// `patchcli app …`: the apps of a server.
enum AppCommands {
    private static let server = Parameter<String?>.option(
        "server", placeholder: "url", help: "The patchd; the project's own when not given.")
    private static let adminTokenFile = Parameter<String?>.option(
        "admin-token-file", placeholder: "file",
        help: "File with the server's admin token, or the token in OPENPATCH_ADMIN_TOKEN.",
        completion: .file([]))
    private static let name = Parameter<String>.argument("name", help: "The app's name.")
    private static let appID = Parameter<String?>.option(
        "app-id", placeholder: "uuid", help: "Its id; a random one when not given.",
        check: {
            UUID(uuidString: $0) != nil && $0 == $0.lowercased()
                ? nil : "expected a lower-case UUID"
        })

    static var group: Command {
        Command(
            "app", abstract: "The apps of a server.", subcommands: [list, show, create])
    }

    private struct App: Codable, Sendable {
        let app_key: String
        let app_id: String
        let name: String
        let organisation: String?
        let created: String?
        let quota_bytes: Int?
        let token: String?
    }

    private struct Apps: Codable, Sendable { let apps: [App] }

    private static var list: Command {
        Command(
            "list", abstract: "List the apps of a server.",
            parameters: parameters(server, adminTokenFile, Common.project)
        ) { invocation in
            let access = try admin(invocation)
            let found: Apps = try await access.client.call("GET", "apps", token: access.token)
            try invocation.console.report(found) { console in
                var table = Table("APP", "KEY", "ID", "ORGANISATION", "MADE")
                for app in found.apps {
                    table.add([
                        console.style.bold(app.name), app.app_key, app.app_id,
                        app.organisation ?? "-", app.created ?? "-",
                    ])
                }
                table.isEmpty ? console.print("There are no apps.") : console.print(table)
            }
        }
    }

    private static var show: Command {
        Command(
            "show", abstract: "Show this project's app as its server knows it.",
            parameters: parameters(Common.project)
        ) { invocation in
            let access = try ServerAccess(Workspace(invocation))
            let app: App = try await access.call("GET", "")
            try invocation.console.report(app) { console in
                console.print(console.style.bold(app.name))
                console.print(fields: [
                    ("key", app.app_key), ("id", app.app_id),
                    ("organisation", app.organisation ?? "-"),
                    (
                        "quota",
                        app.quota_bytes.map { $0 == 0 ? "none" : Quantity.bytes($0) } ?? "-"
                    ),
                ])
            }
        }
    }

    private struct NewApp: Encodable, Sendable {
        let name: String
        let app_id: String?
    }

    private static var create: Command {
        Command(
            "create", abstract: "Make an app on a server, for a project that is set up elsewhere.",
            discussion: """
                'patchcli init --server' does this for the project at hand. The token is shown this \
                once.
                """,
            parameters: parameters(name, appID, server, adminTokenFile, Common.project)
        ) { invocation in
            let access = try admin(invocation)
            let app: App = try await access.client.call(
                "POST", "apps", token: access.token,
                body: NewApp(name: try invocation[name], app_id: try invocation[appID]))
            try invocation.console.report(app) { console in
                console.print("Made \(console.style.bold(app.name)).")
                console.print(fields: [
                    ("key", app.app_key), ("id", app.app_id), ("token", app.token ?? "-"),
                ])
                console.note("The token is not shown again.")
            }
        }
    }

    private struct Admin {
        let client: ServerClient
        let token: String
    }

    private static func admin(_ invocation: Invocation) throws -> Admin {
        let address: String
        if let named = try invocation[server] {
            address = named
        } else {
            address = try Workspace(invocation).configuration.server ?? ""
        }
        guard let base = ServerClient.apiBase(address) else {
            throw CommandFailure(
                "bad_server", "'\(address)' is no address of a server",
                fix: "patchcli app list --server http://127.0.0.1:8080", exit: .usage)
        }
        return Admin(
            client: ServerClient(base: base),
            token: try AdminToken.read(
                file: try invocation[adminTokenFile], invocation,
                what: "The apps of a server are its administrator's to see",
                fix: "patchcli app list --admin-token-file <data>/admin-token"))
    }
}
