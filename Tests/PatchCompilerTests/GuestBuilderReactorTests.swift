import ModuleABI
import Testing

@testable import PatchCompiler

@Suite("Checking that a module is a reactor")
struct GuestBuilderReactorTests {
    private static func string(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count)] + Array(text.utf8)
    }

    private static func section(_ id: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [id, UInt8(bytes.count)] + bytes
    }

    /// A module of one type, `() -> ()`, one function of it that does nothing, and a memory.
    private static func module(imports: [[UInt8]], exports: [[UInt8]]) -> [UInt8] {
        let preamble: [UInt8] = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
        let imported: [UInt8] = Array(imports.joined())
        let exported: [UInt8] = Array(exports.joined())
        let types = section(1, [1, 0x60, 0, 0])
        let head = types + section(2, [UInt8(imports.count)] + imported) + section(3, [1, 0])
        let tail = section(7, [UInt8(exports.count)] + exported) + section(10, [1, 2, 0, 0x0b])
        return preamble + head + section(5, [1, 0, 1]) + tail
    }

    private static func function(_ name: String) -> [UInt8] { string(name) + [0, 0] }
    private static let memory = string("memory") + [2, 0]
    private static let log = string("openpatch") + string("log.write") + [0, 0]
    private static let wasi = string("wasi_snapshot_preview1") + string("fd_write") + [0, 0]

    @Test("capabilities are what is imported; WASI only when it is allowed")
    func capabilities() throws {
        let wasm = Self.module(
            imports: [Self.log, Self.wasi], exports: [Self.function("x"), Self.memory])
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

    @Test(
        "a table or global of the host is no capability",
        arguments: [
            [0x01, 0x70, 0x00, 0x01], [0x03, 0x7f, 0x00],
        ] as [[UInt8]])
    func importedThings(kind: [UInt8]) {
        let item = Self.string("openpatch") + Self.string("log.thing") + kind
        let wasm = Self.module(imports: [item], exports: [])
        #expect(throws: GuestBuildError.importRefused(module: "openpatch", name: "log.thing")) {
            try ReactorCheck.check(wasm)
        }
    }

    @Test("a command module is refused, whatever else it exports")
    func command() {
        let wasm = Self.module(
            imports: [], exports: [Self.function("x"), Self.function("_start")])
        #expect(throws: GuestBuildError.commandModule) {
            try ReactorCheck.check(wasm, wanted: ["x"])
        }
    }

    @Test("what the engine could not run is refused here")
    func invalid() {
        var wasm = Self.module(imports: [], exports: [Self.function("x")])
        // The body's `end` becomes `drop`: nothing is there to drop.
        wasm[wasm.count - 1] = 0x1a
        let error = #expect(throws: GuestBuildError.self) { try ReactorCheck.check(wasm) }
        #expect(error?.code == "malformed_output")
    }

    @Test("a module cut at any byte is refused, and with any byte changed gives an answer")
    func damaged() {
        let wasm = Self.module(imports: [Self.log], exports: [Self.function("x"), Self.memory])
        for length in 0..<wasm.count {
            #expect(throws: GuestBuildError.self) {
                try ReactorCheck.check(Array(wasm[..<length]), wanted: ["x"])
            }
        }
        for index in wasm.indices {
            for value in [0x00, 0x01, 0x7f, 0x80, 0xff] as [UInt8] {
                var changed = wasm
                changed[index] = value
                _ = try? ReactorCheck.check(changed)
            }
        }
    }
}
