import Foundation

/// Where reference data given with the project lies: `OPENPATCH_SHARED`, else `../shared` beside
/// the checkout.
public enum SharedData {
    /// The root of the checkout that this test was compiled from.
    public static let checkout = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder of reference data, whether it is there or not.
    public static let root: URL = {
        if let named = ProcessInfo.processInfo.environment["OPENPATCH_SHARED"] {
            return URL(fileURLWithPath: named)
        }
        return checkout.deletingLastPathComponent().appendingPathComponent("shared")
    }()

    /// The file or folder at `path`, or nil when the data is not on this machine.
    public static func find(_ path: String) -> URL? {
        let url = root.appendingPathComponent(path)
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }

    /// Whether a test that needs `path` can run. On CI the data is always there, so that a missing
    /// file fails the test there instead of skipping it.
    public static func isAvailable(_ path: String) -> Bool {
        if ProcessInfo.processInfo.environment["CI"] != nil { return true }
        return find(path) != nil
    }

    /// The file or folder at `path`.
    /// - Throws: ``MissingSharedData`` naming it.
    public static func require(_ path: String) throws -> URL {
        guard let url = find(path) else { throw MissingSharedData(path: path) }
        return url
    }
}

/// Reference data that a test needs is not on this machine.
public struct MissingSharedData: Error, CustomStringConvertible {
    /// What is missing, below the folder of reference data.
    public let path: String
    /// What is missing and how to name its folder.
    public var description: String {
        "shared data '\(path)' is absent; name its folder with OPENPATCH_SHARED"
    }
}
