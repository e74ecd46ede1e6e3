import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

/// Integers around every boundary, through every codec and form: scalars, encoded arguments and
/// results, values that come back changed, errors, and calls of native code.
@Suite("Exact integers")
struct IntegerTests {
    private static func code(_ type: String, native: Bool) -> String {
        let out = native ? "fatalError(\"native\")" : nil
        return """
            struct Box\(type): Hashable { var a: \(type); var b: [\(type)?] }
            enum Case\(type): Hashable { case one(\(type)), many([\(type)]), none }
            enum Fault\(type): Error { case bad(\(type)) }
            func scalar\(type)(_ x: \(type)) -> \(type) { \(out ?? "x") }
            func encoded\(type)(_ x: \(type), _ y: String) -> [\(type)] { \(out ?? "[x, x]") }
            func maybe\(type)(_ x: \(type)?) -> \(type)? { \(out ?? "x") }
            func keyed\(type)(_ x: [\(type): \(type)]) -> Set<\(type)> { \(out ?? "Set(x.keys).union(x.values)") }
            func boxed\(type)(_ x: Box\(type)) -> (Case\(type), Case\(type)) {
                \(out ?? "(.one(x.a), .many(x.b.compactMap { $0 }))")
            }
            func changed\(type)(_ x: inout \(type), _ y: \(type)) { \(out ?? "x = y") }
            func thrown\(type)(_ x: \(type)) throws -> Int { \(out ?? "throw Fault\(type).bad(x)") }
            func typed\(type)(_ x: \(type)) throws(Fault\(type)) -> Int { \(out ?? "throw .bad(x)") }
            func later\(type)(_ x: \(type)) async -> \(type) { \(out ?? "x") }
            func asked\(type)(_ x: \(type)) -> \(type) { \(out ?? "told\(type)(x)") }
            func told\(type)(_ x: \(type)) -> \(type) { told += 1; return x }

            """
    }

    private static func driver(_ type: String) -> String {
        """
        do {
            var all: Set<\(type)> = [.min, .max]
            for shift in [7, 8, 15, 16, 31, 32, 53, 63] as [\(type)] {
                let one = \(type)(1) << shift
                for near in [one, 0 &- one] { for step in -2 ... 2 { all.insert(near &+ \(type)(truncatingIfNeeded: step)) } }
            }
            for _ in 0..<100 { all.insert(\(type).random(in: .min ... .max, using: &generator)) }
            for x in all.sorted() {
                var y: \(type) = 0
                changed\(type)(&y, x)
                var z: \(type)?
                do { _ = try thrown\(type)(x) } catch let Fault\(type).bad(found) { z = found } catch {}
                var w: \(type)?
                do { _ = try typed\(type)(x) } catch { if case .bad(let found) = error { w = found } }
                let v = await later\(type)(x)
                let pairs: [\(type): \(type)] = [1: x].merging([x: x]) { $1 }
                let both: Set<\(type)> = [x, 1]
                let ok = scalar\(type)(x) == x && encoded\(type)(x, "é") == [x, x] && maybe\(type)(x) == x
                    && maybe\(type)(nil) == nil && keyed\(type)(pairs) == both && y == x && z == x && w == x && v == x
                    && boxed\(type)(Box\(type)(a: x, b: [nil, x])) == (.one(x), .many([x]))
                    && asked\(type)(x) == x
                if !ok { print("\(type) \\(x) came back changed") }
            }
            print("\(type)", told > 0)
        }

        """
    }

    @Test("no integer comes back as another one, whatever its form and way")
    func everyForm() throws {
        let types = ABIType.Integer.allCases.map(\.rawValue)
        let head = "nonisolated(unsafe) var told = 0\n"
        let fixture = try ProjectFixture(files: [
            "A.swift": head + types.map { Self.code($0, native: true) }.joined()
        ])
        let project = try fixture.project()
        try project.prepare()
        let manifest = try CoverageTests.manifest(
            AppCode(folder: fixture.folder, configuration: project.configuration))
        try FileManager.default.copyItem(
            at: fixture.directory.file("Sources"), to: fixture.directory.file("Store"))
        try fixture.directory.write(
            head + types.map { Self.code($0, native: false) }.joined(), to: "Sources/A.swift")
        let module = try project.buildModule(
            for: manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        #expect(module.coverage.covered.count == types.count * 10)
        #expect(module.coverage.calls.count == types.count)
        let seed = SeededGenerator.seed
        let generator = """
            struct Generator: RandomNumberGenerator {
                var state: UInt64 = \(seed)
                mutating func next() -> UInt64 {
                    state = state &* 6364136223846793005 &+ 1442695040888963407
                    return state ^ state >> 29
                }
            }
            var generator = Generator()

            """
        let program = try RealProgram(
            fixture.swiftFiles("Store"), driver: generator + types.map(Self.driver).joined(),
            in: fixture.directory)
        let result = try program.patchedResult(module.wasm)
        #expect(
            result.standardOutput == types.map { "\($0) true\n" }.joined(),
            "seed \(seed): \(result.standardOutput)")
        #expect(result.standardError == "")
    }
}
