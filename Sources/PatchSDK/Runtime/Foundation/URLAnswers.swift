import Foundation

/// What modules ask about URLs (`format.url`): an array of the kind of question and its arguments.
enum URLAnswers {
    static func answer(
        _ reader: inout MessagePackReader, _ writer: inout MessagePackWriter
    ) throws {
        let count = try reader.arrayHeader()
        switch (try reader.integer(Int.self), count) {
        case (0, 3):
            let text = try reader.string()
            let base = try reader.optional { try $0.url() }
            writer.optional(URL(string: text, relativeTo: base)) { $0.url($1) }
        case (1, 3):
            let path = try reader.string()
            switch try reader.integer(Int.self) {
            case 0: writer.url(URL(fileURLWithPath: path, isDirectory: false))
            case 1: writer.url(URL(fileURLWithPath: path, isDirectory: true))
            default: writer.url(URL(fileURLWithPath: path))
            }
        case (2, 3):
            let url = try reader.url()
            writer.optional(try text(url, part: try reader.integer(Int.self))) { $0.string($1) }
        case (3, 2): writer.array(try reader.url().pathComponents) { $0.string($1) }
        case (4, 2): writer.optional(try reader.url().port) { $0.int(Int64($1)) }
        case (5, 3):
            let url = try reader.url()
            writer.bool(try reader.integer(Int.self) == 0 ? url.hasDirectoryPath : url.isFileURL)
        case (6, 4):
            let url = try reader.url()
            let kind = try reader.integer(Int.self)
            writer.url(try derived(url, kind, try reader.string()))
        default: throw FoundationAnswers.unknown("question about a URL")
        }
    }

    private static func text(_ url: URL, part: Int) throws -> String? {
        switch part {
        case 0: url.absoluteString
        case 1: url.scheme
        case 2: url.host
        case 3: url.user
        case 4: url.password
        case 5: url.path
        case 6: url.query
        case 7: url.fragment
        case 8: url.relativePath
        case 9: url.pathExtension
        case 10: url.lastPathComponent
        case 11: url.description
        default: throw FoundationAnswers.unknown("part of a URL")
        }
    }

    private static func derived(_ url: URL, _ kind: Int, _ text: String) throws -> URL {
        switch kind {
        case 0: url.absoluteURL
        case 1: url.standardized
        case 2: url.deletingLastPathComponent()
        case 3: url.deletingPathExtension()
        case 4: url.appendingPathComponent(text)
        case 5: url.appendingPathComponent(text, isDirectory: true)
        case 6: url.appendingPathComponent(text, isDirectory: false)
        case 7: url.appendingPathExtension(text)
        case 8: url.standardizedFileURL
        default: throw FoundationAnswers.unknown("kind of URL")
        }
    }
}
