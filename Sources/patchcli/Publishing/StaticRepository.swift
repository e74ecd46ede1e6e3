import CommandLineKit
import Foundation
import PatchPlatform
import TUF
import TUFRepository

/// A tree in a folder, signed wholly on this machine; `publish --static` copies it to a host.
struct StaticRepository: Repository {
    /// The folder with `metadata/` and `targets/`.
    let folder: URL
    let trustedRoot: [UInt8]?
    var expiryPlan = ExpiryPlan.staticTree
    /// Asked for only when something is published.
    let freshness: @Sendable () throws -> TUFSigner

    var address: String { folder.path }
    var isStatic: Bool { true }

    private var files: LocalFileStore { LocalFileStore(folder: folder) }

    func signingFreshness(by signer: TUFSigner) -> any Repository {
        StaticRepository(folder: folder, trustedRoot: trustedRoot, expiryPlan: expiryPlan) {
            signer
        }
    }

    func load() async throws -> RepositoryEditor {
        try await RepositoryEditor.load(
            trustedRoot: trustedRoot, expiryPlan: expiryPlan
        ) { name in
            try await metadata(name)
        }
    }

    func metadata(_ name: String) async throws -> [UInt8]? {
        try files.read("metadata/\(name)", maximumSize: RepositoryLimits.metadata)
    }

    func read(_ target: TargetFile) async throws -> [UInt8] {
        let path = try target.filePath(consistentSnapshot: true)
        guard
            let bytes = try files.read("targets/\(path)", maximumSize: RepositoryLimits.target)
        else {
            throw TUFError(.downloadFailed, "The tree has no file '\(path)'.")
        }
        try target.verify(bytes)
        return bytes
    }

    func publish(
        _ editor: RepositoryEditor, targets: [NewTarget],
        progress: @escaping @Sendable (Double) -> Void
    ) async throws -> Bool {
        let lock = try TreeLock.take(in: folder)
        defer { lock.release() }
        // Somebody else may have published between load and now.
        let current = try await published()
        if let current, editor.changes.contains(where: { Self.isStale($0, current) }) {
            throw ServerRefusal(
                status: 409, code: "version_conflict",
                message: "The tree changed meanwhile; start again from its current state.")
        }
        var signed = editor
        try signed.signFreshness(signers: [try freshness()], at: .now)
        try TreeWriter(files: files).write(
            targets: targets.map {
                (try $0.file.filePath(consistentSnapshot: true), $0.bytes)
            },
            metadata: signed.changes.map { ($0.name, $0.bytes) })
        progress(1)
        return true
    }

    /// What is published; nil before the first time.
    private func published() async throws -> RepositoryEditor? {
        guard try files.size(of: "metadata/1.root.json") != nil else { return nil }
        return try await load()
    }

    private static func isStale(_ file: MetadataFile, _ current: RepositoryEditor) -> Bool {
        guard let version = file.version else { return false }
        let published: Int?
        switch file.role {
        case "root": published = current.root.signed.version
        case "targets": published = current.targets?.signed.version
        case "snapshot", "timestamp": published = nil
        default: published = current.delegated[file.role]?.signed.version
        }
        guard let published else { return false }
        return version <= published && !(file.role == "root" && version == published)
    }
}

/// Writes a tree so that a crash at any point leaves the previous state served: targets first,
/// then metadata whose names nobody asks for yet, the timestamp last.
struct TreeWriter {
    let files: LocalFileStore

    func write(
        targets: [(place: String, bytes: [UInt8])], metadata: [(name: String, bytes: [UInt8])]
    ) throws {
        for target in targets {
            try files.writeAtomically(target.bytes, to: "targets/\(target.place)")
            try share("targets/\(target.place)")
        }
        for file in metadata.sorted(by: { Self.order($0.name) < Self.order($1.name) }) {
            let name = "metadata/\(file.name)"
            let before = try modified(name)
            try files.writeAtomically(file.bytes, to: name)
            try share(name)
            try distinguish(name, from: before)
        }
    }

    /// Web servers tag a file by its size and the second in which it was changed. A timestamp that
    /// takes the place of one of the same second would answer "not modified" to devices for ever,
    /// and they would not see a halt that followed a release at once.
    private func distinguish(_ name: String, from before: Date?) throws {
        guard let before, let now = try modified(name) else { return }
        let second = before.timeIntervalSince1970.rounded(.down)
        guard now.timeIntervalSince1970 < second + 1 else { return }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: second + 1)],
            ofItemAtPath: try files.path(name))
    }

    private func modified(_ name: String) throws -> Date? {
        let path = try files.path(name)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }

    /// A new root may take away keys that the old targets were signed with, so only the timestamp
    /// comes after it.
    static func order(_ name: String) -> Int {
        if name == "timestamp.json" { return 2 }
        return name.hasSuffix(".root.json") ? 1 : 0
    }

    /// A web server runs as another user.
    private func share(_ name: String) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: try files.path(name))
    }
}

/// Two publishers exclude each other by a file that says who holds the tree and since when.
struct TreeLock {
    private let lock: FileLock

    static func take(in folder: URL) throws -> TreeLock {
        let files = LocalFileStore(folder: folder)
        guard let lock = try files.lock("publish.lock", wait: false) else {
            let owner = (try? files.read("publish.owner", maximumSize: 4096)) ?? nil
            throw CommandFailure(
                "tree_locked", "Somebody is publishing to '\(folder.path)' right now",
                why: owner.map { String(decoding: $0, as: UTF8.self) },
                fix: "try again in a moment", exit: .temporaryFailure)
        }
        let host = ProcessInfo.processInfo.hostName
        let text =
            "process \(ProcessInfo.processInfo.processIdentifier) on \(host) "
            + "since \(MetadataTime.now.iso8601)"
        try files.writeAtomically(Array(text.utf8), to: "publish.owner")
        return TreeLock(lock: lock)
    }

    func release() { lock.release() }
}
