import Foundation
import ModuleABI
import TestSupport

@testable import PatchCompiler

/// Values of any type that crosses, encoded as they cross: drawn from a seed, and read back as text
/// that is the same for equal values.
struct CorpusValues {
    let types: ValueTypes
    let errors: [ValueType]
    /// Texts of the program at hand, which reach more of it than random ones.
    let texts: [String]
    /// How objects are made, and what they hold.
    let objects: CorpusObjects
    /// Objects of the input that is being written.
    private let made = Made()

    private final class Made {
        var objects: [(key: String, bytes: [UInt8])] = []
    }

    init(_ code: AppCode, texts: [String]) {
        types = code.scan.types
        errors = code.scan.types.errors
        self.texts = texts
        objects = CorpusObjects(code)
    }

    /// An input of a function: the objects in it, each as bytes, then its arguments as bytes.
    func input(
        of function: RoutableFunction, _ generator: inout SeededGenerator
    ) -> [UInt8] {
        made.objects = []
        var arguments = MessagePackWriter()
        if function.arguments.count != 1 { arguments.arrayHeader(function.arguments.count) }
        for argument in function.arguments { write(argument.type, &arguments, &generator) }
        var writer = MessagePackWriter()
        writer.arrayHeader(2)
        writer.arrayHeader(made.objects.count)
        for object in made.objects { writer.binary(object.bytes) }
        writer.binary(arguments.bytes)
        return writer.bytes
    }

    /// Whether there are values of all types that a function takes.
    func canMakeInput(of function: RoutableFunction) -> Bool {
        let given = function.arguments.map(\.type)
        return types.reachable(from: given).allSatisfy {
            !$0.isObject || objects.makers[$0.reference.key] != nil
        }
            && CorpusObjects.functions(in: given, types).allSatisfy { function in
                types.reachable(from: [.function(function)]).allSatisfy { $0.home == .anywhere }
            }
    }

    private func object(
        _ type: ValueType, _ writer: inout MessagePackWriter,
        _ generator: inout SeededGenerator, _ depth: Int
    ) {
        let key = type.reference.key
        let known = made.objects.indices.filter { made.objects[$0].key == key }
        let reuses = depth > 5 || Int.random(in: 0..<3, using: &generator) == 0
        var index = reuses ? known.randomElement(using: &generator) : nil
        if index == nil, depth < 8, let maker = objects.makers[key] {
            var inner = MessagePackWriter()
            inner.arrayHeader(2)
            inner.string(key)
            inner.arrayHeader(maker.arguments.count)
            for argument in maker.arguments {
                write(argument.type, &inner, &generator, depth: depth + 1)
            }
            made.objects.append((key, inner.bytes))
            index = made.objects.count - 1
        }
        guard let index else { return writer.nil() }
        writer.uint(0xC0DE_C0DE_C0DE_0000 | UInt64(index))
    }

    /// Encodes a random value.
    func write(
        _ type: ABIType, _ writer: inout MessagePackWriter, _ generator: inout SeededGenerator,
        depth: Int = 0
    ) {
        func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
        func count() -> Int { depth > 3 ? below(2) : [0, 1, 1, 2, 2, 3, 4][below(7)] }
        switch type {
        case .bool: writer.bool(below(2) == 0)
        case .integer(let kind): integer(kind, &writer, &generator)
        case .float: writer.float(Float(double(&generator)))
        case .double: writer.double(double(&generator))
        case .string, .text(.substring), .text(.scalars): writer.string(text(&generator))
        case .text(.character): writer.string(String(character(&generator)))
        case .text(.scalar):
            writer.string(String(character(&generator).unicodeScalars.first ?? "x"))
        case .bytes, .foundation(.Data):
            writer.binary((0..<below(20)).map { _ in UInt8(below(256)) })
        case .foundation(.Date): writer.double(Double(below(2_000_000_000)) + 0.25)
        case .foundation(.UUID):
            writer.string(
                String(format: "%08X-0000-4000-8000-%012X", below(1 << 32), below(1 << 40)))
        case .foundation: writer.nil()
        case .position: writer.int(0)
        case .optional(let wrapped):
            if below(4) == 0 {
                writer.nil()
            } else {
                write(wrapped, &writer, &generator, depth: depth + 1)
            }
        case .array(let element):
            let count = count()
            writer.arrayHeader(count)
            for _ in 0..<count { write(element, &writer, &generator, depth: depth + 1) }
        case .set(let element):
            let members = distinct(element, count(), &generator, depth)
            writer.arrayHeader(members.count)
            for member in members { writer.encoded(member) }
        case .dictionary(let key, let value):
            let keys = distinct(key, count(), &generator, depth)
            writer.mapHeader(keys.count)
            for key in keys {
                writer.encoded(key)
                write(value, &writer, &generator, depth: depth + 1)
            }
        case .tuple(let elements):
            writer.arrayHeader(elements.count)
            for element in elements { write(element.type, &writer, &generator, depth: depth + 1) }
        case .named(let reference): named(reference, &writer, &generator, depth)
        case .function(let function):
            // What it answers, one of these for what it is asked.
            writer.arrayHeader(3)
            for _ in 0..<3 {
                var answer = MessagePackWriter()
                if let result = function.result {
                    write(result, &answer, &generator, depth: depth + 2)
                }
                writer.binary(answer.bytes)
            }
        }
    }

    private func distinct(
        _ type: ABIType, _ count: Int, _ generator: inout SeededGenerator, _ depth: Int
    ) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for _ in 0..<count {
            var writer = MessagePackWriter()
            write(type, &writer, &generator, depth: depth + 1)
            if !found.contains(writer.bytes) { found.append(writer.bytes) }
        }
        return found
    }

    private func named(
        _ reference: NamedType, _ writer: inout MessagePackWriter,
        _ generator: inout SeededGenerator, _ depth: Int
    ) {
        guard let type = types.type(reference) else { return writer.nil() }
        switch type.shape {
        case .object: object(type, &writer, &generator, depth)
        case .structure(let fields):
            writer.arrayHeader(fields.count)
            var anchors: [String: String] = [:]
            for field in fields {
                if let anchor = field.anchor {
                    let text = anchors[anchor.name] ?? ""
                    let steps = Int.random(in: 0...text.count, using: &generator)
                    let index = text.index(text.startIndex, offsetBy: steps)
                    writer.position(index, in: Substring(text))
                } else if [.string, .text(.substring), .text(.scalars)].contains(field.type) {
                    let text = text(&generator)
                    anchors[field.name] = text
                    writer.string(text)
                } else {
                    write(field.type, &writer, &generator, depth: depth + 1)
                }
            }
        case .enumeration(let cases):
            var number = Int.random(in: cases.indices, using: &generator)
            // What holds itself has to end somewhere.
            if depth > 4 {
                number = cases.indices.min { cases[$0].values.count < cases[$1].values.count } ?? 0
            }
            writer.arrayHeader(cases[number].values.count + 1)
            writer.uint(UInt64(number))
            for value in cases[number].values {
                write(value.type, &writer, &generator, depth: depth + 1)
            }
        }
    }

    private func integer(
        _ kind: ABIType.Integer, _ writer: inout MessagePackWriter,
        _ generator: inout SeededGenerator
    ) {
        let small = Int64.random(in: -3...40, using: &generator)
        let edges: [Int64] = [
            0, 1, -1, 127, 128, 255, 256, 32_767, 65_535, 1 << 31, (1 << 31) - 1, 1 << 32, 1 << 53,
            .max, .min,
        ]
        let value =
            Int.random(in: 0..<4, using: &generator) == 0
            ? edges[Int.random(in: edges.indices, using: &generator)] : small
        switch kind {
        case .Int, .Int64: writer.int(value)
        case .Int8: writer.int(Int64(Int8(truncatingIfNeeded: value)))
        case .Int16: writer.int(Int64(Int16(truncatingIfNeeded: value)))
        case .Int32: writer.int(Int64(Int32(truncatingIfNeeded: value)))
        case .UInt, .UInt64: writer.uint(UInt64(bitPattern: value))
        case .UInt8: writer.uint(UInt64(UInt8(truncatingIfNeeded: value)))
        case .UInt16: writer.uint(UInt64(UInt16(truncatingIfNeeded: value)))
        case .UInt32: writer.uint(UInt64(UInt32(truncatingIfNeeded: value)))
        }
    }

    private func double(_ generator: inout SeededGenerator) -> Double {
        let all: [Double] = [
            0, -0.0, 1, -1, 0.1, 1.5, 2.5, 100, 1e15, 1e16, 1e300, -1e-300, .pi, .infinity,
            -.infinity, .nan, 42, 3, 7.25, 1_234_567.875,
        ]
        return all[Int.random(in: all.indices, using: &generator)]
    }

    private func character(_ generator: inout SeededGenerator) -> Character {
        let all = Array("aZ09 \n\t*_`#[]()!<>\"'\\/|,;:.+-=&%$€éß日🙂\u{301}x")
        return all[Int.random(in: all.indices, using: &generator)]
    }

    private func text(_ generator: inout SeededGenerator) -> String {
        var result = ""
        for _ in 0..<[0, 1, 1, 2, 3][Int.random(in: 0..<5, using: &generator)] {
            if !texts.isEmpty, Int.random(in: 0..<3, using: &generator) > 0 {
                result += texts[Int.random(in: texts.indices, using: &generator)]
            } else {
                for _ in 0..<Int.random(in: 0..<8, using: &generator) {
                    result.append(character(&generator))
                }
            }
        }
        return result
    }

    // MARK: - Reading back

    /// What a function brings back, as text, and what the objects that it was given hold then.
    func outcome(of function: RoutableFunction, _ bytes: [UInt8]) throws -> String {
        var reader = MessagePackReader(bytes)
        try reader.arrayHeader(exactly: 3)
        let answer = try reader.binary()
        seen.numbers = [:]
        seen.dumps = []
        for _ in 0..<(try reader.arrayHeader()) { seen.dumps.append(try reader.binary()) }
        let asked = try reader.integer(UInt64.self)
        try reader.finish()
        var inner = MessagePackReader(answer)
        var text = try outcome(of: function, &inner)
        try inner.finish()
        for number in 0..<seen.given { text += " " + (try held(UInt64(number))) }
        // What functions among the arguments were asked.
        return text + (asked == 0 ? "" : " asked \(asked)")
    }

    private let seen = Seen()

    private final class Seen {
        /// Objects already described, by number.
        var numbers: [UInt64: Int] = [:]
        var dumps: [[UInt8]] = []
        /// Classes and count of the objects of the input.
        var keys: [String] = []
        var given: Int { keys.count }
    }

    /// Says which objects an input had.
    func note(_ input: [UInt8]) throws {
        var reader = MessagePackReader(input)
        try reader.arrayHeader(exactly: 2)
        seen.keys = []
        for _ in 0..<(try reader.arrayHeader()) {
            var inner = MessagePackReader(try reader.binary())
            try inner.arrayHeader(exactly: 2)
            seen.keys.append(try inner.string())
        }
    }

    private func held(_ number: UInt64) throws -> String {
        let key = seen.keys[Int(number)]
        guard let type = objects.classes.first(where: { $0.reference.key == key }) else {
            return "?"
        }
        return try object(number, type)
    }

    /// Numbers themselves depend on what was asked first.
    private func object(_ number: UInt64, _ type: ValueType) throws -> String {
        let index = number & 0xffff_ffff
        if let known = seen.numbers[index] { return "#\(known)" }
        let own = seen.numbers.count
        seen.numbers[index] = own
        guard index < UInt64(seen.dumps.count) else { return "#\(own)?" }
        var reader = MessagePackReader(seen.dumps[Int(index)])
        let properties = objects.properties(of: type)
        try reader.arrayHeader(exactly: properties.count)
        let texts = try properties.map { property in
            property.callee + ":" + (try property.result.map { try text($0, &reader) } ?? "")
        }
        return "#\(own)" + type.reference.path + "{" + texts.joined(separator: ",") + "}"
    }

    private func outcome(
        of function: RoutableFunction, _ reader: inout MessagePackReader
    ) throws -> String {
        let back = function.returned.map(\.type)
        guard function.isThrowing else {
            let outputs = function.outputs
            if outputs.count == 1 { return try text(outputs[0], &reader) }
            try reader.arrayHeader(exactly: outputs.count)
            return try outputs.map { try text($0, &reader) }.joined(separator: " ")
        }
        try reader.arrayHeader(exactly: 2 + back.count)
        var parts: [String] = []
        if try reader.bool() {
            switch function.throwing {
            case .typed(let type): parts.append("throws " + (try text(type, &reader)))
            default:
                try reader.arrayHeader(exactly: 2)
                let key = try reader.integer(UInt64.self)
                if key == 0 {
                    // An error of a library, which has no name here.
                    try reader.nil()
                    parts.append("throws")
                    break
                }
                let type = errors.first { UInt64(ErrorCode.key($0).dropFirst(2), radix: 16) == key }
                guard let type else { throw MessagePackError(.invalidValue, at: 0) }
                parts.append("throws \(type.reference.path) ")
                parts.append(try text(.named(type.reference), &reader))
            }
        } else if let result = function.result {
            parts.append(try text(result, &reader))
        } else {
            try reader.nil()
            parts.append("()")
        }
        for type in back { parts.append(try text(type, &reader)) }
        return parts.joined(separator: " ")
    }

    /// One text for equal values, whatever the order in sets and dictionaries.
    func text(_ type: ABIType, _ reader: inout MessagePackReader) throws -> String {
        switch type {
        case .bool: return "\(try reader.bool())"
        case .integer(let kind):
            return kind.isSigned
                ? "\(try reader.integer(Int64.self))" : "\(try reader.integer(UInt64.self))"
        case .float:
            let value = try reader.float()
            return value.isNaN ? "nan" : "f\(value.bitPattern)"
        case .double, .foundation(.Date):
            let value = try reader.double()
            return value.isNaN ? "nan" : "d\(value.bitPattern)"
        case .string, .text, .foundation(.UUID):
            return "\""
                + (try reader.string()).unicodeScalars.map {
                    $0.isASCII && $0 != "\"" ? String($0) : "\\u{\(String($0.value, radix: 16))}"
                }.joined() + "\""
        case .bytes, .foundation: return "\(try reader.binary())"
        case .function: return "?"
        case .position: return "@\(try reader.integer(Int64.self))"
        case .optional(let wrapped):
            let value = try reader.optional { try text(wrapped, &$0) }
            return value.map { "some(\($0))" } ?? "nil"
        case .array(let element):
            return "[" + (try reader.array { try text(element, &$0) }).joined(separator: ",") + "]"
        case .set(let element):
            return "{"
                + (try reader.array { try text(element, &$0) }).sorted()
                .joined(separator: ",") + "}"
        case .dictionary(let key, let value):
            let count = try reader.mapHeader()
            var entries: [String] = []
            for _ in 0..<count {
                entries.append(try text(key, &reader) + ":" + (try text(value, &reader)))
            }
            return "{" + entries.sorted().joined(separator: ",") + "}"
        case .tuple(let elements):
            try reader.arrayHeader(exactly: elements.count)
            return "(" + (try elements.map { try text($0.type, &reader) }).joined(separator: ",")
                + ")"
        case .named(let reference):
            guard let type = types.type(reference) else { return "?" }
            if type.isObject { return try object(try reader.integer(UInt64.self), type) }
            let shape = type.shape
            let count = try reader.arrayHeader()
            switch shape {
            case .object: return "?"
            case .structure(let fields):
                guard count == fields.count else { throw MessagePackError(.invalidValue, at: 0) }
                return reference.path + "("
                    + (try fields.map { try text($0.type, &reader) }).joined(separator: ",") + ")"
            case .enumeration(let cases):
                let number = try reader.integer(Int.self)
                guard cases.indices.contains(number), count == cases[number].values.count + 1
                else { throw MessagePackError(.invalidValue, at: 0) }
                return "." + cases[number].name + "("
                    + (try cases[number].values.map { try text($0.type, &reader) })
                    .joined(separator: ",") + ")"
            }
        }
    }
}
