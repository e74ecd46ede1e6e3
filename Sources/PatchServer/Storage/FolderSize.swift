import Foundation

/// What a folder takes on disk.
enum FolderSize {
    /// The bytes of all files below `path`; 0 when there is no such folder.
    static func bytes(below path: String) throws -> Int {
        let url = URL(fileURLWithPath: path)
        let keys: Set<URLResourceKey> = [.fileSizeKey, .isRegularFileKey]
        guard
            let walk = FileManager.default.enumerator(
                at: url, includingPropertiesForKeys: Array(keys))
        else { return 0 }
        var total = 0
        for case let file as URL in walk {
            // A file may go while we look.
            guard let values = try? file.resourceValues(forKeys: keys),
                values.isRegularFile == true
            else { continue }
            total += values.fileSize ?? 0
        }
        return total
    }
}
