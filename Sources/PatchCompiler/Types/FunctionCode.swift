/// Swift text for functions that the app hands to a module: what calls them in the app, and what
/// stands for them in the module. What one says is what the other expects.
enum FunctionCode {
    /// A closure that decodes the arguments of `function`, calls it and encodes what it gives.
    static func body(of function: ABIType.Function, named name: String) -> String {
        var lines = ["try op_reader.arrayHeader(exactly: \(function.parameters.count))"]
        lines += function.parameters.enumerated().map { number, type in
            "let op_\(number): \(type.swift) = "
                + ValueCode.decode(type, from: "op_reader", on: .app)
        }
        lines.append("try op_reader.finish()")
        let call =
            (function.isThrowing ? "try " : "") + name + "("
            + function.parameters.indices.map { "op_\($0)" }.joined(separator: ", ") + ")"
        lines.append(function.result.map { "let op_v: \($0.swift) = \(call)" } ?? call)
        if function.isThrowing { lines += ["op_writer.arrayHeader(2)", "op_writer.bool(false)"] }
        if let result = function.result {
            lines.append(ValueCode.encode(result, "op_v", to: "op_writer"))
        } else if function.isThrowing {
            lines.append("op_writer.nil()")
        }
        return "{ op_reader, op_writer in \(lines.joined(separator: "; ")) }"
    }

    /// An expression of a module that reads the number of a function and gives one that calls it.
    static func stub(of function: ABIType.Function, from reader: String) -> String {
        let type = function.swift(throwing: "(\(ThrowRewriter.typeName))")
        let parameters = function.parameters.enumerated().map { "op_\($0): \($1.swift)" }
        let effect = function.isThrowing ? "throws(\(ThrowRewriter.typeName)) " : ""
        var lines = [
            "var op_w = PatchGuest.GuestWriter()",
            "op_w.arrayHeader(\(function.parameters.count + 1))", "op_w.uint(op_n)",
        ]
        lines += function.parameters.enumerated().map {
            ValueCode.encode($0.element, "op_\($0.offset)", to: "op_w", on: .guest)
        }
        let reads = function.isThrowing || function.result != nil
        lines.append("\(reads ? "var" : "let") op_r = PatchHost.NativeCall.answer(0, op_w)")
        if function.isThrowing {
            lines += [
                "op_r.arrayHeader(exactly: 2)",
                "if op_r.bool() { let op_e = \(ThrowRewriter.typeName)(op_read: &op_r); "
                    + "op_r.abandon(); throw op_e }",
            ]
        }
        if let result = function.result {
            lines += [
                "let op_v: \(result.swift) = "
                    + ValueCode.decode(result, from: "op_r", on: .guest),
                "op_r.discard()", "return op_v",
            ]
        } else {
            if function.isThrowing { lines.append("_ = op_r.optional { $0.bool() }") }
            lines.append("op_r.discard()")
        }
        return "{ (op_n: UInt64) -> (\(type)) in { (\(parameters.joined(separator: ", "))) "
            + "\(effect)-> \(function.result?.swift ?? "Void") in "
            + lines.joined(separator: "; ") + " } }(\(reader).integer(UInt64.self))"
    }
}
