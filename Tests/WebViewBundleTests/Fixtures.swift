import Foundation
import TestSupport
import WebViewBundle

/// The reference archives given with the project.
enum Reference {
    static let isAvailable = SharedData.isAvailable("wvb")

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: SharedData.require("wvb/" + path)))
    }

    static func path(_ path: String) throws -> String {
        try SharedData.require("wvb/" + path).path
    }

    /// One line of a specification: what an entry holds.
    struct SpecifiedEntry {
        let path: String
        let contentType: String
        let contents: [UInt8]
        let headers: [HeaderField]
    }

    static func specification(_ name: String) throws -> [SpecifiedEntry] {
        let text = String(decoding: try bytes("spec/\(name).tsv"), as: UTF8.self)
        return try text.split(separator: "\n").map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map(String.init)
            return SpecifiedEntry(
                path: fields[0], contentType: fields[1], contents: try bytes(fields[2]),
                headers: fields.dropFirst(3).map { field in
                    let parts = field.split(
                        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    return HeaderField(String(parts[0]), String(parts[1]))
                })
        }
    }

    static func archive(_ entries: [SpecifiedEntry]) throws -> [UInt8] {
        var builder = BundleBuilder()
        for entry in entries {
            try builder.insertEntry(
                entry.path, data: entry.contents, contentType: entry.contentType,
                headers: entry.headers)
        }
        return try builder.build()
    }
}

/// What an archive says, for comparing two of them whatever their bytes.
struct Listing: Equatable {
    var entries: [String: [String]] = [:]

    init(_ reader: BundleReader) throws {
        for entry in reader.entries {
            let contents = try reader.contents(of: entry)
            entries[entry.path] =
                [entry.contentType, Data(contents).base64EncodedString()]
                + entry.headers.map { "\($0.name)=\($0.value)" }
        }
    }
}

/// A small site as an archive, for tests that serve it.
func makeBundle(_ files: [String: String], headers: [String: [HeaderField]] = [:]) throws
    -> [UInt8]
{
    var builder = BundleBuilder()
    for (path, text) in files {
        try builder.insertEntry(path, data: Array(text.utf8), headers: headers[path] ?? [])
    }
    return try builder.build()
}

extension BundleFormatError.Code {
    /// The code with which `body` refuses, or nil when it does not.
    static func thrown(by body: () throws -> Void) -> BundleFormatError.Code? {
        do {
            try body()
            return nil
        } catch let error as BundleFormatError {
            return error.reason
        } catch {
            return nil
        }
    }
}

/// Opens an archive and reads all of it.
func readWhole(_ bytes: [UInt8], limits: BundleLimits = .standard) throws {
    try BundleReader(bytes: bytes, limits: limits).verify()
}
