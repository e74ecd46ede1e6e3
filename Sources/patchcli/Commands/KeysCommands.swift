import CommandLineKit
import Foundation

/// `patchcli keys …`
enum KeysCommands {
    private static let role = Parameter<KeyStore.Role>.argument(
        "role", help: "What the key is for.")

    static var group: Command {
        Command(
            "keys", abstract: "The signing keys of the app.",
            subcommands: [
                generate, list, KeyVerification.command, KeyRotation.renew, KeyRotation.rotate,
                KeyRotation.revoke,
                KeyBackup.command,
            ])
    }

    struct Report: Encodable {
        struct Key: Encodable {
            let role: String
            let kind: String
            let key_id: String
            let path: String
            let mode: String
        }
        let app_key: String
        let keys: [Key]
    }

    private static var generate: Command {
        Command(
            "generate", abstract: "Make the key of a role, if there is none.",
            discussion: """
                Keys are Ed25519, in PKCS#8 PEM files that only this user can read. 'init' makes \
                those it needs; this is for a machine of its own. A key counts once root lists it.
                """,
            parameters: parameters(Common.project, role)
        ) { invocation in
            let workspace = try Workspace(invocation)
            try requireApp(workspace)
            let made = try workspace.keys.obtain(workspace.app, try invocation[role])
            if !made.isNew {
                invocation.console.note("The key was there already; nothing was changed.")
            }
            try show([made.entry], workspace, invocation.console)
        }
    }

    private static var list: Command {
        Command(
            "list", abstract: "Show which keys are on this machine.",
            parameters: parameters(Common.project)
        ) { invocation in
            let workspace = try Workspace(invocation)
            try requireApp(workspace)
            try show(try workspace.keys.list(workspace.app), workspace, invocation.console)
        }
    }

    private static func requireApp(_ workspace: Workspace) throws {
        guard workspace.app.isEmpty else { return }
        throw CommandFailure(
            "not_initialised", "This project has no app yet", fix: "patchcli init",
            exit: .configuration)
    }

    private static func show(
        _ entries: [KeyStore.Entry], _ workspace: Workspace, _ console: Console
    ) throws {
        let report = Report(
            app_key: workspace.app,
            keys: entries.map {
                .init(
                    role: $0.role.rawValue, kind: $0.key.kind.rawValue, key_id: $0.tufKey.keyID,
                    path: $0.path, mode: mode(of: $0.path))
            })
        try console.report(report) { console in
            if report.keys.isEmpty {
                console.print("There are no keys of \(report.app_key) on this machine.")
            }
            var table = Table("ROLE", "KIND", "ID", "MODE", "FILE")
            for key in report.keys {
                let isPrivate = key.mode == "600"
                table.add([
                    key.role, key.kind, String(key.key_id.prefix(12)),
                    isPrivate ? key.mode : console.style.red(key.mode), key.path,
                ])
            }
            if !table.isEmpty { console.print(table) }
        }
        for key in report.keys where key.mode != "600" {
            console.warn("others can read \(key.path); run: chmod 600 '\(key.path)'")
        }
    }

    private static func mode(of path: String) -> String {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let bits = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
        return String(bits & 0o777, radix: 8)
    }
}
