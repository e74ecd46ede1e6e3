import ModuleABI

/// Swift text that encodes and decodes the app's own types, for app and guest alike
/// (formats.md, "Values": a struct is an array in declaration order, an enum is its case's index
/// and what the case holds).
enum TypeCode {
    /// The function that encodes a value of the type.
    static func encoder(_ type: NamedType) -> String { "\(type.owner).op_w_\(suffix(type))" }

    /// The function that decodes one.
    static func decoder(_ type: NamedType) -> String { "\(type.owner).op_r_\(suffix(type))" }

    private static func suffix(_ type: NamedType) -> String {
        DeclarationID.hex16(DeclarationID.hash("\(type.key)|type"))
    }

    /// An extension with both functions.
    static func functions(_ type: ValueType, on side: ValueCode.Side) -> String {
        let name = type.reference.path
        let access = access(type, on: side)
        let suffix = suffix(type.reference)
        let attempt = side == .app ? "try " : ""
        let effect = side == .app ? "throws " : ""
        let isolation = side == .app ? "nonisolated " : ""
        let reader = reader(on: side)
        var members = [
            "\(access)\(isolation)static func op_w_\(suffix)"
                + "(_ value: \(name), _ writer: inout \(writer(on: side))) {\n"
                + indented(encoding(type, on: side)) + "    }",
            "\(access)\(isolation)static func op_r_\(suffix)"
                + "(_ reader: inout \(reader)) \(effect)-> \(name) {\n"
                + indented(decoding(type, on: side)) + "    }",
        ]
        if case .structure(let fields) = type.shape, !isMadeMemberwise(type) {
            let lines =
                [
                    "\(attempt)reader.enter()",
                    "\(attempt)reader.arrayHeader(exactly: \(fields.count))",
                ]
                + fields.map { "self.\($0.name) = \(decoding($0, attempt, on: side))" }
                + ["reader.leave()"]
            members.append(
                "\(access)\(isolation)init(op_\(suffix) reader: inout \(reader)) \(effect){\n"
                    + indented(lines) + "    }")
        }
        return "extension \(type.reference.owner) {\n"
            + members.map { "    " + $0 + "\n" }.joined() + "}\n"
    }

    private static func access(_ type: ValueType, on side: ValueCode.Side) -> String {
        switch (type.home, side) {
        case (.anywhere, .app): type.access.isEmpty ? "" : type.access + " "
        case (.anywhere, .guest): ""
        case (.inside, .app): "private "
        // Errors are named by the source with the enum of all of them.
        case (.file, .guest): type.isError ? "" : "fileprivate "
        case (.file, .app), (.inside, .guest): "fileprivate "
        }
    }

    /// An initialiser of ours cannot be added to a type that cannot be named.
    private static func isMadeMemberwise(_ type: ValueType) -> Bool {
        if case .inside = type.home { true } else { false }
    }

    private static func encoding(_ type: ValueType, on side: ValueCode.Side) -> [String] {
        switch type.shape {
        case .object:
            return [
                side == .app
                    ? "writer.uint(PatchCall.number(of: value))"
                    : "writer.uint(value.op_handle.number)"
            ]
        case .structure(let fields):
            return ["writer.arrayHeader(\(fields.count))"]
                + fields.map { field in
                    guard let anchor = field.anchor else {
                        return ValueCode.encode(
                            field.type, "value.\(field.name)", to: "writer", on: side)
                    }
                    let text = ValueCode.wholeText(anchor.type, "value.\(anchor.name)")
                    return "writer.position(value.\(field.name), in: \(text))"
                }
        case .enumeration(let cases):
            let branches = cases.enumerated().map { number, one in
                let names = one.values.indices.map { "v\($0)" }
                let pattern = names.isEmpty ? "" : "(" + names.joined(separator: ", ") + ")"
                let statements =
                    ["writer.arrayHeader(\(one.values.count + 1))", "writer.uint(\(number))"]
                    + zip(names, one.values).map {
                        ValueCode.encode($0.1.type, $0.0, to: "writer", on: side)
                    }
                return "case \(names.isEmpty ? "" : "let ").\(one.name)\(pattern): "
                    + statements.joined(separator: "; ")
            }
            return ["switch value {"] + branches + ["}"]
        }
    }

    private static func decoding(
        _ field: ValueType.Field, _ attempt: String, on side: ValueCode.Side
    ) -> String {
        guard let anchor = field.anchor else {
            return ValueCode.decode(field.type, from: "reader", on: side)
        }
        let text = ValueCode.wholeText(anchor.type, "self.\(anchor.name)")
        return "\(attempt)reader.position(in: \(text))"
    }

    private static func decoding(_ type: ValueType, on side: ValueCode.Side) -> [String] {
        let attempt = side == .app ? "try " : ""
        let name = type.reference.path
        let start = "\(attempt)reader.enter()"
        func values(_ elements: [ABIType.Element]) -> String {
            elements.map {
                ($0.label.map { $0 + ": " } ?? "")
                    + ValueCode.decode($0.type, from: "reader", on: side)
            }.joined(separator: ", ")
        }
        switch type.shape {
        case .object where side == .app:
            return ["try PatchCall.object(try reader.integer(UInt64.self), as: \(name).self)"]
        case .object:
            return [
                "let number = reader.integer(UInt64.self)",
                "if let known = PatchGuest.Objects.find(number) { "
                    + "return unsafeBitCast(known, to: \(name).self) }",
                "return \(name)(op_handle: PatchGuest.Handle(number))",
            ]
        case .structure(let fields):
            guard isMadeMemberwise(type) else {
                return ["\(attempt)\(name)(op_\(suffix(type.reference)): &reader)"]
            }
            let elements = fields.map { ABIType.Element(label: $0.name, type: $0.type) }
            return [
                start, "\(attempt)reader.arrayHeader(exactly: \(fields.count))",
                "let value = \(name)(\(values(elements)))", "reader.leave()", "return value",
            ]
        case .enumeration(let cases):
            let branches = cases.enumerated().map { number, one in
                "case (\(number), \(one.values.count + 1)): value = \(name).\(one.name)"
                    + (one.values.isEmpty ? "" : "(\(values(one.values)))")
            }
            return [
                start, "let value: \(name)", "let count = \(attempt)reader.arrayHeader()",
                "let index = \(attempt)reader.integer(Int.self)", "switch (index, count) {",
            ] + branches
                + ["default: \(attempt)reader.refuse()", "}", "reader.leave()", "return value"]
        }
    }

    static func writer(on side: ValueCode.Side) -> String {
        side == .app ? "MessagePackWriter" : "PatchGuest.GuestWriter"
    }

    static func reader(on side: ValueCode.Side) -> String {
        side == .app ? "MessagePackReader" : "PatchGuest.GuestReader"
    }

    private static func indented(_ lines: [String]) -> String {
        lines.map { "        " + $0 + "\n" }.joined()
    }
}
