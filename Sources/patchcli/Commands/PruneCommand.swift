import CommandLineKit
import Foundation
import PatchPlatform
import TUF

/// `patchcli prune`: files of a static tree that nobody is led to any more.
enum PruneCommand {
    private static let folder = Parameter<String?>.option(
        "static", placeholder: "folder",
        help: "Prune the copy there as well, as 'publish --static' made it.", completion: .folder)

    struct Report: Encodable {
        struct Tree: Encodable {
            let folder: String
            let files: [String]
            let bytes: Int
        }
        let dry_run: Bool
        let trees: [Tree]
    }

    static var command: Command {
        Command(
            "prune", abstract: "Remove files of the static tree that no metadata leads to.",
            discussion: """
                Kept are every root, the metadata that is published, older metadata as long as a \
                timestamp that names it may still be in use, and every file that any of these \
                lists. A server prunes its own tree.
                """,
            examples: [("patchcli prune --dry-run", "What would be removed.")],
            parameters: parameters(folder, Common.project, Common.dryRun), body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        guard workspace.isStatic else {
            throw CommandFailure(
                "not_static", "The tree of this project is its server's to prune",
                fix: "patchcli list", exit: .usage)
        }
        let isDry = try invocation[Common.dryRun]
        var folders = [workspace.treeFolder]
        if let copy = try invocation[folder] {
            folders.append(
                URL(fileURLWithPath: copy).appendingPathComponent("apps/\(workspace.app)"))
        }
        let life = Double(workspace.expiryPlan.freshnessDays) * 86_400
        var trees: [Report.Tree] = []
        for folder in folders {
            let tree = StaticTreeFiles(folder: folder)
            let lock = isDry ? nil : try TreeLock.take(in: folder)
            defer { lock?.release() }
            let doomed = try tree.unreferenced(keepingFor: life, now: Date())
            if !isDry { try tree.remove(doomed.map(\.path)) }
            trees.append(
                .init(
                    folder: folder.path, files: doomed.map(\.path),
                    bytes: doomed.reduce(0) { $0 + $1.size }))
        }
        let report = Report(dry_run: isDry, trees: trees)
        try invocation.console.report(report) { console in
            for tree in report.trees {
                console.print(
                    (isDry ? "Would remove " : "Removed ")
                        + console.style.bold(Quantity.count(tree.files.count, "file")) + ", "
                        + Quantity.bytes(tree.bytes) + ", of \(tree.folder)")
                if isDry { for file in tree.files { console.print("  " + file) } }
            }
        }
    }
}

/// The files of a published tree, and which of them are of use.
struct StaticTreeFiles {
    struct File: Equatable {
        let path: String
        let size: Int
        let modified: Date
    }

    let folder: URL

    /// What neither the published metadata nor metadata that was published lately leads to.
    /// - Parameter life: seconds for which a device may still go by older metadata.
    /// - Throws: `TUFError` when metadata that must be kept cannot be read: nothing is removed then.
    func unreferenced(keepingFor life: Double, now: Date) throws -> [File] {
        let metadata = try files(below: "metadata")
        guard let timestamp = metadata.first(where: { $0.path == "metadata/timestamp.json" }) else {
            throw CommandFailure(
                "tree_missing", "There is no published tree in '\(folder.path)'",
                fix: "patchcli publish --static <folder>", exit: .noInput)
        }
        let current = try published(timestamp)
        var kept: Set<String> = []
        var targets: Set<String> = []
        for file in metadata {
            let name = String(file.path.dropFirst("metadata/".count))
            let isYoung = now.timeIntervalSince(file.modified) < life
            guard
                name == "timestamp.json" || name.hasSuffix(".root.json") || isYoung
                    || current.contains(name)
            else { continue }
            kept.insert(file.path)
            targets.formUnion(try listed(name))
        }
        let all = metadata + (try files(below: "targets"))
        return all.filter { !kept.contains($0.path) && !targets.contains($0.path) }
    }

    func remove(_ paths: [String]) throws {
        for path in paths {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(path))
        }
    }

    /// The names of the metadata that the timestamp leads to.
    private func published(_ timestamp: File) throws -> Set<String> {
        let stamp = try SignedMetadata<Timestamp>(parsing: try read(timestamp.path)).signed
        let snapshotName = MetadataFileName.of(role: "snapshot", version: stamp.snapshot.version)
        let snapshot = try SignedMetadata<Snapshot>(
            parsing: try read("metadata/\(snapshotName)")
        ).signed
        var names: Set<String> = [snapshotName]
        for (file, entry) in snapshot.meta {
            let role = String(file.dropLast(".json".count))
            names.insert(MetadataFileName.of(role: role, version: entry.version))
        }
        return names
    }

    /// The places of the targets that a metadata file lists.
    private func listed(_ name: String) throws -> [String] {
        let isTargets =
            name.hasSuffix(".json") && !name.hasSuffix("snapshot.json")
            && !name.hasSuffix(".root.json") && name != "timestamp.json"
        guard isTargets else { return [] }
        let role = try SignedMetadata<Targets>(parsing: try read("metadata/\(name)")).signed
        return try role.targets.values.map {
            "targets/" + (try $0.filePath(consistentSnapshot: true))
        }
    }

    private func read(_ path: String) throws -> [UInt8] {
        guard
            let data = FileManager.default.contents(
                atPath: folder.appendingPathComponent(path).path)
        else {
            throw CommandFailure(
                "tree_incomplete", "'\(path)' is missing in '\(folder.path)'",
                why: "Published metadata leads to it.", fix: "patchcli publish --static <folder>",
                exit: .dataError)
        }
        return [UInt8](data)
    }

    private func files(below name: String) throws -> [File] {
        let base = folder.appendingPathComponent(name)
        let keys: [URLResourceKey] = [
            .isRegularFileKey, .fileSizeKey, .contentModificationDateKey,
        ]
        guard
            let found = FileManager.default.enumerator(
                at: base, includingPropertiesForKeys: keys)
        else { return [] }
        var files: [File] = []
        for case let url as URL in found {
            let values = try url.resourceValues(forKeys: Set(keys))
            guard values.isRegularFile == true else { continue }
            let path = url.standardizedFileURL.path.dropFirst(
                folder.standardizedFileURL.path.count + 1)
            files.append(
                File(
                    path: String(path), size: values.fileSize ?? 0,
                    modified: values.contentModificationDate ?? .distantPast))
        }
        return files.sorted { $0.path < $1.path }
    }
}
