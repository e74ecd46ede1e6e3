import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a command writes: results on standard output, all else on standard error.
///
/// With `--json` standard output carries exactly one document and nothing else.
public struct Console: Sendable {
    /// Who reads standard output.
    public enum Mode: Equatable, Sendable {
        /// A person.
        case human
        /// A program.
        case json
    }

    /// Who reads standard output.
    public let mode: Mode
    /// Colours for standard output.
    public let style: Style
    /// Colours for standard error.
    public let errorStyle: Style
    /// Columns to fill.
    public let width: Int
    /// Whether a person can be asked: both ends are a terminal, no `CI`, no `--json`.
    public let isInteractive: Bool
    /// Whether a line of standard error may be redrawn.
    let animates: Bool
    let output: @Sendable (String) -> Void
    let errors: @Sendable (String) -> Void
    /// Why results could not be written; nil while all were.
    let outputProblem: @Sendable () -> String?

    /// A console of any two sinks; tests collect what is written.
    public init(
        mode: Mode = .human, coloured: Bool = false, width: Int = 80,
        isInteractive: Bool = false, animates: Bool = false,
        output: @escaping @Sendable (String) -> Void, errors: @escaping @Sendable (String) -> Void
    ) {
        self.mode = mode
        style = Style(isColoured: coloured)
        errorStyle = Style(isColoured: coloured)
        self.width = width
        self.isInteractive = isInteractive
        self.animates = animates
        self.output = output
        self.errors = errors
        outputProblem = { nil }
    }

    /// The console of this process.
    init(mode: Mode, environment: [String: String]) {
        self.mode = mode
        let outIsTerminal = isatty(STDOUT_FILENO) == 1
        let errIsTerminal = isatty(STDERR_FILENO) == 1
        let inIsTerminal = isatty(STDIN_FILENO) == 1
        let isAutomated = environment["CI"].map { !$0.isEmpty && $0 != "false" } ?? false
        style = Style.detect(isTerminal: outIsTerminal, environment: environment)
        errorStyle = Style.detect(isTerminal: errIsTerminal, environment: environment)
        width = Console.terminalWidth(environment)
        isInteractive = mode == .human && outIsTerminal && inIsTerminal && !isAutomated
        animates =
            errIsTerminal && !isAutomated && environment["TERM"] != "dumb" && mode == .human
        let results = DescriptorWriter(STDOUT_FILENO)
        let remarks = DescriptorWriter(STDERR_FILENO)
        output = { results.write($0) }
        errors = { remarks.write($0) }
        outputProblem = { results.problem }
    }

    /// A line of a result for a person. With `--json` it goes to standard error.
    public func print(_ line: String = "") {
        let line = safe(line)
        mode == .human ? output(line + "\n") : errors(line + "\n")
    }

    /// A remark beside the result, on standard error.
    public func note(_ line: String) { errors(safe(line) + "\n") }

    /// Something that went well, on standard error.
    public func done(_ line: String) { errors(errorStyle.green("✓") + " " + safe(line) + "\n") }

    /// Something that wants attention, on standard error.
    public func warn(_ line: String) {
        errors(errorStyle.yellow("warning:") + " " + safe(line) + "\n")
    }

    /// The line without control characters but those of our own colours, if there are any.
    private func safe(_ line: String) -> String {
        ControlCharacters.shown(
            line, keepingStyles: style.isColoured || errorStyle.isColoured)
    }

    /// Asks a person to go on. Where nobody can be asked the answer is yes: whoever wrote the command
    /// into a script has answered.
    /// - Throws: ``SilentExit`` with 1 when the answer is no, or nothing.
    public func confirm(_ question: String) throws {
        guard isInteractive else { return }
        errors(errorStyle.bold(question) + " [y/N] ")
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        guard answer == "y" || answer == "yes" else {
            note("Nothing was changed.")
            throw SilentExit(.failure)
        }
    }

    /// The result of a command: the document with `--json`, else what `human` prints.
    public func report(
        _ document: some Encodable, human: (Console) throws -> Void
    ) throws {
        guard mode == .json else { return try human(self) }
        output(try Console.encode(document) + "\n")
    }

    /// Prints a failure in its three parts; with `--json` as a document on standard output too.
    func fail(_ failure: CommandFailure) {
        if mode == .json, let text = try? Console.encode(FailureDocument(failure)) {
            output(text + "\n")
        }
        // What a server or a file said must not move the cursor or rename the window.
        func shown(_ text: String) -> String { ControlCharacters.shown(text) }
        var text = errorStyle.red("error:") + " " + errorStyle.bold(shown(failure.what))
        if let why = failure.why { text += "\n" + wrapped(shown(why), indent: "  ", width: width) }
        for line in failure.list {
            text += "\n" + wrapped("- " + shown(line), indent: "  ", width: width)
        }
        if let fix = failure.fix {
            text += "\n  " + errorStyle.dim("try:") + " " + errorStyle.cyan(shown(fix))
        }
        errors(text + "\n")
    }

    /// A document as `--json` would print it.
    public static func text(_ document: some Encodable) throws -> String { try encode(document) }

    static func encode(_ document: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let text = String(decoding: try encoder.encode(document), as: UTF8.self)
        return ControlCharacters.shownInJSON(closingEmpty(text))
    }

    /// Foundation spreads empty arrays and objects over three lines.
    private static func closingEmpty(_ text: String) -> String {
        var lines: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            let end = line.drop { $0 == " " }
            if let last = lines.last, let first = end.first,
                last.hasSuffix("[") && first == "]" || last.hasSuffix("{") && first == "}"
            {
                lines[lines.count - 1] = last + end
            } else {
                lines.append(line)
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func terminalWidth(_ environment: [String: String]) -> Int {
        if let named = environment["COLUMNS"].flatMap(Int.init), named > 0 { return named }
        var size = winsize()
        let request = UInt(TIOCGWINSZ)
        if ioctl(STDOUT_FILENO, request, &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        if ioctl(STDERR_FILENO, request, &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return 80
    }
}

/// Breaks `text` at blanks so that no line is longer than `width`, each line after `indent`.
func wrapped(_ text: String, indent: String, width: Int) -> String {
    let room = max(20, min(width, 100) - indent.count)
    var lines: [String] = []
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
        var line = ""
        for word in paragraph.split(separator: " ") {
            if !line.isEmpty, Style.width(of: line) + 1 + Style.width(of: String(word)) > room {
                lines.append(indent + line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line.isEmpty ? "" : indent + line)
    }
    return lines.joined(separator: "\n")
}
