/// What a command line asks for.
enum ParsedLine {
    case run(Command, path: [String], values: ParsedValues)
    case help(Command, path: [String])
    case version
}

/// The words given for each parameter, read into its type.
struct ParsedValues: Sendable {
    var values: [String: any Sendable] = [:]
    var given: Set<String> = []
    var wantsJSON = false
}

/// Reads a command line against the declarations; no side effects.
struct Parser {
    let root: Command
    let environment: [String: String]

    /// A failed parse, with the command whose usage should be shown.
    struct Failure: Error {
        let error: ParseError
        let command: Command
        let path: [String]
    }

    func parse(_ words: [String]) throws -> ParsedLine {
        var rest = words[...]
        var command = root
        var path = [root.name]
        var leading: [String] = []
        while !command.subcommands.isEmpty, let word = rest.first {
            rest.removeFirst()
            if word == "--version" { return .version }
            if word == "-h" || word == "--help" { return .help(command, path: path) }
            if word == "--json" {
                leading.append(word)
                continue
            }
            if word == "help", command.subcommand("help") == nil {
                return try help(for: rest.map { $0 }, from: command, path: path)
            }
            guard let next = command.subcommand(word) else {
                let known = command.shownSubcommands.map(\.name)
                let error: ParseError =
                    word.hasPrefix("-")
                    ? .unknownOption(word, known: ["--help", "--version", "--json"])
                    : .unknownCommand(word, known: known)
                throw Failure(error: error, command: command, path: path)
            }
            command = next
            path.append(word)
        }
        guard command.body != nil else {
            guard leading.isEmpty else {
                // Help is no document; who asked for one is a program.
                throw Failure(
                    error: .missingSubcommand(of: path, command.shownSubcommands.map(\.name)),
                    command: command, path: path)
            }
            return .help(command, path: path)
        }
        do {
            return try parse(leading + rest, for: command, path: path)
        } catch let error as ParseError {
            throw Failure(error: error, command: command, path: path)
        }
    }

    private func help(
        for words: [String], from command: Command, path: [String]
    ) throws -> ParsedLine {
        var command = command
        var path = path
        for word in words where !word.hasPrefix("-") {
            guard let next = command.subcommand(word) else {
                throw Failure(
                    error: .unknownCommand(word, known: command.shownSubcommands.map(\.name)),
                    command: command, path: path)
            }
            command = next
            path.append(word)
        }
        return .help(command, path: path)
    }

    private func parse(
        _ words: [String], for command: Command, path: [String]
    ) throws -> ParsedLine {
        var reader = WordReader(command: command, words: words)
        switch try reader.readAll() {
        case .help: return .help(command, path: path)
        case .version: return .version
        case .values: break
        }
        var parsed = ParsedValues()
        for parameter in command.parameters {
            let declaration = parameter.declaration
            var given = reader.collected[declaration.name] ?? []
            if !given.isEmpty { parsed.given.insert(declaration.name) }
            if given.isEmpty, let name = declaration.environment, let value = environment[name],
                !value.isEmpty
            {
                given = [value]
            }
            parsed.values[declaration.name] = try parameter.read(given)
        }
        parsed.wantsJSON = reader.collected[BuiltIn.json.declaration.name] != nil
        return .run(command, path: path, values: parsed)
    }
}

/// Sorts the words after the command's name to its parameters.
private struct WordReader {
    enum Outcome { case values, help, version }

    let words: [String]
    let named: [ParameterDeclaration]
    let places: [ParameterDeclaration]
    var collected: [String: [String]] = [:]
    private var position = 0
    private var place = 0

    init(command: Command, words: [String]) {
        self.words = words
        let own = command.parameters.map(\.declaration)
        let builtIn = [BuiltIn.json, BuiltIn.help, BuiltIn.version].map(\.declaration)
        let names = Set(own.map(\.name))
        named =
            own.filter { $0.kind != .argument } + builtIn.filter { !names.contains($0.name) }
        places = own.filter { $0.kind == .argument }
    }

    mutating func readAll() throws -> Outcome {
        var onlyPlaces = false
        while position < words.count {
            let word = words[position]
            position += 1
            if onlyPlaces || !isOptionLike(word) || remainderHasBegun {
                try takePlace(word)
            } else if word == "--" {
                onlyPlaces = true
            } else if word.hasPrefix("--") {
                try takeLong(word)
            } else {
                try takeShort(word)
            }
            if collected["help"] != nil, isBuiltIn("help") { return .help }
            if collected["version"] != nil, isBuiltIn("version") { return .version }
        }
        return .values
    }

    private func isBuiltIn(_ name: String) -> Bool {
        named.first { $0.name == name }?.kind == .flag
    }

    private var remainderHasBegun: Bool {
        guard place < places.count else { return false }
        let declaration = places[place]
        return declaration.takesRemainder && collected[declaration.name] != nil
    }

    /// Negative numbers are values, so that `--invoke add -5 3` reads as it looks.
    private func isOptionLike(_ word: String) -> Bool {
        guard word.hasPrefix("-"), word.count > 1 else { return false }
        guard let second = word.dropFirst().first else { return false }
        if second.isNumber || second == "." { return false }
        return word != "-inf" && word != "-nan"
    }

    private mutating func takePlace(_ word: String) throws {
        guard place < places.count else {
            throw ParseError("unexpected_argument", "Unexpected argument '\(word)'")
        }
        let declaration = places[place]
        collected[declaration.name, default: []].append(word)
        if declaration.arity == .one { place += 1 }
    }

    private mutating func takeLong(_ word: String) throws {
        let body = word.dropFirst(2)
        let split = body.firstIndex(of: "=")
        let name = String(split.map { body[..<$0] } ?? body)
        guard let declaration = named.first(where: { $0.name == name }) else {
            let known = named.filter { !$0.isHidden }.map { "--\($0.name)" }
            throw ParseError.unknownOption("--\(name)", known: known)
        }
        let attached = split.map { String(body[body.index(after: $0)...]) }
        try take(declaration, spelled: "--\(name)", attached: attached)
    }

    private mutating func takeShort(_ word: String) throws {
        var letters = word.dropFirst()
        while let letter = letters.first {
            letters.removeFirst()
            guard let declaration = named.first(where: { $0.short == letter }) else {
                throw ParseError.unknownOption("-\(letter)", known: [])
            }
            if declaration.kind == .flag {
                try take(declaration, spelled: "-\(letter)", attached: nil)
                continue
            }
            let attached = letters.first == "=" ? letters.dropFirst() : letters
            try take(
                declaration, spelled: "-\(letter)",
                attached: attached.isEmpty ? nil : String(attached))
            return
        }
    }

    private mutating func take(
        _ declaration: ParameterDeclaration, spelled: String, attached: String?
    ) throws {
        if declaration.kind == .flag {
            guard attached == nil else {
                throw ParseError("unexpected_value", "The flag '\(spelled)' takes no value")
            }
            collected[declaration.name] = [""]
            return
        }
        if declaration.arity == .one, collected[declaration.name] != nil {
            throw ParseError(
                "repeated_option", "The option '\(declaration.usage)' was given twice")
        }
        var value = attached
        if value == nil, position < words.count, !isOptionLike(words[position]) {
            value = words[position]
            position += 1
        }
        guard let value else {
            throw ParseError(
                "missing_value", "Missing value for '\(spelled) <\(declaration.placeholder)>'")
        }
        collected[declaration.name, default: []].append(value)
    }
}
