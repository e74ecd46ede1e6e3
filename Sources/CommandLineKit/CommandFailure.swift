/// Why a command did not do its work, in three parts: what happened, why, and the one command
/// that helps.
public struct CommandFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Stable snake_case name.
    public var code: String
    /// What happened, in one sentence without a full stop at its end.
    public var what: String
    /// Why, when more is known than `what` says.
    public var why: String?
    /// A command line to run next, or an instruction when no command does it.
    public var fix: String?
    /// Each thing that is at fault, when there may be several.
    public var list: [String] = []
    /// How the process ends.
    public var exit: ExitCode

    /// Makes one from its parts.
    public init(
        _ code: String, _ what: String, why: String? = nil, fix: String? = nil,
        exit: ExitCode = .failure
    ) {
        self.code = code
        self.what = what
        self.why = why
        self.fix = fix
        self.exit = exit
    }

    /// The parts in one line, for logs.
    public var description: String {
        [what, why, fix].compactMap { $0 }.joined(separator: "; ") + " [\(code)]"
    }
}

/// The failure document of `--json`.
struct FailureDocument: Encodable {
    struct Body: Encodable {
        let code: String
        let message: String
        let why: String?
        let list: [String]?
        let run: String?
        let exit: Int32
    }
    let error: Body

    init(_ failure: CommandFailure) {
        error = Body(
            code: failure.code, message: failure.what, why: failure.why,
            list: failure.list.isEmpty ? nil : failure.list, run: failure.fix,
            exit: failure.exit.rawValue)
    }
}
