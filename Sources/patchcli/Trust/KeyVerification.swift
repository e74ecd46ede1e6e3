import CommandLineKit
import Foundation
import PatchCrypto
import TUF

/// `patchcli keys verify`: whether the keys on this machine are those that count.
enum KeyVerification {
    struct Report: Encodable {
        struct Key: Encodable {
            let role: String
            let key_id: String
            let path: String
            /// Whether the published root lists it for its role.
            let listed: Bool
            /// Whether what it signs verifies: that the file is whole.
            let signs: Bool
        }
        let root_version: Int
        let keys: [Key]
        let can_release: Bool
        let can_change_root: Bool
    }

    static var command: Command {
        Command(
            "verify", abstract: "Check the keys on this machine against the published root.",
            discussion: """
                Signs something with each key and verifies it, and looks up whether root lists the \
                key for its role. Exits with 4 when a key here is worth nothing, or none can sign a \
                release.
                """,
            parameters: parameters(Common.project), body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        let publishing = try Publishing(workspace, console: invocation.console)
        let editor = try await publishing.repository.load()
        let root = editor.root.signed
        let keys = try workspace.keys.list(workspace.app).map { entry in
            let id = entry.tufKey.keyID
            return Report.Key(
                role: entry.role.rawValue, key_id: id, path: entry.path,
                listed: root[entry.role.topLevel].keyIDs.contains(id), signs: signs(entry))
        }
        func count(_ roles: KeyStore.Role...) -> Int {
            keys.filter { key in
                key.listed && key.signs && roles.contains { $0.rawValue == key.role }
            }.count
        }
        let report = Report(
            root_version: root.version, keys: keys,
            can_release: count(.targets) >= root[.targets].threshold,
            can_change_root: count(.root, .rootBackup) >= root[.root].threshold)
        try invocation.console.report(report) { show(report, on: $0) }
        if !report.can_release || keys.contains(where: { !$0.listed || !$0.signs }) {
            throw SilentExit(.gateFailed)
        }
    }

    private static func signs(_ entry: KeyStore.Entry) -> Bool {
        let words = Array("patchcli keys verify".utf8)
        guard let signature = try? entry.key.sign(words) else { return false }
        return entry.key.publicKey.isValidSignature(signature, for: words)
    }

    private static func show(_ report: Report, on console: Console) {
        let style = console.style
        var table = Table("KEY", "ID", "", "FILE")
        for key in report.keys {
            let state =
                !key.signs
                ? style.red("cannot sign")
                : key.listed
                    ? style.green("counts")
                    : style.red("not in root \(report.root_version)")
            table.add([key.role, String(key.key_id.prefix(12)), state, key.path])
        }
        table.isEmpty ? console.print("There are no keys on this machine.") : console.print(table)
        console.print(
            report.can_release
                ? "They can sign a release" + (report.can_change_root ? " and a new root." : ".")
                : style.red("They cannot sign a release."))
    }
}

extension KeyStore.Role {
    /// The role of root that a key of the store is for.
    fileprivate var topLevel: TopLevelRole {
        switch self {
        case .root, .rootBackup: .root
        case .targets: .targets
        case .freshness: .timestamp
        }
    }
}
