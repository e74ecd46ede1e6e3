import CommandLineKit
import Foundation
import PatchCrypto
import PatchPlatform
import TUF

/// `patchcli keys backup`: copies keys to a safe place, and checks that what lies there would do.
enum KeyBackup {
    private static let to = Parameter<String?>.option(
        "to", placeholder: "folder", help: "Copy all keys of the app there, with its root.",
        completion: .folder)
    private static let check = Parameter<String?>.option(
        "check", placeholder: "folder", help: "Check a copy that was made before.",
        completion: .folder)

    static var command: Command {
        Command(
            "backup", abstract: "Copy the keys to a safe place, or check that copy.",
            discussion: """
                The copy is read back and its keys compared with those that the published root \
                lists: a backup that root does not know is worth nothing. Exits with 4 when the \
                copy could not sign a new root. The spare root key is of use only away from this \
                machine; delete it here when the copy is checked.
                """,
            examples: [
                ("patchcli keys backup --to /media/safe", "Copy and check."),
                ("patchcli keys backup --check /media/safe", "Is it still good?"),
            ],
            parameters: parameters(Common.project, to, check), body: run)
    }

    struct Report: Encodable {
        struct Key: Encodable {
            let role: String
            let key_id: String
            let listed: Bool
        }
        let folder: String
        let keys: [Key]
        /// Whether these keys alone could sign the next root.
        let recovers_root: Bool
        let spare_key_here: Bool
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        let folder: String
        switch (try invocation[to], try invocation[check]) {
        case (let place?, nil):
            try copy(workspace, to: URL(fileURLWithPath: place))
            folder = place
        case (nil, let place?): folder = place
        default:
            throw CommandFailure(
                "missing_option", "Say where to copy the keys to, or which copy to check",
                fix: "patchcli keys backup --to <folder>", exit: .usage)
        }
        let publishing = try Publishing(workspace, console: invocation.console)
        let root = try await publishing.current().editor.root.signed
        let report = try inspect(URL(fileURLWithPath: folder), root, workspace)
        try invocation.console.report(report) { console in
            var table = Table("KEY", "ID", "")
            for key in report.keys {
                table.add([
                    key.role, String(key.key_id.prefix(12)),
                    key.listed
                        ? console.style.green("listed") : console.style.red("not in root"),
                ])
            }
            table.isEmpty ? console.print("There is no key in \(folder).") : console.print(table)
            console.print(
                report.recovers_root
                    ? "These keys can sign a new root, whatever else is lost."
                    : console.style.red("These keys cannot sign a new root."))
            if report.spare_key_here {
                console.print(
                    "The spare root key still lies on this machine; delete it when the copy is "
                        + "in its place.")
            }
        }
        if !report.recovers_root { throw SilentExit(.gateFailed) }
    }

    private static func copy(_ workspace: Workspace, to folder: URL) throws {
        let files = LocalFileStore(folder: folder)
        let entries = try workspace.keys.list(workspace.app)
        for entry in entries {
            let name = "\(entry.role.rawValue).pem"
            try files.writeAtomically(Array(entry.key.pemRepresentation.utf8), to: name)
        }
        if let root = FileManager.default.contents(atPath: workspace.rootFile.path) {
            try files.writeAtomically([UInt8](root), to: "root.json")
        }
    }

    private static func inspect(
        _ folder: URL, _ root: Root, _ workspace: Workspace
    ) throws -> Report {
        let listed = Set(root.roles.values.flatMap(\.keyIDs))
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var keys: [Report.Key] = []
        var roots: Set<String> = []
        for name in names.sorted() where name.hasSuffix(".pem") {
            let key = try KeyFile.privateKey(folder.appendingPathComponent(name).path)
            let id = TUFKey(key.publicKey).keyID
            if root[.root].keyIDs.contains(id) { roots.insert(id) }
            keys.append(
                .init(role: String(name.dropLast(4)), key_id: id, listed: listed.contains(id)))
        }
        return Report(
            folder: folder.path, keys: keys,
            recovers_root: roots.count >= root[.root].threshold,
            spare_key_here: try workspace.keys.key(workspace.app, .rootBackup) != nil)
    }
}
