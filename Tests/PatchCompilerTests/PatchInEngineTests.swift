import Foundation
import ModuleABI
import PatchCompression
import PatchPlatform
import TestSupport
import Testing
import WebAssembly

@testable import PatchCompiler
@testable import PatchSDK

/// A module run in the engine that runs it on a device.
struct LoadedPatch {
    let instance: Instance

    init(_ wasm: [UInt8]) throws {
        let store = Store(engine: Engine())
        let module = try parseWasm(bytes: wasm)
        var imports = Imports()
        // What the SDK gives to modules.
        HostFunctions(
            clock: LiveClock(), random: LiveRandom(), log: { _, _ in }
        ).define(
            for: module, in: &imports, store: store,
            natives: NativeCalls(NativeTables(), declared: []))
        instance = try module.instantiate(store: store, imports: imports)
        _ = try function(GuestExport.initialize).invoke()
    }

    func function(_ name: String) throws -> Function {
        try #require(instance.exports[function: name])
    }

    /// Calls an export with one encoded argument and reads its encoded result.
    func call<T>(
        _ id: UInt64, _ encode: (inout MessagePackWriter) -> Void,
        _ decode: (inout MessagePackReader) throws -> T
    ) throws -> T {
        var writer = MessagePackWriter()
        encode(&writer)
        let memory = try #require(instance.exports[memory: GuestExport.memory])
        let size = UInt32(writer.bytes.count)
        guard
            case .i32(let pointer)? = try function(GuestExport.allocate).invoke([.i32(size)]).first
        else { throw StandIn.Failed(message: "no room") }
        try memory.write(writer.bytes, at: UInt64(pointer))
        let results = try function(GuestExport.function(id)).invoke([.i32(pointer), .i32(size)])
        _ = try function(GuestExport.free).invoke([.i32(pointer), .i32(size)])
        return try read(results, decode)
    }

    func read<T>(
        _ results: [Value], _ decode: (inout MessagePackReader) throws -> T
    ) throws -> T {
        guard case .i64(let raw)? = results.first else { throw StandIn.Failed(message: "no i64") }
        let packed = PackedResult(rawValue: raw)
        guard !packed.isNone else {
            var reader = MessagePackReader([0xc0])
            return try decode(&reader)
        }
        let memory = try #require(instance.exports[memory: GuestExport.memory])
        var reader = MessagePackReader(
            try memory.read(at: UInt64(packed.pointer), count: Int(packed.length)))
        let value = try decode(&reader)
        try reader.finish()
        _ = try function(GuestExport.free).invoke([.i32(packed.pointer), .i32(packed.length)])
        return value
    }
}

/// What the edited functions of the test below are, compiled here.
private func priceLabel(_ cents: Int) -> String {
    let euros = cents / 100
    let rest = cents % 100
    return "\(euros).\(rest < 10 ? "0" : "")\(rest) €"
}

private func cheapest(_ prices: [String: Int]) -> String? {
    prices.min { (-$0.value, $0.key) < (-$1.value, $1.key) }?.key
}

private func tags(_ words: [String]) -> Set<String> { Set(words.map { $0.uppercased() }) }

@Suite("A patched function in the engine")
struct PatchInEngineTests {
    @Test("what the module answers is what the same Swift answers natively")
    func same() throws {
        let (fixture, manifest) = try PatchRoundTripTests.registered()
        try fixture.edit("Sources/Shop/Prices.swift", "EUR", "€")
        try fixture.edit("Sources/Shop/Prices.swift", "$0.value, $0.key) <", "-$0.value, $0.key) <")
        try fixture.edit("Sources/Shop/Prices.swift", "($1.value, $1.key)", "(-$1.value, $1.key)")
        try fixture.edit("Sources/Shop/Catalog.swift", "$0.lowercased()", "$0.uppercased()")
        let built = try fixture.project().buildModule(
            for: manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        #expect(try ModuleSection.read(from: parseWasm(bytes: built.wasm)) == built.section)
        let patch = try LoadedPatch(built.wasm)
        func id(_ path: String, _ kind: DeclarationID.Kind) -> UInt64 {
            DeclarationID.function(module: "Shop", path: path, kind: kind)
        }
        let label = try patch.function(GuestExport.function(id("priceLabel(_:)", .function)))
        var generator = SeededGenerator(seed: SeededGenerator.seed)
        let edges = [0, 5, 99, 100, -1, -250, 5_000_000_000, -5_000_000_000, .max, .min] as [Int]
        let random = (0..<200).map { _ in Int.random(in: .min ... .max, using: &generator) }
        for value in edges + random {
            let results = try label.invoke([.i64(UInt64(bitPattern: Int64(value)))])
            #expect(try patch.read(results) { try $0.string() } == priceLabel(value))
        }
        for prices in [[:], ["a": 5], ["a": 5, "b": 1, "": 9, "日本": .min + 1]] as [[String: Int]] {
            let found = try patch.call(
                id("cheapest(_:)", .function),
                { $0.dictionary(prices, key: { $0.string($1) }, value: { $0.int(Int64($1)) }) },
                { try $0.optional { try $0.string() } })
            #expect(found == cheapest(prices))
        }
        for words in [[], ["Zoë", "zoë", "straße", ""], (0..<500).map { "word \($0)" }] {
            let found = try patch.call(
                id("Catalog.tags(_:)", .staticFunction),
                { $0.array(words) { $0.string($1) } }, { try $0.set { try $0.string() } })
            #expect(found == tags(words))
        }
    }

    @Test("a patch of whole numbers and one of strings stay within their sizes")
    func sizes() throws {
        let (fixture, manifest) = try PatchRoundTripTests.registered()
        let release = ReleaseIdentity(version: "2", sequence: 1)
        try fixture.edit("Sources/Shop/Prices.swift", "cents == 0", "cents <= 0")
        let numbers = try fixture.project().buildModule(for: manifest, release: release)
        #expect(try Brotli.compress(numbers.wasm, quality: 11).count <= 10_000)
        try fixture.edit("Sources/Shop/Prices.swift", "EUR", "€")
        let strings = try fixture.project().buildModule(for: manifest, release: release)
        #expect(try Brotli.compress(strings.wasm, quality: 11).count <= 30_000)
    }

    @Test("with 32-bit words an Int that does not fit traps instead of arriving cut")
    func wasm32() throws {
        let (fixture, manifest) = try PatchRoundTripTests.registered()
        try fixture.edit("Sources/Shop/Prices.swift", "EUR", "€")
        var options = GuestBuildOptions()
        options.cacheFolder = GuestTestCache.folder
        options.target = .wasm32
        let built = try PatchProject(folder: fixture.folder, guestOptions: options).buildModule(
            for: manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        let export = try #require(built.section.functions.first?.export)
        let patch = try LoadedPatch(built.wasm)
        for value in [0, -250, 2_147_483_647, -2_147_483_648] {
            let results = try patch.function(export).invoke([.i64(UInt64(bitPattern: Int64(value)))]
            )
            #expect(try patch.read(results) { try $0.string() } == priceLabel(value))
        }
        #expect(throws: Trap.self) { try patch.function(export).invoke([.i64(5_000_000_000)]) }
    }

    @Test("arguments of another shape trap, and the module says so instead of guessing")
    func mismatched() throws {
        let (fixture, manifest) = try PatchRoundTripTests.registered()
        try fixture.edit("Sources/Shop/Catalog.swift", "$0.lowercased()", "$0.uppercased()")
        let built = try fixture.project().buildModule(
            for: manifest, release: ReleaseIdentity(version: "2", sequence: 1))
        let id = DeclarationID.function(
            module: "Shop", path: "Catalog.tags(_:)", kind: .staticFunction)
        let wrong: [(inout MessagePackWriter) -> Void] = [
            { $0.int(1) }, { $0.arrayHeader(3) }, { $0.nil() }, { _ in },
            { $0.array([1]) { $0.int($1) } },
            {
                $0.array(["a"]) { $0.string($1) }
                $0.int(1)
            },
        ]
        for encode in wrong {
            let patch = try LoadedPatch(built.wasm)
            #expect(throws: Trap.self) {
                try patch.call(id, encode) { try $0.set { try $0.string() } }
            }
        }
    }
}
