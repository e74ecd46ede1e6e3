import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("The language in a module")
struct FeatureTests {
    static let driver = """
        for x in [0, 1, -7, 84, 123_456_789, Int.max - 1, Int.min + 2] {
            print(numbers(x), matched(x, nil), matched(x, "a"), matched(x, "longer"))
        }
        for x in [0, 3, -7, 1000] { print(shapes(x), levels(x), counter(x)) }
        for names in [[], ["a"], ["a", "b", "a", "日"]] {
            print(items(names, 5).sorted { $0.key < $1.key }.map { "\\($0)" })
            print(grouped(names + ["ab", "ba", ""]).sorted { $0.key < $1.key }.map { "\\($0)" })
            print(texts(names), generic(names.map(\\.count), names))
        }
        print(stack([3, 1, 2]), stack([]), closures([]), closures([1, 2, 3]))
        for text in ["", "123", "12x", "٣", "é日🧵 ", "e\\u{301} ", "\\u{1F468}\\u{200D}\\u{1F469}"] {
            print(parse(text), unicode(text))
        }
        for limit in [0, 1, 5, 12] { print(loops(limit)) }
        print(optionals([], nil), optionals([1, nil, 3], nil), optionals([nil], 7))
        for x in [0, 1.5, -2.25, 1e21, 0.1 + 0.2, Double(bitPattern: 1), .infinity, .nan, 9_007_199_254_740_992] {
            print(floats(x))
        }
        """

    @Test("features of the language give in a module what they give natively, over two modules")
    func features() throws {
        let fixture = try ProjectFixture("features")
        // One compilation serves both modules here; their names are only in ids and paths.
        let project = try fixture.project()
        try project.prepare()
        #expect(try fixture.read("Sources/App/OpenPatchSurface.swift").contains("op_surface_v1"))
        let build = try project.registerBuild()
        #expect(build.notInBase == [])
        try FileManager.default.copyItem(
            at: fixture.directory.file("Sources"), to: fixture.directory.file("Store"))
        try fixture.edit("Sources/Core/Salt.swift", "let salt = 1", "let salt = 2")
        let names = try project.coverage(of: build.manifest).covered.map(\.name)
        try expectSame(
            fixture, build.manifest,
            covers: [
                "shapes(_:)", "levels(_:)", "items(_:_:)", "stack(_:)", "counter(_:)", "parse(_:)",
                "texts(_:)", "loops(_:)", "optionals(_:_:)", "grouped(_:)", "numbers(_:)",
                "floats(_:)", "unicode(_:)", "matched(_:_:)", "closures(_:)", "generic(_:_:)",
            ], driver: Self.driver)
        #expect(names.count == 16)
    }

    @Test("random types of all shapes cross both ways, bit for bit")
    func randomTypes() throws {
        let seed = SeededGenerator.seed
        var generator = SeededGenerator(seed: seed)
        var store = "import Foundation\n"
        var edited = "import Foundation\n"
        var driver = "import Foundation\n"
        for number in 0..<24 {
            let type = RandomType.type(&generator)
            let head = "func echo\(number)(_ x: \(type.swift), y: Bool) -> \(type.swift)"
            store += head + " { fatalError(\"native \\(y)\") }\n"
            edited += head + " { y ? x : x }\n"
            for _ in 0..<4 {
                let value = RandomType.literal(type, &generator)
                driver +=
                    "do { let x: \(type.swift) = \(value); let y = echo\(number)(x, y: true)\n"
                driver += "print(\(number), \(RandomType.describe(type, "x"))"
                driver += " == \(RandomType.describe(type, "y"))) }\n"
            }
        }
        let fixture = try ProjectFixture(files: ["A.swift": store])
        let project = try fixture.project()
        try project.prepare()
        let manifest = try CoverageTests.manifest(
            AppCode(folder: fixture.folder, configuration: project.configuration))
        try FileManager.default.copyItem(
            at: fixture.directory.file("Sources"), to: fixture.directory.file("Store"))
        try fixture.directory.write(edited, to: "Sources/A.swift")
        let module = try project.buildModule(
            for: manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        #expect(module.coverage.covered.count == 24)
        let program = try PreparedProgram(
            fixture.swiftFiles("Store"), driver: driver, in: fixture.directory)
        let scan = FunctionScanner.scan(
            try SourceTree(folder: fixture.folder, configuration: project.configuration))
        let output = try program.patched(
            module.wasm, gates: Array(0..<24),
            packed: scan.functions.filter { $0.scalarOutput == nil }.map(\.hexID))
        let lines = output.split(separator: "\n")
        #expect(lines.count == 96)
        #expect(lines.allSatisfy { $0.hasSuffix("true") }, "seed \(seed): \(output)")
    }
}

/// Random types that cross, values of them, and texts that tell values apart.
enum RandomType {
    static func type(_ generator: inout SeededGenerator, depth: Int = 0) -> ABIType {
        let scalars: [ABIType] =
            [
                .bool, .float, .double, .string, .bytes, .foundation(.Data), .foundation(.Date),
                .foundation(.UUID), .foundation(.URL), .foundation(.Decimal), .text(.character),
                .text(.substring), .text(.scalar),
            ]
            + ABIType.Integer.allCases.map { .integer($0) }
        if depth >= 3 || Int.random(in: 0..<3, using: &generator) == 0 {
            return scalars.randomElement(using: &generator) ?? .bool
        }
        func inner() -> ABIType { type(&generator, depth: depth + 1) }
        func key() -> ABIType {
            let keys: [ABIType] = [
                .string, .bool, .integer(.Int), .integer(.UInt64), .integer(.Int8),
            ]
            return keys.randomElement(using: &generator) ?? .string
        }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return .optional(inner())
        case 1:
            let element = inner()
            return element == .integer(.UInt8) ? .bytes : .array(element)
        case 2: return .set(key())
        case 3:
            let name = key()
            return .dictionary(name, inner())
        default:
            let count = Int.random(in: 2...3, using: &generator)
            return .tuple(
                (0..<count).map {
                    ABIType.Element(label: $0 == 0 ? nil : "e\($0)", type: inner())
                })
        }
    }

    static func literal(_ type: ABIType, _ generator: inout SeededGenerator) -> String {
        func some(_ body: (Int) -> String) -> String {
            let count = [0, 1, 2, 17].randomElement(using: &generator) ?? 0
            return (0..<count).map(body).joined(separator: ", ")
        }
        switch type {
        case .bool: return Bool.random(using: &generator) ? "true" : "false"
        case .integer(let kind):
            return ["\(kind.rawValue).max", "\(kind.rawValue).min", "0", "1", "100"]
                .randomElement(using: &generator) ?? "0"
        case .float:
            return
                "Float(bitPattern: \(UInt32(truncatingIfNeeded: generator.next()) & 0x7f7f_ffff))"
        case .double: return "Double(bitPattern: \(generator.next() & 0x7fef_ffff_ffff_ffff))"
        case .string:
            return ["\"\"", "\"a\"", "\"é日🧵\\n\\0\"", "String(repeating: \"x\", count: 300)"]
                .randomElement(using: &generator) ?? "\"\""
        case .bytes:
            return ["[]", "[0, 255, 128]", "[UInt8](repeating: 7, count: 70000)"]
                .randomElement(using: &generator) ?? "[]"
        case .optional(let wrapped):
            guard Bool.random(using: &generator) else { return "nil" }
            return ".some(\(literal(wrapped, &generator)))"
        case .array(let element):
            return "[" + some { _ in literal(element, &generator) } + "]"
        case .set(let element):
            return "Set<\(element.swift)>([" + some { key(element, $0) } + "])"
        case .dictionary(let name, let value):
            let pairs = some { "(\(key(name, $0)), \(literal(value, &generator)))" }
            return "Dictionary([\(pairs)] as [(\(name.swift), \(value.swift))])"
                + " { first, _ in first }"
        case .tuple(let elements):
            return "("
                + elements.map {
                    ($0.label.map { $0 + ": " } ?? "") + literal($0.type, &generator)
                }.joined(separator: ", ") + ")"
        case .foundation(.Data): return "Data(\(literal(.bytes, &generator)))"
        case .foundation(.Date):
            return "Date(timeIntervalSinceReferenceDate: \(literal(.double, &generator)))"
        case .foundation(.UUID):
            return "(UUID(uuidString: \"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\")!)"
        case .foundation(.URL):
            return [
                "URL(string: \"https://a.de/é?q=1#f\")!", "URL(fileURLWithPath: \"/tmp/x y\")",
                "URL(string: \"x/../y\", relativeTo: URL(string: \"http://b/c\"))!",
            ].randomElement(using: &generator) ?? ""
        case .foundation(.Decimal):
            return ["0.10", "Decimal(string: \"-12345678901234567890\")!", ".nan", "1e30"]
                .randomElement(using: &generator) ?? "0"
        case .text(.character):
            return ["\"a\"", "\"é\"", "\"e\\u{301}\"", "\"👩‍👩‍👧\"", "\"\\r\\n\""]
                .randomElement(using: &generator) ?? "\"a\""
        case .text(.scalar):
            return ["\"a\"", "\"\\0\"", "\"\\u{10FFFF}\"", "\"\\u{301}\""]
                .randomElement(using: &generator) ?? "\"a\""
        case .text(.scalars): return "(\(literal(.string, &generator))).unicodeScalars"
        case .text(.substring): return "Substring(\(literal(.string, &generator)))"
        case .named, .position, .function: return "\(type.swift).some"
        }
    }

    private static func key(_ type: ABIType, _ number: Int) -> String {
        switch type {
        case .string: "\"key \(number % 3 == 0 ? "é" : "") \(number)\""
        case .bool: number % 2 == 0 ? "true" : "false"
        default: "\(number * 7)"
        }
    }

    /// An expression of type String that differs for different values.
    static func describe(_ type: ABIType, _ value: String) -> String {
        switch type {
        case .float, .double: return "\"\\(\(value).bitPattern)\""
        case .foundation(.Data): return "\"\\([UInt8](\(value)))\""
        case .foundation(.Date):
            return "\"\\(\(value).timeIntervalSinceReferenceDate.bitPattern)\""
        case .optional(let wrapped):
            return "(\(value).map { \"some \" + \(describe(wrapped, "$0")) } ?? \"nil\")"
        case .array(let element):
            return "\"[\\(\(value).map { \(describe(element, "$0")) }.joined(separator: \", \"))]\""
        case .set(let element):
            return "\"{\\(\(value).map { \(describe(element, "$0")) }.sorted())}\""
        case .dictionary(let name, let element):
            return "\"{\\(\(value).map { \(describe(name, "$0.key")) + \": \""
                + " + \(describe(element, "$0.value")) }.sorted())}\""
        case .tuple(let elements):
            return "("
                + elements.enumerated().map { describe($0.element.type, "\(value).\($0.offset)") }
                .joined(separator: " + \", \" + ") + ")"
        default: return "\"\\(\(value))\""
        }
    }
}
