/// One run of a command: its parameters' values, its console and its surroundings.
public struct Invocation: Sendable {
    /// Where to write.
    public let console: Console
    /// The words that selected the command, the tool's name first.
    public let path: [String]
    /// The environment of the process.
    public let environment: [String: String]
    let values: ParsedValues

    /// The value of a parameter that the command declares.
    /// - Throws: ``UndeclaredParameter`` when the command does not list it.
    public subscript<Value>(_ parameter: Parameter<Value>) -> Value {
        get throws {
            let name = parameter.declaration.name
            guard let box = values.values[name] as? Box<Value> else {
                throw UndeclaredParameter(name: name, command: path.joined(separator: " "))
            }
            return box.value
        }
    }

    /// Whether the parameter stood on the command line itself, default and environment aside.
    public func isGiven<Value>(_ parameter: Parameter<Value>) -> Bool {
        values.given.contains(parameter.declaration.name)
    }
}

/// A command's body asked for a parameter that the command does not list: a mistake in the tool.
public struct UndeclaredParameter: Error, CustomStringConvertible {
    let name: String
    let command: String
    /// Says which parameter of which command.
    public var description: String { "'\(command)' does not declare its parameter '\(name)'" }
}
