import Foundation
import Testing

@testable import WebAssembly

@Suite("Limits end a call, kill the instance and nothing else")
struct LimitTests {
    private func spinner() throws -> Instance {
        var builder = ModuleBuilder()
        builder.function("spin", [], [], Code.forever)
        builder.function("ok", [], [.i32], Code.i32(1))
        return try builder.instance()
    }

    private func expect(
        _ reason: TrapReason, kills instance: Instance, _ limits: CallLimits
    ) throws {
        let spin = try #require(instance.exports[function: "spin"])
        let trap = #expect(throws: Trap.self) { try spin.invoke([], limits: limits) }
        #expect(trap?.reason == reason)
        #expect(trap?.backtrace.first?.name == "spin")
        #expect(instance.isDead)
        let later = #expect(throws: Trap.self) { try instance.exports[function: "ok"]?.invoke() }
        #expect(later?.code == "instance_dead")
        // The module and the store live on.
        let again = try instance.module.instantiate(store: instance.store)
        #expect(try again.exports[function: "ok"]?.invoke() == [.i32(1)])
    }

    @Test("an endless loop ends when its fuel is used up")
    func fuel() throws {
        try expect(.fuelExhausted, kills: spinner(), CallLimits(fuel: 100_000))
    }

    @Test("an endless loop ends at its deadline")
    func deadline() throws {
        try expect(.deadlineExceeded, kills: spinner(), CallLimits(timeoutNanoseconds: 5_000_000))
    }

    @Test("a call without a look at the clock ends at its deadline too, and leaves no limit behind")
    func timedOnly() throws {
        let instance = try spinner()
        let ok = try #require(instance.exports[function: "ok"]).unowned
        var slots: [UInt64] = [0]
        try slots.withUnsafeMutableBufferPointer {
            try ok.invoke(slots: $0, timeoutNanoseconds: 1_000_000)
        }
        #expect(slots == [1])
        let spin = try #require(instance.exports[function: "spin"]).unowned
        let trap = #expect(throws: Trap.self) {
            try spin.invoke(
                slots: UnsafeMutableBufferPointer(start: nil, count: 0),
                timeoutNanoseconds: 5_000_000)
        }
        #expect(trap?.reason == .deadlineExceeded)
        #expect(trap?.backtrace.first?.name == "spin")
        #expect(instance.isDead)
        let later = #expect(throws: Trap.self) {
            try slots.withUnsafeMutableBufferPointer {
                try ok.invoke(slots: $0, timeoutNanoseconds: 1_000_000)
            }
        }
        #expect(later?.reason == .instanceDead)
        #expect(instance.store.budget.isBounded == false)
        let again = try instance.module.instantiate(store: instance.store)
        #expect(try again.exports[function: "ok"]?.invoke() == [.i32(1)])
    }

    @Test("too little room for arguments and results is refused, not overrun")
    func room() throws {
        let instance = try spinner()
        let error = #expect(throws: WasmUsageError.self) {
            try instance.exports[function: "ok"]?.unowned.invoke(
                slots: UnsafeMutableBufferPointer(start: nil, count: 0),
                timeoutNanoseconds: 1_000_000)
        }
        #expect(error?.code == "too_few_slots")
    }

    @Test("an endless loop ends when another thread cancels it")
    func cancel() throws {
        let flag = CancellationFlag()
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.02)
            flag.cancel()
        }
        try expect(.cancelled, kills: spinner(), CallLimits(cancellation: flag))
    }

    @Test("limits of the engine hold where a call names none")
    func defaults() throws {
        var builder = ModuleBuilder()
        builder.function("spin", [], [], Code.forever)
        let instance = try builder.instance(.init(defaultLimits: CallLimits(fuel: 10)))
        let trap = #expect(throws: Trap.self) { try instance.exports[function: "spin"]?.invoke() }
        #expect(trap?.reason == .fuelExhausted)
    }

    @Test("fuel is exact: n backward branches need n units", arguments: [1, 2, 9_999, 25_000])
    func exactFuel(n: Int) throws {
        var builder = ModuleBuilder()
        // do { n -= 1 } while n != 0: takes n - 1 backward branches, and one call.
        builder.function(
            "count", [.i32], [],
            Code.loop(0x40, Code.get(0) + Code.i32(-1) + Code.add32 + Code.tee(0) + Code.brIf(0)))
        let module = try builder.module()
        func run(_ limits: CallLimits) throws {
            let instance = try module.instantiate(store: Store(engine: Engine()))
            try #require(instance.exports[function: "count"]).invoke(
                [.i32(UInt32(n))], limits: limits)
        }
        // The same whether or not the clock is looked at in between.
        for timeout in [nil, UInt64(60_000_000_000)] {
            try run(CallLimits(fuel: UInt64(n), timeoutNanoseconds: timeout))
            #expect(throws: Trap.self) {
                try run(CallLimits(fuel: UInt64(n - 1), timeoutNanoseconds: timeout))
            }
        }
    }

    @Test("filling memory in a loop costs fuel by its size")
    func bulkFuel() throws {
        var builder = ModuleBuilder()
        builder.memory(16)
        // memory.fill of 1 MiB, forever.
        builder.function(
            "fill", [], [],
            Code.loop(
                0x40,
                Code.i32(0) + Code.i32(1) + Code.i32(1 << 20) + [0xfc, 11, 0] + Code.br(0)))
        let instance = try builder.instance()
        let fill = try #require(instance.exports[function: "fill"])
        // 256 units for each turn: far fewer than 100,000 turns.
        let trap = #expect(throws: Trap.self) {
            try fill.invoke([], limits: CallLimits(fuel: 100_000))
        }
        #expect(trap?.reason == .fuelExhausted)
    }

    @Test("unbounded recursion ends with call stack exhausted and the instance lives")
    func recursion() throws {
        var builder = ModuleBuilder()
        builder.function("down", [.i32], [.i32], Code.get(0) + Code.call(0) + Code.add32)
        builder.function("ok", [], [.i32], Code.i32(1))
        // `down` needs two operands for its addition.
        var fixed = ModuleBuilder()
        fixed.function(
            "down", [.i32], [.i32], Code.get(0) + Code.get(0) + Code.call(0) + Code.add32)
        fixed.function("ok", [], [.i32], Code.i32(1))
        #expect(throws: WasmValidationError.self) { _ = try builder.module() }
        let instance = try fixed.instance()
        for _ in 0..<3 {
            let trap = #expect(throws: Trap.self) {
                try instance.exports[function: "down"]?.invoke([.i32(1)])
            }
            #expect(trap?.reason == .callStackExhausted)
            #expect(trap?.backtrace.count == 64)
            #expect(try instance.exports[function: "ok"]?.invoke() == [.i32(1)])
        }
    }

    @Test("recursion through the host is bounded too")
    func hostRecursion() throws {
        var builder = ModuleBuilder()
        let again = builder.importFunction("env", "again", [])
        builder.function("down", [], [], Code.call(again))
        let holder = Holder()
        let instance = try builder.instance { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "again",
                Function(store: store, parameters: []) { _, _ in
                    holder.deepest += 1
                    return try holder.function?.invoke() ?? []
                })
            return imports
        }
        holder.function = instance.exports[function: "down"]
        defer { holder.function = nil }
        let trap = #expect(throws: Trap.self) { try holder.function?.invoke() }
        #expect(trap?.reason == .callStackExhausted)
        #expect(holder.deepest == CallLimits().nestingDepth)
    }

    private final class Holder {
        var function: Function?
        var deepest = 0
    }

    @Test("a nested call cannot outlive the fuel of the outer one")
    func nestedFuel() throws {
        var builder = ModuleBuilder()
        let back = builder.importFunction("env", "back", [])
        builder.function("spin", [], [], Code.forever)
        builder.function("outer", [], [], Code.call(back) + Code.forever)
        let instance = try builder.instance { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "back",
                Function(store: store, parameters: []) { caller, _ in
                    // The host swallows the error; the outer call must end all the same.
                    _ = try? caller.instance?.exports[function: "spin"]?.invoke()
                    return []
                })
            return imports
        }
        let trap = #expect(throws: Trap.self) {
            try instance.exports[function: "outer"]?.invoke([], limits: CallLimits(fuel: 1_000))
        }
        #expect(trap?.reason == .fuelExhausted || trap?.reason == .instanceDead)
    }

    @Test("memory grows up to its own maximum and the engine's, and starts zeroed")
    func growth() throws {
        var builder = ModuleBuilder()
        builder.memory(1, 100)
        builder.function("grow", [.i32], [.i32], Code.get(0) + Code.memoryGrow)
        builder.function("size", [], [.i32], Code.memorySize)
        builder.function("get", [.i32], [.i32], Code.get(0) + Code.load32())
        builder.function("set", [.i32, .i32], [], Code.get(0) + Code.get(1) + Code.store32())
        let instance = try builder.instance(.init(maximumMemoryBytes: 90 << 16))
        func call(_ name: String, _ arguments: UInt32...) throws -> UInt32? {
            let function = try #require(instance.exports[function: name])
            guard case .i32(let value)? = try function.invoke(arguments.map { .i32($0) }).first
            else { return nil }
            return value
        }
        _ = try call("set", 65_532, 42)
        #expect(try call("grow", 79) == 1)
        #expect(try call("size") == 80)
        #expect(try call("get", 65_532) == 42)
        #expect(try call("get", 80 * 65_536 - 4) == 0)
        #expect(try call("grow", 11) == UInt32.max)
        #expect(try call("grow", 10) == 80)
        #expect(try call("grow", UInt32.max) == UInt32.max)
        let trap = #expect(throws: Trap.self) { _ = try call("get", 90 * 65_536 - 3) }
        #expect(trap?.reason == .outOfBoundsMemoryAccess)
    }

    @Test("a module that asks for too large a memory or table is not instantiated")
    func tooLarge() throws {
        var memory = ModuleBuilder()
        memory.memory(1_000)
        let first = #expect(throws: WasmLinkError.self) {
            _ = try memory.instance(.init(maximumMemoryBytes: 1 << 20))
        }
        #expect(first?.code == "memory_too_large")
        var table = ModuleBuilder()
        table.table(100_000_000)
        let second = #expect(throws: WasmLinkError.self) { _ = try table.instance() }
        #expect(second?.code == "table_too_large")
    }
}
