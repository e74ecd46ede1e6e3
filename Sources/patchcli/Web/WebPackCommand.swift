import CommandLineKit
import Foundation
import WebViewBundle

/// `patchcli web pack FOLDER`
enum WebPackCommand {
    private static let folder = Parameter<String>.argument(
        "folder", help: "The folder that holds index.html.", completion: .folder)
    private static let output = Parameter<String?>.option(
        "output", short: "o", placeholder: "file",
        help: "Where to write; <folder>.wvb beside the folder when absent.",
        completion: .file(["wvb"]))
    private static let ignore = Parameter<[String]>.options(
        "ignore", placeholder: "pattern", help: "Leave these files out, as in '*.txt' or 'docs/'.")
    private static let headers = Parameter<[String]>.options(
        "header", placeholder: "rule",
        help: "Store a header, as in 'assets/**=Cache-Control: max-age=31536000, immutable'.")
    private static let sourceMaps = Parameter<Bool>.flag(
        "source-maps", help: "Pack source maps too.")
    private static let hidden = Parameter<Bool>.flag(
        "hidden", help: "Pack names that start with a dot too.")

    private struct Report: Encodable {
        let file: String
        let entries: Int
        let contentBytes: Int
        let bundleBytes: Int
        let ignored: [String]
        let integrity: String
    }

    static var command: Command {
        Command(
            "pack", abstract: "Pack a folder into one archive.",
            discussion: """
                Leaves out names that start with a dot (but .well-known), source maps and files \
                that operating systems leave behind. The same files give the same archive, byte \
                for byte, on every machine.
                """,
            examples: [
                ("patchcli web pack dist -o app.wvb", "Pack the folder dist."),
                (
                    "patchcli web pack dist --header '**=Cache-Control: no-cache'",
                    "Store a header with every file."
                ),
            ],
            parameters: parameters(
                folder, output, ignore, headers, sourceMaps, hidden, WebCommands.overwrite),
            body: run)
    }

    @Sendable private static func run(_ invocation: Invocation) throws {
        let source = try invocation[folder]
        let target =
            try invocation[output] ?? URL(fileURLWithPath: source).standardizedFileURL.path + ".wvb"
        try WebCommands.guardExisting(target, try invocation[WebCommands.overwrite])
        var packer = BundlePacker()
        packer.ignored = try invocation[ignore].map(Glob.init)
        packer.includesSourceMaps = try invocation[sourceMaps]
        packer.includesHidden = try invocation[hidden]
        packer.headers = try invocation[headers].map { text in
            guard let rule = BundlePacker.HeaderRule(text) else {
                throw CommandFailure(
                    "bad_header_rule", "'\(text)' is no header rule",
                    why: "A rule is a pattern, '=', and a header.",
                    fix: "--header '**=Cache-Control: no-cache'", exit: .usage)
            }
            return rule
        }
        let result = try WebCommands.explaining { try packer.pack(folder: source) }
        try WebCommands.write(result.bytes, to: target)
        let report = Report(
            file: target, entries: result.paths.count, contentBytes: result.contentSize,
            bundleBytes: result.bytes.count, ignored: result.ignored,
            integrity: Integrity(of: result.bytes).description)
        try invocation.console.report(report) { console in
            console.print(
                "\(report.file): \(Quantity.count(report.entries, "entry", "entries")), "
                    + "\(Quantity.bytes(report.bundleBytes)) for "
                    + "\(Quantity.bytes(report.contentBytes))")
            console.print(report.integrity)
            if !report.ignored.isEmpty {
                console.note("left out: \(report.ignored.joined(separator: ", "))")
            }
            if !result.paths.contains("/index.html") {
                console.warn("there is no index.html at the top, so 'app://name.wvb' shows nothing")
            }
        }
    }
}
