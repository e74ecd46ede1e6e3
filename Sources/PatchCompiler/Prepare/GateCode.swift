import ModuleABI

/// The Swift text that `prepare` writes for one routed function.
enum GateCode {
    /// What goes right behind the opening brace of the body.
    static func gate(_ function: RoutableFunction) -> String {
        let id = function.hexID
        let arguments = function.parameters.map(\.name).joined(separator: ", ")
        // A statement that follows on the line needs a separator.
        let separator = function.codeFollowsOnLine ? ";" : ""
        return Marks.begin(id)
            + "if op_gate_\(id), let op_result = op_call_\(id)(\(arguments)) "
            + "{ return op_result }" + separator + Marks.end
    }

    /// What goes before the one expression of a body.
    static func explicitReturn(_ function: RoutableFunction) -> String {
        Marks.begin(function.hexID) + "return " + Marks.end
    }

    /// The helpers that the gate uses, on file level of the same module.
    static func helpers(_ function: RoutableFunction, gate: Int) -> String {
        let id = function.hexID
        let parameters = function.parameters.enumerated()
            .map { "_ a\($0.offset): \($0.element.type.swift)" }.joined(separator: ", ")
        return """
            // \(function.displayName)
            @inline(__always) nonisolated var op_gate_\(id): Bool { patch_gate_is_open(\(gate)) }
            nonisolated func op_call_\(id)(\(parameters)) -> Optional<\(function.result.swift)> {
                PatchCall.invoke(
                    0x\(id), \(arguments(function)),
                    \(result(function.result)))
            }
            """
    }

    private static func arguments(_ function: RoutableFunction) -> String {
        let types = function.parameters.map(\.type)
        guard !types.isEmpty else { return "{ _ in }" }
        if function.takesScalars {
            let statements = types.enumerated().map { scalar($0.element, "a\($0.offset)") }
            return "{ \(statements.joined(separator: "; ")) }"
        }
        var statements: [String] = []
        if types.count > 1 { statements.append("$0.arrayHeader(\(types.count))") }
        statements += types.enumerated().map {
            ValueCode.encode($0.element, "a\($0.offset)", to: "$0")
        }
        return "{ $0.encoded { \(statements.joined(separator: "; ")) } }"
    }

    private static func scalar(_ type: ABIType, _ value: String) -> String {
        switch type {
        case .bool: "$0.i32(\(value) ? 1 : 0)"
        case .integer(let kind):
            kind.isWide
                ? "$0.i64(UInt64(truncatingIfNeeded: \(value)))"
                : "$0.i32(UInt32(truncatingIfNeeded: \(value)))"
        case .float: "$0.f32(\(value))"
        default: "$0.f64(\(value))"
        }
    }

    private static func result(_ type: ABIType) -> String {
        switch type {
        case .bool: "{ try $0.i32() != 0 }"
        case .integer(let kind):
            "{ \(kind.rawValue)(truncatingIfNeeded: try $0.\(kind.isWide ? "i64" : "i32")()) }"
        case .float: "{ try $0.f32() }"
        case .double: "{ try $0.f64() }"
        default: "{ try $0.decoded { \(ValueCode.decode(type, from: "$0", on: .app)) } }"
        }
    }
}
