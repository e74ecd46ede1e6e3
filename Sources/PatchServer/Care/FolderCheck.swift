import Foundation
import PatchCrypto
import PatchPlatform
import TUF
import TUFRepository

/// Whether a server's folder is sound: databases, counts, keys, and every file of every tree.
public struct FolderCheck: Sendable {
    /// What was found.
    public struct Report: Codable, Equatable, Sendable {
        /// One thing that is wrong.
        public struct Problem: Codable, Equatable, Sendable {
            /// Stable snake_case name.
            public let code: String
            /// Where.
            public let place: String
            /// What is wrong there.
            public let message: String
        }
        /// What is wrong; empty when all is well.
        public var problems: [Problem] = []
        /// Apps that were looked at.
        public var apps = 0
        /// Files of trees that were compared with what is signed.
        public var files = 0
        /// Hours of telemetry that were counted anew.
        public var repaired = 0
    }

    private let layout: DataLayout
    private let lock: FileLock
    private var report = Report()

    /// Looks at `folder`, which no server may be serving.
    /// - Throws: ``APIError`` 409 `folder_in_use`.
    private init(folder: String) throws {
        layout = DataLayout(root: folder)
        let files = LocalFileStore(folder: URL(fileURLWithPath: folder))
        guard let lock = try files.lock("lock", wait: false) else {
            throw APIError.conflict(
                "folder_in_use", "A patchd serves '\(folder)'; stop it, or check a backup.")
        }
        self.lock = lock
    }

    /// Brings the databases of a folder to the schema of this patchd, as a start would.
    /// - Throws: ``FolderBackup/Failure`` `no_folder`, ``StartFailure``, ``APIError``.
    public static func migrate(_ folder: String) throws {
        try FolderBackup.requireServer(folder)
        let check = try FolderCheck(folder: folder)
        defer { check.lock.release() }
        _ = try AppStore(layout: check.layout)
        _ = try check.openTelemetry()
    }

    /// Checks a folder.
    /// - Parameter repair: whether to count telemetry anew where its counts are wrong.
    /// - Throws: ``FolderBackup/Failure`` `no_folder`, ``StartFailure``, ``APIError``.
    public static func run(_ folder: String, repair: Bool = false) async throws -> Report {
        try FolderBackup.requireServer(folder)
        var check = try FolderCheck(folder: folder)
        defer { check.lock.release() }
        let apps = try AppStore(layout: check.layout)
        let telemetry = try check.openTelemetry()
        for database in [apps.control.database, telemetry.database] {
            for problem in try database.problems() {
                check.note("database_damaged", database.path, problem)
            }
        }
        let wrong = try telemetry.recount(repair: repair)
        if repair {
            check.report.repaired = wrong
        } else if wrong > 0 {
            check.note(
                "counts_wrong", check.layout.telemetryDatabase,
                "\(wrong) hours differ from their events; run 'patchd check --repair'")
        }
        for app in apps.control.apps { await check.look(at: app, apps) }
        return check.report
    }

    private func openTelemetry() throws -> TelemetryStore {
        try StartFailure.opening(layout.telemetryDatabase) {
            try TelemetryStore(path: layout.telemetryDatabase)
        }
    }

    private mutating func note(_ code: String, _ place: String, _ message: String) {
        report.problems.append(.init(code: code, place: place, message: message))
    }

    private mutating func look(at app: AppRecord, _ apps: AppStore) async {
        report.apps += 1
        let tree = "apps/\(app.appKey)/tree"
        do {
            let key = try apps.freshnessKey(app.appKey)
            _ = try apps.opsKey(app.appKey)
            guard try apps.files.size(of: "\(tree)/metadata/1.root.json") != nil else { return }
            let editor = try await RepositoryEditor.load { name in
                try apps.files.read("\(tree)/metadata/\(name)", maximumSize: 8 << 20)
            }
            if !editor.root.signed[.timestamp].keyIDs.contains(TUFKey(key.publicKey).keyID) {
                note(
                    "freshness_key_missing", app.appKey,
                    "root does not list the server's freshness key")
            }
            for target in editor.listedTargets { try look(at: target, tree, apps) }
        } catch {
            note("tree_damaged", app.appKey, "\(error)")
        }
    }

    private mutating func look(at target: TargetFile, _ tree: String, _ apps: AppStore) throws {
        report.files += 1
        let place = "\(tree)/targets/\(try target.filePath(consistentSnapshot: true))"
        guard let bytes = try apps.files.read(place, maximumSize: target.length) else {
            note("file_missing", place, "a role lists it")
            return
        }
        do {
            try target.verify(bytes)
        } catch {
            note("file_damaged", place, "it is not what was signed")
        }
    }
}
