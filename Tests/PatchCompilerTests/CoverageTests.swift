import Foundation
import TestSupport
import Testing

@testable import PatchCompiler

/// A small app with one of everything that can be changed.
private let app = """
    import Foundation

    let currency = "EUR"
    private let unused = 1

    func priceLabel(_ cents: Int) -> String { format(cents) + currency }
    func total(_ prices: [Int]) -> Int { prices.reduce(0, +) }
    func describe(_ cents: Int) -> String { Line(cents: cents).text }

    func format<T>(_ value: T) -> String where T: CustomStringConvertible { value.description }
    func nativeOnly(_ x: Any) -> Any { banner(1) }
    func banner<T: BinaryInteger>(_ x: T) -> T { x }

    struct Line {
        var cents: Int
        var text: String { "line \\(cents)" }
    }

    struct Screen: CustomStringConvertible {
        var description: String { "screen" }
    }

    """

@Suite("What a patch covers")
struct CoverageTests {
    private static func fixture() throws -> (ProjectFixture, BuildManifest) {
        let fixture = try ProjectFixture(files: ["App.swift": app])
        let code = try AppCode(
            folder: fixture.folder, configuration: fixture.project().configuration)
        return (fixture, try manifest(code))
    }

    /// A manifest as `registerBuild` writes it, without compiling a base module.
    static func manifest(_ code: AppCode) throws -> BuildManifest {
        let index = DeclarationIndex(code)
        return BuildManifest(
            app_id: "a", fingerprint: code.fingerprint.value, surface: code.fingerprint.surface,
            abi: 1, number: 1, toolchain: "", inputs: code.fingerprint.inputs,
            functions: PatchProject.manifestFunctions(code.scan.functions, [:]),
            natives: Coverage.natives(of: index), base: "",
            errors: code.scan.types.errors.map(ErrorCode.key),
            calls: PatchProject.manifestCalls(code.scan.natives),
            views: PatchProject.manifestViews(code.scan.views, [:]))
    }

    private func covered(_ old: String, _ new: String) throws -> [String] {
        let (fixture, manifest) = try Self.fixture()
        try fixture.edit("Sources/App.swift", old, new)
        return try fixture.project().coverage(of: manifest).covered.map(\.name).sorted()
    }

    private func blocked(_ old: String, _ new: String) throws -> PatchProjectError? {
        let (fixture, manifest) = try Self.fixture()
        try fixture.edit("Sources/App.swift", old, new)
        return #expect(throws: PatchProjectError.self) {
            try fixture.project().coverage(of: manifest)
        }
    }

    @Test("nothing changed, nothing covered; prepared or not")
    func unchanged() throws {
        let (fixture, manifest) = try Self.fixture()
        var report = try fixture.project().coverage(of: manifest)
        #expect(report.covered == [] && report.unchanged == 5 && report.removed == [])
        try fixture.project().prepare()
        report = try fixture.project().coverage(of: manifest)
        #expect(report.covered == [] && report.unchanged == 5)
    }

    @Test("a changed body covers its function; a changed constant, helper or type its users")
    func changes() throws {
        #expect(try covered("prices.reduce(0, +)", "prices.reduce(1, +)") == ["total(_:)"])
        #expect(try covered("\"EUR\"", "\"USD\"") == ["priceLabel(_:)"])
        #expect(
            try covered("value.description }", "value.description + \" \" }") == ["priceLabel(_:)"])
        #expect(try covered("\"line \\(cents)\"", "\"\\(cents)\"") == ["Line.text"])
        #expect(
            try covered("var cents: Int\n", "var cents: Int\n    var more = 1\n") == [
                "describe(_:)"
            ])
        #expect(try covered("unused = 1", "unused = 2") == [])
    }

    @Test("what the language calls without a name is used by whoever has a value for it")
    func unnamed() throws {
        let fixture = try ProjectFixture(files: [
            "App.swift": """
            func ~= <T>(test: (T) -> Bool, value: T) -> Bool { test(value) }
            func isEven(_ x: Int) -> Bool { x % 2 == 0 }
            func kind(_ x: Int) -> Int {
                switch x {
                case isEven: return 2
                default: return 1
                }
            }
            extension Array { subscript(safe i: Int) -> Element? { i < count ? self[i] : nil } }
            func third(_ values: [Int]) -> Int { values[safe: 2] ?? 0 }
            func second(_ values: [Int]) -> Int { values[1] }
            struct Adder { var by: Int; func callAsFunction(_ x: Int) -> Int { x + by } }
            func added(_ x: Int) -> Int { let add = Adder(by: 3); return add(x) }
            extension DefaultStringInterpolation {
                mutating func appendInterpolation(padded x: Int) { appendLiteral("0\\(x)") }
            }
            func text(_ x: Int) -> String { "\\(padded: x)" }

            """
        ])
        let code = try AppCode(
            folder: fixture.folder, configuration: fixture.project().configuration)
        let manifest = try Self.manifest(code)
        for (old, new, name, user) in [
            ("test(value) }", "!test(value) }", "kind(_:)", "kind(_:)"),
            ("i < count ?", "i > 0 && i < count ?", "third(_:)", "third(_:)"),
            ("x + by", "x - by", "Adder.callAsFunction(_:)", "added(_:)"),
            ("\"0\\(x)\"", "\"00\\(x)\"", "text(_:)", "text(_:)"),
        ] {
            try fixture.edit("Sources/App.swift", old, new)
            let covered = try fixture.project().coverage(of: manifest).covered.map(\.name)
            #expect(covered.contains(name), "\(covered)")
            #expect(!covered.contains("second(_:)"), "\(covered)")
            try fixture.edit("Sources/App.swift", new, old)
            // And it goes where that goes.
            let generator = PatchSourceGenerator(
                index: DeclarationIndex(code),
                functions: code.scan.functions.filter { $0.displayName == user },
                types: code.scan.types)
            let text = generator.sources().map(\.text).joined()
            #expect(text.contains(old), "\(user): \(text)")
        }
    }

    @Test("a function whose types have another shape than in the build travels, or is refused")
    func shapes() throws {
        let text = """
            struct Line { var cents: Int
            var text: String { "line \\(cents)" } }
            func describe(_ cents: Int) -> String { Line(cents: cents).text }
            """
        func report(_ more: String) throws -> CoverageReport {
            let fixture = try ProjectFixture(files: ["A.swift": text, "B.swift": more])
            let project = try fixture.project()
            let manifest = try Self.manifest(
                AppCode(folder: fixture.folder, configuration: project.configuration))
            try fixture.edit("Sources/A.swift", "var cents: Int\n", "var cents: Int, more = 1\n")
            try fixture.edit("Sources/A.swift", "line \\(cents)", "line \\(more)")
            return try project.coverage(of: manifest)
        }
        #expect(try report("").covered.map(\.name) == ["describe(_:)"])
        let error = #expect(throws: PatchProjectError.self) {
            try report("actor Screen { var body: String { Line(cents: 1).text } }")
        }
        #expect(error?.kind == .nativeChange)
        #expect(error?.message.contains("'Line.text' changed and 'Screen.body'") == true)
    }

    @Test("a new helper, constant, type or extension travels with the function that uses it")
    func additions() throws {
        #expect(
            try covered(
                "func total(_ prices: [Int]) -> Int { prices.reduce(0, +) }",
                "func total(_ prices: [Int]) -> Int { doubled(prices.reduce(start, +)) }\n"
                    + "let start = 1\nfunc doubled(_ x: Int) -> Int { x * 2 }")
                == ["total(_:)"])
        #expect(try covered("struct Line {", "struct Other { var x = 1 }\nstruct Line {") == [])
        #expect(
            try covered(
                "private let unused = 1", "extension Int { var half: Int { self / 2 } }") == [])
    }

    @Test("a change reaches routed functions through several changed helpers")
    func chains() throws {
        let (fixture, manifest) = try Self.fixture()
        try fixture.edit(
            "Sources/App.swift", "value.description }", "suffixed(value.description) }")
        try fixture.directory.write(
            "func suffixed(_ x: String) -> String { x + suffix }\nlet suffix = \"!\"\n",
            to: "Sources/New.swift")
        let report = try fixture.project().coverage(of: manifest)
        #expect(report.covered.map(\.name) == ["priceLabel(_:)"])
        #expect(report.covered.first?.cause == .usesChanged)
        #expect(report.covered.first?.through == "format(_:)")
    }

    @Test(
        "a change travels through helpers that did not change, to all routed functions at the end")
    func throughUnchanged() throws {
        let text = """
            let rate = 2
            func scaled<T: BinaryInteger>(_ x: T) -> T { x * T(rate) }
            func twice<T: BinaryInteger>(_ x: T) -> T { scaled(scaled(x)) }
            func first(_ x: Int) -> Int { scaled(x) }
            func second(_ x: Int) -> Int { twice(x) }
            func third(_ x: Int) -> Int { first(x) }
            """
        func report(_ more: String) throws -> CoverageReport {
            let fixture = try ProjectFixture(files: ["A.swift": text, "B.swift": more])
            let project = try fixture.project()
            let code = try AppCode(folder: fixture.folder, configuration: project.configuration)
            let manifest = try Self.manifest(code)
            try fixture.edit("Sources/A.swift", "let rate = 2", "let rate = 3")
            return try project.coverage(of: manifest)
        }
        // The third calls the first through its gate, so it can stay as it is.
        #expect(try report("").covered.map(\.name) == ["first(_:)", "second(_:)"])
        for native in [
            "actor Screen { var body: Int { twice(1) } }",
            "final class Window: Base { override func run() { _ = twice(1) } }\nclass Base { func run() {} }",
            "@main struct Start { static func main() { run() }; static func run() { _ = twice(1) } }",
        ] {
            let error = #expect(throws: PatchProjectError.self, "\(native)") { try report(native) }
            #expect(error?.kind == .nativeChange)
        }
    }

    @Test("a change that native code would not see is refused with both places")
    func native() throws {
        let helper = try blocked(
            "banner<T: BinaryInteger>(_ x: T) -> T { x }",
            "banner<T: BinaryInteger>(_ x: T) -> T { x + 1 }")
        #expect(helper?.kind == .nativeChange)
        #expect(helper?.places.first == SourcePlace(file: "Sources/App.swift", line: 12))
        #expect(helper?.message.contains("'nativeOnly(_:)' (Sources/App.swift:11)") == true)
    }

    @Test("what only the system or a protocol calls cannot be patched")
    func runtime() throws {
        let fixture = try ProjectFixture(files: [
            "main.swift": "print(answer())\n", "A.swift": "func answer() -> Int { 1 }\n",
            "B.swift": "@objc class Delegate: Base<Int> { @objc func tapped() {} }\n",
        ])
        let project = try fixture.project()
        let code = try AppCode(folder: fixture.folder, configuration: project.configuration)
        let manifest = try Self.manifest(code)
        try fixture.edit("Sources/A.swift", "{ 1 }", "{ 2 }")
        #expect(try project.coverage(of: manifest).covered.map(\.name) == ["answer()"])
        try fixture.edit("Sources/main.swift", "print(answer())", "print(answer() + 1)")
        let script = #expect(throws: PatchProjectError.self) { try project.coverage(of: manifest) }
        #expect(script?.message.contains("top-level code") == true)
        try fixture.edit("Sources/main.swift", "print(answer() + 1)", "print(answer())")
        try fixture.edit("Sources/B.swift", "tapped() {}", "tapped() { print(1) }")
        #expect(throws: PatchProjectError.self) { try project.coverage(of: manifest) }
    }

    @Test("a new override is refused, because native code would call it")
    func overriding() throws {
        let fixture = try ProjectFixture(files: [
            "A.swift": "class Base { func run() {} }\nclass Derived: Base {}\n"
        ])
        let project = try fixture.project()
        let code = try AppCode(folder: fixture.folder, configuration: project.configuration)
        let manifest = try Self.manifest(code)
        try fixture.edit(
            "Sources/A.swift", "class Derived: Base {",
            "class Derived: Base { override func run() {} ")
        let error = #expect(throws: PatchProjectError.self) { try project.coverage(of: manifest) }
        #expect(error?.message.contains("'Derived.run()' is new") == true)
    }

    @Test("an edited subscript or initialiser covers itself")
    func structural() throws {
        let text = """
            struct Table {
                var rows: [Int]
                init(_ rows: [Int]) { self.rows = rows }
                subscript(row: Int) -> Int { rows[row] }
            }
            func first(_ rows: [Int]) -> Int { Table(rows)[0] }
            func other() -> Int { 1 }
            """
        for (old, new, covered) in [
            ("{ rows[row] }", "{ rows[row] + 1 }", ["Table.subscript(_:)"]),
            ("= rows }", "= rows + [1] }", ["Table.init(_:)"]),
        ] {
            let fixture = try ProjectFixture(files: ["A.swift": text])
            let project = try fixture.project()
            let code = try AppCode(folder: fixture.folder, configuration: project.configuration)
            let manifest = try Self.manifest(code)
            try fixture.edit("Sources/A.swift", old, new)
            #expect(try project.coverage(of: manifest).covered.map(\.name) == covered)
        }
    }

    @Test("other package versions need a store build")
    func dependencies() throws {
        let (fixture, manifest) = try Self.fixture()
        try fixture.directory.write(
            "{\"pins\": [{\"identity\": \"kit\", \"state\": {\"version\": \"1.0.0\"}}]}",
            to: "Package.resolved")
        let error = #expect(throws: PatchProjectError.self) {
            try fixture.project().coverage(of: manifest)
        }
        #expect(error?.kind == .nativeChange)
        #expect(error?.places.first?.file == "Package.resolved")
    }

    @Test("a function that the build does not know is named and never routed")
    func unknown() throws {
        let (fixture, manifest) = try Self.fixture()
        try fixture.directory.write("func fresh() -> Int { 1 }\n", to: "Sources/Fresh.swift")
        let report = try fixture.project().coverage(of: manifest)
        #expect(report.unknownToBuild == ["fresh()"])
        #expect(report.covered == [])
    }

    @Test("what is gone from the tree is listed, because installed apps still have it")
    func removed() throws {
        let (fixture, manifest) = try Self.fixture()
        try fixture.edit("Sources/App.swift", "private let unused = 1\n", "")
        let report = try fixture.project().coverage(of: manifest)
        #expect(report.removed == ["unused"])
    }
}

@Suite("Registered builds")
struct BuildManifestTests {
    @Test("a build is recorded once, read back, and found by its first digits")
    func register() throws {
        let fixture = try ProjectFixture(files: ["App.swift": app])
        let project = try fixture.project()
        let none = #expect(throws: PatchProjectError.self) { try project.manifest() }
        #expect(none?.kind == .buildUnknown)
        let first = try project.registerBuild()
        #expect(!first.wasKnown && first.manifest.number == 1)
        #expect(first.base.starts(with: [0x00, 0x61, 0x73, 0x6d]))
        let stored = try fixture.snapshot()
        #expect(try project.registerBuild().wasKnown)
        #expect(try fixture.snapshot() == stored)
        #expect(try project.manifest() == first.manifest)
        #expect(try project.manifest(fingerprint: first.manifest.short) == first.manifest)
        #expect(throws: PatchProjectError.self) { try project.manifest(fingerprint: "0123") }
        try fixture.edit("Sources/App.swift", "\"EUR\"", "\"USD\"")
        let second = try project.registerBuild()
        #expect(second.manifest.number == 2)
        #expect(try project.manifests().map(\.number) == [1, 2])
        #expect(try project.manifest() == second.manifest)
    }

    @Test("P29: other bodies under a registered fingerprint are refused unless they replace it")
    func P29_conflict() throws {
        let fixture = try ProjectFixture(files: ["App.swift": app])
        let project = try fixture.project()
        let first = try project.registerBuild()
        try fixture.edit("Sources/App.swift", "prices.reduce(0, +)", "prices.reduce(1, +)")
        let error = #expect(throws: PatchProjectError.self) { try project.registerBuild() }
        #expect(error?.kind == .buildConflict)
        let replaced = try project.registerBuild(replacing: true)
        #expect(replaced.manifest.fingerprint == first.manifest.fingerprint)
        #expect(replaced.manifest.number == 1 && replaced.manifest != first.manifest)
    }

    @Test(
        "P34: a release needs the recorded build, says what it lacks, and names changed constants")
    func P34_recordedContext() throws {
        let fixture = try ProjectFixture(files: ["App.swift": app])
        let unregistered = #expect(throws: PatchProjectError.self) {
            try fixture.project().manifest()
        }
        #expect(unregistered?.kind == .buildUnknown)
        #expect(unregistered?.message.contains("patchcli fingerprint register") == true)

        let manifest = try fixture.project().registerBuild().manifest
        try fixture.edit("Sources/App.swift", "\"EUR\"", "\"USD\"")
        let report = try fixture.project().coverage(of: manifest)
        #expect(report.covered.map(\.name) == ["priceLabel(_:)"])
        #expect(report.covered.first?.through == "currency")

        // What the build shipped with is measured against, not what another machine would make.
        let base = try fixture.project().buildFolder(manifest).appendingPathComponent("base.wasm")
        try FileManager.default.removeItem(at: base)
        let incomplete = #expect(throws: PatchProjectError.self) {
            try fixture.project().baseModule(of: manifest)
        }
        #expect(incomplete?.kind == .manifestInvalid)

        try FileManager.default.removeItem(at: fixture.directory.file("openpatch.json"))
        let missing = #expect(throws: PatchProjectError.self) { try fixture.project() }
        #expect(missing?.kind == .configurationMissing)
    }

    @Test("a damaged manifest is named")
    func damaged() throws {
        let fixture = try ProjectFixture(files: ["App.swift": app])
        try fixture.directory.write("{}", to: ".openpatch/builds/0123456789abcdef/build.json")
        let error = #expect(throws: PatchProjectError.self) {
            try fixture.project().manifests()
        }
        #expect(error?.kind == .manifestInvalid)
        #expect(error?.places.first?.file == ".openpatch/builds/0123456789abcdef/build.json")
    }
}
