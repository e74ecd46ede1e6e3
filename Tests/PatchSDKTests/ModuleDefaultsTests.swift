import Foundation
import Testing
import WebAssembly

@testable import PatchSDK

/// Capability `defaults`: what `@AppStorage` of a module reads and writes.
@Suite("Settings of modules")
final class ModuleDefaultsTests {
    private let suite = "openpatch-test-\(UUID().uuidString)"
    private let settings: UserDefaults
    private let instance: Instance
    private let memory: Memory

    init() throws {
        settings = try #require(UserDefaults(suiteName: suite))
        let five = [WasmBuilder.Kind](repeating: .i32, count: 5)
        var wasm = WasmBuilder()
        let get = wasm.importFunction("openpatch", "defaults.get", five, [.i32])
        let set = wasm.importFunction("openpatch", "defaults.set", five)
        wasm.place(Array("name".utf8), at: 16)
        func i32(_ value: Int32) -> [UInt8] { WasmBuilder.i32(value) }
        // (kind, room) of key "name" to 64, and (kind, count) of it from 128.
        wasm.function(
            "get", [.i32, .i32], [.i32],
            [0x20, 0] + i32(16) + i32(4) + i32(64) + [0x20, 1, 0x10, get])
        wasm.function(
            "set", [.i32, .i32], [],
            [0x20, 0] + i32(16) + i32(4) + i32(128) + [0x20, 1, 0x10, set])
        wasm.function(
            "badKey", [], [.i32],
            i32(1) + i32(16) + i32(-1) + i32(64) + i32(8) + [0x10, get])
        let module = try parseWasm(bytes: wasm.build())
        let store = Store(engine: Engine())
        var imports = Imports()
        let defaults = ModuleDefaults(suite: suite)
        for (name, body) in [("defaults.get", defaults.get), ("defaults.set", defaults.set)] {
            let type = try #require(ModuleDefaults.types[name])
            imports.define(
                module: "openpatch", name: name, Function(store: store, type: type, rawBody: body))
        }
        instance = try module.instantiate(store: store, imports: imports)
        memory = try #require(instance.exports[memory: "memory"])
    }

    deinit { settings.removePersistentDomain(forName: suite) }

    private func get(_ kind: UInt32, room: UInt32 = 64) throws -> Int32 {
        let function = try #require(instance.exports[function: "get"])
        let result = try function.invoke([.i32(kind), .i32(room)])
        guard case .i32(let length) = result.first else { return -2 }
        return Int32(bitPattern: length)
    }

    private func set(_ kind: UInt32, _ bytes: [UInt8]) throws {
        try memory.write(bytes, at: 128)
        let function = try #require(instance.exports[function: "set"])
        _ = try function.invoke([.i32(kind), .i32(UInt32(bytes.count))])
    }

    @Test("what native code keeps is read by its kind, and a value of another kind is none")
    func reads() throws {
        #expect(try get(4) == -1)
        settings.set("Zoë", forKey: "name")
        #expect(try get(4) == 4)
        #expect(try memory.read(at: 64, count: 4) == Array("Zoë".utf8))
        #expect(try get(5) == -1, "a text is no data")
        settings.set(-7, forKey: "name")
        #expect(try get(2) == 8)
        #expect(try memory.read(at: 64, count: 8) == [0xf9] + [UInt8](repeating: 0xff, count: 7))
        #expect(try get(99) == -1)
    }

    @Test("a value longer than its room is told by its length and not written")
    func room() throws {
        settings.set("longer than that", forKey: "name")
        try memory.write([1, 2, 3], at: 64)
        #expect(try get(4, room: 3) == 16)
        #expect(try memory.read(at: 64, count: 3) == [1, 2, 3])
    }

    @Test("what a module keeps native code reads, and kind 0 removes it")
    func writes() throws {
        try set(1, [1])
        #expect(settings.bool(forKey: "name"))
        try set(3, [0, 0, 0, 0, 0, 0, 0xf8, 0x3f])
        #expect(settings.double(forKey: "name") == 1.5)
        try set(4, Array("Bo".utf8))
        #expect(settings.string(forKey: "name") == "Bo")
        try set(5, [1, 2])
        #expect(settings.data(forKey: "name") == Data([1, 2]))
        try set(0, [])
        #expect(settings.object(forKey: "name") == nil)
    }

    @Test("a kind that nobody has, and a key beyond all memory, trap")
    func refused() throws {
        #expect(throws: (any Error).self) { try set(77, []) }
        let bad = try #require(instance.exports[function: "badKey"])
        #expect(throws: (any Error).self) { try bad.invoke([]) }
    }
}
