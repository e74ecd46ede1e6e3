import ModuleABI
import PatchPlatform
import Rollout
import UpdateTestSupport

@testable import PatchSDK

/// The modules that tests run.
enum Guests {
    static let add: UInt64 = 0xA1
    static let trap: UInt64 = 0xA2
    static let loop: UInt64 = 0xA3
    static let recursion: UInt64 = 0xA4
    static let label: UInt64 = 0xA5
    static let echo: UInt64 = 0xA6
    static let liar: UInt64 = 0xA7
    static let logs: UInt64 = 0xA8
    static let mixed: UInt64 = 0xA9
    static let signature: UInt64 = 0x51

    static let all = [add, trap, loop, recursion, label, echo, liar, logs, mixed]

    /// The seed's greeting, byte by byte.
    static func greeting(_ text: String) -> WasmBuilder {
        var wasm = WasmBuilder()
        let bytes = Array(text.utf8)
        wasm.place(bytes, at: 64)
        wasm.function("greeting_len", [], [.i32], WasmBuilder.i32(Int32(bytes.count)))
        // local.get 0; i32.load8_u offset=64
        wasm.function("greeting_byte", [.i32], [.i32], [0x20, 0, 0x2D, 0, 64])
        return wasm
    }

    /// Greeting, allocator and every routed function of the tests; `number` is what tells two
    /// versions apart: `add` adds it, too.
    static func full(_ text: String = "full", number: Int64 = 0) -> WasmBuilder {
        var wasm = WasmBuilder()
        let log = wasm.importFunction("openpatch", "log.write", [.i32, .i32, .i32])
        let bytes = Array(text.utf8)
        wasm.place(bytes, at: 64)
        wasm.function("greeting_len", [], [.i32], WasmBuilder.i32(Int32(bytes.count)))
        wasm.function("greeting_byte", [.i32], [.i32], [0x20, 0, 0x2D, 0, 64])
        wasm.allocator()
        wasm.function(
            export(add), [.i64, .i64], [.i64],
            [0x20, 0, 0x20, 1, 0x7C] + WasmBuilder.i64(number) + [0x7C])
        wasm.function(export(trap), [], [.i32], [0x00])
        wasm.function(export(loop), [], [.i32], [0x03, 0x40, 0x0C, 0, 0x0B, 0x00])
        let next = UInt8(1 + 4 + 3)
        wasm.function(export(recursion), [.i32], [.i32], [0x20, 0, 0x10, next])
        var writer = MessagePackWriter()
        writer.string("label \(number)")
        wasm.place(writer.bytes, at: 512)
        wasm.function(
            export(label), [.i64], [.i64],
            WasmBuilder.i64(512 << 32 | Int64(writer.bytes.count)))
        // (i64(pointer) << 32) | i64(length)
        wasm.function(
            export(echo), [.i32, .i32], [.i64],
            [0x20, 0, 0xAD] + WasmBuilder.i64(32) + [0x86, 0x20, 1, 0xAD, 0x84])
        // A place far outside the one page of memory.
        wasm.function(export(liar), [], [.i64], WasmBuilder.i64(0x7000_0000 << 32 | 16))
        wasm.function(
            export(logs), [.i64], [.i64],
            WasmBuilder.i32(1) + WasmBuilder.i32(64) + WasmBuilder.i32(Int32(bytes.count))
                + [0x10, log, 0x20, 0])
        // f64.promote(f32) + f64.convert(i32)
        wasm.function(
            export(mixed), [.i32, .f32, .f64], [.f64],
            [0x20, 1, 0xBB, 0x20, 2, 0xA0, 0x20, 0, 0xB7, 0xA0])
        return wasm
    }

    static func export(_ id: UInt64) -> String { GuestExport.function(id) }

    /// The module with a section of its own.
    static func module(
        _ wasm: WasmBuilder, release: String = "1.0", sequence: Int = 0,
        _ change: (inout ModuleSection) -> Void = { _ in }
    ) throws -> [UInt8] {
        let bytes = wasm.build()
        var section = ModuleSection(
            app_id: PublishedApp.appID, release: release, sequence: sequence,
            fp: PublishedApp.fingerprint)
        change(&section)
        return WasmBinary.appendingCustomSection(
            ModuleSection.sectionName, section.encoded(), to: bytes)
    }

    /// ``full(_:number:)`` with a section that lists its functions.
    static func fullModule(
        _ text: String = "full", number: Int64 = 0, release: String = "1.0", sequence: Int = 0
    ) throws -> [UInt8] {
        try module(full(text, number: number), release: release, sequence: sequence) {
            $0.functions = all.map {
                .init(id: $0, export: export($0), sig: signature)
            }
            $0.capabilities = [.log]
        }
    }

    /// The surface of an app that routes all functions of the tests, gate = low byte of the id.
    static let surface = Surface(
        functions: Dictionary(
            uniqueKeysWithValues: all.map { id in
                (id, Surface.Function(gate: UInt16(id), sig: signature))
            }))

    static func expectation() -> ModuleExpectation {
        ModuleExpectation(
            appID: PublishedApp.appID, fingerprint: PublishedApp.fingerprint, surface: surface,
            capabilities: [.log, .clock, .random, .native], plainModules: nil,
            limits: PatchLimits())
    }

    static func host(log: @escaping @Sendable (Int, String) -> Void = { _, _ in }) -> HostFunctions
    {
        HostFunctions(clock: ManualClock(), random: SeededRandom(seed: 1), log: log)
    }

    static func load(
        _ bytes: [UInt8], release: Release? = nil,
        _ change: (inout ModuleExpectation) -> Void = { _ in },
        natives: NativeTables = NativeTables(),
        log: @escaping @Sendable (Int, String) -> Void = { _, _ in }
    ) throws -> LoadedModule {
        var host = host(log: log)
        host.natives = natives
        var expected = expectation()
        change(&expected)
        return try LoadedModule(
            bytes, release: release,
            identity: { section in
                PatchRelease(
                    version: section?.release ?? "plain", sequence: section?.sequence ?? 0,
                    digest: "", origin: .bundled)
            },
            expected: expected, host: host)
    }
}
