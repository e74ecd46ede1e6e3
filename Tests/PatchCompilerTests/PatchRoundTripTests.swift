import Foundation
import ModuleABI
import TestSupport
import Testing

@testable import PatchCompiler

/// Edited functions in a module against the same functions compiled natively.
@Suite("A patched function against native code")
struct PatchRoundTripTests {
    static let numbers = [
        "0", "5", "99", "100", "12_345", "5_000_000_000", "-1", "-250", "-5_000_000_000",
        "Int.max", "Int.min",
    ]

    static func registered() throws -> (ProjectFixture, BuildManifest) {
        let fixture = try ProjectFixture("shop")
        let project = try fixture.project()
        try project.prepare()
        let build = try project.registerBuild()
        #expect(build.notInBase == [])
        // What is in the store stays as it is, whatever happens to the sources.
        try FileManager.default.copyItem(
            at: fixture.directory.file("Sources"), to: fixture.directory.file("Store"))
        return (fixture, build.manifest)
    }

    @Test("an edited price label gives in the module what it gives natively")
    func priceLabel() throws {
        let (fixture, manifest) = try Self.registered()
        try fixture.edit("Sources/Shop/Prices.swift", "EUR", "€")
        try expectSame(
            fixture, manifest, covers: ["priceLabel(_:)"],
            driver: """
                for value in [\(Self.numbers.joined(separator: ", "))] as [Int] {
                    print(priceLabel(value))
                }
                """)
    }

    @Test("every shape of value crosses both ways")
    func shapes() throws {
        let (fixture, manifest) = try Self.registered()
        let prices = "Sources/Shop/Prices.swift"
        try fixture.edit(prices, "cents - cents * percent / 100", "cents &- cents / 100 &* percent")
        try fixture.edit(prices, "$0.value, $0.key) <", "-$0.value, $0.key) <")
        try fixture.edit(prices, "($1.value, $1.key)", "(-$1.value, $1.key)")
        try fixture.edit(prices, "cents == 0", "cents <= 0")
        try fixture.edit(prices, "part / whole", "100 * part / whole")
        try fixture.edit(prices, "value / 2", "value / 4")
        try fixture.edit(prices, "byte &+ 1", "byte &+ 100")
        try fixture.edit(prices, "flag ? value : -value", "flag ? -value : value")
        try fixture.edit(prices, "value / 3", "value / 5")
        try fixture.edit(
            prices, "private let separator = \", \"", "private let separator = \" + \"")
        let catalog = "Sources/Shop/Catalog.swift"
        try fixture.edit(catalog, "\"item\" : \"items\"", "\"thing\" : \"things\"")
        try fixture.edit(catalog, "(Int(text) != nil, Int(text))", "(Int(text) == nil, Int(text))")
        try fixture.edit(catalog, "$0.lowercased()", "$0.uppercased()")
        try fixture.edit(catalog, "$0 < 0 ? nil", "$0 <= 0 ? nil")
        try fixture.edit(catalog, "Array(text.utf8)", "Array(text.utf8).reversed()")
        try fixture.edit(catalog, "*** \\(greeting) ***", "--- \\(greeting) ---")
        try fixture.edit(catalog, "Basket of", "A basket of")
        try fixture.edit(catalog, "\"fine\"", "\"splendid\"")
        try expectSame(
            fixture, manifest,
            covers: [
                "discounted(_:percent:)", "cheapest(_:)", "isFree(_:)", "share(_:of:)",
                "halved(_:)", "next(_:)", "narrow(_:_:)", "huge(_:)", "summary(of:prices:)",
                "Catalog.parse(_:)", "Catalog.tags(_:)",
                "Catalog.matrix(_:)", "Catalog.bytes(_:)", "Catalog.banner", "Basket.label(_:)",
                "mood", "Catalog.unit(_:)",
            ],
            driver: Self.shapesDriver)
    }

    static let shapesDriver = """
        for value in [\(numbers.joined(separator: ", "))] as [Int] {
            print(discounted(value, percent: 15), isFree(value), Catalog.title(for: value, in: nil))
            print(Catalog.title(for: 1, in: "日本\\(value)"), Basket.label(value), mood)
        }
        print(summary(of: ["a", "", "é🧵"], prices: [1, 5_000_000_000, -7]), Catalog.banner)
        print(summary(of: [], prices: []).isEmpty)
        print(cheapest([:]) as Any, cheapest(["a": 5, "b": 1, "": 9]) as Any)
        print(cheapest(["only": .min + 1]) as Any)
        for value in [0, -0.0, 1.5, .infinity, -.infinity, .pi, 1e300] as [Double] {
            print(share(value, of: 3).bitPattern, share(7, of: value).bitPattern)
        }
        for value in [0, -0.5, .pi, .infinity, .leastNonzeroMagnitude] as [Float] {
            print(halved(value).bitPattern)
        }
        for value in [0, 1, 127, 128, 200, 255] as [UInt8] { print(next(value)) }
        for value in [0, 1, -1, .max, .min + 1] as [Int16] {
            print(narrow(value, true), narrow(value, false))
        }
        for value in [0, 1, 1 << 31, 1 << 32, 1 << 53, 1 << 63, .max] as [UInt64] {
            print(huge(value))
        }
        for text in ["12", "", "x", "-9223372036854775808"] {
            let (ok, value) = Catalog.parse(text)
            print(ok, value as Any, Catalog.bytes(text))
        }
        print(Catalog.bytes(String(repeating: "ab", count: 300)).count)
        print(Catalog.tags(["Zoë", "apple", "APPLE", "", "longer than thirty-one bytes, surely"]).sorted())
        print(Catalog.tags([]).count)
        print(Catalog.matrix([[1, -1, 5_000_000_000], [], Array(0..<40)]), Catalog.matrix([]))
        """

    @Test("a patch is cumulative, and a body that is back as in the build costs nothing")
    func cumulative() throws {
        let (fixture, manifest) = try Self.registered()
        let prices = "Sources/Shop/Prices.swift"
        try fixture.edit(prices, "cents == 0", "cents < 1")
        try fixture.edit(prices, "part / whole", "whole / part")
        #expect(try fixture.project().coverage(of: manifest).covered.count == 2)
        try fixture.edit(prices, "whole / part", "part / whole")
        let report = try fixture.project().coverage(of: manifest)
        #expect(report.covered.map(\.name) == ["isFree(_:)"])
        #expect(report.covered.first?.cause == .bodyChanged)
        try fixture.edit(prices, "cents < 1", "cents  /* the same */ ==\n 0")
        #expect(try fixture.project().coverage(of: manifest).covered == [])
    }

    @Test("the same sources give the same module in any folder")
    func reproducible() throws {
        let (fixture, manifest) = try Self.registered()
        let (other, otherManifest) = try Self.registered()
        #expect(manifest == otherManifest)
        for copy in [fixture, other] {
            try copy.edit("Sources/Shop/Prices.swift", "EUR", "USD")
        }
        let release = ReleaseIdentity(version: "2", sequence: 1)
        let first = try fixture.project().buildModule(for: manifest, release: release)
        let second = try other.project().buildModule(for: manifest, release: release)
        #expect(first.wasm == second.wasm)
        #expect(first.section.functions.map(\.export).count == 1)
        #expect(first.section.fp == manifest.fingerprint)
    }
}

/// Compares what the working tree prints when it is compiled natively with what the store build
/// prints when the module of the difference serves the covered functions.
func expectSame(
    _ fixture: ProjectFixture, _ manifest: BuildManifest, covers: [String], driver: String,
    flags: [[String]] = [["-O"]], sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let run = try PatchedRun(fixture, manifest)
    #expect(
        run.module.coverage.covered.map(\.name).sorted() == covers.sorted(),
        sourceLocation: sourceLocation)
    let expected = try PreparedProgram(
        fixture.swiftFiles(), driver: driver, in: fixture.directory, flags: flags[0]
    ).native()
    for flags in flags {
        let store = try run.store(driver: driver, flags: flags)
        // Where the store build itself would trap, nothing is printed that could be the same.
        #expect((try? store.native()) != expected, sourceLocation: sourceLocation)
        let found = try run.output(store)
        #expect(found == expected, "\(flags)", sourceLocation: sourceLocation)
    }
}

/// The store build of a fixture with a module of the difference.
struct PatchedRun {
    let module: BuiltModule
    private let fixture: ProjectFixture
    private let gates: [Int]
    private let packed: [String]

    init(_ fixture: ProjectFixture, _ manifest: BuildManifest) throws {
        self.fixture = fixture
        let project = try fixture.project()
        module = try project.buildModule(
            for: manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        let covered = Set(module.section.functions.map { DeclarationID.hex16($0.id) })
        gates = try ProjectLock(folder: fixture.folder).entries
            .filter { covered.contains($0.id) }.map(\.gate)
        let scan = FunctionScanner.scan(
            try SourceTree(folder: fixture.folder, configuration: project.configuration))
        packed = scan.functions.filter { $0.scalarOutput == nil }.map(\.hexID)
    }

    func store(driver: String, flags: [String]) throws -> PreparedProgram {
        try PreparedProgram(
            fixture.swiftFiles("Store"), driver: driver, in: fixture.directory, flags: flags)
    }

    func output(_ store: PreparedProgram) throws -> String {
        try store.patched(module.wasm, gates: gates, packed: packed)
    }

    func output(driver: String, flags: [String]) throws -> String {
        try output(try store(driver: driver, flags: flags))
    }
}
