import Foundation
import ModuleABI
import SwiftParser
import SwiftSyntax
import TestSupport

@testable import PatchCompiler

/// A package's own functions as a program with PatchSDK, prepared and callable one by one: by their
/// own bodies, or by a module that it takes. Values come in and go out encoded as they cross.
struct CorpusProgram {
    let program: URL
    private let folder: TemporaryDirectory

    /// Compiles prepared sources with an entry for each of `functions`.
    init(_ corpus: Corpus, _ code: AppCode, _ functions: [RoutableFunction]) throws {
        folder = corpus.folder
        let name = "corpus-\(UUID().uuidString.prefix(8))"
        try FileManager.default.copyItem(
            at: folder.file("Sources"), to: folder.file("\(name).d"))
        let objects = CorpusObjects(code)
        var dumpers: [String] = []
        for (number, file) in code.tree.files.enumerated() {
            let own = functions.filter { $0.place.file == file.path }
            let made = objects.makers.values.filter { $0.place.file == file.path }
            let classes = objects.classes.filter { $0.file == number }
            guard !own.isEmpty || !made.isEmpty || !classes.isEmpty else { continue }
            let place = folder.file("\(name).d/" + file.path.dropFirst("Sources/".count))
            var text = try String(contentsOf: place, encoding: .utf8)
            text += "\nimport PatchSDK\nimport Foundation\n"
            text += own.map {
                "\n" + Self.entry($0, errors: Self.errors(of: code, nameableIn: number))
            }.joined()
            text += made.map { "\n" + Self.maker($0) }.joined()
            if !classes.isEmpty {
                dumpers.append("op_corpus_dump_\(number)")
                text += "\n" + Self.dumper(classes, objects, number)
            }
            try text.write(to: place, atomically: true, encoding: .utf8)
        }
        try folder.write(
            Self.main(
                functions, Array(objects.makers), dumpers: dumpers,
                CorpusObjects.functions(
                    in: functions.flatMap { $0.arguments.map(\.type) }, code.scan.types
                ).sorted { $0.swift() < $1.swift() }),
            to: "\(name).d/OpenPatchCorpus.swift")
        program = folder.file(name)
        try NativeProgram.compile(
            folder.file("\(name).d"), module: corpus.module, to: program, flags: ["-O"],
            language: "5")
    }

    private static func errors(of code: AppCode, nameableIn file: Int) -> [ValueType] {
        code.scan.types.errors.filter {
            $0.home == .anywhere || $0.home == .file && $0.file == file
        }
    }

    /// Answers of the program, one a case: hex, or how it ended.
    /// - Parameters:
    ///   - module: what the program takes.
    ///   - isPatched: whether it calls the module rather than the bodies.
    func answers(
        _ cases: [(id: String, input: [UInt8])], _ module: [UInt8], isPatched: Bool
    ) throws -> [String] {
        let lines = cases.map { "\($0.id) \(Hex.text($0.input))\n" }.joined()
        let input = program.appendingPathExtension("cases")
        try lines.write(to: input, atomically: true, encoding: .utf8)
        let resources = try TemporaryDirectory("corpus-module")
        try Data(module).write(to: resources.file("base.wasm"))
        let result = try ChildProcess.run(
            "sh", ["-c", "'\(program.path)' <'\(input.path)' 2>'\(program.path).errors'"],
            environment: [
                "SWIFT_BACKTRACE": "enable=no", "OPENPATCH_DEV": "1",
                "MODULE": resources.url.path, "STATE": resources.file("state").path,
                "FINGERPRINT": try ModuleSection.read(fromBytes: module)?.fp ?? "",
                "PATCHED": isPatched ? "1" : "",
            ], seconds: 3_600)
        return result.standardOutput.split(separator: "\n").map(String.init)
    }

    /// A function on file level that decodes, calls and encodes.
    private static func entry(_ function: RoutableFunction, errors: [ValueType]) -> String {
        let names = function.arguments.indices.map { "op_a\($0)" }
        var lines: [String] = []
        if function.arguments.count != 1 {
            lines.append("try op_reader.arrayHeader(exactly: \(function.arguments.count))")
        }
        for (name, argument) in zip(names, function.arguments) {
            lines.append(
                "\(argument.isInout ? "var" : "let") \(name): \(argument.type.swift) = "
                    + ValueCode.decode(argument.type, from: "op_reader", on: .app))
        }
        lines += ["try op_reader.finish()", "var op_writer = MessagePackWriter()"]
        let back = zip(names, function.arguments).filter(\.1.isInout)
            .map { ValueCode.encode($0.1.type, $0.0, to: "op_writer") }
        let attempt = function.isThrowing ? "try " : ""
        let patched =
            attempt + "op_call_\(function.hexID)("
            + zip(names, function.arguments).map { ($1.isInout ? "&" : "") + $0 }
            .joined(separator: ", ") + ")"
        let native = attempt + function.call(names)
        var call: [String]
        if let result = function.result {
            call = [
                "let op_answer: Optional<\(result.swift)>",
                "if op_patched { op_answer = \(patched) } else { op_answer = .some(\(native)) }",
            ]
        } else {
            call = [
                "let op_answer: Bool?",
                "if op_patched { op_answer = \(patched) ? true : nil } "
                    + "else { \(native); op_answer = true }",
            ]
        }
        if function.isThrowing {
            let effect: String
            if case .typed(let type) = function.throwing {
                effect = " throws(\(type.swift))"
            } else {
                effect = ""
            }
            var thrown = [
                "op_writer.arrayHeader(\(2 + back.count))", "op_writer.bool(true)",
            ]
            if case .typed(let type) = function.throwing {
                thrown.append(ValueCode.encode(type, "error", to: "op_writer"))
            } else {
                // Where a module failed after an effect, which no native body makes up for.
                thrown.insert("if error is PatchError { throw OpCorpusMissed() }", at: 0)
                thrown += ["op_writer.arrayHeader(2)", "switch error {"]
                thrown += errors.map { type in
                    "case let op_e as \(type.reference.path): "
                        + "op_writer.uint(\(ErrorCode.key(type))); "
                        + "\(TypeCode.encoder(type.reference))(op_e, &op_writer)"
                }
                thrown += ["default: op_writer.uint(0); op_writer.nil()", "}"]
            }
            // Declared outside, so that nothing else is thrown inside.
            call =
                [call[0], "do\(effect) { \(call[1]) } catch {"] + thrown + back
                + ["return op_writer.bytes", "}"]
        }
        lines += call + ["guard let op_answer else { throw OpCorpusMissed() }"]
        if function.isThrowing {
            lines += ["op_writer.arrayHeader(\(2 + back.count))", "op_writer.bool(false)"]
            lines.append(
                function.result.map { ValueCode.encode($0, "op_answer", to: "op_writer") }
                    ?? "op_writer.nil()")
        } else {
            if function.outputs.count != 1 {
                lines.append("op_writer.arrayHeader(\(function.outputs.count))")
            }
            if let result = function.result {
                lines.append(ValueCode.encode(result, "op_answer", to: "op_writer"))
            }
        }
        lines += back + ["_ = op_answer", "return op_writer.bytes"]
        return "func op_corpus_\(function.hexID)"
            + "(_ op_reader: inout MessagePackReader, _ op_patched: Bool) throws "
            + "-> [UInt8] {\n" + lines.map { "    \($0)\n" }.joined() + "}\n"
    }

    /// A function that makes an object.
    private static func maker(_ function: RoutableFunction) -> String {
        var lines = ["try op_reader.arrayHeader(exactly: \(function.arguments.count))"]
        let names = function.arguments.indices.map { "op_a\($0)" }
        lines += zip(names, function.arguments).map { name, argument in
            "let \(name): \(argument.type.swift) = "
                + ValueCode.decode(argument.type, from: "op_reader", on: .app)
        }
        let attempt = function.isThrowing ? "try " : ""
        return "func op_make_\(function.hexID)(_ op_reader: inout MessagePackReader) throws "
            + "-> AnyObject {\n" + lines.map { "    \($0)\n" }.joined()
            + "    return \(attempt)\(function.call(names))\n}\n"
    }

    /// A function that says what objects of a file's classes hold.
    private static func dumper(
        _ classes: [ValueType], _ objects: CorpusObjects, _ number: Int
    ) -> String {
        let branches = classes.map { type in
            let properties = objects.properties(of: type)
            let values = properties.map { property in
                property.result.map {
                    ValueCode.encode($0, "value.\(property.callee)", to: "writer")
                } ?? ""
            }
            return "    if let value = object as? \(type.reference.path) { _ = value; "
                + "writer.arrayHeader(\(values.count)); "
                + (values + ["return true"]).joined(separator: "; ") + " }\n"
        }
        return "func op_corpus_dump_\(number)(_ object: AnyObject, "
            + "_ writer: inout MessagePackWriter) -> Bool {\n" + branches.joined()
            + "    return false\n}\n"
    }

    /// Calls what standard input names, each in a process that may crash or hang.
    private static func main(
        _ functions: [RoutableFunction], _ makers: [(key: String, value: RoutableFunction)],
        dumpers: [String], _ lent: [ABIType.Function]
    ) -> String {
        let lending = lent.map { function in
            let names = function.parameters.indices.map { "p\($0)" }
            let asked = zip(names, function.parameters).map {
                ValueCode.encode($1, $0, to: "writer") + "; "
            }.joined()
            let result = function.result.map {
                "var reader = MessagePackReader(answer); return try! "
                    + ValueCode.decode($0, from: "reader", on: .app).dropFirst("try ".count)
            }
            let parameters = zip(names, function.parameters).map { "\($0): \($1.swift)" }
            return "        if type == (\(function.swift())).self { let function: "
                + "\(function.swift()) = { (\(parameters.joined(separator: ", "))) in "
                + "var writer = MessagePackWriter(); \(asked)let answer = "
                + "opCorpusAnswer(writer.bytes, answers); \(result ?? "_ = answer") }; "
                + "return function as! T }\n"
        }.joined()
        let table = functions.map {
            "    case \"\($0.hexID)\": try op_corpus_\($0.hexID)(&reader, patched)\n"
        }.joined()
        let making = makers.map {
            "    case \"\($0.key)\": return try op_make_\($0.value.hexID)(&reader)\n"
        }.joined()
        let dumping = dumpers.map { "    if \($0)(object, &writer) { return }\n" }.joined()
        return """
            import Foundation
            import PatchSDK

            struct OpCorpusMissed: Error {}
            nonisolated(unsafe) private var asked: UInt64 = 0

            /// One of the answers, by what is asked.
            private func opCorpusAnswer(_ question: [UInt8], _ answers: [[UInt8]]) -> [UInt8] {
                var hash: UInt64 = 0xcbf2_9ce4_8422_2325
                for byte in question { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
                asked = (asked &* 31 &+ hash) | 1
                return answers[Int(hash % UInt64(answers.count))]
            }

            extension MessagePackReader {
                mutating func function<T>(_ type: T.Type) throws -> T {
                    var answers: [[UInt8]] = []
                    for _ in 0..<(try arrayHeader()) { answers.append(try binary()) }
            \(lending)        throw OpCorpusMissed()
                }
            }

            private final class Sentinel {}
            private let patched = ProcessInfo.processInfo.environment["PATCHED"] == "1"

            private func call(_ id: String, _ input: [UInt8]) throws -> [UInt8] {
                var reader = MessagePackReader(input)
                return switch id {
            \(table)    default: []
                }
            }

            private func make(_ reader: inout MessagePackReader) throws -> AnyObject {
                try reader.arrayHeader(exactly: 2)
                switch try reader.string() {
            \(making)    default: throw OpCorpusMissed()
                }
            }

            private func dump(_ object: AnyObject, _ writer: inout MessagePackWriter) {
            \(dumping)    writer.arrayHeader(0)
            }

            /// Objects in an input have numbers that only a call has; others stand for them.
            private func numbered(_ bytes: [UInt8], _ numbers: [UInt64]) -> [UInt8] {
                var bytes = bytes
                guard bytes.count >= 9 else { return bytes }
                for start in 0...bytes.count - 9
                where bytes[start] == 0xcf && Array(bytes[start + 1..<start + 7])
                    == [0xC0, 0xDE, 0xC0, 0xDE, 0xC0, 0xDE]
                {
                    let index = Int(bytes[start + 7]) << 8 | Int(bytes[start + 8])
                    for offset in 0..<8 {
                        bytes[start + 1 + offset] = UInt8(
                            truncatingIfNeeded: numbers[index] >> UInt64(56 - 8 * offset))
                    }
                }
                return bytes
            }

            private func run(_ id: String, _ input: [UInt8]) throws -> [UInt8] {
                var reader = MessagePackReader(input)
                try reader.arrayHeader(exactly: 2)
                var numbers: [UInt64] = []
                for _ in 0..<(try reader.arrayHeader()) {
                    var inner = MessagePackReader(numbered(try reader.binary(), numbers))
                    numbers.append(PatchCall.number(of: try make(&inner)))
                }
                asked = 0
                let answer = try call(id, numbered(try reader.binary(), numbers))
                var writer = MessagePackWriter()
                writer.arrayHeader(3)
                writer.binary(answer)
                var dumps: [[UInt8]] = []
                let last = PatchCall.number(of: Sentinel())
                if last & 0xffff_ffff > 0 {
                    var number = last & ~0xffff_ffff
                    while let object = try? PatchCall.object(number, as: AnyObject.self) {
                        var writer = MessagePackWriter()
                        if object is Sentinel { writer.nil() } else { dump(object, &writer) }
                        dumps.append(writer.bytes)
                        number += 1
                    }
                }
                writer.arrayHeader(dumps.count)
                for dump in dumps { writer.binary(dump) }
                writer.uint(asked)
                return writer.bytes
            }

            /// Runs a case inside a call of the module, where objects have numbers.
            private struct Probe: PatchEncodedValue {
                final class Outcome { var value: Result<[UInt8], any Error>? }
                let outcome: Outcome
                let body: () throws -> [UInt8]
                func write(to writer: inout MessagePackWriter) {
                    outcome.value = Result { try body() }
                    writer.nil()
                }
                init(_ body: @escaping () throws -> [UInt8]) {
                    outcome = Outcome()
                    self.body = body
                }
                init(from reader: inout MessagePackReader) throws { throw OpCorpusMissed() }
            }

            private let fork = unsafeBitCast(
                dlsym(dlopen(nil, RTLD_NOW), "fork"), to: (@convention(c) () -> Int32).self)

            private func answer(_ line: String) -> String {
                let parts = line.split(separator: " ", omittingEmptySubsequences: false)
                let digits = Array(parts[1].utf8)
                let input = stride(from: 0, to: digits.count, by: 2).map {
                    UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16) ?? 0
                }
                let probe = Probe { try run(String(parts[0]), input) }
                try? Patch.shared.call("op_alloc", probe)
                switch probe.outcome.value {
                case .success(let bytes):
                    return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                case .failure(let error): return "!\\(error)"
                case nil: return "!nothing"
                }
            }

            private func start() {
                let environment = ProcessInfo.processInfo.environment
                var configuration = PatchConfiguration(appKey: "corpus", apiBaseURL: nil)
                configuration.fingerprint = environment["FINGERPRINT"]
                configuration.resources = URL(fileURLWithPath: environment["MODULE"] ?? "")
                configuration.stateFolder = URL(
                    fileURLWithPath: "\\(environment["STATE"] ?? "").\\(getpid())")
                configuration.limits.callNanoseconds = 60_000_000_000
                configuration.limits.firstCallNanoseconds = 60_000_000_000
                Patch.configure(configuration)
                let done = DispatchSemaphore(value: 0)
                Task.detached {
                    _ = await Patch.shared.start()
                    done.signal()
                }
                done.wait()
                guard Patch.shared.hasActiveModule else { fatalError("no module") }
                if !patched { for gate in 0..<PATCH_GATE_COUNT { patch_gate_set(UInt16(gate), false) } }
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
                            start()
                            for line in lines[next...] {
                                alarm(patched ? 90 : 10)
                                let text = answer(line)
                                _ = (text + "\\n").withCString { write(ends[1], $0, strlen($0)) }
                                // The module may serve a function no more once it failed.
                                if text.hasPrefix("!") { _exit(7) }
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
                        if next < lines.count, status & 0x7f != 0 || status == 0 {
                            print(status & 0x7f == SIGALRM ? "!slow" : "!crash")
                            next += 1
                        }
                    }
                }
            }

            """
    }
}

/// The classes of a package whose objects cross, how they are made and what they hold.
struct CorpusObjects {
    let classes: [ValueType]
    /// An initialiser for each class that has one, by the class's key.
    let makers: [String: RoutableFunction]
    private let natives: [RoutableFunction]

    init(_ code: AppCode) {
        classes = code.scan.types.holders.values.filter(\.isObject)
            .sorted { $0.reference.key < $1.reference.key }
        natives = code.scan.natives
        var makers: [String: RoutableFunction] = [:]
        for native in natives.sorted(by: { $0.path < $1.path }) where native.makesObject {
            guard case .named(let type)? = native.result else { continue }
            makers[type.key] = makers[type.key] ?? native
        }
        self.makers = makers
    }

    /// The functions that values of some types are or hold.
    static func functions(in given: [ABIType], _ types: ValueTypes) -> Set<ABIType.Function> {
        let all = given + types.reachable(from: given).flatMap(\.contents)
        return Set(
            all.flatMap(\.parts).compactMap {
                if case .function(let function) = $0 { function } else { nil }
            })
    }

    /// What is stored in objects of a class and can be read.
    func properties(of type: ValueType) -> [RoutableFunction] {
        natives.filter {
            $0.kind == .getter && $0.receiver?.type == .named(type.reference) && !$0.isThrowing
                && !$0.isAsync && $0.body.id == $0.declaration.id
        }.sorted { $0.path < $1.path }
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
