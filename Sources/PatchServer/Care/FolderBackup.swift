import Foundation
import PatchCrypto
import PatchPlatform

/// Copies of a server's folder, made while it serves.
///
/// Databases are copied as of one moment. Of a tree the timestamp is copied first: what it names is
/// there already, whatever is published meanwhile.
public struct FolderBackup: Sendable {
    /// Why a backup was not made or not taken.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// Stable snake_case name.
        public let code: String
        /// What happened.
        public let description: String
    }

    /// What a backup consists of: `backup.json`.
    public struct Manifest: Codable, Equatable, Sendable {
        /// One file.
        public struct File: Codable, Equatable, Sendable {
            /// Its path below the backup.
            public let path: String
            /// Its size in bytes.
            public let size: Int
            /// Its digest.
            public let sha256: String
        }
        /// Version of this object's form.
        public var v = 1
        /// When it was made (ISO 8601, UTC).
        public let created: String
        /// All files but this one.
        public let files: [File]
    }

    private static let manifestName = "backup.json"
    private static let manager = FileManager.default
    private static let databases = ["server.sqlite", "telemetry.sqlite"]

    /// Makes a backup of `folder` in the new folder `target`.
    /// - Throws: ``Failure`` and what the system says.
    public static func make(of folder: String, in target: String) throws -> Manifest {
        try requireServer(folder)
        return try replacing(target) { part in
            // Apps are in the database after their keys are on disk, so it is copied first.
            for name in databases where manager.fileExists(atPath: "\(folder)/\(name)") {
                let copy = "\(part)/\(name)"
                _ = try StartFailure.opening("\(folder)/\(name)") {
                    try SQLiteConnection(path: "\(folder)/\(name)", mode: .readOnly)
                        .run("VACUUM INTO ?", copy)
                }
                try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
            }
            try copy("admin-token", from: folder, to: part)
            for app in try apps(folder) {
                try copy("apps/\(app)/tree/metadata/timestamp.json", from: folder, to: part)
                for name in try files(below: "\(folder)/apps/\(app)") where isKept(name) {
                    try copy("apps/\(app)/\(name)", from: folder, to: part)
                }
            }
            let manifest = Manifest(
                created: AppStore.timestamp(Date()),
                files: try files(below: part).sorted().map { try describe($0, in: part) })
            try LocalFileStore(folder: URL(fileURLWithPath: part)).writeAtomically(
                JSONText.encode(manifest), to: manifestName)
            return manifest
        }
    }

    /// A mistyped folder must not become a server of its own.
    /// - Throws: ``Failure`` `no_folder`.
    static func requireServer(_ folder: String) throws {
        guard manager.fileExists(atPath: DataLayout(root: folder).controlDatabase) else {
            throw Failure(code: "no_folder", description: "'\(folder)' is no folder of a patchd.")
        }
    }

    /// Lays a backup out as the new folder `folder`, after every file was compared with the manifest.
    /// - Throws: ``Failure`` and what the system says.
    public static func restore(_ backup: String, as folder: String) throws -> Manifest {
        guard let bytes = manager.contents(atPath: "\(backup)/\(manifestName)"),
            let manifest = try? JSONDecoder().decode(Manifest.self, from: bytes)
        else {
            throw Failure(code: "no_backup", description: "'\(backup)' is no backup of a patchd.")
        }
        return try replacing(folder) { part in
            for file in manifest.files {
                let names = file.path.split(separator: "/", omittingEmptySubsequences: false)
                guard names.allSatisfy(SafeName.isFileName),
                    try describe(file.path, in: backup) == file
                else {
                    throw Failure(
                        code: "backup_damaged",
                        description: "'\(file.path)' is not the file that was backed up.")
                }
                try copy(file.path, from: backup, to: part)
            }
            return manifest
        }
    }

    /// Makes a folder whole or not at all.
    private static func replacing<Result>(
        _ target: String, _ body: (String) throws -> Result
    ) throws -> Result {
        let there = (try? manager.contentsOfDirectory(atPath: target)) ?? []
        guard there.isEmpty else {
            throw Failure(
                code: "folder_in_use", description: "'\(target)' is there already and not empty.")
        }
        let part = target + ".partial"
        if manager.fileExists(atPath: part) { try manager.removeItem(atPath: part) }
        try manager.createDirectory(
            atPath: part, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        do {
            let result = try body(part)
            if manager.fileExists(atPath: target) { try manager.removeItem(atPath: target) }
            try manager.moveItem(atPath: part, toPath: target)
            return result
        } catch {
            try? manager.removeItem(atPath: part)
            throw error
        }
    }

    private static func apps(_ folder: String) throws -> [String] {
        guard manager.fileExists(atPath: "\(folder)/apps") else { return [] }
        return try manager.contentsOfDirectory(atPath: "\(folder)/apps").filter {
            SafeName.isAppKey($0)
        }
    }

    /// What is on its way is not backed up: whoever sent it was not answered yet.
    private static func isKept(_ name: String) -> Bool {
        !["incoming/", "pending/", "uploads/"].contains(where: name.hasPrefix)
            && name != "tree/metadata/timestamp.json" && name != "lock"
    }

    private static func files(below folder: String) throws -> [String] {
        guard let walk = manager.enumerator(atPath: folder) else { return [] }
        var names: [String] = []
        while let name = walk.nextObject() as? String {
            if walk.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
                names.append(name)
            }
        }
        return names
    }

    private static func copy(_ name: String, from: String, to: String) throws {
        guard manager.fileExists(atPath: "\(from)/\(name)") else { return }
        let target = "\(to)/\(name)"
        try manager.createDirectory(
            atPath: (target as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
        try manager.copyItem(atPath: "\(from)/\(name)", toPath: target)
    }

    private static func describe(_ name: String, in folder: String) throws -> Manifest.File {
        let store = LocalFileStore(folder: URL(fileURLWithPath: folder))
        var hash = SHA256.incremental()
        var size = 0
        if let reader = try store.openForReading(name) {
            while true {
                let bytes = try reader.read(upTo: 1 << 20)
                if bytes.isEmpty { break }
                size += bytes.count
                hash.update(bytes)
            }
        }
        return Manifest.File(path: name, size: size, sha256: hash.finalize().hex)
    }
}
