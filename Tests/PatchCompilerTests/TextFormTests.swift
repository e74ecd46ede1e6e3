import TestSupport
import Testing

@testable import PatchCompiler

/// Characters, slices, scalars and positions: the module against native code.
@Suite("Parts of texts that cross")
struct TextFormTests {
    private static let store = """
        struct Stop: Swift.Error { var at: Character? }

        struct Scanner {
            private let text: String
            private(set) var index: String.Index

            init(_ text: String) {
                self.text = text
                index = text.startIndex
            }

            var current: Character? { index < text.endIndex ? text[index] : nil }

            mutating func read(while kept: Set<Character>) -> Substring {
                let start = index
                while let current, kept.contains(current) { index = text.index(after: index) }
                return text[start..<index]
            }

            mutating func skip() throws {
                guard let current, !current.isNewline else { throw Stop(at: current) }
                index = text.index(after: index)
            }

            func rest(_ extra: Substring) -> [Substring] { [text[index...], extra.dropFirst()] }
        }

        extension Character {
            var isOpening: Bool { self == "(" || self == "[" }
        }

        func codes(_ scalars: [Unicode.Scalar]) -> [UInt32] { scalars.map(\\.value) }
        func scalars(_ text: String) -> String.UnicodeScalarView { text.unicodeScalars }
        func letters(_ text: String) -> Int { count(text, \\.isLetter) }
        func count(_ text: String, _ path: KeyPath<Character, Bool>) -> Int {
            text.filter { $0[keyPath: path] }.count
        }

        """

    private static let edits = [
        ("? text[index] : nil }", "? text[index].uppercased().first : nil }"),
        ("return text[start..<index]", "return text[start..<index] + \"é\""),
        ("!current.isNewline else", "!current.isWhitespace else"),
        ("[text[index...], extra.dropFirst()]", "[extra.dropFirst(), text[index...]]"),
        ("self == \"(\" || self == \"[\"", "self == \"{\" || self == \"(\""),
        ("scalars.map(\\.value)", "scalars.map { $0.value + 1 }"),
        ("text.unicodeScalars }", "(text + \"\\u{301}\").unicodeScalars }"),
        ("text.filter { $0[keyPath: path] }.count", "text.filter { !$0[keyPath: path] }.count"),
    ]

    private static let driver = """
        for text in ["", "a", "ab(c", "e\\u{301}é日🙂\\r\\nx", "  [y]\\n"] {
            var scanner = Scanner(text)
            print(scanner.current as Any, letters(text), Array(scalars(text)).map(\\.value))
            print(scanner.read(while: ["a", "b", "é", " "]), scanner.rest("rest"))
            for _ in 0..<3 {
                do {
                    try scanner.skip()
                    print(scanner.current as Any, scanner.rest(text[...]))
                } catch let stop as Stop {
                    print("stop", stop.at as Any)
                } catch { print("another error") }
            }
            print(text.map(\\.isOpening), codes(Array(text.unicodeScalars)))
        }
        """

    @Test("they give in the module what they give natively, and positions stay where they are")
    func forms() throws {
        let fixture = try ProjectFixture(files: ["Text.swift": Self.store])
        let project = try fixture.project()
        try project.prepare()
        let manifest = try CoverageTests.manifest(
            AppCode(folder: fixture.folder, configuration: project.configuration))
        try fixture.keepStore()
        try project.unprepare()
        for (old, new) in Self.edits { try fixture.edit("Sources/Text.swift", old, new) }
        try expectSame(
            fixture, manifest,
            covers: [
                "Scanner.current", "Scanner.read(while:)", "Scanner.skip()", "Scanner.rest(_:)",
                "Character.isOpening", "codes(_:)", "scalars(_:)", "letters(_:)",
            ], driver: Self.driver, flags: [["-O"], ["-Onone"]])
    }

    @Test("a position without one text before it does not cross, and that is said")
    func positions() throws {
        for (fields, why) in [
            ("var index: String.Index\nvar text: String", "has the position 'index'"),
            ("var text: String, other: Substring\nvar index: String.Index", "has the position"),
            ("var text: String\nvar all: [String.Index]", "has the property 'all'"),
        ] {
            let fixture = try ProjectFixture(files: [
                "A.swift": "struct S {\n\(fields)\n}\nfunc f(_ s: S) -> Int { 1 }\n"
            ])
            let refusals = try fixture.project().refusals()
            #expect(refusals.first?.message.contains(why) == true, "\(refusals)")
        }
        let alone = try ProjectFixture(files: [
            "A.swift": "func f(_ i: String.Index) -> Int { 1 }\n"
        ])
        #expect(try alone.project().refusals().map(\.reason) == [.parameterType])
    }
}
