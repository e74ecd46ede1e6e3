import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

@Suite("Initialisers of structs and enums")
struct InitializerTests {
    static let code = """
        enum Fault: Error, Equatable { case short(Int) }

        struct Price: Equatable {
            let cents: Int
            var text: String
            init(cents: Int) {
                self.cents = cents
                text = "\\(cents)"
            }
            init?(text: String) {
                guard let cents = Int(text) else { return nil }
                self.init(cents: cents)
            }
            init(checking text: String) throws {
                guard text.count > 1 else { throw Fault.short(text.count) }
                cents = text.count
                self.text = text
            }
        }

        enum Level: Equatable {
            case low, high(Int)
            init(_ value: Int) { self = value > 10 ? .high(value) : .low }
        }

        private struct Hidden {
            private var value: Int
            init(_ value: Int) { self.value = value + 1 }
            var shown: Int { value }
        }
        func hidden(_ value: Int) -> Int { Hidden(value).shown }

        extension Int {
            init(digits text: String) { self = text.filter { $0.isNumber }.count }
        }
        """

    @Test("give the same values as natively, and fail and throw alike")
    func sameAsNative() throws {
        let fixture = try ProjectFixture(files: ["Price.swift": Self.code])
        let build = try fixture.registered()
        let file = "Sources/Price.swift"
        try fixture.edit(file, "text = \"\\(cents)\"", "text = \"\\(cents) ct\"")
        try fixture.edit(file, "Int(text) else", "Int(text + \"0\") else")
        try fixture.edit(file, "cents = text.count\n", "cents = text.count * 2\n")
        try fixture.edit(file, "value > 10 ?", "value > 20 ?")
        try fixture.edit(file, "value + 1 }", "value + 2 }")
        try fixture.edit(file, "$0.isNumber }.count", "$0.isNumber }.count + 1")
        let module = try expectSameInSDK(
            fixture, build.manifest,
            driver: """
                print(Price(cents: 3), Price(text: "12") as Any, Price(text: "x") as Any)
                for text in ["", "abc"] {
                    do { print(try Price(checking: text)) } catch { print(error) }
                }
                print(Level(15), Level(25), hidden(4), Int(digits: "a1b2"))
                """)
        #expect(module.coverage.covered.count == 6)
    }

    @Test("one that a constant stands against stays native")
    func fixed() throws {
        let scan = FunctionScanner.scan(
            try sourceTree([
                "A.swift": "struct S { let k = 1; var x: Int\ninit(_ x: Int) { self.x = x } }"
            ]))
        #expect(scan.functions.isEmpty)
        #expect(scan.refusals.map(\.reason) == [.initializer])
        #expect(scan.refusals.map(\.detail) == ["k"])
    }
}
