import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("Functions of the app among the arguments")
struct FunctionArgumentTests {
    static let code = """
        enum Fault: Error, Equatable { case odd(Int) }

        struct Item: Equatable { var name: String; var cents: Int }

        struct Rule {
            var name: String
            var applies: (Item) -> Bool
            var price: ((Int) -> Int)?
        }

        func chosen(_ items: [Item], where isWanted: (Item) -> Bool) -> [String] {
            items.filter(isWanted).map { $0.name }
        }
        func each(_ items: [Item], _ body: (Int, Item) -> Void) -> Int {
            for (number, item) in items.enumerated() { body(number, item) }
            return items.count
        }
        func visit(_ items: [Item], _ body: @escaping (String) -> Void) {
            for item in items { body(item.name) }
        }
        func total(_ items: [Item], _ rules: [Rule]) -> Int {
            var sum = 0
            for item in items {
                let rule = rules.first { $0.applies(item) }
                sum += rule?.price?(item.cents) ?? item.cents
            }
            return sum
        }
        func checked(_ items: [Item], _ check: (Item) throws -> Int) throws -> [Int] {
            var all: [Int] = []
            for item in items { all.append(try check(item) + 1) }
            return try all + items.map { try check($0) + 3 }
                + items.map { item in
                    guard item.cents < 1_000 else { throw Fault.odd(1) }
                    return try { try check(item) }()
                }
        }
        """

    static let driver = """
        let items = [Item(name: "tea", cents: 3), Item(name: "pot", cents: 40)]
        print(chosen(items) { $0.cents > 10 })
        var seen: [String] = []
        print(each(items) { seen.append("\\($0) \\($1.name)") }, seen)
        visit(items) { seen.append($0) }
        print(seen)
        let rules = [
            Rule(name: "a", applies: { $0.name == "pot" }, price: { $0 * 2 }),
            Rule(name: "b", applies: { $0.cents < 10 }, price: nil),
        ]
        print(total(items, rules), total(items, []))
        for limit in [1, 100] {
            do {
                print(
                    try checked(items) {
                        if $0.cents > limit { throw Fault.odd($0.cents) }
                        return $0.cents
                    })
            } catch { print(error) }
        }
        """

    @Test("are called as natively, effects and errors included")
    func sameAsNative() throws {
        let fixture = try ProjectFixture(files: ["Items.swift": Self.code])
        let build = try fixture.registered()
        let file = "Sources/Items.swift"
        try fixture.edit(file, "map { $0.name }", "map { $0.name + \"!\" }")
        try fixture.edit(file, "body(number, item)", "body(number + 1, item)")
        try fixture.edit(file, "body(item.name)", "body(item.name + \"?\")")
        try fixture.edit(file, "var sum = 0", "var sum = 1")
        try fixture.edit(file, "check(item) + 1", "check(item) + 2")
        let module = try expectSameInSDK(fixture, build.manifest, driver: Self.driver)
        #expect(module.coverage.covered.count == 5)
    }

    @Test(
        "do not come back",
        arguments: [
            "func f() -> () -> Int { { 1 } }", "func f(_ g: inout () -> Int) -> Int { g() }",
            "struct S { var g: () -> Int; mutating func f() -> Int { g() } }",
        ])
    func oneWay(text: String) throws {
        let scan = FunctionScanner.scan(try sourceTree(["A.swift": text]))
        #expect(scan.functions.isEmpty)
        #expect(scan.refusals.first?.reason == .resultType, "\(scan.refusals)")
    }
}
