import ModuleABI

/// The Swift text that `prepare` writes for one routed function.
enum GateCode {
    /// What goes right behind the opening brace of the body.
    static func gate(_ function: RoutableFunction) -> String {
        let id = function.hexID
        let arguments = function.arguments.map { ($0.isInout ? "&" : "") + $0.name }
            .joined(separator: ", ")
        var home = ""
        if case .inside(let owner) = function.home { home = owner + "." }
        let call =
            (function.isThrowing ? "try " : "") + (function.isAsync ? "await " : "")
            + "\(home)op_call_\(id)(\(arguments))"
        // A statement that follows on the line needs a separator.
        let separator = function.codeFollowsOnLine ? ";" : ""
        let condition =
            switch (function.kind, function.result) {
            case (.initializer, .optional):
                "if op_gate_\(id), let op_result = \(call) { "
                    + "guard let op_result else { return nil }; self = op_result; return }"
            case (.initializer, _):
                "if op_gate_\(id), let op_result = \(call) { self = op_result; return }"
            case (_, nil): "if op_gate_\(id), \(call) { return }"
            default: "if op_gate_\(id), let op_result = \(call) { return op_result }"
            }
        return Marks.begin(id) + condition + separator + Marks.end
    }

    /// What goes before the one expression of a body.
    static func explicitReturn(_ function: RoutableFunction) -> String {
        Marks.begin(function.hexID) + "return " + Marks.end
    }

    /// Whether the gate is open, on file level of the same module.
    static func gateVariable(_ function: RoutableFunction, gate: Int) -> String {
        """
        // \(function.displayName)
        @inline(__always) nonisolated var op_gate_\(function.hexID): Bool { \
        patch_gate_is_open(\(gate)) }

        """
    }

    /// The function that asks the module. It stands where all types of its signature have names.
    static func call(_ function: RoutableFunction) -> String {
        // An async one runs where its caller does.
        let isolation = function.isAsync ? "" : "nonisolated "
        return switch function.home {
        case .anywhere: callFunction(function, isolation)
        case .file: callFunction(function, "fileprivate \(isolation)")
        case .inside(let owner):
            "extension \(owner) {\n" + callFunction(function, "private \(isolation)static ")
                + "}\n"
        }
    }

    private static func callFunction(_ function: RoutableFunction, _ modifiers: String) -> String {
        let parameters = function.arguments.enumerated().map { number, argument in
            "_ a\(number): \(argument.isInout ? "inout " : "")\(argument.type.swift)"
        }.joined(separator: ", ")
        let isolation =
            (parameters.isEmpty ? "" : ", ") + "isolation: isolated (any Actor)? = #isolation"
        var effect = function.isAsync ? "async " : ""
        switch function.throwing {
        case .never: break
        case .typed(let error): effect += "throws(\(error.swift)) "
        case .untyped: effect += "throws "
        }
        let type = function.result.map { "Optional<\($0.swift)>" } ?? "Bool"
        let all = parameters + (function.isAsync ? isolation : "")
        return "\(modifiers)func op_call_\(function.hexID)(\(all)) \(effect)-> \(type) {\n"
            + lending(function, Answer(function).statements(invoke: invoke), type)
            .map { "    \($0)\n" }.joined() + "}\n"
    }

    /// The statements with the functions among the arguments lent for as long as they run.
    private static func lending(
        _ function: RoutableFunction, _ statements: [String], _ type: String
    ) -> [String] {
        var lines = statements
        if lines.count == 1 { lines[0] = "return " + lines[0] }
        var isLending = false
        for (number, argument) in function.arguments.enumerated().reversed() {
            guard case .function(let lent) = argument.type else { continue }
            let attempt = function.isThrowing ? "try " : ""
            let effect = function.isThrowing ? "throws " : ""
            isLending = true
            lines =
                [
                    "return \(attempt)withoutActuallyEscaping(a\(number)) { "
                        + "(op_f\(number): @escaping \(lent.swift())) \(effect)-> \(type) in",
                    "let op_b\(number) = PatchFunction "
                        + FunctionCode.body(of: lent, named: "op_f\(number)"),
                    "defer { op_b\(number).end() }",
                ] + lines + ["}"]
        }
        return isLending ? lines : statements
    }

    private static func invoke(_ function: RoutableFunction, result: String) -> String {
        let verb: String
        if case .untyped = function.throwing {
            verb = function.isAsync ? "try await PatchCall.attemptTask" : "try PatchCall.attempt"
        } else {
            verb = function.isAsync ? "await PatchCall.task" : "PatchCall.invoke"
        }
        let call =
            "\(verb)(\n        0x\(function.hexID), \(arguments(function)),\n"
            + "        \(result))"
        guard function.takesObjects else { return call }
        let attempt = verb.hasPrefix("try ") ? "try " : ""
        return "\(attempt)PatchCall.withObjects({ \(call) })"
    }

    private static func arguments(_ function: RoutableFunction) -> String {
        let types = function.arguments.map(\.type)
        guard !types.isEmpty else { return "{ _ in }" }
        if function.takesScalars {
            let statements = types.enumerated().map { scalar($0.element, "a\($0.offset)") }
            return "{ \(statements.joined(separator: "; ")) }"
        }
        var statements: [String] = []
        if types.count > 1 { statements.append("$0.arrayHeader(\(types.count))") }
        statements += types.enumerated().map { number, type in
            if case .function = type { return "$0.uint(PatchCall.number(of: op_b\(number)))" }
            return ValueCode.encode(type, "a\(number)", to: "$0")
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

    /// How the answer of a module becomes what the function does.
    private struct Answer {
        let function: RoutableFunction

        init(_ function: RoutableFunction) { self.function = function }

        func statements(invoke: (RoutableFunction, String) -> String) -> [String] {
            if function.isThrowing { return throwing(invoke) }
            let returned = names(of: function.returned)
            guard let only = function.outputs.first else {
                let nothing = nested(
                    "Bool", ["try reader.arrayHeader(exactly: 0)", "return true"])
                return ["\(invoke(function, nothing)) ?? false"]
            }
            guard !returned.isEmpty else {
                return [invoke(function, single(only))]
            }
            let missed = function.result == nil ? "false" : "nil"
            let decode =
                function.outputs.count == 1 ? single(function.outputs[0]) : several()
            var statements = [
                "guard let answer = \(invoke(function, decode)) else { return \(missed) }"
            ]
            if function.outputs.count == 1 {
                return statements + ["\(returned[0]) = answer", "return true"]
            }
            let first = function.result == nil ? 0 : 1
            statements += returned.enumerated().map {
                "\($0.element) = answer.\($0.offset + first)"
            }
            return statements + ["return \(function.result == nil ? "true" : "answer.0")"]
        }

        /// The names of the parameters that come back changed.
        private func names(of returned: [RoutableFunction.Parameter]) -> [String] {
            function.arguments.enumerated().filter(\.element.isInout).map { "a\($0.offset)" }
        }

        private func single(_ type: ABIType) -> String {
            switch type {
            case .bool: "{ try $0.i32() != 0 }"
            case .integer(let kind):
                "{ \(kind.rawValue)(truncatingIfNeeded: try $0.\(kind.isWide ? "i64" : "i32")()) }"
            case .float: "{ try $0.f32() }"
            case .double: "{ try $0.f64() }"
            default: "{ try $0.decoded { \(ValueCode.decode(type, from: "$0", on: .app)) } }"
            }
        }

        private func several() -> String {
            let type = "(" + function.outputs.map(\.swift).joined(separator: ", ") + ")"
            let values = function.outputs.map { ValueCode.decode($0, from: "reader", on: .app) }
            return nested(
                type,
                [
                    "try reader.arrayHeader(exactly: \(values.count))",
                    "return (\(values.joined(separator: ", ")))",
                ])
        }

        /// The answer of a function that throws: whether it threw; the error or the result; what
        /// came back changed, which Swift keeps in both cases.
        private func throwing(_ invoke: (RoutableFunction, String) -> String) -> [String] {
            let returned = names(of: function.returned)
            let (error, decodeError): (String, String)
            switch function.throwing {
            case .typed(let type):
                error = type.swift
                decodeError = ValueCode.decode(type, from: "reader", on: .app)
            default:
                error = "any Error"
                decodeError = "try \(ErrorCode.decoder(of: function))(&reader)"
            }
            let result = function.result
            let types =
                ["Optional<\(error)>"] + (result.map { ["Optional<\($0.swift)>"] } ?? [])
                + function.returned.map(\.type.swift)
            let changed = function.returned.map {
                ValueCode.decode($0.type, from: "reader", on: .app)
            }
            let thrown = (["\(decodeError)"] + (result == nil ? [] : ["nil"]) + changed)
            let fine =
                (["nil"]
                    + (result.map { [ValueCode.decode($0, from: "reader", on: .app)] } ?? [])
                    + changed)
            let type = types.count == 1 ? types[0] : "(" + types.joined(separator: ", ") + ")"
            let decode = nested(
                type,
                [
                    "try reader.arrayHeader(exactly: \(2 + changed.count))",
                    "if try reader.bool() { return (\(thrown.joined(separator: ", "))) }",
                ] + (result == nil ? ["try reader.nil()"] : [])
                    + ["return (\(fine.joined(separator: ", ")))"])
            let missed = result == nil ? "false" : "nil"
            var statements = [
                "let answer: Optional<\(type)> = \(invoke(function, decode))",
                "guard let answer else { return \(missed) }",
            ]
            let first = result == nil ? 1 : 2
            statements += returned.enumerated().map {
                "\($0.element) = answer.\($0.offset + first)"
            }
            let own = types.count == 1 ? "answer" : "answer.0"
            statements.append("if let error = \(own) { throw error }")
            return statements + ["return \(result == nil ? "true" : "answer.1")"]
        }

        private func nested(_ type: String, _ lines: [String]) -> String {
            "{ try $0.decoded { try $0.nested { reader -> \(type) in "
                + lines.joined(separator: "; ") + " } } }"
        }
    }
}
