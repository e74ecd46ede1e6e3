import Foundation
import TestSupport
import Testing
import WebAssembly

@testable import PatchCompiler

private func generate(_ files: [String: String], _ names: [String]) throws -> PatchSourceGenerator {
    let tree = try sourceTree(files)
    let scan = FunctionScanner.scan(tree)
    return PatchSourceGenerator(
        index: DeclarationIndex(tree, functions: scan.functions),
        functions: scan.functions.filter { names.contains($0.path) }, types: scan.types)
}

@Suite("What goes into a module")
struct GuestSourceTests {
    private func included(_ text: String, _ names: String...) throws -> [String] {
        let generator = try generate(["A.swift": text], names)
        return generator.closure.included.sorted().map { generator.index.declarations[$0].path }
    }

    @Test("only what a function can reach is taken")
    func closure() throws {
        #expect(
            try included(
                """
                func f(_ x: Int) -> Int { g(x) + limit }
                func g(_ x: Int) -> Int { x + 1 }
                func h() -> Int { 2 }
                let limit = 3
                let other = 4
                """, "f(_:)") == ["f(_:)", "g(_:)", "limit"])
        // A local value hides the constant of its name.
        #expect(
            try included(
                "let rate = 2\nvar state = 1\nfunc f(_ rate: Int) -> Int { let state = rate; return state }",
                "f(_:)") == ["f(_:)"])
        #expect(
            try included(
                "func f(_ s: String) -> Int { s.twice }\nextension String { var twice: Int { count * 2 }"
                    + "; var once: Int { count } }", "f(_:)")
                == ["f(_:)", "extension String", "String.twice"])
        #expect(
            try included(
                "infix operator +++\nfunc +++ (a: Int, b: Int) -> Int { a }\n"
                    + "func f(_ x: Int) -> Int { x +++ x }", "f(_:)")
                == ["+++", "+++(a:b:)", "f(_:)"])
    }

    @Test("a type used as a namespace gives only the members named; as a value all it is made of")
    func types() throws {
        let text = """
            final class Model: NSObject {
                var view: UIView
                init(view: UIView) {}
                static func label(_ x: Int) -> String { prefix + "\\(x)" }
                static let prefix = "no "
                static func unused() -> Int { 1 }
            }
            struct Point: Codable, Equatable {
                var x: Int
                init(_ x: Int) { self.x = x }
                init(from decoder: Decoder) throws { x = 0 }
                func moved() -> Point { Point(x + 1) }
                func draw(_ context: CGContext) {}
            }
            func f(_ x: Int) -> Int { Point(x).moved().x }
            """
        #expect(
            try included(text, "Model.label(_:)")
                == ["Model", "Model.label(_:)", "Model.prefix"])
        #expect(
            try included(text, "f(_:)")
                == ["Point", "Point.x", "Point.init(_:)", "Point.moved()", "f(_:)"])
    }

    @Test("the module's text has every line and column where the developer has it")
    func positions() throws {
        let text = """
            import Foundation; import UIKit
            // a comment { with 日本
            func unused() -> Int { 1 }
            @MainActor public final class Model: NSObject {
                var view: UIView
                @objc private static func label(_ x: Int) -> Int { x.half }
            }
            extension Int { var half: Int { self / 2 } ; var third: Int { self / 3 } }

            """
        let routed = try generate(
            ["A.swift": text.replacingOccurrences(of: "@objc private", with: "private")],
            ["Model.label(_:)"])
        let source = try #require(routed.sources().first)
        #expect(source.name == "Sources/A.swift")
        let lines = source.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0].trimmingCharacters(in: .whitespaces) == "import Foundation")
        #expect(lines[1].trimmingCharacters(in: .whitespaces) == "")
        #expect(lines[2].trimmingCharacters(in: .whitespaces) == "")
        // Nobody outside of the module sees its access levels.
        #expect(lines[3] == "                        enum  Model           {")
        #expect(lines[4].trimmingCharacters(in: .whitespaces) == "")
        #expect(lines[5] == "            static func label(_ x: Int) -> Int { x.half }")
        #expect(
            lines[7].hasPrefix("extension Int { var half: Int { self / 2 } ;")
                && lines[7].hasSuffix("}"))
        #expect(source.text.contains("import PatchGuest"))
        #expect(source.text.contains("Model.label(op_a0)"))
    }

    @Test("conformances that Embedded Swift lacks are taken out of any place in the list")
    func conformances() throws {
        for (written, kept) in [
            ("struct V: Codable {", "struct V          {"),
            ("struct V: Codable, Equatable {", "struct V:          Equatable {"),
            ("struct V: Equatable, Codable {", "struct V: Equatable          {"),
            (
                "struct V: Encodable, Equatable, Decodable, Hashable {",
                "struct V:            Equatable,            Hashable {"
            ),
        ] {
            let generator = try generate(
                ["A.swift": "\(written) var x = 1 }\nfunc f() -> Int { V().x }"], ["f()"])
            let text = try #require(generator.sources().first?.text)
            #expect(text.hasPrefix(kept), "\(text)")
        }
    }

    @Test("a name without anything behind it stands on its line, and brings nothing")
    func barred() throws {
        let tree = try sourceTree([
            "A.swift": """
            final class Heavy { var n = 1 }
            enum Shared {
                private static let one = Heavy(),
                    two = Heavy()
                static func count(_ x: Int) -> Int { x }
            }
            func f(_ two: Int) -> Int { Shared.count(two) }
            """
        ])
        let scan = FunctionScanner.scan(tree)
        let index = DeclarationIndex(tree, functions: scan.functions)
        let functions = scan.functions.filter { $0.path == "f(_:)" }
        let plain = PatchSourceGenerator(index: index, functions: functions, types: scan.types)
        let finding = try #require(plain.findings(for: .wasm64).first)
        #expect(finding.message.contains("holds an object of 'Heavy'"))
        var demotion = Demotion(index) { _ in false }
        #expect(demotion.bar(finding) && !demotion.bar(finding))
        let generator = PatchSourceGenerator(
            index: index, functions: functions, types: scan.types,
            barred: Set(demotion.barred.keys))
        #expect(generator.findings(for: .wasm64) == [])
        let text = try #require(generator.sources().first?.text)
        #expect(!text.contains("Heavy"))
        let lines = text.components(separatedBy: "\n")
        #expect(
            lines[2].contains(
                "@available(*, unavailable) fileprivate static var `one`: Swift.Never"))
        #expect(lines[2].contains("var `two`: Swift.Never"))
        #expect(lines[4].contains("static func count"))
    }

    @Test("a function stands as a name only where no other could be called instead")
    func barredFunctions() throws {
        let tree = try sourceTree([
            "A.swift": """
            struct Reader {
                var text: String
                static func read(_ text: String, upTo end: Int) -> Int { 1 }
                static func read(_ text: String, from start: Int = 0) -> Int { 2 }
                func size(of name: String) -> Int { 3 }
                func size() -> Int { size(of: text) }
            }
            func read(from start: Int) -> Int { 5 }
            extension String { func cut(after start: Int) -> String { self } }
            """
        ])
        let scan = FunctionScanner.scan(tree)
        let index = DeclarationIndex(tree, functions: scan.functions)
        let demotion = Demotion(index) { _ in false }
        let barrable = index.declarations.indices.filter(demotion.isBarrable)
        #expect(
            barrable.map { index.declarations[$0].path }
                == ["Reader.read(_:upTo:)", "Reader.size(of:)"])
        let generator = PatchSourceGenerator(
            index: index, functions: scan.functions.filter { $0.path == "Reader.size()" },
            types: scan.types, barred: Set(barrable))
        let text = try #require(generator.sources().first?.text)
        #expect(
            text.contains(
                "@available(*, unavailable) func size(of name: String) -> Int { while true {} }"))
    }

    @Test("key paths that stand for functions become closures")
    func keyPaths() throws {
        let generator = try generate(
            [
                "A.swift":
                    "func f(_ x: [String]) -> [Int] { x.map(\\.utf8.count).filter(\\.self.isZero) }"
            ],
            ["f(_:)"])
        let text = try #require(generator.sources().first?.text)
        #expect(text.contains("x.map({ $0.utf8.count })"))
        #expect(!text.contains("\\."))
    }

    @Test(
        "what would compile and mean something else is refused by name",
        arguments: [
            ("var state = 1\nfunc f() -> Int { state }", "'state' can change"),
            ("enum E { static var n = 1 }\nfunc f() -> Int { E.n }", "'E.n' can change"),
            (
                "final class C { var n = 1 }\nlet shared = C()\nfunc f() -> Int { shared.n }",
                "'shared' holds an object of 'C'"
            ),
            ("let x = Int.random(in: 0..<9)\nfunc f() -> Int { x }", "'x' is random"),
            (
                "let x = DateFormatter()\nfunc f() -> Int { x.string(from: d).count }\n"
                    + "func g() { x.dateFormat = \"y\" }", "'x' holds an object of 'DateFormatter'"
            ),
            (
                "enum E { static let x = NumberFormatter() }\n"
                    + "func f() -> Int { E.x.number(from: \"1\")?.intValue ?? 0 }\n"
                    + "func g() { use(E.x) }", "'E.x' holds an object of 'NumberFormatter'"
            ),
            ("#if DEBUG\nlet x = 1\n#else\nlet x = 2\n#endif\nfunc f() -> Int { x }", "#if"),
            (
                "func g<T>(_ x: T) -> Int {\n#if DEBUG\nreturn 1\n#else\nreturn 2\n#endif\n}\n"
                    + "func f() -> Int { g(1) }", "#if"
            ),
            ("actor A {}\nfunc f() -> Int { let a = A(); return 1 }", "'A' is an actor"),
        ])
    func linter(text: String, message: String) throws {
        let findings = try generate(["A.swift": text], ["f()"]).findings(for: .wasm64)
        #expect(findings.contains { $0.message.contains(message) }, "\(findings)")
    }

    @Test(
        "what depends on the width of Int is refused for 32-bit words and fine for 64",
        arguments: [
            ("x &+ 1", "&+"), ("x << 3", "<<"), ("~x", "~"), ("x == Int.max ? 1 : 0", "'Int.max'"),
            ("x == .min ? 1 : 0", "'.min'"), ("x.bitWidth", "'bitWidth'"),
            ("x + 3_000_000_000", "3_000_000_000"), ("x + 0x8000_0000", "0x8000_0000"),
            ("MemoryLayout<Int>.size", "'MemoryLayout'"), ("x.hashValue", "'hashValue'"),
        ])
    func wordSize(body: String, what: String) throws {
        let generator = try generate(
            ["A.swift": "func f(_ x: Int) -> Int { \(body) }"], ["f(_:)"])
        #expect(generator.findings(for: .wasm64) == [])
        let findings = generator.findings(for: .wasm32)
        #expect(findings.contains { $0.message.contains(what) }, "\(findings)")
    }

    @Test("ordinary arithmetic, comparisons and maxima of values are fine for 32-bit words")
    func wordSizeIsFine() throws {
        let generator = try generate(
            [
                "A.swift":
                    "func f(_ x: [Int]) -> Int { (x.max() ?? 0) * 2_147_483_647 / 3 - max(1, 2) }"
            ],
            ["f(_:)"])
        #expect(generator.findings(for: .wasm32) == [])
    }

    @Test("arguments and results are carried as the formats say")
    func wrappers() throws {
        let generator = try generate(
            [
                "A.swift": """
                func scalars(_ a: Int8, b: Bool, _ c: UInt, d: Double) -> UInt32 { 0 }
                func single(_ a: [Int]) -> String? { nil }
                func several(_ a: Int, of b: String) -> (x: Int, Bool) { (1, true) }
                func nothing() -> [UInt8] { [] }
                enum E { static var label: Bool { true } }
                """
            ], ["scalars(_:b:_:d:)", "single(_:)", "several(_:of:)", "nothing()", "E.label"])
        try expectSnapshot(
            generator.functions.map { GuestWrapper.text($0) }.joined(separator: "\n"),
            "guest/wrappers")
    }
}

@Suite("Patches that cannot be compiled")
struct PatchFailureTests {
    private static let throwing = """
        enum Fault: Error { case one
        }
        func run(_ x: Int) throws -> Int { if x > 0 { throw Fault.one }; return x }
        """

    @Test("an error that the build does not know cannot leave a module")
    func newErrors() throws {
        let text = Self.throwing
        for (old, new) in [
            ("case one\n", "case one, two\n"),
            (
                "throw Fault.one }; return x }",
                "throw Other() }; return x }\nstruct Other: Error {}"
            ),
        ] {
            let edited = text.replacingOccurrences(of: old, with: new)
            #expect(edited != text)
            let error = try error(["A.swift": text], ["A.swift": edited])
            #expect(error?.kind == .cannotShip, "\(new)")
            #expect(error?.message.contains("errors of type") == true)
        }
    }

    @Test("a cast of an error, which would fail without a word in a module, is refused")
    func errorCasts() throws {
        let edited =
            Self.throwing + "\nfunc told(_ x: Int) -> Bool { do { return try run(x) > 1 } "
            + "catch { return error is Fault } }"
        let error = try error(
            ["A.swift": edited],
            ["A.swift": edited.replacingOccurrences(of: "> 1 }", with: "> 2 }")])
        #expect(error?.kind == .cannotShip)
        #expect(error?.message.contains("casts an error") == true)
    }

    private func error(_ store: [String: String], _ edited: [String: String]) throws
        -> PatchProjectError?
    {
        let fixture = try ProjectFixture(files: store)
        let project = try fixture.project()
        let code = try AppCode(folder: fixture.folder, configuration: project.configuration)
        let manifest = try CoverageTests.manifest(code)
        for (name, text) in edited { try fixture.directory.write(text, to: "Sources/" + name) }
        return #expect(throws: PatchProjectError.self) {
            try project.buildModule(
                for: manifest, release: ReleaseIdentity(version: "1", sequence: 1))
        }
    }

    @Test("what Embedded Swift lacks is reported at the developer's line")
    func embedded() throws {
        let found = try error(
            ["A.swift": "func f(_ x: Int) -> Int { x }\n"],
            [
                "A.swift":
                    "\n\nfunc f(_ x: Int) -> Int {\n    let y: Any = x\n    return y as! Int\n}\n"
            ])
        #expect(found?.kind == .cannotCompile)
        #expect(found?.places.first?.file == "Sources/A.swift")
        #expect([4, 5].contains(found?.places.first?.line ?? 0), "\(String(describing: found))")
    }

    @Test("a type error in an edit is reported at the developer's line and column stays")
    func typeError() throws {
        let found = try error(
            ["A.swift": "func f(_ x: Int) -> Int { x }\nfunc g() -> Int { 1 }\n"],
            ["A.swift": "func f(_ x: Int) -> Int { x + nowhere }\nfunc g() -> Int { 1 }\n"])
        #expect(found?.kind == .cannotCompile)
        #expect(found?.places == [SourcePlace(file: "Sources/A.swift", line: 1)])
        #expect(found?.message.contains("nowhere") == true)
    }

    @Test("an interpolated enum without a description is refused, not printed as a placeholder")
    func placeholder() throws {
        let store = "enum Mood { case good, bad }\nfunc f(_ x: Int) -> String { \"\" }\n"
        let found = try error(
            ["A.swift": store],
            [
                "A.swift": store.replacingOccurrences(
                    of: "{ \"\" }", with: "{ \"\\(x > 0 ? Mood.good : .bad)\" }")
            ])
        #expect(found?.kind == .cannotShip, "\(String(describing: found))")
    }

    @Test("a use of changeable storage is refused before compiling")
    func storage() throws {
        let store = "var state = 1\nfunc f(_ x: Int) -> Int { x }\n"
        let found = try error(
            ["A.swift": store],
            ["A.swift": store.replacingOccurrences(of: "{ x }", with: "{ x + state }")])
        #expect(found?.kind == .cannotShip)
        #expect(found?.places == [SourcePlace(file: "Sources/A.swift", line: 1)])
    }

    @Test("nothing changed and no guest code is nothing to release")
    func nothing() throws {
        let text = ["A.swift": "func f(_ x: Int) -> Int { x }\n"]
        #expect(try error(text, text)?.kind == .nothingChanged)
    }

    @Test("a routed function that no module can hold stays out of base.wasm and does not stop it")
    func base() throws {
        let fixture = try ProjectFixture(
            files: [
                "A.swift": """
                func good(_ x: Int) -> Int { x + 1 }
                func bad(_ x: Int) -> Int { let y: Any = x; return y as! Int }
                func formatted(_ x: Double) -> String { missingHelper(x) }
                var state = 1
                func stateful() -> Int { state }
                """
            ], guest: ["hello.swift": "@_cdecl(\"hello\") public func hello() -> Int32 { 7 }\n"])
        let build = try fixture.project().registerBuild()
        #expect(
            build.notInBase.map(\.function).sorted()
                == ["bad(_:)", "formatted(_:)", "stateful()"])
        #expect(build.notInBase.allSatisfy { $0.place?.file == "Sources/A.swift" })
        let outline = try parseWasm(bytes: build.base).exports.map(\.name)
        #expect(outline.contains("hello"))
        #expect(outline.filter { $0.hasPrefix("op_f_") }.count == 1)
    }

    @Test("a broken guest file is an error of its own")
    func guest() throws {
        let fixture = try ProjectFixture(
            files: ["A.swift": "func f(_ x: Int) -> Int { x }\n"],
            guest: ["hello.swift": "@_cdecl(\"hello\") public func hello() -> Int32 { nowhere }\n"])
        let found = #expect(throws: GuestBuildError.self) { try fixture.project().registerBuild() }
        #expect(found?.code == "compile_failed")
    }
}
