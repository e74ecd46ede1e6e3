import Foundation
import ModuleABI
import TestSupport
import Testing
import WebAssembly

@testable import PatchCompiler

@Suite("Numbers of modules")
struct RenumberingTests {
    /// Functions that call each other, take and give closures, and keep data.
    private static let source = """
        class Rule { func price(_ cents: Int) -> Int { cents } }
        final class Half: Rule { override func price(_ cents: Int) -> Int { cents / 2 } }
        final class Fixed: Rule {
            let by: Int
            init(by: Int) { self.by = by }
            override func price(_ cents: Int) -> Int { cents - by }
        }
        func apply(_ rules: [Rule], _ cents: Int) -> Int {
            rules.reduce(cents) { $1.price($0) }
        }
        func half(_ cents: Int) -> Int { apply([Half()], cents) }
        func cheapest(_ cents: Int) -> Int {
            return min(apply([Half(), Fixed(by: 7)], cents), apply([Fixed(by: 7), Half()], cents))
        }
        func sortedNames(_ names: [String]) -> [String] { names.sorted { $0 > $1 } }
        func label(_ cents: Int) -> String {
            "a long text that lies in memory and is named: \\(cents)"
        }
        func lines(_ names: [String]) -> String {
            names.map { label($0.count) }.joined(separator: "; and then another long text; ")
        }
        func table(_ n: Int) -> Int {
            let values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6]
            return values[n % values.count]
        }

        """

    private func fixture() throws -> (ProjectFixture, RegisteredBuild) {
        let fixture = try ProjectFixture(files: ["shop.swift": Self.source])
        let project = try fixture.project()
        try project.prepare()
        return (fixture, try project.registerBuild())
    }

    private func patch(_ fixture: ProjectFixture, _ build: RegisteredBuild) throws -> BuiltModule {
        try fixture.project().buildModule(
            for: build.manifest, release: ReleaseIdentity(version: "2", sequence: 2))
    }

    @Test("a module numbered like itself is the same, and names what it has in its own order")
    func itself() throws {
        let builder = try guestBuilder()
        let source = GuestSource(
            name: "one.swift",
            text: """
                @_cdecl("a") public func a(_ x: Int64) -> Int64 { x &* 3 }
                @_cdecl("b") public func b(_ x: Int64) -> Int64 {
                    var all = (0..<x).map { $0 &* 2 }
                    all.sort { $0 > $1 }
                    return all.first ?? 0
                }
                """)
        let first = try builder.build(sources: [source], section: nil, like: nil)
        let model = try Renumbering.Model(first.numbers, wasm: first.wasm)
        let second = try builder.build(sources: [source], section: nil, like: model)
        #expect(first.wasm == second.wasm)
        #expect(first.debug == second.debug)
        #expect(first.numbers == second.numbers)
        #expect(Set(first.numbers.functions).count == first.numbers.functions.count)
    }

    @Test("a patch calls by the numbers of the build's module, and answers as its source does")
    func patch() throws {
        let (fixture, build) = try fixture()
        try fixture.edit(
            "Sources/shop.swift", "names.sorted { $0 > $1 }", "names.sorted { $0 < $1 }")
        try fixture.edit("Sources/shop.swift", "[Half()]", "[Fixed(by: 1), Half()]")
        try fixture.edit("Sources/shop.swift", "return min(", "return max(")
        try fixture.edit("Sources/shop.swift", "is named", "has another name")
        try fixture.edit("Sources/shop.swift", "let values = [3,", "let values = [77,")
        let module = try patch(fixture, build)
        let base = try LinkedModule(build.base)
        let linked = try LinkedModule(module.wasm)
        // Whatever both have has one number: most bodies are the same, byte for byte.
        let shared = zip(base.bodies, linked.bodies).count {
            base.bytes[$0].elementsEqual(linked.bytes[$1])
        }
        let holes = linked.bodies.count { $0.count == 3 }
        #expect(shared + holes > linked.bodies.count * 8 / 10, "\(shared) \(holes)")

        let loaded = try LoadedPatch(module.wasm)
        func export(_ name: String) throws -> Function {
            let covered = try #require(module.coverage.covered.first { $0.name == name })
            return try loaded.function("op_f_" + covered.id)
        }
        #expect(try export("half(_:)").invoke([.i64(10)]) == [.i64(4)])
        #expect(try export("cheapest(_:)").invoke([.i64(20)]) == [.i64(6)])
        #expect(try export("table(_:)").invoke([.i64(23)]) == [.i64(77)])
        let text = try loaded.read(try export("label(_:)").invoke([.i64(4)])) { try $0.string() }
        #expect(text == "a long text that lies in memory and has another name: 4")
    }

    @Test(
        "numbers that belong to another module, or are damaged, are refused; without any it works")
    func files() throws {
        let (fixture, build) = try fixture()
        try fixture.edit("Sources/shop.swift", "is named", "has another name")
        let with = try patch(fixture, build)
        let file = build.folder.appendingPathComponent(ModuleNumbers.fileName)
        var numbers = try JSONDecoder().decode(
            ModuleNumbers.self, from: try Data(contentsOf: file))
        #expect(numbers.module == build.manifest.base)
        numbers.module = String(repeating: "0", count: 64)
        for bytes in [try numbers.encoded(), Data("{".utf8)] {
            try bytes.write(to: file)
            #expect {
                try patch(fixture, build)
            } throws: { error in
                (error as? PatchProjectError)?.kind == .manifestInvalid
                    && "\(error)".contains("numbers.json")
            }
        }
        try FileManager.default.removeItem(at: file)
        let without = try patch(fixture, build)
        #expect(without.wasm != with.wasm)
        #expect(without.section == with.section)
    }

    @Test("a linked module that is cut short at any byte is refused")
    func truncated() throws {
        let module = try guestBuilder().build(
            sources: [
                GuestSource(
                    name: "one.swift",
                    text: "@_cdecl(\"a\") public func a(_ x: Int64) -> Int64 { x &* 3 }")
            ])
        let whole = try LinkedModule(module.wasm)
        #expect(!whole.bodies.isEmpty)
        for count in 0..<min(module.wasm.count, 1_500) {
            let part = Array(module.wasm.prefix(count))
            // A cut between sections leaves a smaller module, of which the rest is missing.
            guard let linked = try? LinkedModule(part) else { continue }
            #expect(linked.bodies.count <= whole.bodies.count)
            _ = try? Renumbering(linked, like: nil).written()
        }
    }
}
