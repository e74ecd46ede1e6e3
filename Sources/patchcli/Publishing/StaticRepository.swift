import CommandLineKit
import Foundation
import PatchCrypto
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
        var last: String?
        let parts = folder.pathComponents.suffix(2).joined(separator: "/")
        let tree = parts == ".openpatch/tree" ? parts : "'\(folder.path)'"
        return try await Explain.loading(fix: "git checkout -- \(tree)", document: { last }) {
            try await RepositoryEditor.load(
                trustedRoot: trustedRoot, expiryPlan: expiryPlan
            ) { name in
                let bytes = try await metadata(name)
                last = "\(folder.path)/metadata/\(name)"
                return bytes
            }
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
        let lock = try TreeLock.take(
            on: folder,
            noting: folder.deletingLastPathComponent().appendingPathComponent("out"))
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

/// Two publishers exclude each other by a lock on the tree's folder itself: what lies in it goes to
/// a public host and into version control. Who holds it and since when is noted beside the tree.
struct TreeLock {
    private let descriptor: Int32
    private let notes: LocalFileStore
    private let owner: String

    /// Takes the lock of `folder`, which is made when missing.
    /// - Parameter scratch: the folder for the note; nothing in it is published.
    /// - Throws: ``CommandFailure`` `tree_locked`, exit 75; ``PatchPlatform/FileError``.
    static func take(on folder: URL, noting scratch: URL) throws -> TreeLock {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw FileError(.readOnly, name: folder.path, systemError: EACCES)
        }
        let path = folder.resolvingSymlinksInPath().path
        let notes = LocalFileStore(folder: scratch)
        let owner = "publish-\(SHA256.hash(Array(path.utf8)).hex.prefix(16)).owner"
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw FileError(.unreadable, name: path, systemError: errno)
        }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let problem = errno
            if problem == EINTR { continue }
            close(descriptor)
            guard problem == EWOULDBLOCK else {
                throw FileError(.failed, name: path, systemError: problem)
            }
            let text = (try? notes.read(owner, maximumSize: 4096)) ?? nil
            throw CommandFailure(
                "tree_locked", "Somebody is publishing to '\(folder.path)' right now",
                why: text.map { String(decoding: $0, as: UTF8.self) },
                fix: "try again in a moment", exit: .temporaryFailure)
        }
        let lock = TreeLock(descriptor: descriptor, notes: notes, owner: owner)
        do {
            try lock.begin(path)
        } catch {
            lock.release()
            throw error
        }
        return lock
    }

    private func begin(_ path: String) throws {
        let host = ProcessInfo.processInfo.hostName
        let text =
            "process \(ProcessInfo.processInfo.processIdentifier) on \(host) "
            + "since \(MetadataTime.now.iso8601)"
        try notes.writeAtomically(Array(text.utf8), to: owner)
        // Earlier versions kept both in the tree.
        for name in ["publish.lock", "publish.owner"] {
            let left = "\(path)/\(name)"
            if FileManager.default.fileExists(atPath: left) {
                try FileManager.default.removeItem(atPath: left)
            }
        }
    }

    /// Gives the lock back.
    func release() {
        // The note is for people only; the next one to take the lock replaces it.
        try? notes.remove(owner)
        // A process that is being started may hold a copy of the descriptor for a moment.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
