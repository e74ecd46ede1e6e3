import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

func scan(_ files: [String: String]) throws -> FunctionScanner.Scan {
    FunctionScanner.scan(try sourceTree(files))
}

func sourceTree(_ files: [String: String]) throws -> SourceTree {
    SourceTree(
        files: try files.sorted { $0.key < $1.key }.map { name, text in
            try SourceFile(
                module: "App", path: "Sources/" + name, url: URL(fileURLWithPath: "/" + name),
                stored: Array(text.utf8))
        })
}

@Suite("Which functions can be routed")
struct ScannerTests {
    @Test(
        "what stays native says why",
        arguments: [
            ("func a() async -> Int { async let b = 1; return await b }", .isAsync, "async let"),
            ("func a(_ f: () throws -> Int) rethrows -> Int { 1 }", .isThrowing, "rethrows"),
            ("func a<T>(_ x: T) -> Int { 1 }", .isGeneric, ""),
            ("func a(_ x: some Collection) -> Int { 1 }", .isGeneric, "some Collection"),
            ("func a(_ x: inout Any) -> Int { 1 }", .parameterType, "'Any'"),
            ("func a() throws -> Int { throw Gone() }", .errorType, "'Gone'"),
            (
                "class C: Error {}\nfunc a() throws -> Int { throw C() }", .errorType,
                "'C' (it is or holds an object)"
            ),
            ("func a(_ x: Int) throws(Unknown) -> Int { x }", .errorType, "'Unknown'"),
            ("func a(_ x: Int...) -> Int { 1 }", .variadicParameter, "x"),
            ("func a(_: Int) -> Int { 1 }", .unnamedParameter, ""),
            ("func a(_ x: @autoclosure () -> Int) -> Int { 1 }", .parameterAttribute, nil),
            ("func a(_ x: borrowing Int) -> Int { 1 }", .parameterAttribute, nil),
            ("func a(_ x: Any) -> Int { 1 }", .parameterType, "'Any'"),
            (
                "func a(_ x: (Int) async -> Int) -> Int { 1 }", .parameterType,
                "'(Int) async -> Int'"
            ),
            ("func a(_ x: Int!) -> Int { 1 }", .parameterType, "'Int!'"),
            ("func a(_ x: [(Int, Int): Int]) -> Int { 1 }", .parameterType, nil),
            ("func a() -> Locale { b }", .resultType, "'Locale'"),
            ("func a() -> some View { b }", .resultType, "'some View'"),
            ("func a() { print(1) }", .noResult, ""),
            ("func a() -> Void {}", .noResult, ""),
            (
                "class S: B<Int> { func a() -> Int { 1 } }", .needsInstance,
                "'S' (it inherits from 'B<Int>')"
            ),
            ("actor S { var a: Int { 1 } }", .needsInstance, "'S' (it is an actor)"),
            ("struct S { func a() {} }", .noResult, ""),
            ("class C { init(x: Int) {} }", .initializer, ""),
            (
                "struct S { subscript(x: Int) -> Int { get throws { x } } }", .subscriptMember, ""
            ),
            ("struct S { subscript<T>(x: T) -> Int { 1 } }", .isGeneric, ""),
            ("struct G<T> { static func a() -> Int { 1 } }", .genericContext, "G"),
            ("struct G<T> {}\nextension G { static func a() -> Int { 1 } }", .genericContext, "G"),
            ("extension Array { static func a() -> Int { 1 } }", .extendedType, "Array"),
            ("extension Unknown { static func a() -> Int { 1 } }", .extendedType, "Unknown"),
            ("protocol P {}\nextension P { static func a() -> Int { 1 } }", .genericContext, "P"),
            ("#if DEBUG\nfunc a() -> Int { 1 }\n#endif", .conditionalCompilation, ""),
            ("func a() -> Int {\n#if DEBUG\n1\n#else\n2\n#endif\n}", .conditionalCompilation, ""),
            (
                "func a() -> Int {\nvar x = 1\n#if DEBUG\nx = 2\n#endif\nreturn x }",
                .conditionalCompilation, ""
            ),
            ("@ViewBuilder func a() -> Int { 1 }", .attribute, "@ViewBuilder"),
            ("@inlinable public func a() -> Int { 1 }", .attribute, "@inlinable"),
            ("@_cdecl(\"x\") func a() -> Int { 1 }", .attribute, "@_cdecl"),
            (
                "enum String {}\nfunc a() -> String { fatalError() }", .resultType,
                "'String' (it has no cases)"
            ),
        ] as [(String, Refusal.Reason, String?)])
    func refused(text: String, reason: Refusal.Reason, detail: String?) throws {
        let result = try scan(["A.swift": text])
        #expect(result.functions.map(\.path) == [])
        let refusal = try #require(result.refusals.first)
        #expect(refusal.reason == reason)
        if let detail { #expect(refusal.detail == detail) }
        #expect(!refusal.message.isEmpty && refusal.place.line >= 1)
    }

    @Test("the documentation explains every reason for staying native")
    func documented() throws {
        let page = try String(
            contentsOf: SharedData.checkout.appendingPathComponent("Docs/functions.md"),
            encoding: .utf8)
        for reason in Refusal.Reason.allCases {
            #expect(page.contains("`\(reason.rawValue)`"), "\(reason.rawValue)")
        }
    }

    @Test("functions that an id cannot tell apart all stay native, wherever they are")
    func overloads() throws {
        let result = try scan([
            "A.swift": "func f(_ x: Int) -> Int { x }\nfunc f(_ x: String) -> Int { 1 }",
            "B.swift": "private func g() -> Int { 1 }", "C.swift": "private func g() -> Int { 2 }",
            "D.swift": "func h(_ x: Int) -> Int { x }\nfunc h<T>(_ x: T) -> Int { 1 }",
            "E.swift": "func f(y x: Int) -> Int { x }",
        ])
        #expect(result.functions.map(\.path) == ["f(y:)"])
        #expect(result.refusals.filter { $0.reason == .overloaded }.count == 5)
    }

    @Test("ids and signatures follow names and types, not layout, files or order")
    func identity() throws {
        let one = try scan(["A.swift": "func f(_ x: Int, for y: [String]?) -> Int { x }"])
        let two = try scan([
            "B.swift": "// moved\nfunc g() -> Int { 1 }\n  func f(\n_ z: Swift.Int,\nfor y:"
                + " Optional<Array<String>>) -> Int\n{ z }"
        ])
        let first = try #require(one.functions.first)
        let second = try #require(two.functions.first { $0.path == "f(_:for:)" })
        #expect(first.id == second.id && first.signature == second.signature)
        #expect(
            first.id
                == DeclarationID.function(module: "App", path: "f(_:for:)", kind: .function))
        #expect(
            first.signature
                == SignatureHash.function(
                    parameters: ["Int", "Optional<Array<String>>"], results: ["Int"]))
    }

    @Test("type aliases of the app are followed, ambiguous and circular ones are not")
    func aliases() throws {
        let result = try scan([
            "A.swift": "typealias Cents = Int\nfunc f(_ x: Cents) -> [Cents] { [x] }",
            "B.swift": "private typealias X = Int\nfunc g() -> X { 1 }",
            "C.swift": "private typealias X = String\n"
                + "typealias Loop = Loop\nfunc h() -> Loop { 1 }",
        ])
        let function = try #require(result.functions.first)
        #expect(result.functions.count == 1)
        #expect(function.parameters.map(\.type) == [.integer(.Int)])
        #expect(function.result == .array(.integer(.Int)))
    }

    @Test("a body's hash ignores layout and comments and nothing else")
    func bodyHash() throws {
        func hash(_ body: String) throws -> String? {
            try scan(["A.swift": "func f(_ x: Int) -> Int {\(body)}"]).functions.first?.bodyHash
        }
        let plain = try hash("let y = x; return y")
        #expect(try hash("\n  let y = x // why\n\n  return /* so */ y\n") == plain)
        for other in [
            "let y = x\nreturn y + 0", "let z = x; return z", "return x", "var y = x; return y",
            "let y = x; return\ny; y",
        ] { #expect(try hash(other) != plain) }
        // A line break that ends a statement is meaning, not layout.
        #expect(try hash("_ = x\n(x)\nreturn x") == hash("_ = x;(x);return x"))
        #expect(try hash("_ = \"a b\"; return x") != hash("_ = \"ab\"; return x"))
        #expect(try hash("_ = \"a  b\"; return x") != hash("_ = \"a b\"; return x"))
        let indented = try hash("\n_ = \"\"\"\n  a\n  \"\"\"\nreturn x")
        #expect(try hash("\n_ = \"\"\"\n    a\n    \"\"\"\nreturn x") == indented)
        #expect(try hash("\n_ = \"\"\"\n    a\n  \"\"\"\nreturn x") != indented)
    }
}
