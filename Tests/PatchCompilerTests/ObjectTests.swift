import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

/// Objects stay in the app: a module has numbers for them, reads and changes what they hold, and
/// has new ones made.
@Suite("Objects of the app in a module")
struct ObjectTests {
    static let code = """
        import Foundation

        struct Line: Equatable { var name: String; var cents: Int }

        final class Cart {
            let id: Int
            var lines: [Line] = []
            private(set) var count = 0 { didSet { log.append("count \\(count)") } }
            private var discount: Int?
            weak var parent: Cart?
            lazy var made: Int = lines.count + 100
            var log: [String] = []
            var handler: (() -> Void)?

            init(id: Int) { self.id = id }
            convenience init?(text: String) {
                guard let id = Int(text) else { return nil }
                self.init(id: id)
            }
            init(checking id: Int) throws {
                guard id > 0 else { throw CartError.bad(id) }
                self.id = id
            }

            var total: Int {
                get { lines.reduce(0) { $0 + $1.cents } - (discount ?? 0) }
                set { discount = total - newValue }
            }
            subscript(index: Int) -> Line { lines[index % max(lines.count, 1)] }

            func add(_ line: Line) {
                lines.append(line)
                count += 1
            }
            func history() -> String { log.joined(separator: ",") + " \\(ProcessInfo.processInfo.processIdentifier > 0)" }
            func split(_ limit: Int) -> [Cart] {
                let other = Cart(id: id + 1)
                for line in lines where line.cents > limit { other.add(line) }
                other.parent = self
                return [self, other, self]
            }
            static func merged(_ carts: [Cart]) -> Cart {
                let all = Cart(id: carts.count)
                for cart in carts { for line in cart.lines { all.add(line) } }
                return all
            }
        }

        enum CartError: Error, Equatable { case bad(Int) }

        struct Wallet { var owner: String; var carts: [Cart]; var main: Cart? }

        func same(_ one: Cart, _ other: Cart) -> Bool { one === other }
        func wallet(_ name: String, _ cart: Cart) -> Wallet {
            Wallet(owner: name, carts: [cart, Cart(id: 0)], main: cart)
        }
        func rename(_ wallet: inout Wallet) {
            wallet.owner += "!"
            wallet.main?.add(Line(name: wallet.owner, cents: 0))
        }
        func read(_ text: String) -> Int { Cart(text: text)?.id ?? -1 }
        func check(_ id: Int) throws -> Cart { try Cart(checking: id) }
        func clear(_ cart: Cart) { cart.lines = [] }
        func family(_ cart: Cart) -> String {
            "\\(cart.parent?.id ?? 0) \\(cart.made) \\(cart.history()) \\(cart[1].name)"
        }
        """

    static let driver = """
        let cart = Cart(id: 7)
        cart.add(Line(name: "tea", cents: 300))
        cart.add(Line(name: "pot", cents: 4_000))
        print(cart.total, cart.count, cart.log)
        cart.total = 4_100
        print(cart.total)
        let parts = cart.split(1_000)
        print(parts.map(\\.id), parts[0] === cart, parts[1].parent === cart, parts[1].lines)
        print(same(cart, parts[2]), same(cart, parts[1]))
        print(Cart.merged(parts).lines.count)
        var made = wallet("Ada", cart)
        print(made.owner, made.carts.map(\\.id), made.main === cart, made.carts[0] === cart)
        rename(&made)
        print(made.owner, cart.lines.last ?? Line(name: "", cents: 0), cart.log)
        print(read("12"), read("x"))
        for id in [3, -3] { do { print(try check(id).id) } catch { print(error) } }
        print(family(cart), family(parts[1]), cart[5].name)
        clear(cart)
        print(cart.lines, cart.total)
        weak var gone: Cart?
        do {
            let short = Cart(id: 1)
            gone = short
            print(same(short, short))
        }
        print(gone == nil)
        """

    @Test("methods, initialisers and functions over objects give what they give natively")
    func sameAsNative() throws {
        let fixture = try ProjectFixture(files: ["Cart.swift": Self.code])
        let build = try fixture.registered()
        let file = "Sources/Cart.swift"
        for (old, new) in [
            ("lines.append(line)\n", "lines.insert(line, at: 0)\n"),
            ("$0 + $1.cents } - (discount", "$0 + $1.cents * 2 } - (discount"),
            ("discount = total - newValue", "discount = total - newValue + 1"),
            ("lines[index % max", "lines[(index + 1) % max"),
            ("Cart(id: id + 1)", "Cart(id: id + 2)"),
            ("Cart(id: carts.count)", "Cart(id: carts.count * 3)"),
            ("one === other }", "one === other && one.id != 99 }"),
            ("Cart(id: 0)], main", "Cart(id: 5)], main"),
            ("+= \"!\"", "+= \"?\""),
            ("?.id ?? -1", "?.id ?? -2"),
            ("try Cart(checking: id) }", "try Cart(checking: id - 1) }"),
            ("cart.lines = [] }", "cart.lines = [Line(name: \"last\", cents: 1)] }"),
            ("\"\\(cart.parent?.id", "\"of \\(cart.parent?.id"),
        ] {
            try fixture.edit(file, old, new)
        }
        let module = try expectSameInSDK(fixture, build.manifest, driver: Self.driver)
        #expect(module.coverage.covered.count == 13)
        // Where a closure is stored, and what has no native side in the module, is not asked for.
        #expect(!module.coverage.calls.contains { $0.contains("handler") })
        #expect(module.coverage.calls.contains("Cart.init(id:)"))
        #expect(module.section.capabilities.contains(.native))
    }

    @Test(
        "a class stays native with its reason",
        arguments: [
            ("class C {}\nclass D: C {}", "is a class with subclasses"),
            ("class B {}\nclass C: B {}", "inherits from 'B'"),
            ("class C: Base<Int> {}", "inherits from 'Base<Int>'"),
            ("class C: ObservableObject {}", "is a model that views observe"),
            ("class C<T> {}", "is generic"), ("@Wrapped class C {}", "has the attribute @Wrapped"),
        ])
    func refused(text: String, why: String) throws {
        let types = ValueTypes(try sourceTree(["A.swift": text]))
        #expect(types.holders["App.C"] == nil)
        #expect(types.refusals["App.C"]?.contains(why) == true, "\(types.refusals)")
    }

    @Test("what waits takes no objects, and no view keeps one")
    func unsupported() throws {
        let scan = FunctionScanner.scan(
            try sourceTree([
                "A.swift": "class C { var x = 1 }\nfunc f(_ c: C) async -> Int { c.x }"
            ]))
        #expect(scan.functions.isEmpty)
        #expect(scan.refusals.first?.detail == "'C' (it waits, and objects do not)")
    }
}
