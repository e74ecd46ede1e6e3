/// One verb of a tool, or a group of verbs.
public struct Command: Sendable {
    /// The work of a command.
    public typealias Body = @Sendable (Invocation) async throws -> Void

    /// The word that selects it.
    public let name: String
    /// One line: what it does.
    public let abstract: String
    /// Paragraphs below the abstract in its own help.
    public let discussion: String
    /// Examples, each a command line with a note.
    public let examples: [(line: String, note: String)]
    /// What can be given to it.
    public let parameters: [AnyParameter]
    /// The verbs below it.
    public let subcommands: [Command]
    /// Left out of help and completion.
    public let isHidden: Bool
    let body: Body?

    /// A command that does something.
    public init(
        _ name: String, abstract: String, discussion: String = "",
        examples: [(line: String, note: String)] = [], parameters: [AnyParameter] = [],
        hidden: Bool = false, body: @escaping Body
    ) {
        self.name = name
        self.abstract = abstract
        self.discussion = discussion
        self.examples = examples
        self.parameters = parameters
        self.subcommands = []
        self.isHidden = hidden
        self.body = body
    }

    /// A group of commands; on its own it shows its help.
    public init(
        _ name: String, abstract: String, discussion: String = "", subcommands: [Command],
        hidden: Bool = false
    ) {
        self.name = name
        self.abstract = abstract
        self.discussion = discussion
        self.examples = []
        self.parameters = []
        self.subcommands = subcommands
        self.isHidden = hidden
        self.body = nil
    }

    var shownSubcommands: [Command] { subcommands.filter { !$0.isHidden } }

    func subcommand(_ name: String) -> Command? { subcommands.first { $0.name == name } }
}

/// The parameters that every command understands.
enum BuiltIn {
    static let json = Parameter<Bool>.flag(
        "json", help: "Print one JSON document on standard output; never ask.")
    static let help = Parameter<Bool>.flag("help", short: "h", help: "Show help information.")
    static let version = Parameter<Bool>.flag("version", help: "Show the version.")
}
