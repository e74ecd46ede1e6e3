import CommandLineKit
import Foundation
import PatchCrypto
import WebViewBundle

/// `patchcli web inspect BUNDLE`
enum WebInspectCommand {
    struct Entry: Encodable {
        let path: String
        let contentType: String
        let bytes: Int
        let storedBytes: Int
        let headers: [HeaderField]
    }

    private struct Report: Encodable {
        let file: String
        let formatVersion: Int
        let bundleBytes: Int
        let contentBytes: Int
        let integrity: String
        let entries: [Entry]
    }

    static var command: Command {
        Command(
            "inspect", abstract: "List what an archive holds.",
            parameters: parameters(WebCommands.bundle)
        ) { invocation in
            let path = try invocation[WebCommands.bundle]
            let bundle = try WebCommands.open(path)
            let report = Report(
                file: path, formatVersion: Int(BundleFormat.version),
                bundleBytes: bundle.fileSize, contentBytes: bundle.totalSize,
                integrity: try WebDigest.integrity(of: path).description,
                entries: bundle.entries.map {
                    Entry(
                        path: $0.path, contentType: $0.contentType, bytes: $0.contentLength,
                        storedBytes: $0.storedSize, headers: $0.headers)
                })
            try invocation.console.report(report) { show(report, $0) }
        }
    }

    private static func show(_ report: Report, _ console: Console) {
        var table = Table([
            .init("path"), .init("type"), .init("bytes", .right), .init("stored", .right),
            .init("headers"),
        ])
        for entry in report.entries {
            table.add([
                entry.path, entry.contentType, "\(entry.bytes)", "\(entry.storedBytes)",
                entry.headers.map { "\($0.name): \($0.value)" }.joined(separator: "; "),
            ])
        }
        if !table.isEmpty { console.print(table) }
        console.print()
        console.print(fields: [
            ("entries", "\(report.entries.count)"),
            ("content", Quantity.bytes(report.contentBytes)),
            ("archive", Quantity.bytes(report.bundleBytes)),
            ("integrity", report.integrity),
        ])
    }
}

/// `patchcli web diff OLD NEW`
enum WebDiffCommand {
    private static let old = Parameter<String>.argument(
        "old", help: "The earlier archive.", completion: .file(["wvb"]))
    private static let new = Parameter<String>.argument(
        "new", help: "The later archive.", completion: .file(["wvb"]))

    private struct Report: Encodable {
        var added: [String] = []
        var removed: [String] = []
        var changed: [String] = []
        var same = 0
    }

    static var command: Command {
        Command(
            "diff", abstract: "Say which entries differ between two archives.",
            parameters: parameters(old, new)
        ) { invocation in
            let before = try WebCommands.open(try invocation[old])
            let after = try WebCommands.open(try invocation[new])
            var report = Report()
            try WebCommands.explaining {
                for entry in after.entries {
                    guard let earlier = before.entry(at: entry.path) else {
                        report.added.append(entry.path)
                        continue
                    }
                    let isSame =
                        try earlier.contentType == entry.contentType
                        && earlier.headers == entry.headers
                        && before.contents(of: earlier) == after.contents(of: entry)
                    if isSame { report.same += 1 } else { report.changed.append(entry.path) }
                }
            }
            report.removed = before.entries.map(\.path).filter { after.entry(at: $0) == nil }
            try invocation.console.report(report) { [report] console in
                for (mark, paths) in [
                    ("+", report.added), ("-", report.removed), ("~", report.changed),
                ] {
                    for path in paths { console.print("\(mark) \(path)") }
                }
                console.note("\(Quantity.count(report.same, "entry", "entries")) the same")
            }
        }
    }
}

/// Digests of files that may be large.
enum WebDigest {
    /// The integrity of a file, read piece by piece.
    static func integrity(of path: String, _ algorithm: HashAlgorithm = .sha256) throws -> Integrity
    {
        do {
            return try Integrity(ofFile: path, algorithm)
        } catch {
            throw CommandFailure(
                "no_input", "'\(path)' cannot be read", why: "\(error)", exit: .noInput)
        }
    }
}
