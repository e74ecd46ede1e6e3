extension Parameter where Value == Bool {
    /// `--name`: present or not.
    public static func flag(
        _ name: String, short: Character? = nil, help: String, hidden: Bool = false
    ) -> Parameter<Bool> {
        let declaration = ParameterDeclaration(
            kind: .flag, name: name, short: short, placeholder: "", help: help, isRequired: false,
            arity: .one, defaultText: nil, choices: [], completion: .none, environment: nil,
            isHidden: hidden, takesRemainder: false)
        return Parameter<Bool>(declaration: declaration) { !$0.isEmpty }
    }
}

extension Parameter {
    /// `--name <value>` with a default.
    public static func option(
        _ name: String, short: Character? = nil, placeholder: String? = nil, default: Value,
        help: String, completion: CompletionKind = .none, environment: String? = nil,
        hidden: Bool = false, check: (@Sendable (Value) -> String?)? = nil
    ) -> Parameter<Value> where Value: ArgumentValue {
        let declaration = ParameterDeclaration(
            option: name, short: short, placeholder: placeholder, help: help, isRequired: false,
            arity: .one, defaultText: `default`.argumentText, choices: Value.allArgumentWords,
            completion: completion, environment: environment, isHidden: hidden)
        return Parameter(declaration: declaration) { words in
            guard let word = words.last else { return `default` }
            return try Value.read(word, for: declaration, check: check)
        }
    }

    /// `--name <value>` that may be absent.
    public static func option<Wrapped: ArgumentValue>(
        _ name: String, short: Character? = nil, placeholder: String? = nil, help: String,
        completion: CompletionKind = .none, environment: String? = nil, hidden: Bool = false,
        check: (@Sendable (Wrapped) -> String?)? = nil
    ) -> Parameter<Value> where Value == Wrapped? {
        let declaration = ParameterDeclaration(
            option: name, short: short, placeholder: placeholder, help: help, isRequired: false,
            arity: .one, defaultText: nil, choices: Wrapped.allArgumentWords,
            completion: completion, environment: environment, isHidden: hidden)
        return Parameter(declaration: declaration) { words in
            try words.last.map { try Wrapped.read($0, for: declaration, check: check) }
        }
    }

    /// `--name <value>` that must be given.
    public static func required(
        _ name: String, short: Character? = nil, placeholder: String? = nil, help: String,
        completion: CompletionKind = .none, environment: String? = nil,
        check: (@Sendable (Value) -> String?)? = nil
    ) -> Parameter<Value> where Value: ArgumentValue {
        let declaration = ParameterDeclaration(
            option: name, short: short, placeholder: placeholder, help: help, isRequired: true,
            arity: .one, defaultText: nil, choices: Value.allArgumentWords,
            completion: completion, environment: environment, isHidden: false)
        return Parameter(declaration: declaration) { words in
            guard let word = words.last else { throw ParseError.missing(declaration) }
            return try Value.read(word, for: declaration, check: check)
        }
    }

    /// `--name <value>` any number of times.
    public static func options<Element: ArgumentValue>(
        _ name: String, short: Character? = nil, placeholder: String? = nil, help: String,
        completion: CompletionKind = .none, check: (@Sendable (Element) -> String?)? = nil
    ) -> Parameter<Value> where Value == [Element] {
        let declaration = ParameterDeclaration(
            option: name, short: short, placeholder: placeholder, help: help, isRequired: false,
            arity: .many, defaultText: nil, choices: Element.allArgumentWords,
            completion: completion, environment: nil, isHidden: false)
        return Parameter(declaration: declaration) { words in
            try words.map { try Element.read($0, for: declaration, check: check) }
        }
    }

    /// A word at its place that must be given.
    public static func argument(
        _ name: String, help: String, completion: CompletionKind = .none,
        check: (@Sendable (Value) -> String?)? = nil
    ) -> Parameter<Value> where Value: ArgumentValue {
        let declaration = ParameterDeclaration(
            argument: name, help: help, isRequired: true, arity: .one,
            choices: Value.allArgumentWords, completion: completion)
        return Parameter(declaration: declaration) { words in
            guard let word = words.last else { throw ParseError.missing(declaration) }
            return try Value.read(word, for: declaration, check: check)
        }
    }

    /// A word at its place that may be absent.
    public static func optionalArgument<Wrapped: ArgumentValue>(
        _ name: String, help: String, completion: CompletionKind = .none,
        check: (@Sendable (Wrapped) -> String?)? = nil
    ) -> Parameter<Value> where Value == Wrapped? {
        let declaration = ParameterDeclaration(
            argument: name, help: help, isRequired: false, arity: .one,
            choices: Wrapped.allArgumentWords, completion: completion)
        return Parameter(declaration: declaration) { words in
            try words.last.map { try Wrapped.read($0, for: declaration, check: check) }
        }
    }

    /// All words from here on. With `remainder`, what begins with a dash belongs to it too, once
    /// its first word has come.
    public static func arguments<Element: ArgumentValue>(
        _ name: String, help: String, required: Bool = false, remainder: Bool = false,
        completion: CompletionKind = .none, check: (@Sendable (Element) -> String?)? = nil
    ) -> Parameter<Value> where Value == [Element] {
        let declaration = ParameterDeclaration(
            argument: name, help: help, isRequired: required, arity: .many,
            choices: Element.allArgumentWords, completion: completion, takesRemainder: remainder)
        return Parameter(declaration: declaration) { words in
            if required, words.isEmpty { throw ParseError.missing(declaration) }
            return try words.map { try Element.read($0, for: declaration, check: check) }
        }
    }
}

extension ArgumentValue {
    static func read(
        _ word: String, for declaration: ParameterDeclaration,
        check: (@Sendable (Self) -> String?)?
    ) throws -> Self {
        guard let value = Self(argument: word) else {
            throw ParseError.invalid(
                declaration, word: word, problem: "expected \(Self.expectation)",
                choices: Self.allArgumentWords)
        }
        if let problem = check?(value) {
            throw ParseError.invalid(declaration, word: word, problem: problem, choices: [])
        }
        return value
    }
}

extension ParameterDeclaration {
    fileprivate init(
        option name: String, short: Character?, placeholder: String?, help: String,
        isRequired: Bool, arity: Arity, defaultText: String?, choices: [String],
        completion: CompletionKind, environment: String?, isHidden: Bool
    ) {
        self.init(
            kind: .option, name: name, short: short, placeholder: placeholder ?? name, help: help,
            isRequired: isRequired, arity: arity, defaultText: defaultText, choices: choices,
            completion: completion == .none && !choices.isEmpty ? .words(choices) : completion,
            environment: environment, isHidden: isHidden, takesRemainder: false)
    }

    fileprivate init(
        argument name: String, help: String, isRequired: Bool, arity: Arity, choices: [String],
        completion: CompletionKind, takesRemainder: Bool = false
    ) {
        self.init(
            kind: .argument, name: name, short: nil, placeholder: name, help: help,
            isRequired: isRequired, arity: arity, defaultText: nil, choices: choices,
            completion: completion == .none && !choices.isEmpty ? .words(choices) : completion,
            environment: nil, isHidden: false, takesRemainder: takesRemainder)
    }
}
