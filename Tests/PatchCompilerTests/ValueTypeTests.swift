import Foundation
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("Which types of the app cross")
struct ValueTypeTests {
    @Test(
        "a type that does not cross says which property or case is at fault",
        arguments: [
            ("struct T { var x: Any }", "has the property 'x' of type 'Any'"),
            ("struct T { var x = make() }", "has the property 'x', whose type is not written"),
            ("struct T { lazy var x: Int = 1 }", "has the property 'x', which is lazy"),
            ("struct T { @Wrapped var x: Int }", "has the property 'x' with @Wrapped"),
            ("struct T { var x: U }\nstruct U { var y: C }\nactor C {}", "holds"),
            (
                "enum T { case a(() async -> Int) }",
                "has the case 'a' with a value of type '() async -> Int'"
            ),
            ("enum T { static let x = 1 }", "has no cases"),
            ("struct T<V> { var x: V }", "is generic"),
            ("@MainActor struct T { var x = 1 }", "has the attribute @MainActor"),
            ("struct T: ~Copyable { var x = 1 }", "cannot be copied"),
            ("class T {}\nclass U: T {}", "is a class with subclasses"),
            ("actor T {}", "is an actor"),
            ("protocol T {}", "is a protocol"),
            ("#if DEBUG\nstruct T { var x = 1 }\n#endif", "depends on #if"),
            ("struct T {\n#if DEBUG\nvar x = 1\n#endif\n}", "has members in #if"),
            ("enum T { case a(x: Int), a(y: Int) }", "has several cases of one name"),
            (
                "struct T { var x: Array.U }\nextension Array { struct U { var x = 1 } }",
                "has the property 'x' of type 'Array.U'"
            ),
            ("struct T { var (a, b) = (1, 2) }", "has a property that is a pattern"),
        ])
    func refused(text: String, why: String) throws {
        let result = try scan(["A.swift": text + "\nfunc f(_ x: T) -> Int { 1 }"])
        #expect(!result.functions.contains { $0.path == "f(_:)" })
        let refusal = try #require(result.refusals.first { $0.name == "f(_:)" })
        #expect(refusal.reason == .parameterType)
        #expect(refusal.detail.contains("it ") && refusal.detail.contains(why), "\(refusal)")
    }

    @Test(
        "a type crosses with what it holds in every value, in the order of its declaration",
        arguments: [
            ("struct T { let a: Int; var b: String? }", "a:Int,b:Optional<String>"),
            ("struct T { let a = 1; static var s = 2; var b: Int { 3 }; var c = false }", "c:Bool"),
            ("struct T { var a, b: Int; var c = 1.5, d = \"x\" }", "a:Int,b:Int,c:Double,d:String"),
            ("struct T { var a: Int { didSet {} } }", "a:Int"),
            (
                "struct T { var a = [Int](); var b = Date(); var c = E.x }\nenum E { case x }",
                "a:Array<Int>,b:Foundation.Date,c:App.E"
            ),
            (
                "struct T { typealias N = Int; var a: N; struct U { var b: N }; var c: [U] }",
                "a:Int,c:Array<App.T.U>"
            ),
            ("struct T { var next: [T] }", "next:Array<App.T>"),
            ("indirect enum T { case none, some(Int, of: T) }", "none(),some(Int,of:App.T)"),
            ("enum T: String { case a = \"x\", b }", "a(),b()"),
        ])
    func crosses(text: String, layout: String) throws {
        let types = ValueTypes(try sourceTree(["A.swift": "import Foundation\n" + text]))
        let type = try #require(types.known["App.T"])
        #expect(type.layoutText.hasSuffix("App.T(\(layout))"), "\(type.layoutText)")
    }

    @Test("names are looked up from the inside out, as the compiler does")
    func scopes() throws {
        let result = try scan([
            "A.swift": """
            struct Line { var a: Int }
            enum Outer {
                struct Line { var b: Int }
                static func inner(_ x: Line) -> Int { x.b }
                struct Deep { static func deeper(_ x: Line) -> Outer.Line { x } }
            }
            func outer(_ x: Line) -> Outer.Line { Outer.Line(b: x.a) }
            extension Outer.Deep { static func extended(_ x: Line) -> Int { x.a } }
            """
        ])
        func types(_ path: String) throws -> [String] {
            try #require(result.functions.first { $0.path == path }).types.map(\.swift)
        }
        #expect(try types("Outer.inner(_:)") == ["Outer.Line", "Int"])
        #expect(try types("Outer.Deep.deeper(_:)") == ["Outer.Line", "Outer.Line"])
        #expect(try types("outer(_:)") == ["Line", "Outer.Line"])
        #expect(try types("Outer.Deep.extended(_:)") == ["Line", "Int"])
    }

    @Test(
        "a signature changes with the shape of its types, however deep, and not with their places")
    func signatures() throws {
        func signature(_ text: String) throws -> UInt64 {
            let all = try scan(["A.swift": text + "\nfunc f(_ x: [Outer]) -> Int { 1 }"])
            return try #require(all.functions.first { $0.path == "f(_:)" }).signature
        }
        let plain = try signature(
            "struct Outer { var a: Inner }\nenum Inner { case x, y(Int) }")
        #expect(
            try signature("enum Inner { case x; case y(Int) }\nstruct Outer { let a: Inner }")
                == plain)
        for other in [
            "struct Outer { var a: Inner }\nenum Inner { case y(Int), x }",
            "struct Outer { var a: Inner }\nenum Inner { case x, y(Int32) }",
            "struct Outer { var b: Inner }\nenum Inner { case x, y(Int) }",
            "struct Outer { var a: Inner, b = 1 }\nenum Inner { case x, y(Int) }",
        ] { #expect(try signature(other) != plain) }
    }

    @Test("blocks at the end of a file come off again, whatever the file ends with")
    func blocks() throws {
        for end in ["", "\n", "\n\n", " // last", "\r\n", "\n/* a */", "\n  "] {
            let text = "private struct P { var x = 1 }\nprivate func f(_ p: P) -> Int { p.x }" + end
            let fixture = try ProjectFixture(files: ["A.swift": text])
            let project = try fixture.project()
            try project.prepare()
            let prepared = try fixture.read("Sources/A.swift")
            #expect(prepared.contains("import enum PatchSDK.PatchCall"))
            #expect(try project.prepare().changedFiles == [])
            try project.unprepare()
            #expect(try fixture.read("Sources/A.swift") == text, "\(end.debugDescription)")
        }
    }
}
