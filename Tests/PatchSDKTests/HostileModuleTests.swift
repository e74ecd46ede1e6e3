import Foundation
import ModuleABI
import PatchPlatform
import Rollout
import TestSupport
import Testing

@testable import PatchSDK

/// Modules that mean harm: native code serves the call, the reason is reported, the next call is
/// served, and nothing of the module stays behind.
@Suite struct HostileModuleTests {
    /// What a hostile module is made of.
    struct Attack: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var reason: Reason
        /// What happens instead of making room, for all but the trial at the start.
        var alloc: [UInt8] = []
        /// What happens when room is given back.
        var free: [UInt8] = []
        /// The packed result, and what lies at 1024.
        var result: Int64?
        var answer: [UInt8] = []

        init(_ name: String, _ reason: Reason, _ change: (inout Attack) -> Void) {
            testDescription = name
            self.reason = reason
            change(&self)
        }
    }

    /// Numbers of the imports.
    private static let (nativeCall, nativeTake, url, formatTake): (UInt8, UInt8, UInt8, UInt8) =
        (0, 1, 2, 3)
    private static let trap: [UInt8] = [0x00]
    private static let loop: [UInt8] = [0x03, 0x40, 0x0C, 0, 0x0B]
    private static func returning(_ value: Int32) -> [UInt8] { WasmBuilder.i32(value) + [0x0F] }
    private static func calling(_ id: UInt64) -> [UInt8] {
        WasmBuilder.i64(Int64(bitPattern: id)) + WasmBuilder.i32(64) + WasmBuilder.i32(1)
            + [0x10, nativeCall, 0x1A]
    }
    private static func asking(_ pointer: Int32, _ count: Int32) -> [UInt8] {
        WasmBuilder.i32(pointer) + WasmBuilder.i32(count) + [0x10, url, 0x1A]
    }
    private static func packed(_ pointer: UInt32, _ count: UInt32) -> Int64 {
        Int64(bitPattern: UInt64(pointer) << 32 | UInt64(count))
    }
    private static func at1024(_ bytes: [UInt8]) -> (inout Attack) -> Void {
        {
            $0.answer = bytes
            $0.result = packed(1024, UInt32(bytes.count))
        }
    }

    private static let attacks: [Attack] = [
        Attack("op_alloc traps", .trapped) { $0.alloc = trap },
        Attack("op_alloc never ends", .timeLimit) { $0.alloc = loop },
        Attack("op_alloc calls itself without end", .trapped) {
            $0.alloc = WasmBuilder.i32(1) + [0x10, 4, 0x1A]
        },
        Attack("op_alloc has no room", .guestMemoryFault) { $0.alloc = returning(0) },
        Attack("op_alloc answers a place far outside", .guestMemoryFault) {
            $0.alloc = returning(0x7000_0000)
        },
        Attack("op_alloc answers a place that ends outside", .guestMemoryFault) {
            $0.alloc = returning(65_530)
        },
        Attack("op_alloc answers a negative place", .guestMemoryFault) { $0.alloc = returning(-8) },
        Attack("op_alloc takes all memory there is", .trapped) {
            // memory.grow by 16 pages until that is refused.
            $0.alloc =
                [0x03, 0x40] + WasmBuilder.i32(16) + [0x40, 0] + WasmBuilder.i32(-1)
                + [0x47, 0x0D, 0, 0x0B, 0x00]
        },
        Attack("op_alloc calls the app, which calls the module, without end", .trapped) {
            $0.alloc = calling(NativeCallTests.nested) + trap
        },
        Attack("op_alloc calls what it did not declare", .nativeDenied) {
            $0.alloc = calling(NativeCallTests.undeclared)
        },
        Attack("op_alloc takes an answer that nobody gave", .nativeDenied) {
            $0.alloc = WasmBuilder.i32(128) + [0x10, nativeTake]
        },
        Attack("op_free traps", .trapped) { $0.free = trap },
        Attack("op_free never ends", .timeLimit) { $0.free = loop },
        Attack("a question lies outside memory", .trapped) {
            $0.alloc = asking(0x7000_0000, 8)
        },
        Attack("a question is as long as all memory", .guestMemoryFault) {
            $0.alloc = asking(0, -1)
        },
        Attack("a question is none", .argumentMismatch) { $0.alloc = asking(64, 1) },
        Attack("an answer to no question is taken", .argumentMismatch) {
            $0.alloc = WasmBuilder.i32(128) + [0x10, formatTake]
        },
        Attack("a result far outside", .guestMemoryFault) { $0.result = packed(0x7000_0000, 8) },
        Attack("a result longer than memory", .guestMemoryFault) { $0.result = packed(64, .max) },
        Attack("a result that ends outside", .guestMemoryFault) { $0.result = packed(65_530, 8) },
        Attack("a result whose end wraps around", .guestMemoryFault) {
            $0.result = packed(.max - 4, 16)
        },
        Attack(
            "a list of four thousand million", .resultMalformed, at1024([0xDD, 255, 255, 255, 255])),
        Attack(
            "a text of four thousand million", .resultMalformed,
            at1024([0x91, 0xDB, 255, 255, 255, 255])),
        Attack("a list with less in it", .resultMalformed, at1024([0x93, 0xA1, 0x61])),
        Attack("a text that is none", .resultMalformed, at1024([0x91, 0xA2, 0xFF, 0xFE])),
        Attack("a number for a text", .resultMalformed, at1024([0x91, 0x05])),
        Attack("more than asked for", .resultMalformed, at1024([0x90, 0x90])),
        Attack("lists in lists", .resultMalformed, at1024([UInt8](repeating: 0x91, count: 40_000))),
        Attack("a byte that begins nothing", .resultMalformed, at1024([0xC1])),
    ]

    private static func module(_ attack: Attack) throws -> [UInt8] {
        var wasm = WasmBuilder()
        wasm.heapStart = 60_000
        let imports = [
            wasm.importFunction("openpatch", "native.call", [.i64, .i32, .i32], [.i32]),
            wasm.importFunction("openpatch", "native.take", [.i32]),
            wasm.importFunction("openpatch", "format.url", [.i32, .i32], [.i32]),
            wasm.importFunction("openpatch", "format.take", [.i32]),
        ]
        precondition(imports == [nativeCall, nativeTake, url, formatTake])
        // The trial when a module is loaded has 15 bytes.
        func unlessTrial(_ length: UInt8, _ body: [UInt8]) -> [UInt8] {
            [0x20, length] + WasmBuilder.i32(15) + [0x47, 0x04, 0x40] + body + [0x0B]
        }
        wasm.function(
            "op_alloc", [.i32], [.i32],
            unlessTrial(0, attack.alloc) + [0x23, 0, 0x23, 0, 0x20, 0, 0x6A, 0x24, 0])
        wasm.function("op_free", [.i32, .i32], [], unlessTrial(1, attack.free))
        wasm.place([0xC1], at: 64)
        wasm.place(attack.answer, at: 1024)
        wasm.place([0x90], at: 512)
        wasm.function(
            Guests.export(Guests.echo), [.i32, .i32], [.i64],
            WasmBuilder.i64(attack.result ?? packed(512, 1)))
        wasm.function(Guests.export(Guests.add), [.i64, .i64], [.i64], [0x20, 0, 0x20, 1, 0x7C])
        return try Guests.module(wasm) { section in
            section.functions = [Guests.echo, Guests.add].map {
                .init(id: $0, export: Guests.export($0), sig: Guests.signature)
            }
            section.needs = [.init(id: NativeCallTests.nested, sig: Guests.signature)]
            section.capabilities = [.native, .format]
        }
    }

    private static func texts(_ table: RoutingTable) -> [String]? {
        table.invoke(
            Guests.echo, { $0.encoded { $0.string("argument") } },
            { try $0.decoded { try $0.array { try $0.string() } } })
    }

    @Test("native code serves the call, the reason is reported, nothing stays", arguments: attacks)
    func attack(_ attack: Attack) throws {
        let reports = Lock<[Reason]>([])
        let table = RoutingTable { error, _ in reports.withLock { $0.append(error.reason) } }
        let natives = PatchNatives(
            find: { id in
                guard id == NativeCallTests.nested else { return .call { _, _ in } }
                return .read { _, _ in _ = Self.texts(table) }
            }, error: { _, _ in false })
        var surface = Guests.surface
        surface.natives = [
            NativeCallTests.nested: Guests.signature, NativeCallTests.undeclared: Guests.signature,
        ]
        weak var module: LoadedModule?
        do {
            let loaded = try Guests.load(
                try Self.module(attack),
                {
                    $0.surface = surface
                    $0.capabilities = [.native, .format]
                    // Only what never ends is to meet the limit, however busy the machine is.
                    $0.limits.callNanoseconds =
                        attack.reason == .timeLimit ? 200_000_000 : 600_000_000_000
                    $0.limits.memoryBytes = 4 << 20
                }, natives: NativeTables(tables: [natives]))
            module = loaded
            table.swap(to: loaded)
        }
        #expect(Self.texts(table) == nil)
        #expect(reports.withLock { $0.first } == attack.reason, "\(reports.withLock { $0 })")
        for _ in 0..<5 {
            let sum: UInt64? = table.invoke(
                Guests.add,
                {
                    $0.i64(40)
                    $0.i64(2)
                }, { try $0.i64() })
            #expect(
                sum == 42 || attack.reason == .timeLimit, "other functions are served")
            #expect(Self.texts(table) == nil)
        }
        #expect(reports.withLock { Set($0) }.isSubset(of: [attack.reason, .demoted]))
        #expect(module?.isIdle == true, "every call gave its instance back or let it go")
        table.swap(to: nil)
        #expect(module == nil, "nothing holds the module")
    }

    @Test("the module without the attack is served, so that each test above tests its attack")
    func harmless() throws {
        let table = RoutingTable { error, _ in Issue.record("\(error)") }
        table.swap(
            to: try Guests.load(
                try Self.module(Attack("none", .trapped) { _ in }),
                {
                    $0.surface?.natives = [NativeCallTests.nested: Guests.signature]
                    $0.capabilities = [.native, .format]
                }))
        for _ in 0..<3 { #expect(Self.texts(table) == []) }
    }

    @Test("whatever a module asks Foundation, the process lives")
    func questions() throws {
        var generator = SeededGenerator(seed: 20_261_130)
        let answers = FoundationAnswers()
        var answered = 0
        let texts = [
            "", "a", "de_DE", "%d %s %@ %n %.999f %*d", "https://[::1%", "yyyy-MM-dd'", "GMT",
            "1e999",
            "NaN", "f 1 2", "s 0 0", "7 -", "0 1e308", String(repeating: "é", count: 300), "EUR",
            "\0",
        ]
        func value(_ writer: inout MessagePackWriter, _ depth: Int) {
            switch Int.random(in: 0..<(depth > 3 ? 8 : 10), using: &generator) {
            case 0: writer.nil()
            case 1: writer.bool(Bool.random(using: &generator))
            case 2, 3: writer.int(Int64.random(in: -2...14, using: &generator))
            case 4: writer.int(Int64(truncatingIfNeeded: generator.next()))
            case 5: writer.double(Double(bitPattern: generator.next()))
            case 6:
                writer.double(
                    [0, 1, -1.5, 1e15, .nan, .infinity].randomElement(using: &generator) ?? 0)
            case 7: writer.string(texts.randomElement(using: &generator) ?? "")
            default:
                let count = Int.random(in: 0...4, using: &generator)
                writer.arrayHeader(count)
                for _ in 0..<count { value(&writer, depth + 1) }
            }
        }
        for (_, question) in FoundationAnswers.questions.sorted(by: { $0.key < $1.key }) {
            for kind in 0..<14 {
                for _ in 0..<150 {
                    var writer = MessagePackWriter()
                    let count = Int.random(in: 1...4, using: &generator)
                    writer.arrayHeader(count + 1)
                    writer.int(Int64(kind))
                    for _ in 0..<count { value(&writer, 0) }
                    do {
                        _ = try answers.ask(question, writer.bytes)
                        answered += 1
                    } catch is PatchError {
                    }
                }
            }
        }
        #expect(answered > 10, "some questions were good ones: \(answered)")
    }
}
