import Foundation
import PatchCompiler

/// The Swift files that a preview shows, and whether they changed.
struct PreviewSource: Sendable {
    /// The folder or the one file that was named.
    let root: URL

    /// The folder that the files lie in.
    var folder: URL { root.pathExtension == "swift" ? root.deletingLastPathComponent() : root }

    /// Bytes that all files together may have.
    static let maximumBytes = 16 << 20

    /// The files, named from the root.
    /// - Throws: ``PreviewFailure``.
    func files() throws -> [GuestSource] {
        let found = Self.swiftFiles(below: root)
        guard !found.isEmpty else {
            throw PreviewFailure(
                "no_sources", "There is no Swift file at \(root.path)",
                fix: "name a folder with views, as in 'patchcli preview Sources/App'")
        }
        var size = 0
        return try found.map { url in
            let data: Data
            do {
                data = try Data(contentsOf: url)
            } catch {
                throw PreviewFailure(
                    "unreadable", "\(url.path) cannot be read: \(error.localizedDescription)",
                    fix: "check its permissions")
            }
            size += data.count
            guard size <= Self.maximumBytes else {
                throw PreviewFailure(
                    "too_large", "The Swift files at \(root.path) have more than 16 MB",
                    fix: "name the folder of the views only")
            }
            return GuestSource(name: name(of: url), text: String(decoding: data, as: UTF8.self))
        }
    }

    private func name(of url: URL) -> String {
        let base = root.path.hasSuffix(".swift") ? root.deletingLastPathComponent() : root
        let path = url.path
        return path.hasPrefix(base.path + "/") ? String(path.dropFirst(base.path.count + 1)) : path
    }

    /// Something that differs after an edit: names, sizes and times of change.
    func fingerprint() -> [String] {
        Self.swiftFiles(below: root).map { url in
            let values = try? url.resourceValues(forKeys: [
                .contentModificationDateKey, .fileSizeKey,
            ])
            let time = values?.contentModificationDate?.timeIntervalSince1970 ?? 0
            return "\(url.path) \(time) \(values?.fileSize ?? 0)"
        }
    }

    private static let skipped: Set<String> = [".build", ".git", "Tests", "Carthage", "Pods"]

    private static func swiftFiles(below root: URL) -> [URL] {
        if root.pathExtension == "swift" {
            return FileManager.default.fileExists(atPath: root.path) ? [root] : []
        }
        guard
            let walk = FileManager.default.enumerator(
                at: root, includingPropertiesForKeys: [.contentModificationDateKey, .fileSizeKey],
                options: [.skipsHiddenFiles])
        else { return [] }
        var files: [URL] = []
        for case let url as URL in walk {
            if skipped.contains(url.lastPathComponent) {
                walk.skipDescendants()
            } else if url.pathExtension == "swift", url.lastPathComponent != "Package.swift" {
                files.append(url)
            }
        }
        return files.sorted { $0.path < $1.path }
    }
}

/// Why a preview cannot be shown.
public struct PreviewFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// A stable name of the fault.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do.
    public let fix: String

    init(_ code: String, _ message: String, fix: String) {
        self.code = code
        self.message = message
        self.fix = fix
    }

    /// The sentence for people.
    public var description: String { "\(message) (\(code)); \(fix)" }
}
