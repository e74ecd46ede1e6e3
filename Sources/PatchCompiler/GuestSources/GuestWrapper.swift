import ModuleABI

/// The exports that stand between the host and the functions of a module.
enum GuestWrapper {
    /// An export that decodes the arguments of `function`, calls it and encodes the result.
    static func text(_ function: RoutableFunction) -> String {
        let name = GuestExport.function(function.id)
        var parameters: [String] = []
        var statements: [String] = []
        var arguments: [String] = []
        if function.takesScalars {
            for (number, parameter) in function.parameters.enumerated() {
                parameters.append("_ op_a\(number): \(wire(parameter.type))")
                arguments.append(unwrap(parameter.type, "op_a\(number)"))
            }
        } else {
            parameters = ["_ op_pointer: Int32", "_ op_length: Int32"]
            statements.append("var op_reader = PatchGuest.GuestReader(op_pointer, op_length)")
            if function.parameters.count > 1 {
                statements.append("op_reader.arrayHeader(exactly: \(function.parameters.count))")
            }
            for (number, parameter) in function.parameters.enumerated() {
                let value = ValueCode.decode(parameter.type, from: "op_reader", on: .guest)
                statements.append("let op_a\(number) = \(value)")
                arguments.append("op_a\(number)")
            }
            statements.append("op_reader.finish()")
        }
        statements.append(
            "let op_result: \(function.result.swift) = " + call(function, arguments))
        statements += answer(function.result)
        return """
            @_cdecl("\(name)") public func \(name)(\(parameters.joined(separator: ", "))) \
            -> \(function.result.isScalar ? wire(function.result) : "Int64") {
            \(statements.map { "    \($0)\n" }.joined())}

            """
    }

    private static func call(_ function: RoutableFunction, _ arguments: [String]) -> String {
        switch function.kind {
        case .getter, .staticGetter: return function.callee
        default:
            let list = zip(function.parameters, arguments).map { parameter, argument in
                (parameter.label.map { $0 + ": " } ?? "") + argument
            }
            return "\(function.callee)(\(list.joined(separator: ", ")))"
        }
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

    private static func answer(_ type: ABIType) -> [String] {
        switch type {
        case .bool: ["return op_result ? 1 : 0"]
        case .integer(let kind):
            ["return \(kind.isWide ? "Int64" : "Int32")(truncatingIfNeeded: op_result)"]
        case .float, .double: ["return op_result"]
        case .optional:
            // A packed nil needs no bytes.
            ["if op_result == nil { return 0 }"] + encoded(type)
        default: encoded(type)
        }
    }

    private static func encoded(_ type: ABIType) -> [String] {
        [
            "var op_writer = PatchGuest.GuestWriter()",
            ValueCode.encode(type, "op_result", to: "op_writer"),
            "return op_writer.finish()",
        ]
    }
}
