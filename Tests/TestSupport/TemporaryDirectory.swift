import Foundation

/// A folder that exists for one test and is removed with it.
public final class TemporaryDirectory: Sendable {
    /// The folder.
    public let url: URL

    /// Makes a new empty folder; `name` shows in its path.
    public init(_ name: String = "test") throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("openpatch-\(name)-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The folder's path.
    public var path: String { url.path }

    /// Where a file of the folder is or would be.
    public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Writes `text` to `name`, making the folders on the way.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> URL {
        let target = file(name)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: target)
        return target
    }
}
