import Foundation
import SwiftSyntax
import TestSupport
import Testing

@testable import PatchCompiler

private func index(_ files: [String: String]) throws -> DeclarationIndex {
    let tree = try sourceTree(files)
    return DeclarationIndex(tree, functions: FunctionScanner.scan(tree).functions)
}

@Suite("Declarations of an app")
struct DeclarationTests {
    static let text = """
        import Foundation
        let (a, b) = (1, 2)
        var state = 0 { didSet { print(state) } }
        var computed: Int { a }
        func f(_ x: Int) -> Int { x }
        func f(_ x: String) -> Int { 1 }
        struct Outer: Codable {
            var stored: Int, other = 2
            static let shared = 1
            init() { stored = 1 }
            subscript(x: Int) -> Int { x }
            var property: Int { stored }
            func method() {}
            enum Inner { case one, two(Int) }
        }
        extension Outer: CustomStringConvertible { var description: String { "" } }
        extension Outer { func more() {} }
        protocol Named { var name: String { get } }
        typealias Alias = Int
        class Base { deinit {} }
        print(f(1))
        #if DEBUG
        func onlyDebug() {}
        #else
        func onlyDebug() {}
        #endif
        """

    @Test("each is found once, with its kind and full path")
    func found() throws {
        let all = try index(["main.swift": Self.text]).declarations
        let listed = all.map { "\($0.kind.rawValue) \($0.path)" }
        #expect(
            Set(listed).isSuperset(of: [
                "constant a, b", "variable state", "computed computed", "function f(_:)",
                "type Outer", "stored Outer.other, stored", "constant Outer.shared",
                "init Outer.init()", "subscript Outer.subscript", "property Outer.property",
                "method Outer.method()", "type Outer.Inner", "case Outer.Inner.one, two",
                "extension extension Outer", "property Outer.description", "method Outer.more()",
                "protocol Named", "alias Alias", "type Base", "deinit Base.deinit",
                "script top-level code of Sources/main.swift",
            ]), "\(listed)")
        #expect(Set(all.map(\.key)).count == all.count)
        #expect(all.filter(\.isConditional).map(\.path) == ["onlyDebug()", "onlyDebug()"])
    }

    @Test("moving, reordering, reformatting and commenting change no key and no hash")
    func stable() throws {
        let before = try index([
            "A.swift": "func f() -> Int { 1 }\nstruct S { var x: Int }\nlet c = 1"
        ])
        let after = try index([
            "B.swift": "let c = 1 // one\n\nstruct S {\n    /// It.\n    var x: Int\n}\n",
            "C.swift": "func f() -> Int {\n    1\n}",
        ])
        func pairs(_ index: DeclarationIndex) -> Set<String> {
            Set(index.declarations.map { $0.key + $0.hash })
        }
        #expect(pairs(before) == pairs(after))
    }

    @Test(
        "a hash is that of the declaration alone: members count for themselves, routed bodies not")
    func granular() throws {
        func hashes(_ text: String) throws -> [String: String] {
            Dictionary(
                uniqueKeysWithValues: try index(["A.swift": text]).declarations
                    .map { ($0.path, $0.hash) })
        }
        let before = try hashes(
            "struct S { var x: Int; func m() { a() } }\nfunc r(_ x: Int = 1) -> Int { 1 }")
        let member = try hashes(
            "struct S { var x: Int; func m() { b() } }\nfunc r(_ x: Int = 1) -> Int { 2 }")
        #expect(before["S"] == member["S"] && before["S.x"] == member["S.x"])
        #expect(before["S.m()"] != member["S.m()"])
        #expect(before["r(_:)"] == member["r(_:)"])
        let header = try hashes(
            "struct S: P { var x: Int; func m() { a() } }\nfunc r(_ x: Int = 2) -> Int { 1 }")
        #expect(before["S"] != header["S"] && before["S.m()"] == header["S.m()"])
        #expect(before["r(_:)"] != header["r(_:)"])
    }

    @Test("names are told apart: alone, behind a dot, bound inside, qualified")
    func references() throws {
        let references = try #require(
            try index([
                "A.swift": """
                func f(_ p: Kind) -> Int {
                    let local = Other.make(p).field
                    for item in list { use(item, \\.path.deep) }
                    return local +++ { q in q }(`default`)
                }
                """
            ]).declarations.first?.references)
        #expect(
            references.free.isSuperset(of: ["Kind", "Other", "list", "use", "+++", "default", "p"]))
        #expect(references.members == ["make", "field", "path", "deep"])
        #expect(references.bound == ["p", "local", "item", "q"])
        #expect(references.qualified == ["Other": ["make"]])
        #expect(!references.whole.contains("Other") && references.whole.contains("Kind"))
    }
}

@Suite("Bodies of one expression")
struct BodyShapeTests {
    @Test(
        "return is written exactly where the language implied it",
        arguments: [
            ("1", true), ("x + 1", true), (".none", true), ("{ 1 }()", true), ("(1)", true),
            ("if x > 0 { 1 } else { 2 }", true),
            ("if x > 0 { 1 } else if x < 0 { 2 } else { 3 }", true),
            ("switch x { case 0: 1\ndefault: 2 }", true),
            ("switch x { case 0: if x > 0 { 1 } else { 2 }\ndefault: fatalError() }", true),
            ("if x > 0 { return 1 } else { return 2 }", false),
            ("if x > 0 { 1 } else { return 2 }", false),
            ("if x > 0 { print(1); return 1 }\nreturn 2", false),
            ("switch x { case 0: return 1\ndefault: return 2 }", false),
            ("switch x { case 0: print(0); return 1\ndefault: 2 }", false),
            ("return 1", false), ("let y = 1\nreturn y", false), ("fatalError()", false),
            ("Swift.fatalError()", false), ("preconditionFailure(\"x\")", false),
            ("defer { print(1) }\nreturn 1", false), ("while true {}", false),
        ])
    func implied(body: String, expected: Bool) throws {
        let result = try scan(["A.swift": "func f(_ x: Int) -> Int { \(body) }"])
        let function = try #require(result.functions.first)
        #expect((function.returnOffset != nil) == expected)
    }
}

@Suite("Marks and pages")
struct MarksTests {
    private func strip(_ text: String) throws -> String {
        String(decoding: try Marks.strip(Array(text.utf8), file: "A.swift"), as: UTF8.self)
    }

    @Test("only well-formed comments outside literals are marks")
    func recognition() throws {
        let id = "0123456789abcdef"
        #expect(try strip("a/*openpatch:begin v1 \(id)*/b/*openpatch:end*/c") == "ac")
        for other in [
            "a /*openpatch:begin v2 \(id)*/", "a /*openpatch:begin v1 0123*/",
            "a /*openpatch:begin v1 0123456789ABCDEF*/", "// /*openpatch:end*/\n",
            "\"/*openpatch:end*/\"", "#\"/*openpatch:begin v1 \(id)*/\"#",
            "\"\"\"\n/*openpatch:end*/\n\"\"\"", "/* /*openpatch:end*/ */", "/*openpatch:end */",
        ] { #expect(try strip(other) == other) }
    }

    @Test("nested, repeated or lonely marks are refused")
    func refused() {
        let begin = Marks.begin("0123456789abcdef")
        for text in [
            begin, "a" + Marks.end, begin + begin + Marks.end, begin + Marks.end + Marks.end,
        ] {
            let error = #expect(throws: PatchProjectError.self) { try strip(text) }
            #expect(error?.kind == .damagedMarks)
        }
    }

    @Test("a page keeps, blanks and replaces by byte, whatever the characters")
    func page() throws {
        let file = try SourceFile(
            module: "App", path: "A.swift", url: URL(fileURLWithPath: "/A.swift"),
            stored: Array("let é = 1\r\nlet 日 = 2\nclass A {}".utf8))
        let items = Array(file.tree.statements)
        var page = Page(file.bytes)
        #expect(page.text == "          \r\n           \n          ")
        page.keep(items[1])
        #expect(page.text == "          \r\nlet 日 = 2\n          ")
        let keyword = try #require(items[2].firstToken(viewMode: .sourceAccurate))
        page.keep(items[2])
        page.replace(keyword, with: "enum")
        page.blank(items[1])
        #expect(page.text == "          \r\n           \nenum  A {}")
    }
}

@Suite("Types that cross")
struct ABITypeTests {
    @Test(
        "each written form has one canonical name",
        arguments: [
            ("Int", "Int"), ("Swift.UInt8", "UInt8"), ("Float64", "Double"),
            ("Bool?", "Optional<Bool>"),
            ("[Int]", "Array<Int>"), ("[UInt8]", "Array<UInt8>"), ("Array<UInt8>", "Array<UInt8>"),
            ("[String: [Int?]]", "Dictionary<String,Array<Optional<Int>>>"),
            ("Swift.Set<Int>", "Set<Int>"), ("(Int)", "Int"), ("(a: Int, Bool)", "(a:Int,Bool)"),
            ("Optional<Optional<Int>>", "Optional<Optional<Int>>"),
            ("Dictionary<Int, Set<String>>", "Dictionary<Int,Set<String>>"),
            ("Date?", "Optional<Foundation.Date>"), ("Foundation.Data", "Foundation.Data"),
        ])
    func canonical(written: String, name: String) throws {
        let result = try scan(["A.swift": "func f() -> \(written) { fatalError() }"])
        let type = try #require(result.functions.first?.result)
        #expect(type.canonical == name)
        // What generated code writes reads back as the same type.
        let again = try scan(["A.swift": "func f() -> \(type.swift) { fatalError() }"])
        #expect(again.functions.first?.result == type)
    }

    @Test(
        "everything else does not cross",
        arguments: [
            "Any", "any Hashable", "Int.Type", "() -> Int", "Locale",
            "Set<[String: (Int, Int)]>", "[(Int, Int): Int]", "Array", "Array<Int, Int>",
            "Result<Int, E>",
            "Foo.Int", "(a: Locale, Int)", "Int8.Stride", "[5 of Int]",
        ])
    func refused(written: String) throws {
        let result = try scan(["A.swift": "func f() -> \(written) { fatalError() }"])
        #expect(result.functions.isEmpty)
    }

    @Test("random types read back from the text that generated code has for them")
    func random() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seed)
        for _ in 0..<100 {
            let type = RandomType.type(&generator)
            let result = try scan(["A.swift": "func f(_ x: \(type.swift)) -> Int { 1 }"])
            #expect(result.functions.first?.parameters.first?.type == type, "\(type.swift)")
        }
    }
}
