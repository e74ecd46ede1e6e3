import CommandLineKit
import Foundation
import PatchPlatform
import TUF

/// `patchcli publish`
enum PublishCommand {
    private static let folder = Parameter<String>.required(
        "static", placeholder: "folder",
        help: "Copy the tree to this folder, for any web host or CDN.", completion: .folder)
    private static let refresh = Parameter<Bool>.flag(
        "refresh", help: "Sign a new timestamp first; static projects only.")

    static var command: Command {
        Command(
            "publish", abstract: "Copy the published tree to a folder.",
            discussion: """
                Writes apps/<key>/metadata and apps/<key>/targets below the folder: targets first, \
                the timestamp last, so that the folder can be served while it is written. A static \
                project's timestamp is valid for 30 days; run it with --refresh before that, from \
                a timer for example.
                """,
            examples: [
                ("patchcli publish --static ./site", "Lay the tree down."),
                ("patchcli publish --static ./site --refresh", "Renew the timestamp."),
            ],
            parameters: parameters(Common.project, folder, refresh), body: run)
    }

    struct Report: Encodable {
        let folder: String
        let files: Int
        let bytes: Int
        let snapshot_version: Int
        let timestamp_version: Int
        let expires: String
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let workspace = try Workspace(invocation)
        let console = invocation.console
        let publishing = try Publishing(workspace, console: console)
        if try invocation[refresh] {
            guard publishing.repository.isStatic else {
                throw CommandFailure(
                    "not_static", "The server signs freshness of this project itself",
                    why: "It renews the timestamp by itself while it runs.",
                    fix: "patchcli publish --static \(try invocation[folder])", exit: .usage)
            }
            let editor = try await publishing.repository.load()
            _ = try await publishing.publish(editor, targets: [], as: "Sign a new timestamp")
        }
        let target = URL(fileURLWithPath: try invocation[folder])
            .appendingPathComponent("apps/\(workspace.app)")
        let report = try await console.step("Copy the tree") { _ in
            try await copy(
                publishing.repository, to: target, noting: workspace.project.outputFolder)
        }
        try console.report(report) { console in
            console.print("The tree lies in \(console.style.bold(report.folder)).")
            console.print(fields: [
                ("files", "\(report.files), \(Quantity.bytes(report.bytes)) new"),
                ("timestamp", "version \(report.timestamp_version), valid until \(report.expires)"),
            ])
        }
    }

    private static func copy(
        _ repository: any Repository, to folder: URL, noting scratch: URL
    ) async throws -> Report {
        let lock = try TreeLock.take(on: folder, noting: scratch)
        defer { lock.release() }
        let files = LocalFileStore(folder: folder)
        let editor = try await repository.load()
        var metadata: [(name: String, bytes: [UInt8])] = []
        // Every root is kept for ever: apps of any age begin at the one they shipped with.
        for version in 1...max(1, editor.root.signed.version) {
            let name = MetadataFileName.of(role: "root", version: version)
            if let bytes = try await repository.metadata(name) { metadata.append((name, bytes)) }
        }
        guard let targets = editor.targets, let snapshot = editor.snapshot,
            let timestamp = editor.timestamp
        else {
            throw TUFError(.repositoryIncomplete, "Nothing was published yet; release something.")
        }
        func add<Role>(_ role: String, _ document: SignedMetadata<Role>, versioned: Bool = true) {
            let name = MetadataFileName.of(
                role: role, version: versioned ? document.signed.version : nil)
            metadata.append((name, document.encoded()))
        }
        add("targets", targets)
        for (role, document) in editor.delegated { add(role, document) }
        add("snapshot", snapshot)
        add("timestamp", timestamp, versioned: false)
        var placed: [(place: String, bytes: [UInt8])] = []
        for target in editor.listedTargets {
            let place = try target.filePath(consistentSnapshot: true)
            if try files.size(of: "targets/\(place)") == target.length { continue }
            placed.append((place, try await repository.read(target)))
        }
        let wanted = try metadata.filter { file in
            try files.read("metadata/\(file.name)", maximumSize: RepositoryLimits.metadata)
                != file.bytes
        }
        try TreeWriter(files: files).write(targets: placed, metadata: wanted)
        let bytes =
            placed.reduce(0) { $0 + $1.bytes.count } + wanted.reduce(0) { $0 + $1.bytes.count }
        return Report(
            folder: folder.path, files: placed.count + wanted.count, bytes: bytes,
            snapshot_version: snapshot.signed.version,
            timestamp_version: timestamp.signed.version,
            expires: timestamp.signed.expires.iso8601)
    }
}
