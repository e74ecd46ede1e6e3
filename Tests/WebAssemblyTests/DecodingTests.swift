import Testing
import WebAssembly

@Suite("Decoding")
struct DecodingTests {
    /// A module with every kind of section.
    private static func sample() -> [UInt8] {
        var builder = ModuleBuilder()
        let log = builder.importFunction("env", "log", [.i32])
        builder.importGlobal("env", "base", .i32, isMutable: false)
        builder.table(2, 4)
        builder.memory(1, 2)
        builder.global(.i32, isMutable: true, Code.globalGet(0))
        let twice = builder.function(
            "twice", [.i32], [.i32], locals: [.i64], Code.get(0) + Code.get(0) + Code.add32)
        let start = builder.function(nil, [], [], Code.i32(7) + Code.call(log))
        builder.start = start
        builder.element(at: 0, [twice, start])
        builder.data(at: 16, Array("hello".utf8))
        builder.hasDataCount = true
        builder.names([(twice, "twice")])
        return builder.build()
    }

    @Test("a whole module decodes")
    func whole() throws {
        let module = try parseWasm(bytes: DecodingTests.sample())
        try module.validate()
        #expect(module.imports.map(\.name) == ["log", "base"])
        #expect(module.exports.map(\.name) == ["memory", "twice"])
        #expect(
            module.exports.last?.kind
                == .function(FunctionType(parameters: [.i32], results: [.i32])))
        #expect(module.customSections.map(\.name) == ["name"])
    }

    @Test("a module truncated at any byte is refused or ends at a section's border")
    func truncation() throws {
        let bytes = DecodingTests.sample()
        var accepted = 0
        for length in 0..<bytes.count {
            do {
                _ = try parseWasm(bytes: Array(bytes[..<length]))
                accepted += 1
            } catch is WasmDecodingError {
            } catch is WasmValidationError {
            }
        }
        // Only the borders after which nothing is missing: the first sections, and before the
        // name section.
        #expect(accepted <= 4)
    }

    @Test("a module with any byte changed is refused or decodes, and never crashes")
    func mutation() throws {
        let bytes = DecodingTests.sample()
        for index in bytes.indices {
            for change in [0x01, 0x7f, 0x80, 0xff] as [UInt8] {
                var copy = bytes
                copy[index] ^= change
                let module = try? parseWasm(bytes: copy)
                try? module?.validate()
            }
        }
    }

    @Test("bytes that are not wasm are called so")
    func notWasm() {
        let error = #expect(throws: WasmDecodingError.self) {
            _ = try parseWasm(bytes: Array("<!DOCTYPE html>".utf8))
        }
        #expect(error?.code == "not_wasm")
    }

    @Test("a count that the bytes cannot hold is refused before anything is allocated")
    func counts() {
        for id in [1, 2, 3, 4, 6, 7, 9, 11] as [UInt8] {
            let bytes: [UInt8] =
                [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0] + section(id, [0xff, 0xff, 0xff, 0xff, 0x0f])
            #expect(throws: WasmDecodingError.self) { _ = try parseWasm(bytes: bytes) }
        }
    }

    @Test("blocks nested too deeply are refused")
    func nesting() throws {
        var builder = ModuleBuilder()
        let depth = 200_000
        builder.function(
            "f", [], [],
            Array(repeating: [0x02, 0x40] as [UInt8], count: depth).flatMap { $0 }
                + Array(repeating: 0x0b, count: depth))
        let module = try parseWasm(bytes: builder.build())
        let error = #expect(throws: WasmDecodingError.self) { try module.validate() }
        #expect(error?.code == "nesting_too_deep")
    }

    @Test("a body that would become far more code than it has bytes is refused")
    func amplification() throws {
        var builder = ModuleBuilder()
        // Each br_if carries 1,000 constants, that all have to be moved before the jump.
        let many = Array(repeating: ValueType.i32, count: 1_000)
        let type = builder.type([], many)
        let constants = (0..<1_000).flatMap { _ in Code.i32(1) }
        let branches = (0..<20_000).flatMap { _ in Code.get(0) + Code.brIf(0) }
        builder.function(
            "f", [.i32], [],
            [0x02] + leb(type) + constants + branches + [0x0b]
                + (0..<1_000).flatMap { _ in Code.drop })
        let module = try parseWasm(bytes: builder.build())
        let error = #expect(throws: WasmDecodingError.self) { try module.validate() }
        #expect(error?.code == "function_too_large")
    }

    @Test("too many locals are refused")
    func locals() throws {
        let body: [UInt8] = [1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 0x0b]
        let bytes: [UInt8] =
            [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0] + section(1, [1, 0x60, 0, 0]) + section(3, [1, 0])
            + section(10, [1] + leb(body.count) + body)
        let module = try parseWasm(bytes: bytes)
        let error = #expect(throws: WasmDecodingError.self) { try module.validate() }
        #expect(error?.code == "too_many_locals")
    }

    @Test("names are compared byte by byte, not as Swift compares strings")
    func exactNames() throws {
        var builder = ModuleBuilder()
        // The same letter, composed in two ways.
        builder.function("\u{212B}", [], [.i32], Code.i32(1))
        builder.function("\u{00C5}", [], [.i32], Code.i32(2))
        let exports = try builder.instance().exports
        #expect(try exports[function: "\u{212B}"]?.invoke() == [.i32(1)])
        #expect(try exports[function: "\u{00C5}"]?.invoke() == [.i32(2)])
        #expect(exports[function: "A\u{030A}"] == nil)
    }
}
