import ModuleABI
import Testing

@testable import PatchCompiler

@Suite("Checking a module's imports and exports")
struct GuestBuilderOutlineTests {
    private static func string(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count)] + Array(text.utf8)
    }

    private static func section(_ id: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [id, UInt8(bytes.count)] + bytes
    }

    /// Imports of every kind and two exports, by hand.
    private static func module(
        imports: [[UInt8]], exports: [(String, UInt8)]
    ) -> [UInt8] {
        let preamble: [UInt8] = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
        let exported: [UInt8] = exports.flatMap { name, kind -> [UInt8] in
            string(name) + [kind, 0]
        }
        let imported: [UInt8] = Array(imports.joined())
        return preamble
            + section(2, [UInt8(imports.count)] + imported)
            + section(7, [UInt8(exports.count)] + exported)
    }

    private static let mixed: [[UInt8]] = [
        string("openpatch") + string("log.write") + [0, 0],
        string("wasi_snapshot_preview1") + string("fd_write") + [0, 0],
    ]

    @Test("imports and exports of every kind are read")
    func kinds() throws {
        let wasm = Self.module(
            imports: [
                Self.string("a") + Self.string("f") + [0, 0x80, 0x01],
                Self.string("a") + Self.string("t") + [1, 0x70, 1, 2, 3],
                Self.string("a") + Self.string("m") + [2, 4, 1],
                Self.string("a") + Self.string("g") + [3, 0x7f, 1],
            ],
            exports: [("x", 0), ("memory", 2)])
        let outline = try WasmOutline(wasm)
        #expect(outline.imports.map(\.kind) == [.function, .table, .memory, .global])
        #expect(outline.imports.map(\.name) == ["f", "t", "m", "g"])
        #expect(outline.exports.map(\.name) == ["x", "memory"])
    }

    @Test("capabilities are what is imported; WASI only when it is allowed")
    func capabilities() throws {
        let wasm = Self.module(imports: Self.mixed, exports: [("x", 0), ("memory", 2)])
        let names = try ReactorCheck.check(wasm, wanted: ["x"], allowsWASI: true)
        #expect(names.imports == ["log.write"])
        #expect(names.capabilities == [.log])
        #expect(names.exports == ["x"])
        #expect(
            throws: GuestBuildError.importRefused(
                module: "wasi_snapshot_preview1", name: "fd_write")
        ) { try ReactorCheck.check(wasm) }
        #expect(throws: GuestBuildError.exportMissing(["memory"])) {
            try ReactorCheck.check(wasm, wanted: ["memory"], allowsWASI: true)
        }
    }

    @Test("a memory of the host is no capability")
    func importedMemory() {
        let wasm = Self.module(
            imports: [Self.string("openpatch") + Self.string("log.memory") + [2, 0, 1]],
            exports: [])
        #expect(throws: GuestBuildError.importRefused(module: "openpatch", name: "log.memory")) {
            try ReactorCheck.check(wasm)
        }
    }

    @Test("a module cut at any byte, or with any byte changed, gives an answer or an error")
    func damaged() throws {
        let wasm = Self.module(imports: Self.mixed, exports: [("x", 0), ("_start", 0)])
        for length in 0..<wasm.count {
            let cut = Array(wasm[..<length])
            // Cut between sections it is a module that lacks some.
            if [8, 8 + 2 + Int(wasm[9])].contains(length) { continue }
            #expect(throws: GuestBuildError.self) { try WasmOutline(cut) }
        }
        for index in wasm.indices {
            for value in [0x00, 0x01, 0x7f, 0x80, 0xff] as [UInt8] {
                var changed = wasm
                changed[index] = value
                _ = try? WasmOutline(changed)
            }
        }
        #expect(throws: GuestBuildError.commandModule) {
            try ReactorCheck.check(wasm, allowsWASI: true)
        }
    }
}
