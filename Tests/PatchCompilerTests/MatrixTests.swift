import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

/// Every form of function that a module can serve (patching.md §3), edited and run in the real SDK:
/// in one module and across modules, with and without optimisation.
@Suite("The matrix of forms")
struct MatrixTests {
    /// Declarations of a library; `PUB` stands for the access that other modules need.
    static let core = """
        import Foundation

        PUB enum MatrixError: Error, Equatable { case low(Int), other }

        PUB protocol Priced { var cents: Int { get } }

        extension Priced {
            /// An extension of a protocol travels inside what uses it.
            PUB var rounded: Int { (cents + 49) / 100 * 100 }
        }

        PUB struct Money: Priced, Comparable, Hashable, Sendable {
            PUB var cents: Int
            PUB init(cents: Int) { self.cents = cents }
            PUB static let zero = Money(cents: 0)
            PUB static func == (left: Money, right: Money) -> Bool { left.cents == right.cents }
            PUB static func < (left: Money, right: Money) -> Bool { left.cents < right.cents }
            PUB static func + (left: Money, right: Money) -> Money {
                Money(cents: left.cents + right.cents)
            }
            PUB static func += (left: inout Money, right: Money) { left = left + right }
            PUB static prefix func - (value: Money) -> Money { Money(cents: -value.cents) }
            PUB static func make(_ cents: Int) -> Money { Money(cents: cents) }
            PUB var half: Money {
                get { Money(cents: cents / 2) }
                set { cents = newValue.cents * 2 }
            }
            PUB subscript(part: Int) -> Int { cents / 10 % (part + 1) }
            PUB subscript(scaled by: Int) -> Int {
                get { cents * by }
                set { cents = newValue / by }
            }
            PUB mutating func add(_ more: Int, times: Int = 2) -> Int {
                cents += more * times
                return cents
            }
            PUB func checked(above limit: Int) throws -> Int {
                if cents <= limit { throw MatrixError.low(cents) }
                return cents - limit
            }
            PUB func strict() throws(MatrixError) -> Int {
                guard cents != 13 else { throw .other }
                return cents
            }
            PUB func later() async -> Int { cents + 1 }
            private func secret(_ x: Int) -> Int { x * cents }
            PUB func open(_ x: Int) -> Int { secret(x) }
            @available(macOS 10.15, *) PUB func guarded() -> Int { cents % 7 }
        }

        PUB struct Tree: Sendable {
            PUB indirect enum Node: Sendable { case leaf(Int), pair(Node, Node) }
            PUB static func sum(_ node: Node) -> Int {
                switch node {
                case .leaf(let value): value
                case .pair(let left, let right): sum(left) + sum(right)
                }
            }
        }

        PUB class Desk { PUB class func name(_ x: Int) -> String { "desk \\(x)" } }

        /// Generic: what uses it is patched with the types that it uses.
        PUB func largest<Value: Comparable>(_ values: [Value], or other: Value) -> Value {
            values.max() ?? other
        }

        PUB func pick(_ values: [Int], _ texts: [String]) -> String {
            "\\(largest(values, or: 0)) \\(largest(texts, or: "-"))"
        }

        PUB func closures(_ values: [Int]) -> [Int] {
            func twice(_ x: Int) -> Int { x * 2 }
            let add = { (x: Int) in x + values.count }
            return values.map(twice).map(add).filter { $0 > 1 }
        }

        PUB func total(_ values: [Money]) -> Int { values.reduce(Money.zero, +).rounded }

        PUB func swapped(_ a: inout Int, _ b: inout String) -> Bool {
            (a, b) = (b.count, String(a))
            return a > 0
        }

        PUB final class Owner {
            PUB var number: Int
            PUB init(_ number: Int) { self.number = number }
            PUB func reader() -> () -> Int { { [unowned self] in self.number } }
        }

        PUB func owned(_ x: Int) -> Int {
            let owner = Owner(x)
            let read = owner.reader()
            return withExtendedLifetime(owner) { read() }
        }

        PUB class Knot {
            PUB weak var next: Knot?
            PUB let number: Int
            PUB init(_ number: Int) { self.number = number }
            deinit { next = nil }
            PUB func reader() -> () -> Int { { [weak self] in self?.number ?? -1 } }
            PUB func guarded() -> (Int) -> Int {
                { [weak self, number] more in
                    guard let self else { return number * -2 }
                    return self.number + more
                }
            }
        }

        PUB final class SubKnot: Knot {}

        PUB func weakly(_ x: Int) -> String {
            var owner: SubKnot? = SubKnot(x)
            let knot = Knot(x + 1)
            knot.next = owner
            let read = owner?.reader() ?? { 0 }
            let guarded = owner?.guarded() ?? { $0 }
            let before = "\\(read()) \\(guarded(3)) \\(knot.next?.number ?? 0)"
            owner = nil
            return "\\(before), \\(read()) \\(guarded(3)) \\(knot.next == nil)"
        }
        """

    /// What is edited, each once.
    static let edits: [(String, String)] = [
        ("(cents + 49)", "(cents + 99)"),
        ("left.cents == right.cents", "left.cents >= right.cents"),
        ("left.cents < right.cents", "left.cents > right.cents"),
        ("left.cents + right.cents", "left.cents + right.cents + 1"),
        ("left = left + right", "left = left + right + right"), ("-value.cents", "1 - value.cents"),
        ("Money(cents: cents) }", "Money(cents: cents + 3) }"),
        ("Money(cents: cents / 2)", "Money(cents: cents / 3)"),
        ("cents = newValue.cents * 2", "cents = newValue.cents * 3"),
        ("cents / 10 % (part + 1)", "cents / 5 % (part + 1)"), ("cents * by", "cents * by + 1"),
        ("cents = newValue / by", "cents = newValue / by + 4"),
        ("cents += more * times", "cents += more * times + 1"),
        ("return cents - limit", "return cents + limit"),
        ("cents != 13", "cents != 14"),
        ("cents + 1 }", "cents + 2 }"),
        ("x * cents", "x * cents + 1"), ("cents % 7", "cents % 5"),
        ("case .leaf(let value): value\n", "case .leaf(let value): value + 1\n"),
        ("\"desk \\(x)\"", "\"table \\(x)\""), ("values.max()", "values.min()"),
        ("x + values.count", "x - values.count"), ("return a > 0", "return a > 2"),
        ("{ read() }", "{ read() + 5 }"), ("\\(before), ", "\\(before); "),
    ]

    static let driver = """
        func matrix() async {
            let values = [Money(cents: 40), Money(cents: 1234), Money.make(13), Money.make(14)]
            for value in values {
                print(value == values[0], value < values[1], (value + values[2]).cents, (-value).cents)
                var copy = value
                copy += Money(cents: 5)
                copy.half = Money(cents: 7)
                copy[scaled: 3] = 99
                print(copy.cents, copy.half.cents, value[3], value[scaled: 2], copy.add(4), copy.add(1, times: 9))
                print((try? value.checked(above: 13)) as Any, await value.later(), value.open(3), value.guarded())
                do { print(try value.checked(above: 100)) } catch { print(error) }
                do { print(try value.strict()) } catch { print(error) }
            }
            print(Tree.sum(.pair(.leaf(3), .pair(.leaf(4), .leaf(-1)))), Desk.name(4))
            print(pick([3, 1, 2], ["b", "a"]), pick([], []), closures([1, 2, 3]), total(values))
            var number = 5
            var text = "abc"
            print(swapped(&number, &text), number, text, owned(6), weakly(4))
        }
        await matrix()
        """

    private static func text(_ access: String) -> String {
        core.replacingOccurrences(of: "PUB ", with: access)
    }

    private func build(_ files: [String: String], modules: [(String, String)]) throws
        -> (ProjectFixture, BuiltModule)
    {
        let fixture = try ProjectFixture(files: files)
        if modules.count > 1 {
            let sources = modules.map { #"{"module": "\#($0)", "path": "\#($1)"}"# }
            try fixture.directory.write(
                """
                {"v": 1, "app_id": "6f0e2a1c-58f8-4a07-9f51-0d9a1f2f7c11", "name": "App",
                 "platform": "linux", "sources": [\(sources.joined(separator: ", "))]}
                """, to: "openpatch.json")
        }
        let registered = try fixture.registered()
        #expect(registered.notInBase == [])
        let file =
            files.keys.contains("Core.swift") ? "Sources/Core.swift" : "Sources/Core/Core.swift"
        for (old, new) in Self.edits { try fixture.edit(file, old, new) }
        let module = try fixture.project().buildModule(
            for: registered.manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        #expect(module.coverage.calls == [])
        return (fixture, module)
    }

    @Test("every form in one module", arguments: [["-Onone"], ["-O"]])
    func oneModule(flags: [String]) throws {
        let (fixture, module) = try build(["Core.swift": Self.text("")], modules: [])
        #expect(module.coverage.covered.count >= 24)
        let expected = try RealProgram(
            fixture.swiftFiles(), driver: Self.driver, in: fixture.directory, flags: flags
        ).native()
        let store = try RealProgram(
            fixture.swiftFiles("Store"), driver: Self.driver, in: fixture.directory, flags: flags)
        #expect(try store.native() != expected)
        let result = try store.patchedResult(module.wasm)
        #expect(result.standardOutput == expected)
        #expect(result.standardError == "")
    }

    @Test("every form across modules", arguments: [["-Onone"], ["-O"]])
    func acrossModules(flags: [String]) throws {
        let (fixture, module) = try build(
            [
                "App/Own.swift":
                    "import Core\nfunc own(_ x: Int) -> Int { Money(cents: x).cents }\n",
                "Core/Core.swift": Self.text("public "),
            ], modules: [("App", "Sources/App"), ("Core", "Sources/Core")])
        let (edited, shipped) = (try TemporaryDirectory("matrix"), try TemporaryDirectory("matrix"))
        defer { withExtendedLifetime((edited, shipped)) {} }
        func program(_ folder: String, in place: TemporaryDirectory) throws -> RealProgram {
            let library = try RealProgram.library(
                fixture.swiftFiles("\(folder)/Core"), named: "Core", in: place, flags: flags)
            return try RealProgram(
                fixture.swiftFiles("\(folder)/App"), driver: "import Core\n" + Self.driver,
                in: place, flags: flags, links: library)
        }
        let expected = try program("Sources", in: edited).native()
        let result = try program("Store", in: shipped).patchedResult(module.wasm)
        #expect(result.standardOutput == expected)
        #expect(result.standardError == "")
    }
}
