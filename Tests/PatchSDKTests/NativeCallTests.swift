import Foundation
import ModuleABI
import PatchPlatform
import Rollout
import Testing
import WebAssembly

@testable import PatchSDK

/// What modules do with the app's native functions, and what hostile ones try.
@Suite struct NativeCallTests {
    struct Failure: Error, Equatable { var number: Int }

    static let double: UInt64 = 0xB1
    static let later: UInt64 = 0xB2
    static let fail: UInt64 = 0xB3
    static let nested: UInt64 = 0xB4
    static let look: UInt64 = 0xB5
    static let main: UInt64 = 0xB6
    static let misread: UInt64 = 0xB7
    static let undeclared: UInt64 = 0xBF

    /// Routed functions of the module of these tests.
    static let call: UInt64 = 0xC1
    static let trapAfter: UInt64 = 0xC2
    static let takeNothing: UInt64 = 0xC3
    static let takeFar: UInt64 = 0xC4
    static let farArguments: UInt64 = 0xC5
    static let longArguments: UInt64 = 0xC6
    static let twice: UInt64 = 0xC7
    static let endless: UInt64 = 0xC8
    static let all = [
        call, trapAfter, takeNothing, takeFar, farArguments, longArguments, twice, endless,
    ]

    let calls = Lock<[UInt64]>([])
    let reports = Lock<[PatchError]>([])
    let table: RoutingTable

    init() throws {
        let reports = reports
        table = RoutingTable { error, _ in reports.withLock { $0.append(error) } }
        try activate()
    }

    func activate(_ change: (inout ModuleExpectation) -> Void = { _ in }) throws {
        let (calls, table) = (calls, table)
        let natives = PatchNatives(
            find: { id in
                @Sendable func doubled(
                    _ reader: inout MessagePackReader, _ writer: inout MessagePackWriter
                ) throws {
                    let value = try reader.integer(Int.self)
                    try reader.finish()
                    calls.withLock { $0.append(id) }
                    writer.int(Int64(value * 2))
                }
                switch id {
                case Self.double, Self.undeclared: return .call(doubled)
                case Self.look: return .read(doubled)
                case Self.later:
                    return .task { bytes in
                        await Task.yield()
                        var reader = MessagePackReader(bytes)
                        var writer = MessagePackWriter()
                        try doubled(&reader, &writer)
                        return writer.bytes
                    }
                case Self.misread:
                    return .task { bytes in
                        var reader = MessagePackReader(bytes)
                        return Array(try reader.string().utf8)
                    }
                case Self.fail: return .call { _, _ in throw Failure(number: 4) }
                case Self.main:
                    return .main { reader, writer in
                        MainActor.preconditionIsolated()
                        try doubled(&reader, &writer)
                    }
                case Self.nested:
                    return .call { reader, writer in
                        let value = try reader.integer(UInt64.self)
                        let inner: UInt32? = table.invoke(
                            Self.call, { $0.i64(Self.double + value - 5) }, { try $0.i32() })
                        writer.uint(UInt64(inner ?? 99))
                    }
                default: return nil
                }
            },
            error: { error, writer in
                guard let error = error as? Failure else { return false }
                writer.uint(77)
                writer.int(Int64(error.number))
                return true
            })
        table.swap(
            to: try Guests.load(
                Self.module(),
                {
                    $0.surface = Self.surface
                    change(&$0)
                }, natives: NativeTables(tables: [natives])))
    }

    /// How a call of a function with one argument ends.
    func serve(_ function: UInt64, _ argument: UInt64) -> RoutingTable.Outcome {
        var written = PatchArguments()
        written.i64(argument)
        return table.serve(function, &written) { _ = try $0.i32() }
    }

    static let declared = [double, later, fail, nested, look, main, misread]

    static var surface: Surface {
        var surface = Surface(
            functions: Dictionary(
                uniqueKeysWithValues: all.map {
                    ($0, Surface.Function(gate: UInt16($0), sig: Guests.signature))
                }))
        for id in declared + [undeclared] { surface.natives[id] = Guests.signature }
        return surface
    }

    static func module() throws -> [UInt8] {
        var wasm = WasmBuilder()
        let native = wasm.importFunction("openpatch", "native.call", [.i64, .i32, .i32], [.i32])
        let take = wasm.importFunction("openpatch", "native.take", [.i32])
        wasm.allocator()
        wasm.place([0x05], at: 64)
        let arguments = WasmBuilder.i32(64) + WasmBuilder.i32(1)
        func invoke(_ id: [UInt8]) -> [UInt8] {
            id + arguments + [0x10, native]
        }
        // The length of the answer times 256, plus its first byte.
        let taken =
            WasmBuilder.i32(256) + [0x6C] + WasmBuilder.i32(128) + [0x10, take]
            + WasmBuilder.i32(128) + [0x2D, 0, 0, 0x6A]
        wasm.function(Guests.export(call), [.i64], [.i32], invoke([0x20, 0]) + taken)
        wasm.function(Guests.export(trapAfter), [.i64], [.i32], invoke([0x20, 0]) + [0x00])
        wasm.function(
            Guests.export(takeNothing), [], [.i32],
            WasmBuilder.i32(128) + [0x10, take] + WasmBuilder.i32(0))
        wasm.function(
            Guests.export(takeFar), [.i64], [.i32],
            invoke([0x20, 0]) + WasmBuilder.i32(0x7000_0000) + [0x10, take])
        wasm.function(
            Guests.export(farArguments), [.i64], [.i32],
            [0x20, 0] + WasmBuilder.i32(0x7000_0000) + WasmBuilder.i32(8) + [0x10, native])
        wasm.function(
            Guests.export(longArguments), [.i64], [.i32],
            [0x20, 0] + WasmBuilder.i32(64) + WasmBuilder.i32(-1) + [0x10, native])
        wasm.function(
            Guests.export(twice), [.i64], [.i32],
            invoke([0x20, 0]) + taken + invoke([0x20, 0]) + taken + [0x6A])
        // loop: call; drop; br 0
        wasm.function(
            Guests.export(endless), [.i64], [.i32],
            [0x03, 0x40] + invoke([0x20, 0]) + [0x1A, 0x0C, 0, 0x0B, 0x00])
        return try Guests.module(wasm) { section in
            section.functions = all.map {
                .init(id: $0, export: Guests.export($0), sig: Guests.signature)
            }
            section.needs = (all + declared).map { .init(id: $0, sig: Guests.signature) }
            section.capabilities = [.native]
        }
    }

    func invoke(_ function: UInt64, _ id: UInt64) -> Int? {
        table.invoke(function, { $0.i64(id) }, { Int(try $0.i32()) })
    }

    @Test("a module calls a native function and takes its answer")
    func plain() {
        #expect(invoke(Self.call, Self.double) == 256 + 10)
        #expect(calls.withLock { $0 } == [Self.double])
        #expect(reports.withLock { $0 } == [])
    }

    @Test("a native function that calls a routed one gets the same instance and version")
    func reentrant() throws {
        #expect(invoke(Self.call, Self.nested) != nil)
        #expect(calls.withLock { $0 } == [Self.double])
        #expect(invoke(Self.twice, Self.double) == 2 * (256 + 10))
    }

    @Test("an error arrives with its number, key and value, and can be given back as it was")
    func errors() {
        // [true, [0, 77, 4]] has six bytes, the first of which announces two elements.
        #expect(invoke(Self.call, Self.fail) == 6 * 256 + 0x92)
        let found: Failure? = table.invoke(Self.call, { $0.i64(Self.fail) }) { _ in
            PatchCall.nativeError(0) as? Failure
        }.flatMap { $0 }
        #expect(found == Failure(number: 4))
        let none: PatchError? = table.invoke(Self.call, { $0.i64(Self.double) }) { _ in
            PatchCall.nativeError(0) as? PatchError
        }.flatMap { $0 }
        #expect(none?.reason == .resultMalformed)
    }

    @Test(
        "what a module did not declare it cannot call, whatever the app has",
        arguments: [Self.undeclared, 0, .max, Self.call])
    func forged(id: UInt64) {
        #expect(invoke(Self.call, id) == nil)
        #expect(reports.withLock { $0 }.map(\.reason) == [.nativeDenied])
        #expect(calls.withLock { $0 } == [])
        #expect(invoke(Self.call, Self.double) == 256 + 10, "the next call is served")
    }

    @Test("a module whose build lacks a native function of its needs is refused by its id")
    func missing() throws {
        let error = #expect(throws: PatchError.self) {
            try activate { $0.surface?.natives[Self.double] = nil }
        }
        #expect(error?.reason == .surfaceMissing)
        #expect(error?.context.contains("00000000000000b1") == true)
        let other = #expect(throws: PatchError.self) {
            try activate { $0.surface?.natives[Self.double] = 1 }
        }
        #expect(other?.reason == .surfaceMissing)
    }

    @Test("a module that may not call native code is refused before it runs")
    func denied() {
        let error = #expect(throws: PatchError.self) {
            try activate { $0.capabilities.removeAll { $0 == .native } }
        }
        #expect(error?.reason == .capabilityDenied)
    }

    @Test("wild pointers and lengths never reach native code")
    func wild() {
        for function in [Self.farArguments, Self.longArguments] {
            #expect(invoke(function, Self.double) == nil)
        }
        #expect(invoke(Self.takeFar, Self.look) == nil)
        #expect(table.invoke(Self.takeNothing, { _ in }, { try $0.i32() }) == nil)
        #expect(calls.withLock { $0 } == [Self.look])
        #expect(invoke(Self.call, Self.double) == 256 + 10)
    }

    @Test("a call that fails after an effect is not served twice, and the function is demoted")
    func effect() {
        let outcome = serve(Self.trapAfter, Self.double)
        guard case .failedAfterEffect(let error) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.reason == .trapped)
        #expect(reports.withLock { $0 }.map(\.reason) == [.replayedAfterEffect, .demoted])
        guard case .native = serve(Self.trapAfter, Self.double)
        else {
            Issue.record("the function was called again")
            return
        }
        #expect(calls.withLock { $0 } == [Self.double])
    }

    @Test("reading is no effect, so native code serves the call as ever")
    func reading() {
        let outcome = serve(Self.trapAfter, Self.look)
        guard case .native = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reports.withLock { $0 }.map(\.reason) == [.trapped])
    }

    @Test("a module that calls without end is stopped at its limit, its errors bounded")
    func endless() throws {
        try activate { $0.limits.callNanoseconds = 100_000_000 }
        #expect(invoke(Self.endless, Self.look) == nil)
        #expect(invoke(Self.endless, Self.fail) == nil)
        #expect(
            reports.withLock { $0 }.map(\.reason)
                == [.timeLimit, .replayedAfterEffect, .demoted])
    }

    // MARK: Waiting

    func task(_ function: UInt64, _ id: UInt64) async -> Int? {
        let (outcome, value) = await table.serveTask(
            function, { $0.i64(id) }, { Int(try $0.i32()) })
        return outcome.isServed ? value : nil
    }

    @Test("an async call waits for native code as often as it must, without a thread")
    func waiting() async {
        #expect(await task(Self.twice, Self.later) == 2 * (256 + 10))
        #expect(await task(Self.call, Self.double) == 256 + 10)
        #expect(calls.withLock { $0 }.count == 3)
    }

    @Test("an instance whose call still waits when it fails serves no other call")
    func failedWaiting() async {
        #expect(await task(Self.call, Self.misread) == nil)
        #expect(reports.withLock { $0 }.map(\.reason) == [.replayedAfterEffect, .demoted])
        #expect(reports.withLock { $0 }.first?.context.contains("argument_mismatch") == true)
        #expect(await task(Self.twice, Self.double) == 2 * (256 + 10))
        #expect(invoke(Self.twice, Self.double) == 2 * (256 + 10))
    }

    @Test("a call that is not async cannot wait, and native code serves it")
    func notAsync() {
        #expect(invoke(Self.call, Self.later) == nil)
        #expect(calls.withLock { $0 } == [])
    }

    @Test("from elsewhere the main actor's functions are waited for, on it they are called")
    func mainActor() async {
        #expect(await task(Self.twice, Self.main) == 2 * (256 + 10))
        #expect(await MainActor.run { invoke(Self.twice, Self.main) } == 2 * (256 + 10))
    }

    @Test("a swap while a call waits changes nothing for it and everything for the next")
    func swap() async throws {
        let (table, calls) = (table, calls)
        let before = table.active
        let natives = PatchNatives(
            find: { _ in
                .task { _ in
                    // The module that was active when the call began is gone by now.
                    table.swap(to: nil)
                    let inner: UInt32? = table.invoke(
                        Self.call, { $0.i64(Self.look) }, { try $0.i32() })
                    calls.withLock { $0.append(UInt64(inner ?? 0)) }
                    return [0x07]
                }
            }, error: { _, _ in false })
        let waiting = try Guests.load(
            Self.module(), { $0.surface = Self.surface }, natives: NativeTables(tables: [natives]))
        table.swap(to: waiting)
        #expect(await task(Self.call, Self.later) == 256 + 7)
        #expect(table.active == nil)
        #expect(await task(Self.call, Self.later) == nil)
        #expect(before != nil && waiting.isIdle)
    }

    @Test("hundreds of calls at once wait side by side and leave nothing behind")
    func crowd() async throws {
        let module = try #require(table.active)
        let total = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<400 {
                group.addTask { await task(Self.twice, number % 2 == 0 ? Self.later : Self.main) }
            }
            return await group.reduce(into: 0) { $0 += $1 == 2 * (256 + 10) ? 1 : 0 }
        }
        #expect(total == 400)
        #expect(module.isIdle)
    }
}
