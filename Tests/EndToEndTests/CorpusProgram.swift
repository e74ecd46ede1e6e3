import Foundation
import ModuleABI
import SwiftParser
import SwiftSyntax
import TestSupport

@testable import PatchCompiler

/// A package's own functions, callable one by one in a native program: values come in and go out
/// encoded as they cross into modules.
struct CorpusProgram {
    let program: URL

    /// Compiles the sources of a project with an entry for each of `functions`.
    /// - Parameter project: the folder whose `Sources` are compiled.
    init(
        _ code: AppCode, _ functions: [RoutableFunction], module: String,
        in folder: TemporaryDirectory
    ) throws {
        let name = "corpus-\(UUID().uuidString.prefix(8))"
        let types = code.scan.types.reachable(
            from: functions.flatMap(\.types)
                + code.scan.types.errors.map { .named($0.reference) })
        for (number, file) in code.tree.files.enumerated() {
            var text = String(decoding: file.bytes, as: UTF8.self)
            let own = functions.filter { $0.place.file == file.path }
            let crossing = types.filter { $0.file == number }
            if !own.isEmpty || !crossing.isEmpty {
                text += "\nimport struct PatchSDK.MessagePackReader\n"
                text += "import struct PatchSDK.MessagePackWriter\n"
                text += crossing.map { "\n" + TypeCode.functions($0, on: .app) }.joined()
                text += own.map {
                    "\n" + Self.entry($0, errors: Self.errors(of: code, nameableIn: number))
                }.joined()
            }
            try folder.write(text, to: "\(name).d/\(number)-\(file.url.lastPathComponent)")
        }
        try folder.write(Self.main(functions), to: "\(name).d/OpenPatchCorpus.swift")
        program = folder.file(name)
        try NativeProgram.compile(
            folder.file("\(name).d"), module: module, to: program, flags: ["-O"],
            language: "5")
    }

    private static func errors(of code: AppCode, nameableIn file: Int) -> [ValueType] {
        code.scan.types.errors.filter {
            $0.home == .anywhere || $0.home == .file && $0.file == file
        }
    }

    /// Answers of the program, one a case: hex, or how it ended.
    func answers(_ cases: [(id: String, input: [UInt8])]) throws -> [String] {
        let lines = cases.map { "\($0.id) \(Hex.text($0.input))\n" }.joined()
        let input = program.appendingPathExtension("cases")
        try lines.write(to: input, atomically: true, encoding: .utf8)
        let result = try ChildProcess.run(
            "sh", ["-c", "'\(program.path)' <'\(input.path)' 2>/dev/null"],
            environment: ["SWIFT_BACKTRACE": "enable=no"],
            seconds: 1_800)
        return result.standardOutput.split(separator: "\n").map(String.init)
    }

    /// A function on file level that decodes, calls and encodes.
    private static func entry(_ function: RoutableFunction, errors: [ValueType]) -> String {
        var lines: [String] = []
        if function.arguments.count != 1 {
            lines.append("try op_reader.arrayHeader(exactly: \(function.arguments.count))")
        }
        for (number, argument) in function.arguments.enumerated() {
            let word = argument.isInout ? "var" : "let"
            lines.append(
                "\(word) op_a\(number): \(argument.type.swift) = "
                    + ValueCode.decode(argument.type, from: "op_reader", on: .app))
        }
        lines += ["try op_reader.finish()", "var op_writer = MessagePackWriter()"]
        let back = function.arguments.enumerated().filter(\.element.isInout)
            .map { ValueCode.encode($0.element.type, "op_a\($0.offset)", to: "op_writer") }
        let call = call(function)
        if function.isThrowing {
            lines += ["op_writer.arrayHeader(\(2 + back.count))", "do {"]
            if let result = function.result {
                lines += [
                    "let op_result: \(result.swift) = try \(call)", "op_writer.bool(false)",
                    ValueCode.encode(result, "op_result", to: "op_writer"),
                ]
            } else {
                lines += ["try \(call)", "op_writer.bool(false)", "op_writer.nil()"]
            }
            lines += ["} catch {", "op_writer.bool(true)"]
            if case .typed(let type) = function.throwing {
                lines.append(ValueCode.encode(type, "error", to: "op_writer"))
            } else {
                lines.append("op_writer.arrayHeader(2)")
                lines.append("switch error {")
                for type in errors {
                    lines.append(
                        "case let op_e as \(type.reference.path): "
                            + "op_writer.uint(\(ErrorCode.key(type))); "
                            + "\(TypeCode.encoder(type.reference))(op_e, &op_writer)")
                }
                lines += ["default: op_writer.uint(0); op_writer.nil()", "}"]
            }
            lines.append("}")
        } else {
            let count = function.outputs.count
            if count != 1 { lines.append("op_writer.arrayHeader(\(count))") }
            if let result = function.result {
                lines += [
                    "let op_result: \(result.swift) = \(call)",
                    ValueCode.encode(result, "op_result", to: "op_writer"),
                ]
            } else {
                lines.append(call)
            }
        }
        lines += back + ["return op_writer.bytes"]
        return "func op_corpus_\(function.hexID)(_ op_reader: inout MessagePackReader) throws "
            + "-> [UInt8] {\n" + lines.map { "    \($0)\n" }.joined() + "}\n"
    }

    private static func call(_ function: RoutableFunction) -> String {
        let names = function.arguments.enumerated()
            .map { ($0.element.isInout ? "&" : "") + "op_a\($0.offset)" }
        let parameters = function.receiver == nil ? names : Array(names.dropFirst())
        let base = function.receiver == nil ? "" : "op_a0."
        switch function.kind {
        case .getter, .staticGetter: return base + function.callee
        case .setter: return "\(base)\(function.callee) = \(parameters[0])"
        default:
            let list = zip(function.parameters, parameters).map { parameter, argument in
                (parameter.label.map { $0 + ": " } ?? "") + argument
            }
            return "\(base)\(function.callee)(\(list.joined(separator: ", ")))"
        }
    }

    /// Calls what standard input names, each in a process that may crash or hang.
    private static func main(_ functions: [RoutableFunction]) -> String {
        let table = functions.map {
            "    case \"\($0.hexID)\": try op_corpus_\($0.hexID)(&reader)\n"
        }.joined()
        return """
            import Foundation
            import struct PatchSDK.MessagePackReader

            private func run(_ id: String, _ input: [UInt8]) throws -> [UInt8] {
                var reader = MessagePackReader(input)
                return switch id {
            \(table)    default: []
                }
            }

            private let fork = unsafeBitCast(
                dlsym(dlopen(nil, RTLD_NOW), "fork"), to: (@convention(c) () -> Int32).self)

            private func answer(_ line: String) -> String {
                let parts = line.split(separator: " ", omittingEmptySubsequences: false)
                let digits = Array(parts[1].utf8)
                let input = stride(from: 0, to: digits.count, by: 2).map {
                    UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16) ?? 0
                }
                do {
                    let bytes = try run(String(parts[0]), input)
                    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                } catch {
                    return "!\\(error)"
                }
            }

            @main enum OpenPatchCorpus {
                static func main() {
                    var lines: [String] = []
                    while let line = readLine() { lines.append(line) }
                    var next = 0
                    while next < lines.count {
                        var ends: [Int32] = [0, 0]
                        _ = pipe(&ends)
                        let child = fork()
                        if child == 0 {
                            for line in lines[next...] {
                                alarm(10)
                                let text = answer(line) + "\\n"
                                _ = text.withCString { write(ends[1], $0, strlen($0)) }
                            }
                            _exit(0)
                        }
                        close(ends[1])
                        let data = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
                            .readDataToEndOfFile()
                        var status: Int32 = 0
                        waitpid(child, &status, 0)
                        let text = String(decoding: data, as: UTF8.self)
                        print(text, terminator: "")
                        next += text.utf8.filter { $0 == 0x0a }.count
                        if next < lines.count {
                            print(status & 0x7f == SIGALRM ? "!slow" : "!crash")
                            next += 1
                        }
                    }
                }
            }

            """
    }
}

enum Hex {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    static func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
    }
}
