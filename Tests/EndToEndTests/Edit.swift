import Foundation
import TestSupport

/// A change that somebody would make to the shop, as `Tests/Edits` holds them.
struct Edit: Decodable {
    struct Replacement: Decodable {
        var file: String
        var old: String
        var new: String
    }

    var title: String
    var edits: [Replacement]

    /// All of them, in the order of their names.
    static func all() throws -> [Edit] { try all(in: "Tests/Edits") }

    /// Those of the shop's screens.
    static func screens() throws -> [Edit] { try all(in: "Tests/Edits/Screens") }

    private static func all(in path: String) throws -> [Edit] {
        let folder = SharedData.checkout.appendingPathComponent(path)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.sorted().map {
                try JSONDecoder().decode(
                    Edit.self, from: Data(contentsOf: folder.appendingPathComponent($0)))
            }
    }

    /// Makes the change in the app's folder; each text must be there once.
    func apply(in app: URL) throws {
        for edit in edits {
            let url = app.appendingPathComponent(edit.file)
            let parts = try String(contentsOf: url, encoding: .utf8)
                .components(separatedBy: edit.old)
            guard parts.count == 2 else {
                throw NotOnce(title: title, text: edit.old, times: parts.count - 1)
            }
            try parts.joined(separator: edit.new)
                .write(to: url, atomically: true, encoding: .utf8)
        }
    }

    struct NotOnce: Error {
        var title: String
        var text: String
        var times: Int
    }
}
