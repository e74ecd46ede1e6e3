import ModuleABI

/// The exports that stand between the host and the functions of a module.
enum GuestWrapper {
    /// An export that decodes the arguments of `function`, calls it and encodes what it gives.
    static func text(_ function: RoutableFunction) -> String {
        let name = GuestExport.function(function.id)
        var parameters: [String] = []
        var statements: [String] = []
        let arguments = function.arguments
        if function.takesScalars {
            for (number, argument) in arguments.enumerated() {
                parameters.append("_ op_p\(number): \(wire(argument.type))")
                statements.append(
                    bind(number, argument, unwrap(argument.type, "op_p\(number)")))
            }
        } else {
            parameters = ["_ op_pointer: Int32", "_ op_length: Int32"]
            statements.append("var op_reader = PatchGuest.GuestReader(op_pointer, op_length)")
            if arguments.count > 1 {
                statements.append("op_reader.arrayHeader(exactly: \(arguments.count))")
            }
            for (number, argument) in arguments.enumerated() {
                let value = ValueCode.decode(argument.type, from: "op_reader", on: .guest)
                statements.append(bind(number, argument, value))
            }
            statements.append("op_reader.finish()")
        }
        statements += function.isThrowing ? throwing(function) : answering(function)
        return """
            @_cdecl("\(name)") public func \(name)(\(parameters.joined(separator: ", "))) \
            -> \(function.scalarOutput.map(wire) ?? "Int64") {
            \(statements.map { "    \($0)\n" }.joined())}

            """
    }

    private static func bind(
        _ number: Int, _ argument: RoutableFunction.Parameter, _ value: String
    ) -> String {
        // What a function throws is written in the value.
        if case .function = argument.type { return "let op_a\(number) = \(value)" }
        return "\(argument.isInout ? "var" : "let") op_a\(number): \(argument.type.swift) = "
            + value
    }

    private static func call(_ function: RoutableFunction) -> String {
        function.call(function.arguments.indices.map { "op_a\($0)" })
    }

    /// The wasm scalar that a scalar crosses as.
    private static func wire(_ type: ABIType) -> String {
        switch type {
        case .integer(let kind) where kind.isWide: "Int64"
        case .float: "Float"
        case .double: "Double"
        default: "Int32"
        }
    }

    private static func unwrap(_ type: ABIType, _ value: String) -> String {
        switch type {
        case .bool: "\(value) != 0"
        case .integer(.UInt64): "UInt64(bitPattern: \(value))"
        // Traps where the word is shorter and the value does not fit (`int_range`).
        case .integer(.Int): "Int(\(value))"
        case .integer(.UInt): "UInt(UInt64(bitPattern: \(value)))"
        case .integer(.Int64): value
        case .integer(let kind): "\(kind.rawValue)(truncatingIfNeeded: \(value))"
        default: value
        }
    }

    /// The names and types of what the host gets when nothing is thrown.
    private static func outputs(_ function: RoutableFunction) -> [(name: String, type: ABIType)] {
        (function.result.map { [("op_result", $0)] } ?? []) + returned(function)
    }

    private static func returned(_ function: RoutableFunction) -> [(name: String, type: ABIType)] {
        function.arguments.enumerated().filter(\.element.isInout)
            .map { ("op_a\($0.offset)", $0.element.type) }
    }

    private static func answering(_ function: RoutableFunction) -> [String] {
        let call = call(function)
        let start = function.result.map { "let op_result: \($0.swift) = \(call)" } ?? call
        let outputs = outputs(function)
        guard outputs.count == 1 else { return [start] + encoded(outputs) }
        let (name, type) = outputs[0]
        switch type {
        case .bool: return [start, "return \(name) ? 1 : 0"]
        case .integer(let kind):
            let wire = kind.isWide ? "Int64" : "Int32"
            return [start, "return \(wire)(truncatingIfNeeded: \(name))"]
        case .float, .double: return [start, "return \(name)"]
        case .optional:
            // A packed nil needs no bytes.
            return [start, "if \(name) == nil { return 0 }"] + encoded(outputs)
        default: return [start] + encoded(outputs)
        }
    }

    private static func encoded(_ outputs: [(name: String, type: ABIType)]) -> [String] {
        ["var op_writer = PatchGuest.GuestWriter()"]
            + (outputs.count == 1 ? [] : ["op_writer.arrayHeader(\(outputs.count))"])
            + outputs.map { ValueCode.encode($0.type, $0.name, to: "op_writer") }
            + ["return op_writer.finish()"]
    }

    /// Whether it threw; the error or the result; what came back changed.
    private static func throwing(_ function: RoutableFunction) -> [String] {
        let returned = returned(function)
        let call = call(function)
        let result: [String]
        if let type = function.result {
            result = [
                "let op_result: \(type.swift) = try \(call)", "op_writer.bool(false)",
                ValueCode.encode(type, "op_result", to: "op_writer"),
            ]
        } else {
            result = ["try \(call)", "op_writer.bool(false)", "op_writer.nil()"]
        }
        let error: String
        switch function.throwing {
        case .typed(let type): error = ValueCode.encode(type, "error", to: "op_writer")
        default: error = "error.op_write(&op_writer)"
        }
        return [
            "var op_writer = PatchGuest.GuestWriter()",
            "op_writer.arrayHeader(\(2 + returned.count))",
            "do { \(result.joined(separator: "; ")) } catch { op_writer.bool(true); \(error) }",
        ] + returned.map { ValueCode.encode($0.type, $0.name, to: "op_writer") }
            + ["return op_writer.finish()"]
    }
}
