import Foundation
import TUF

/// Which files of a published tree are of use, and which nobody is led to any more.
///
/// Kept are every root, the snapshot that the timestamp names, earlier snapshots that were replaced
/// less than a timestamp's life ago, the roles that any of these name, and the targets that any of
/// those roles list (updates.md §2).
public struct TreeRetention {
    /// A file below the tree.
    public struct File: Equatable, Sendable {
        /// Its path below the tree.
        public let path: String
        /// Its size in bytes.
        public let size: Int
        let modified: Date
    }

    /// Why nothing can be said of a tree; nothing is removed then.
    public enum Failure: Error, Equatable {
        /// There is no timestamp.
        case noTree
        /// A file is missing that the published metadata leads to.
        case missing(String)
    }

    private let folder: URL
    /// Seconds for which a client may still go by a timestamp that was replaced.
    private let life: TimeInterval

    /// Looks at the tree in `folder`, which holds `metadata` and `targets`.
    /// - Parameter days: the days that a timestamp is valid for.
    public init(folder: URL, timestampDays days: Int) {
        self.folder = folder.standardizedFileURL
        life = Double(days) * 86_400
    }

    /// The files that nobody is led to, by path. Nobody may publish meanwhile.
    /// - Throws: ``Failure``, `TUFError` when metadata that is in use cannot be read.
    public func unreferenced(now: Date) throws -> [File] {
        let metadata = files(below: "metadata")
        let names = Set(metadata.map(\.path))
        guard names.contains("metadata/timestamp.json") else { throw Failure.noTree }
        let timestamp: Timestamp = try signed("timestamp.json")
        var kept: Set<String> = ["metadata/timestamp.json"]
        var targets: Set<String> = []
        var seen: Set<String> = []
        for version in snapshots(metadata, current: timestamp.snapshot.version, now) {
            let isCurrent = version == timestamp.snapshot.version
            let name = MetadataFileName.of(role: "snapshot", version: version)
            kept.insert("metadata/\(name)")
            let snapshot: Snapshot = try signed(name)
            for (file, entry) in snapshot.meta {
                let role = MetadataFileName.parse(file)?.role ?? file
                let name = MetadataFileName.of(role: role, version: entry.version)
                guard seen.insert(name).inserted else { continue }
                guard isCurrent || names.contains("metadata/\(name)") else { continue }
                kept.insert("metadata/\(name)")
                let listed: Targets = try signed(name)
                for target in listed.targets.values {
                    targets.insert("targets/" + (try target.filePath(consistentSnapshot: true)))
                }
            }
        }
        return (metadata + files(below: "targets")).filter { file in
            !kept.contains(file.path) && !targets.contains(file.path)
                && !file.path.hasSuffix(".root.json")
        }
    }

    /// Removes files of the tree.
    public func remove(_ files: [File]) throws {
        for file in files {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(file.path))
        }
    }

    /// The versions of snapshots that a timestamp in use may name, the current one first: what it
    /// leads to must be there.
    private func snapshots(_ metadata: [File], current: Int, _ now: Date) -> [Int] {
        var dates: [Int: Date] = [:]
        for file in metadata {
            let name = String(file.path.dropFirst("metadata/".count))
            guard let parsed = MetadataFileName.parse(name), parsed.role == "snapshot",
                let version = parsed.version
            else { continue }
            dates[version] = file.modified
        }
        let versions = dates.keys.sorted()
        let young = zip(versions, versions.dropFirst()).compactMap { version, next in
            version != current && now.timeIntervalSince(dates[next] ?? now) < life ? version : nil
        }
        return [current] + young
    }

    private func signed<Role: MetadataRole>(_ name: String) throws -> Role {
        let file = folder.appendingPathComponent("metadata/\(name)")
        guard let data = FileManager.default.contents(atPath: file.path) else {
            throw Failure.missing("metadata/\(name)")
        }
        return try SignedMetadata<Role>(parsing: [UInt8](data)).signed
    }

    private func files(below name: String) -> [File] {
        let base = folder.appendingPathComponent(name)
        guard let found = FileManager.default.enumerator(atPath: base.path) else { return [] }
        var files: [File] = []
        while let path = found.nextObject() as? String {
            let attributes = found.fileAttributes ?? [:]
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            files.append(
                File(
                    path: "\(name)/\(path)", size: (attributes[.size] as? NSNumber)?.intValue ?? 0,
                    modified: attributes[.modificationDate] as? Date ?? .distantFuture))
        }
        return files.sorted { $0.path < $1.path }
    }
}
