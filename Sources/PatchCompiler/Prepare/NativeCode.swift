import SwiftSyntax

/// The Swift text by which modules call a native function of the app: a function that decodes the
/// arguments, calls, and encodes what comes back. What it says about a call is what
/// ``NativeStub`` expects on the other side.
enum NativeCode {
    /// Whether a function can have such text.
    static func isCallable(
        _ function: RoutableFunction, _ node: Syntax, _ context: TypeContext
    ) -> Bool {
        if case .inside = function.home { return false }
        // Not there on every system that the app runs on.
        let attributes = node.asProtocol((any WithAttributesSyntax).self)?.attributes
        if context.isLimited || attributes.map(TypeContext.names)?.contains("available") ?? false {
            return false
        }
        guard !function.returned.isEmpty else { return true }
        // A value that changes cannot go to another executor and back.
        if function.isAsync || function.executor == .main { return false }
        // The host encodes unknown errors, and knows nothing of changed values.
        if case .untyped = function.throwing { return false }
        return true
    }

    /// Whether the text has to stand in the file that declares the function.
    static func isBoundToFile(_ function: RoutableFunction) -> Bool {
        function.isHidden || function.home != .anywhere
    }

    static func name(_ function: RoutableFunction) -> String {
        (function.owner.isEmpty ? "" : function.owner + ".") + "op_native_" + function.hexID
    }

    /// The function that modules reach.
    static func text(_ function: RoutableFunction) -> String {
        let isMember = !function.owner.isEmpty
        // Functions are not sendable by themselves in older language modes.
        // A main actor's function must not say so.
        let isolation =
            function.executor == .main ? "@MainActor " : "@Sendable nonisolated "
        let heading =
            isolation + (isMember ? "static " : "") + "func op_native_\(function.hexID)"
        let indent = isMember ? "    " : ""
        let isSilent = function.outputs.isEmpty && !function.isThrowing
        let lines =
            function.isAsync
            ? [
                "\(heading)(_ bytes: [UInt8]) async throws -> [UInt8] {",
                "    \(function.arguments.isEmpty ? "let" : "var") reader = MessagePackReader(bytes)",
                "    \(isSilent ? "let" : "var") writer = MessagePackWriter()",
                function.arguments.isEmpty ? "    _ = reader" : "",
            ].filter { !$0.isEmpty } + statements(function).map { "    " + $0 }
                + ["    return writer.bytes", "}"]
            : [
                "\(heading)(_ reader: inout MessagePackReader, "
                    + "_ writer: inout MessagePackWriter) throws {"
            ] + statements(function).map { "    " + $0 } + ["}"]
        let text = lines.map { indent + $0 + "\n" }.joined()
        return isMember ? "extension \(function.owner) {\n\(text)}\n" : text
    }

    private static func statements(_ function: RoutableFunction) -> [String] {
        let arguments = function.arguments
        var lines: [String] = []
        if arguments.count > 1 {
            lines.append("try reader.arrayHeader(exactly: \(arguments.count))")
        }
        lines += arguments.enumerated().map { number, argument in
            "\(argument.isInout ? "var" : "let") a\(number): \(argument.type.swift) = "
                + ValueCode.decode(argument.type, from: "reader", on: .app)
        }
        if !arguments.isEmpty { lines.append("try reader.finish()") }
        let marks = (function.isThrowing ? "try " : "") + (function.isAsync ? "await " : "")
        let call = marks + function.call(arguments.indices.map { "a\($0)" })
        let returned = arguments.enumerated().filter(\.element.isInout).map { number, argument in
            ValueCode.encode(argument.type, "a\(number)", to: "writer")
        }
        let value = function.result.map { ValueCode.encode($0, "result", to: "writer") }
        let bound = function.result.map { "let result: \($0.swift) = \(call)" } ?? call
        switch function.throwing {
        case .never:
            lines.append(bound)
            let count = returned.count + (value == nil ? 0 : 1)
            if count > 1 { lines.append("writer.arrayHeader(\(count))") }
            return lines + (value.map { [$0] } ?? []) + returned
        case .untyped:
            return lines + [
                bound, "writer.arrayHeader(2)", "writer.bool(false)", value ?? "writer.nil()",
            ]
        case .typed(let error):
            return lines + [
                "writer.arrayHeader(\(2 + returned.count))", "do throws(\(error.swift)) {",
                "    \(bound)", "    writer.bool(false)", "    \(value ?? "writer.nil()")",
                "} catch {", "    writer.bool(true)",
                "    " + ValueCode.encode(error, "error", to: "writer"), "}",
            ] + returned
        }
    }

    /// The function that finds the native functions of one file.
    static func finder(_ functions: [RoutableFunction], named name: String) -> String {
        let cases = functions.map { function in
            let form = form(function)
            // Functions of the main actor are not sendable in older language modes; closures are.
            let value =
                switch (function.executor, function.isAsync) {
                case (.main, false): "{ try \(Self.name(function))(&$0, &$1) }"
                case (.main, true): "{ try await \(Self.name(function))($0) }"
                case (.any, _): Self.name(function)
                }
            return "    case 0x\(function.hexID): return .\(form)(\(value))\n"
        }
        return "nonisolated func \(name)(_ id: UInt64) -> PatchNative? {\n    switch id {\n"
            + cases.joined() + "    default: return nil\n    }\n}\n"
    }

    private static func form(_ function: RoutableFunction) -> String {
        if function.isAsync { return "task" }
        if function.executor == .main { return "main" }
        return function.isRead ? "read" : "call"
    }

    /// The function that writes errors of one file's types.
    static func errorWriter(_ errors: [ValueType], named name: String) -> String {
        let cases = errors.map { type in
            "    case let error as \(type.reference.path): writer.uint(\(ErrorCode.key(type))); "
                + "\(TypeCode.encoder(type.reference))(error, &writer); return true\n"
        }
        return "nonisolated func \(name)"
            + "(_ error: any Error, _ writer: inout MessagePackWriter) -> Bool {\n"
            + "    switch error {\n" + cases.joined() + "    default: return false\n    }\n}\n"
    }

    /// The table of one module of the app, which PatchSDK finds by its number.
    static func table(finders: [String], errors: [String], number: Int) -> String {
        let find = finders.map { "        if let found = \($0)(id) { return found }\n" }.joined()
        let write = errors.map { "        if \($0)(error, &writer) { return true }\n" }.joined()
        return """

            @_cdecl("openpatch_natives_v1_\(number)")
            public func op_natives_v1_\(number)() -> UnsafeRawPointer { op_natives_table.pointer }

            nonisolated private let op_natives_table = PatchNatives(
                find: { id in
            \(find)        return nil
                },
                error: { \(errors.isEmpty ? "_, _" : "error, writer") in
            \(write)        return false
                })

            """
    }
}
