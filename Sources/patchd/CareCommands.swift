import CommandLineKit
import Foundation
import PatchServer

/// What an operator does with a folder beside serving it.
enum CareCommands {
    static let all = [backup, restore, migrate, check]

    private static let data = Parameter<String>.required(
        "data", placeholder: "folder", help: "The server's folder.", completion: .folder)
    private static let to = Parameter<String>.required(
        "to", placeholder: "folder", help: "The folder to make; it must not be there yet.",
        completion: .folder)
    private static let from = Parameter<String>.required(
        "from", placeholder: "folder", help: "The backup.", completion: .folder)
    private static let repair = Parameter<Bool>.flag(
        "repair", help: "Count telemetry anew where its counts are wrong.")

    private struct Copied: Encodable {
        let folder: String
        let files: Int
        let bytes: Int
    }

    private static func path(_ text: String) -> String { URL(fileURLWithPath: text).path }

    private static var backup: Command {
        Command(
            "backup", abstract: "Copy a server's folder, while it serves.",
            discussion: """
                The copy holds private keys and is readable by its owner only. Uploads on their way \
                are left out.
                """,
            examples: [("patchd backup --data ./patchd-data --to ./backup-1", "Copy it.")],
            parameters: parameters(data, to)
        ) { invocation in
            let target = path(try invocation[to])
            let manifest = try FolderBackup.make(of: path(try invocation[data]), in: target)
            try report(manifest, target, "Backed up", invocation)
        }
    }

    private static var restore: Command {
        Command(
            "restore", abstract: "Make a server's folder from a backup.",
            discussion: "Every file is compared with the backup's list first.",
            examples: [("patchd restore --from ./backup-1 --data ./patchd-data", "Go back to it.")],
            parameters: parameters(from, data)
        ) { invocation in
            let target = path(try invocation[data])
            let manifest = try FolderBackup.restore(path(try invocation[from]), as: target)
            try report(manifest, target, "Restored", invocation)
        }
    }

    private static func report(
        _ manifest: FolderBackup.Manifest, _ folder: String, _ done: String,
        _ invocation: Invocation
    ) throws {
        let copied = Copied(
            folder: folder, files: manifest.files.count,
            bytes: manifest.files.reduce(0) { $0 + $1.size })
        try invocation.console.report(copied) {
            $0.print("\(done) \(copied.files) files, \(copied.bytes) bytes: \(folder)")
        }
    }

    private static var migrate: Command {
        Command(
            "migrate", abstract: "Bring a folder to the form of this patchd.",
            discussion: "A start does the same; this does it without serving.",
            examples: [("patchd migrate --data ./patchd-data", "Migrate it.")],
            parameters: parameters(data)
        ) { invocation in
            let folder = path(try invocation[data])
            try FolderCheck.migrate(folder)
            try invocation.console.report(["folder": folder]) {
                $0.print("'\(folder)' has the form of this patchd.")
            }
        }
    }

    private static var check: Command {
        Command(
            "check", abstract: "Say whether a folder is sound.",
            discussion: """
                Reads both databases, counts telemetry again, and compares every published file with \
                what is signed. Exits with 65 when something is wrong. Stop the server first, or \
                check a backup.
                """,
            examples: [("patchd check --data ./patchd-data", "Check it.")],
            parameters: parameters(data, repair)
        ) { invocation in
            let report = try await FolderCheck.run(
                path(try invocation[data]), repair: try invocation[repair])
            try invocation.console.report(report) { console in
                for problem in report.problems {
                    console.print("\(problem.code)  \(problem.place): \(problem.message)")
                }
                if report.repaired > 0 { console.print("\(report.repaired) hours counted anew") }
                console.print(
                    "\(report.apps) apps, \(report.files) files, \(report.problems.count) problems")
            }
            guard report.problems.isEmpty else { throw SilentExit(.dataError) }
        }
    }
}
