import Foundation
import PatchCompression
import TestSupport
import Testing

@testable import PatchCompiler

/// Sizes of modules; `Docs/guests.md` cites what this prints.
@Suite("Sizes of guest modules")
struct GuestBuilderSizeTests {
    private func measure(
        _ name: String, _ source: GuestSource, _ target: GuestTarget, limit: Int
    ) throws {
        let module = try guestBuilder(target).build(sources: [source])
        let wire = try Brotli.compress(module.wasm, quality: 11).count
        let parts = [
            "\(name) \(target.rawValue): \(module.wasm.count) bytes, brotli \(wire)",
            "runtime \(seconds(module.timings.runtime))",
            "compile \(seconds(module.timings.compile))", "link \(seconds(module.timings.link))",
        ]
        print(parts.joined(separator: ", "))
        #expect(wire <= limit)
    }

    private func seconds(_ value: Double) -> String { "\((value * 100).rounded() / 100) s" }

    @Test(
        "the seed's greetings are as small as promised",
        .enabled(if: SharedData.isAvailable(Seed.path)), arguments: GuestTarget.allCases)
    func seeds(target: GuestTarget) throws {
        try measure("greeting", Seed.greeting(), target, limit: 6 << 10)
        try measure("make_greeting", Seed.pointerGreeting(), target, limit: 15 << 10)
    }

    @Test("integer logic and text logic are within their goals")
    func goals() throws {
        let price = GuestSource(
            name: "price.swift",
            text: """
                @_cdecl("total") public func total(_ cents: Int64, _ count: Int32) -> Int64 {
                    let sum = cents * Int64(count)
                    return count >= 10 ? sum - sum / 10 : sum
                }
                """)
        try measure("integers", price, .wasm64, limit: 10 << 10)
        let label = GuestSource(
            name: "label.swift",
            text: """
                import PatchGuest
                func priceLabel(_ cents: Int) -> String {
                    let rest = cents % 100
                    return "$\\(cents / 100).\\(rest < 10 ? "0" : "")\\(rest)"
                }
                @_cdecl("label") public func label(_ cents: Int64) -> Int64 {
                    var writer = GuestWriter()
                    writer.string(priceLabel(Int(cents)))
                    return writer.finish()
                }
                """)
        try measure("text", label, .wasm64, limit: 30 << 10)
    }
}
