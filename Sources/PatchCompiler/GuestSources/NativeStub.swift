import SwiftSyntax

/// The text that stands in a module in the place of a body which stays native: it asks the app
/// (``NativeCode``).
enum NativeStub {
    /// What replaces the body of a function, or the accessors of a property.
    static func text(_ functions: [RoutableFunction], for node: Syntax) -> String? {
        if node.is(FunctionDeclSyntax.self) || node.is(InitializerDeclSyntax.self) {
            return functions.first.map { "{ \(body($0)) }" }
        }
        let accessors = functions.map { function in
            switch function.kind {
            case .setter: "set { \(body(renamed(function))) }"
            default: "get\(effect(function)) { \(body(function)) }"
            }
        }
        return "{ " + accessors.joined(separator: " ") + " }"
    }

    /// A property that is stored in objects of the app, on one line.
    static func property(_ declaration: Declaration) -> String? {
        guard let node = declaration.node.as(VariableDeclSyntax.self),
            let name = node.bindings.first?.pattern.trimmedDescription,
            let type = declaration.natives.first(where: { $0.kind == .getter })?.result,
            let accessors = text(declaration.natives, for: declaration.node)
        else { return nil }
        let access = node.modifiers.first {
            ["private", "fileprivate"].contains($0.name.text) && $0.detail == nil
        }
        let words = access.map { $0.name.text + " " } ?? ""
        return "\(words)var \(name): \(type.swift) \(accessors)"
    }

    /// The part of a declaration that is replaced.
    static func body(of node: Syntax) -> Syntax? {
        if let function = node.as(FunctionDeclSyntax.self) { return function.body.map(Syntax.init) }
        if let initializer = node.as(InitializerDeclSyntax.self) {
            return initializer.body.map(Syntax.init)
        }
        return node.as(VariableDeclSyntax.self)?.bindings.first?.accessorBlock.map(Syntax.init)
    }

    /// What is left of a declaration without that part.
    static func heading(of node: Syntax) -> [Syntax] {
        if let function = node.as(FunctionDeclSyntax.self) { return [Syntax(function.signature)] }
        if let initializer = node.as(InitializerDeclSyntax.self) {
            return [Syntax(initializer.signature)]
        }
        let binding = node.as(VariableDeclSyntax.self)?.bindings.first
        return binding?.typeAnnotation.map { [Syntax($0)] } ?? []
    }

    /// Functions that a declaration consists of: a property may have two.
    static func accessorCount(_ node: Syntax) -> Int {
        guard let variable = node.as(VariableDeclSyntax.self),
            case .accessors(let list)? = variable.bindings.first?.accessorBlock?.accessors
        else { return 1 }
        return list.count
    }

    /// What reads the number of a new object.
    private static func number(_ type: ABIType) -> String {
        if case .optional = type { return "op_r.optional { $0.integer(UInt64.self) }" }
        return "op_r.integer(UInt64.self)"
    }

    private static func end(_ function: RoutableFunction) -> String {
        if function.makesObject {
            var text = ""
            if case .optional = function.result { text = "guard let op_v else { return nil }; " }
            return text + "self.op_handle = PatchGuest.Handle(op_v); "
                + "PatchGuest.Objects.remember(self, op_v)"
        }
        return switch (function.kind, function.result) {
        case (.initializer, .optional): "guard let op_v else { return nil }; self = op_v"
        case (.initializer, _): "self = op_v"
        default: "return op_v"
        }
    }

    private static func renamed(_ setter: RoutableFunction) -> RoutableFunction {
        var copy = setter
        for index in copy.parameters.indices { copy.parameters[index].name = "newValue" }
        return copy
    }

    private static func effect(_ function: RoutableFunction) -> String {
        switch function.throwing {
        case .never: ""
        case .typed(let error): " throws(\(error.swift))"
        case .untyped: " throws(\(ThrowRewriter.typeName))"
        }
    }

    private static func body(_ function: RoutableFunction) -> String {
        let arguments = function.arguments
        var lines = [
            "\(arguments.isEmpty ? "let" : "var") op_w = PatchGuest.GuestWriter()"
        ]
        if arguments.count > 1 { lines.append("op_w.arrayHeader(\(arguments.count))") }
        lines += arguments.map { ValueCode.encode($0.type, $0.name, to: "op_w") }
        lines.append("var op_r = PatchHost.NativeCall.answer(0x\(function.hexID), op_w)")
        let returned = function.returned.map {
            "\($0.name) = \(ValueCode.decode($0.type, from: "op_r", on: .guest))"
        }
        let result = function.result.map { type in
            if function.makesObject { return "let op_v = \(number(type))" }
            return "let op_v: \(type.swift) = \(ValueCode.decode(type, from: "op_r", on: .guest))"
        }
        let end = ["op_r.discard()"] + (result == nil ? [] : [Self.end(function)])
        switch function.throwing {
        case .never:
            let count = returned.count + (result == nil ? 0 : 1)
            if count > 1 { lines.append("op_r.arrayHeader(exactly: \(count))") }
            if count == 0 { lines[lines.count - 1] = lines[lines.count - 1].replacingVar() }
            lines += (result.map { [$0] } ?? []) + returned + end
        case .untyped:
            lines +=
                [
                    "op_r.arrayHeader(exactly: 2)",
                    "if op_r.bool() { let op_e = \(ThrowRewriter.typeName)(op_read: &op_r); "
                        + "op_r.abandon(); throw op_e }",
                    result ?? "_ = op_r.optional { $0.bool() }",
                ] + end
        case .typed(let error):
            let thrown =
                ([
                    "let op_e: \(error.swift) = "
                        + ValueCode.decode(error, from: "op_r", on: .guest)
                ]
                + returned + ["op_r.discard()", "throw op_e"]).joined(separator: "; ")
            lines +=
                [
                    "op_r.arrayHeader(exactly: \(2 + returned.count))",
                    "if op_r.bool() { \(thrown) }", result ?? "_ = op_r.optional { $0.bool() }",
                ] + returned + end
        }
        return lines.joined(separator: "; ")
    }
}

extension String {
    /// The same binding as a constant.
    fileprivate func replacingVar() -> String {
        hasPrefix("var ") ? "let " + dropFirst(4) : self
    }
}
