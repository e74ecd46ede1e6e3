import PatchPlatform

/// Finds files that a process which was killed left half made.
public struct Leftovers: Sendable {
    /// The folders of the state that the update core makes files in.
    static let stateFolders = [".", SlotStore.folder, "metadata", DownloadPart.folder, "outbox"]

    private let files: any FileStore
    private let folders: [String]
    private let process: any ProcessIdentity

    /// - Parameters:
    ///   - folders: where in `files` to look; `.` is its root. Folders in them are not entered.
    ///   - process: the process that looks; what it may be writing itself stays.
    public init(
        files: any FileStore, folders: [String], process: any ProcessIdentity = LiveProcess()
    ) {
        self.files = files
        self.folders = folders
        self.process = process
    }

    /// Removes them. A failure only costs disk space.
    public func remove() {
        for folder in folders {
            for file in (try? files.list(folder)) ?? [] where isLeftOver(file) {
                try? files.remove(folder == "." ? file : "\(folder)/\(file)")
            }
        }
    }

    private func isLeftOver(_ file: String) -> Bool {
        guard let pid = Self.maker(of: file) else { return false }
        // This process may be writing it at this moment; what an earlier one with the same id left
        // is written over in time, because the names repeat.
        if pid == process.processIdentifier { return false }
        return !process.isRunning(ProcessMark(kind: .app, pid: pid, start: nil))
    }

    /// The id of the process that a temporary file's name tells; nil when it is no such file.
    static func maker(of file: String) -> Int32? {
        // `<name>.<pid>-<n>.tmp` of ours.
        let parts = file.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 2, parts.last == "tmp" {
            return parts[parts.count - 2].split(separator: "-").first.flatMap { Int32($0) }
        }
        // `.dat.nosync<pid in hex>.<random>` of Foundation.
        let prefix = ".dat.nosync"
        guard file.hasPrefix(prefix) else { return nil }
        return Int32(file.dropFirst(prefix.count).prefix { $0 != "." }, radix: 16)
    }
}
