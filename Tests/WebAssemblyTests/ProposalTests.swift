import Testing
import WebAssembly

@Suite("Refusing a proposal by its name")
struct ProposalTests {
    @Test(
        "an operator of an unsupported proposal is named",
        arguments: [
            ("simd", [0xfd, 0x0c] as [UInt8]), ("simd", [0xfd, 0xff, 0x01]),
            ("relaxed-simd", [0xfd, 0x80, 0x02]), ("half-precision", [0xfd, 0xa0, 0x02]),
            ("threads", [0xfe, 0x00]), ("gc", [0xfb, 0x00]), ("gc", [0xd3]),
            ("tail-call", [0x12, 0x00]), ("tail-call", [0x13, 0x00, 0x00]),
            ("exception-handling", [0x06, 0x40]), ("exception-handling", [0x08, 0x00]),
            ("exception-handling", [0x0a]), ("exception-handling", [0x1f, 0x40]),
            ("function-references", [0x14, 0x00]), ("function-references", [0xd4]),
            ("stack-switching", [0xe0, 0x00]), ("stack-switching", [0xe3, 0x00, 0x00]),
            ("wide-arithmetic", [0xfc, 0x13]), ("wide-arithmetic", [0xfc, 0x16]),
            ("memory-control", [0xfc, 0x12, 0x00]), ("half-precision", [0xfc, 0x30]),
            // As the type of a block.
            ("simd", [0x02, 0x7b]), ("function-references", [0x02, 0x64, 0x70]),
        ])
    func operators(name: String, code: [UInt8]) throws {
        var builder = ModuleBuilder()
        builder.function("f", [], [], code)
        let module = try parseWasm(bytes: builder.build())
        let error = #expect(throws: WasmUnsupportedProposal.self) { try module.validate() }
        #expect(error?.proposal == name)
        // The first call finds it as well.
        let instance = try module.instantiate(store: Store(engine: Engine()))
        #expect(throws: WasmUnsupportedProposal.self) {
            try instance.exports[function: "f"]?.invoke()
        }
    }

    @Test(
        "an unsupported proposal in a declaration is named at once",
        arguments: [
            ("threads", section(5, [1, 3, 1, 1])), ("multi-memory", section(5, [2, 0, 1, 0, 1])),
            ("custom-page-sizes", section(5, [1, 8, 1, 0])),
            ("simd", section(1, [1, 0x60, 1, 0x7b, 0])),
            ("gc", section(1, [1, 0x5f, 0])), ("gc", section(1, [1, 0x4e, 0])),
            ("gc", section(1, [1, 0x60, 1, 0x6e, 0])),
            ("stack-switching", section(1, [1, 0x5d, 0])),
            ("stack-switching", section(1, [1, 0x60, 1, 0x68, 0])),
            ("function-references", section(1, [1, 0x60, 1, 0x64, 0x70, 0])),
            ("function-references", section(4, [1, 0x40, 0, 0x70, 0, 1, 0xd0, 0x70, 0x0b])),
            ("exception-handling", section(13, [1, 0, 0])),
            ("exception-handling", section(1, [1, 0x60, 1, 0x69, 0])),
            ("exception-handling", section(2, [1, 0, 0, 4, 0, 0])),
            ("exception-handling", section(7, [1, 0, 4, 0])),
            ("compact-import-section", section(2, [1, 0, 0, 0x7f, 0])),
            ("shared-everything-threads", section(6, [1, 0x7f, 2, 0x41, 0, 0x0b])),
            ("simd", section(6, [1, 0x7f, 0, 0xfd, 0x0c])),
            ("gc", section(6, [1, 0x70, 0, 0xfb, 0x00])),
        ])
    func declarations(name: String, section: [UInt8]) {
        let error = #expect(throws: WasmUnsupportedProposal.self) {
            _ = try parseWasm(bytes: [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0] + section)
        }
        #expect(error?.proposal == name)
    }

    @Test("a component is told from a module of an unknown version")
    func components() {
        let error = #expect(throws: WasmUnsupportedProposal.self) {
            _ = try parseWasm(bytes: [0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0])
        }
        #expect(error?.proposal == "component-model")
        #expect(throws: WasmDecodingError.self) {
            _ = try parseWasm(bytes: [0, 0x61, 0x73, 0x6d, 2, 0, 0, 0])
        }
    }

    @Test("a byte that no proposal uses is no operator", arguments: [0x27, 0xc5, 0xdf, 0xff])
    func noProposal(byte: UInt8) throws {
        var builder = ModuleBuilder()
        builder.function("f", [], [], [byte])
        let module = try parseWasm(bytes: builder.build())
        let error = #expect(throws: WasmDecodingError.self) { try module.validate() }
        #expect(error?.message == "illegal opcode")
    }
}
