/// Takes the fields of a JSON object one by one and complains with their names and lines.
struct FieldReader {
    /// What stands before a field's name in messages, as in `sources[0].`.
    let path: String
    private let members: [(key: String, value: PositionedJSON)]
    private let ownLine: Int
    private var taken: Set<String> = []

    init(_ json: PositionedJSON, path: String) throws {
        guard case .object(let members) = json.content else {
            throw ProjectConfiguration.invalid(
                json.line, path.isEmpty ? "an object is expected" : "'\(path)' is not an object")
        }
        self.members = members
        self.path = path
        ownLine = json.line
    }

    func line(_ name: String) -> Int {
        members.first { $0.key == name }?.value.line ?? ownLine
    }

    mutating func string(_ name: String) throws -> String {
        guard let value = try optionalString(name) else { throw missing(name) }
        guard !value.isEmpty else {
            throw ProjectConfiguration.invalid(line(name), "field '\(path)\(name)' is empty")
        }
        return value
    }

    mutating func optionalString(_ name: String) throws -> String? {
        guard let json = take(name) else { return nil }
        guard case .string(let text) = json.content else { throw wrong(name, "a text") }
        return text
    }

    mutating func optionalStrings(_ name: String) throws -> [String]? {
        guard let json = take(name) else { return nil }
        guard case .array(let values) = json.content else { throw wrong(name, "a list of texts") }
        return try values.map {
            guard case .string(let text) = $0.content else { throw wrong(name, "a list of texts") }
            return text
        }
    }

    mutating func integer(_ name: String) throws -> Int {
        guard let json = take(name) else { throw missing(name) }
        guard case .number(let text) = json.content, let value = Int(text) else {
            throw wrong(name, "a whole number")
        }
        return value
    }

    mutating func optionalInteger(_ name: String) throws -> Int? {
        guard members.contains(where: { $0.key == name }) else { return nil }
        return try integer(name)
    }

    mutating func optionalObject(_ name: String) throws -> FieldReader? {
        guard let json = take(name) else { return nil }
        return try FieldReader(json, path: "\(path)\(name).")
    }

    mutating func objects(_ name: String) throws -> [FieldReader] {
        guard let json = take(name) else { throw missing(name) }
        guard case .array(let values) = json.content else { throw wrong(name, "a list of objects") }
        return try values.enumerated().map {
            try FieldReader($0.element, path: "\(path)\(name)[\($0.offset)].")
        }
    }

    /// Refuses fields that nobody asked for: a misspelt one would silently do nothing.
    func finish() throws {
        if let extra = members.first(where: { !taken.contains($0.key) && $0.key != "$schema" }) {
            throw ProjectConfiguration.invalid(
                extra.value.line, "field '\(path)\(extra.key)' is not known; remove or correct it")
        }
    }

    private mutating func take(_ name: String) -> PositionedJSON? {
        taken.insert(name)
        guard let json = members.first(where: { $0.key == name })?.value else { return nil }
        if case .null = json.content { return nil }
        return json
    }

    private func missing(_ name: String) -> PatchProjectError {
        ProjectConfiguration.invalid(ownLine, "field '\(path)\(name)' is missing")
    }

    private func wrong(_ name: String, _ expected: String) -> PatchProjectError {
        ProjectConfiguration.invalid(line(name), "field '\(path)\(name)' is not \(expected)")
    }
}
