/// What a shell can offer at a parameter's place.
public enum CompletionKind: Equatable, Sendable {
    /// Nothing useful.
    case none
    /// A file; the extensions narrow it when there are any.
    case file([String])
    /// A folder.
    case folder
    /// One of these words.
    case words([String])
}

/// What the parser, the help text and the completion scripts know of one parameter.
public struct ParameterDeclaration: Sendable {
    /// How a parameter is written.
    public enum Kind: Equatable, Sendable {
        /// `--name`
        case flag
        /// `--name <value>`
        case option
        /// A word at its place.
        case argument
    }

    /// How many words a parameter takes.
    public enum Arity: Equatable, Sendable {
        /// At most one; a second one is an error.
        case one
        /// Any number.
        case many
    }

    /// How it is written.
    public let kind: Kind
    /// Long name without dashes, or the placeholder of an argument.
    public let name: String
    /// One-letter form, if it has one.
    public let short: Character?
    /// What stands between the angle brackets.
    public let placeholder: String
    /// One line for the help text.
    public let help: String
    /// Whether the command refuses to run without it.
    public let isRequired: Bool
    /// How many words it takes.
    public let arity: Arity
    /// The default as it reads in the help text.
    public let defaultText: String?
    /// The words that can stand here when they are few.
    public let choices: [String]
    /// What a shell can offer.
    public let completion: CompletionKind
    /// The environment variable read when the option is absent.
    public let environment: String?
    /// Left out of the help text.
    public let isHidden: Bool
    /// Whether once this argument has begun, everything that follows belongs to it, dashes or not.
    public let takesRemainder: Bool
}

/// A typed parameter of a command: declared once, read back by itself from an ``Invocation``.
public struct Parameter<Value: Sendable>: Sendable {
    /// What the parser and the help text know of it.
    public let declaration: ParameterDeclaration
    let read: @Sendable ([String]) throws -> Value

    /// Forgets the type, for a command's list.
    public var erased: AnyParameter {
        AnyParameter(declaration: declaration, read: { try Box(value: read($0)) })
    }
}

/// A parameter whose type is forgotten, as a command lists it.
public struct AnyParameter: Sendable {
    /// What the parser and the help text know of it.
    public let declaration: ParameterDeclaration
    let read: @Sendable ([String]) throws -> any Sendable
}

/// Turns any parameters into the list that a command wants.
public func parameters<each Value>(_ all: repeat Parameter<each Value>) -> [AnyParameter] {
    var list: [AnyParameter] = []
    repeat list.append((each all).erased)
    return list
}

/// Keeps an optional value apart from an absent one when its type is forgotten.
struct Box<Value: Sendable>: Sendable {
    let value: Value
}
