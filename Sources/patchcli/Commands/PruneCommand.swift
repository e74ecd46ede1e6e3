import CommandLineKit
import Foundation
import PatchPlatform
import PatchServer

/// `patchcli prune`: files of a published tree that nobody is led to any more.
enum PruneCommand {
    private static let folder = Parameter<String?>.option(
        "static", placeholder: "folder",
        help: "Prune the copy there as well, as 'publish --static' made it.", completion: .folder)

    struct Report: Encodable {
        struct Tree: Encodable {
            /// Where it lies: a folder, or the address of a server's app.
            let folder: String
            let count: Int
            let bytes: Int
            /// Paths; a server names the first thousand.
            let files: [String]
        }
        let dry_run: Bool
        let trees: [Tree]
    }

    static var command: Command {
        Command(
            "prune", abstract: "Remove published files that no metadata leads to any more.",
            discussion: """
                Kept are every root, the metadata that is published, older metadata as long as a \
                timestamp that names it may still be in use, and every file that any of these \
                lists. A server is asked to do it; a token with the action 'release' may.
                """,
            examples: [("patchcli prune --dry-run", "What would be removed.")],
            parameters: parameters(folder, Common.project, Common.yes, Common.dryRun), body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        let isDry = try invocation[Common.dryRun]
        let copy = try invocation[folder]
        if !isDry, !(try invocation[Common.yes]) {
            try invocation.console.confirm("Remove what no metadata leads to any more?")
        }
        var trees: [Report.Tree] = []
        if workspace.isStatic {
            trees.append(try prune(workspace.treeFolder, workspace, isDry))
        } else {
            trees.append(try await askServer(workspace, isDry))
        }
        if let copy {
            let folder = URL(fileURLWithPath: copy).appendingPathComponent("apps/\(workspace.app)")
            trees.append(try prune(folder, workspace, isDry))
        }
        let report = Report(dry_run: isDry, trees: trees)
        try invocation.console.report(report) { console in
            for tree in report.trees {
                console.print(
                    (isDry ? "Would remove " : "Removed ")
                        + console.style.bold(Quantity.count(tree.count, "file")) + ", "
                        + Quantity.bytes(tree.bytes) + ", of \(tree.folder)")
                guard isDry else { continue }
                for file in tree.files { console.print("  " + file) }
                if tree.count > tree.files.count {
                    console.print(
                        "  … and \(Quantity.count(tree.count - tree.files.count, "more"))")
                }
            }
        }
    }

    // MARK: On a server

    private struct Request: Encodable, Sendable {
        let dry_run: Bool
    }

    private struct Answer: Decodable {
        let count: Int
        let bytes: Int
        let files: [String]
    }

    private static func askServer(_ workspace: Workspace, _ isDry: Bool) async throws -> Report.Tree
    {
        let access = try ServerAccess(workspace)
        let answer: Answer = try await access.call(
            "POST", "prune", body: Request(dry_run: isDry))
        return .init(
            folder: "\(access.client.base.absoluteString)/apps/\(workspace.app)",
            count: answer.count,
            bytes: answer.bytes, files: answer.files)
    }

    // MARK: In a folder

    private static func prune(
        _ folder: URL, _ workspace: Workspace, _ isDry: Bool
    ) throws -> Report.Tree {
        let tree = TreeRetention(
            folder: folder, timestampDays: workspace.expiryPlan.freshnessDays)
        let lock =
            isDry ? nil : try TreeLock.take(on: folder, noting: workspace.project.outputFolder)
        defer { lock?.release() }
        do {
            let doomed = try tree.unreferenced(now: Date())
            if !isDry { try tree.remove(doomed) }
            return .init(
                folder: folder.path, count: doomed.count, bytes: doomed.reduce(0) { $0 + $1.size },
                files: doomed.map(\.path))
        } catch TreeRetention.Failure.noTree {
            throw CommandFailure(
                "tree_missing", "There is no published tree in '\(folder.path)'",
                fix: "patchcli publish --static <folder>", exit: .noInput)
        } catch TreeRetention.Failure.missing(let path) {
            throw CommandFailure(
                "tree_incomplete", "'\(path)' is missing in '\(folder.path)'",
                why: "Published metadata leads to it.", fix: "patchcli publish --static <folder>",
                exit: .dataError)
        }
    }
}
