import CommandLineKit
import Foundation
import PatchCompiler

/// `patchcli uninit`: the project as it was before `init`.
enum UninitCommand {
    static var command: Command {
        Command(
            "uninit", abstract: "Take everything away that init, prepare and register wrote.",
            discussion: """
                Restores the sources, and removes openpatch.json, openpatch.lock.json, .openpatch \
                and what was put into the app's resources. A static tree lies in .openpatch: with \
                it goes the state that releases begin from. Keys stay where they are, and what is \
                published stays published. Asks on a terminal, and wants --yes elsewhere.
                """,
            examples: [("patchcli uninit --dry-run", "What would be removed.")],
            parameters: parameters(Common.project, Common.yes, Common.dryRun), body: run)
    }

    struct Report: Encodable {
        let dry_run: Bool
        let removed: [String]
        let restored: [String]
        /// Where the keys still lie.
        let keys: String?
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        let console = invocation.console
        let isDry = try invocation[Common.dryRun]
        let doomed = try files(of: workspace)
        if !isDry, !(try invocation[Common.yes]) {
            guard console.isInteractive else {
                throw CommandFailure(
                    "missing_option", "'uninit' removes files and wants to be sure",
                    why: "Nobody can be asked here.", fix: "patchcli uninit --yes", exit: .usage)
            }
            try console.confirm(
                "Remove \(Quantity.count(doomed.count, "file or folder", "files and folders")) and "
                    + "restore the sources?")
        }
        var restored: [String] = []
        var generated: [String] = []
        if !isDry {
            for path in try workspace.project.unprepare().changedFiles {
                let file = workspace.folder.appendingPathComponent(path)
                if FileManager.default.fileExists(atPath: file.path) {
                    restored.append(path)
                } else {
                    generated.append(path)
                }
            }
            for path in doomed {
                try FileManager.default.removeItem(
                    at: workspace.folder.appendingPathComponent(path))
            }
        }
        let keys = try workspace.app.isEmpty ? [] : workspace.keys.list(workspace.app)
        let report = Report(
            dry_run: isDry, removed: doomed + generated, restored: restored,
            keys: keys.first.map { ($0.path as NSString).deletingLastPathComponent })
        try console.report(report) { console in
            console.print(isDry ? "Would remove" : "Removed")
            for path in report.removed { console.print("  " + path) }
            if !restored.isEmpty {
                console.print("Restored " + restored.joined(separator: ", ") + ".")
            }
            if let keys = report.keys {
                console.print(
                    "The keys are still in \(keys); devices that trust them are out there.")
            }
        }
    }

    /// What is there of all that the commands write, relative to the project.
    private static func files(of workspace: Workspace) throws -> [String] {
        var paths = [ProjectConfiguration.fileName, "openpatch.lock.json", ".openpatch"]
        if let resources = workspace.configuration.resources {
            paths += [
                AppResources.rootName, AppResources.configurationName, AppResources.baseName,
            ].map { resources + "/" + $0 }
        }
        return paths.filter {
            FileManager.default.fileExists(
                atPath: workspace.folder.appendingPathComponent($0).path)
        }
    }
}
