import CommandLineKit
import Foundation

/// `patchcli symbolicate`
enum SymbolicateCommand {
    private static let release = Parameter<String?>.option(
        "release", help: "The release, or the digest of its module; the latest when not given.")
    private static let debug = Parameter<String?>.option(
        "debug", placeholder: "file", help: "The debug file; else it is looked for in the project.",
        completion: .file(["debug"]))
    private static let offsets = Parameter<[String]>.arguments(
        "byte", help: "Bytes of the module, as in 3456 or 0xd80; without any, text is read.")

    /// The most text that is read from standard input.
    static let maximumText = 16 << 20

    static var command: Command {
        Command(
            "symbolicate", abstract: "Turn bytes of a module into functions, files and lines.",
            discussion: """
                A trap is reported as 'function 12 at byte 3456'. Reads such text from standard \
                input and prints it with the function, the file of the project and the line, or \
                does so for bytes that are named.
                """,
            examples: [
                ("patchcli symbolicate --release 1.0.2 3456", "One byte."),
                ("patchcli symbolicate <app.log", "A whole log."),
            ],
            parameters: parameters(Common.project, release, debug, offsets), body: run)
    }

    struct Report: Encodable {
        let module: String
        let release: String?
        let places: [DebugFile.Place]
    }

    @Sendable private static func run(_ invocation: Invocation) async throws {
        let file: DebugFile
        let named = try invocation[release]
        if let path = try invocation[debug] {
            file = try DebugFile(path: path)
        } else {
            file = try DebugFile.find(release: named, in: Workspace(invocation).folder)
        }
        let words = try invocation[offsets]
        let text = words.isEmpty ? try input() : nil
        let frames = try text.map(frames(in:)) ?? words.map { (try offset($0), nil) }
        let places = file.places(of: frames.map { ($0.offset, $0.function) })
        let report = Report(
            module: file.digest, release: file.sources.release, places: places)
        try invocation.console.report(report) { console in
            guard let text else {
                for place in places { console.print(place.description) }
                return
            }
            console.print(annotated(text, places))
        }
    }

    private static func offset(_ word: String) throws -> Int {
        let value = word.hasPrefix("0x") ? Int(word.dropFirst(2), radix: 16) : Int(word)
        guard let value, value >= 0 else {
            throw CommandFailure(
                "byte_malformed", "'\(word)' is no byte of a module",
                why: "A byte is a number such as 3456 or 0xd80.", exit: .usage)
        }
        return value
    }

    private static func input() throws -> String {
        guard isatty(0) == 0 else {
            throw CommandFailure(
                "missing_argument", "There is nothing to look up",
                why: "Name bytes, or give text with 'at byte …' on standard input.",
                fix: "patchcli symbolicate <app.log", exit: .usage)
        }
        let data = try FileHandle.standardInput.read(upToCount: maximumText) ?? Data()
        return String(decoding: data, as: UTF8.self)
            .trimmingCharacters(in: .newlines)
    }

    /// The frames of a text, in its order: `function 12 at byte 3456`.
    static func frames(in text: String) -> [(offset: Int, function: Int?)] {
        let parts = text.components(separatedBy: marker)
        return zip(parts, parts.dropFirst()).compactMap { before, after in
            guard let offset = Int(after.prefix { $0.isASCII && $0.isNumber }) else { return nil }
            return (offset, function(atEndOf: before))
        }
    }

    private static let marker = " at byte "

    private static func function(atEndOf text: String) -> Int? {
        let words = text.suffix(40).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count >= 2, words[words.count - 2] == "function" else { return nil }
        return words.last.flatMap { Int($0) }
    }

    /// The text with each frame in words.
    private static func annotated(_ text: String, _ places: [DebugFile.Place]) -> String {
        var result = ""
        var places = places[...]
        var rest = text[...]
        while let range = rest.range(of: marker) {
            let before = rest[..<range.lowerBound]
            rest = rest[range.upperBound...]
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard Int(digits) != nil, let place = places.popFirst() else {
                result += before + marker
                continue
            }
            rest = rest.dropFirst(digits.count)
            if let number = function(atEndOf: String(before)) {
                result += before.dropLast("function \(number)".count) + place.description
            } else {
                let where_ = place.file.map { " at \($0):\(place.line ?? 0)," } ?? " at"
                result += before + "\(where_) byte \(place.offset)"
            }
        }
        return result + rest
    }
}
