import Foundation
import TestSupport
import Testing

@testable import WebViewBundle

/// The format against a reader and writer of another origin (Python, `lz4`, `xxhash`).
@Suite("Interoperation of the format")
struct InteroperationTests {
    private static let script = SharedData.checkout
        .appendingPathComponent("Tests/WebViewBundleTests/Python/wvb.py").path

    private typealias Foreign = [String: ForeignEntry]

    private struct ForeignEntry: Decodable, Equatable {
        let contentType: String
        let contents: Data
        let headers: [[String]]

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            contentType = try list.decode(String.self)
            contents = try list.decode(Data.self)
            headers = try list.decode([[String]].self)
        }
    }

    /// Files of many sizes and kinds of content, as compressible as web files and not at all.
    private func files(seed: UInt64) -> [String: [UInt8]] {
        var random = SplitMix(seed: seed)
        var files: [String: [UInt8]] = [:]
        for number in 0..<60 {
            let size = [0, 1, 4, 11, 12, 13, 20, 64, 255, 4_096, 70_000, 200_000][number % 12]
            switch number % 3 {
            case 0:
                files["/r/\(number).bin"] = (0..<size).map { _ in
                    UInt8(truncatingIfNeeded: random.next())
                }
            case 1: files["/z/\(number).txt"] = [UInt8](repeating: 0x61, count: size)
            default:
                var text = ""
                while text.utf8.count < size { text += "<li>\(random.place(40))</li>\n" }
                files["/t/한 \(number).html"] = Array(text.utf8.prefix(size))
            }
        }
        return files
    }

    @Test("an archive that we write is read by the other implementation", arguments: [1, 2])
    func ours(seed: UInt64) throws {
        let folder = try TemporaryDirectory("interop")
        let files = files(seed: seed)
        var builder = BundleBuilder()
        for (path, data) in files {
            try builder.insertEntry(path, data: data, headers: [HeaderField("X-Path", path)])
        }
        let file = folder.file("ours.wvb")
        try Data(builder.build()).write(to: file)
        let result = try ChildProcess.run(Tools.python, [Self.script, "read", file.path])
        try #require(result.status == 0, "\(result.standardError)")
        let read = try JSONDecoder().decode(Foreign.self, from: Data(result.standardOutput.utf8))
        #expect(read.count == files.count)
        for (path, data) in files {
            #expect(read[path].map { [UInt8]($0.contents) } == data, "seed \(seed) \(path)")
            #expect(read[path]?.headers == [["x-path", path]])
        }
    }

    @Test("an archive of the other implementation is read by us, unsorted, with long integers")
    func theirs() throws {
        let folder = try TemporaryDirectory("interop")
        let files = files(seed: 3)
        let listing = files.mapValues { data in
            Listed(type: "text/x", contents: Data(data), headers: [["B", "2"], ["a", "1"]])
        }
        let list = folder.file("list.json")
        try JSONEncoder().encode(listing).write(to: list)
        let file = folder.file("theirs.wvb")
        let result = try ChildProcess.run(
            "bash",
            [
                "-c", "\"$0\" \"$1\" write \"$2\" < \"$3\"", Tools.python, Self.script,
                file.path, list.path,
            ])
        try #require(result.status == 0, "\(result.standardError)")
        let reader = try BundleReader(path: file.path)
        #expect(reader.count == files.count)
        #expect(
            reader.entries.map(\.path)
                == files.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        for (path, data) in files {
            let entry = try #require(reader.entry(at: path))
            #expect(try reader.contents(of: entry) == data)
            #expect(entry.headers == [HeaderField("b", "2"), HeaderField("a", "1")])
        }
    }

    private struct Listed: Encodable {
        let type: String
        let contents: Data
        let headers: [[String]]

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(type)
            try list.encode(contents)
            try list.encode(headers)
        }
    }
}
