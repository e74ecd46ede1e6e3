import Testing
import WebAssembly

@Suite("Limits of size: per call, per instance, per store")
struct SizeLimitTests {
    /// Grows memory and table, recurses, and answers 1.
    private func module() throws -> Module {
        var builder = ModuleBuilder()
        builder.memory(1, 100)
        builder.table(1)
        builder.function("grow", [.i32], [.i32], Code.get(0) + Code.memoryGrow)
        builder.function(
            "growTable", [.i32], [.i32], Code.refNull + Code.get(0) + Code.tableGrow(0))
        let down = builder.nextFunction
        builder.function(
            "down", [.i32], [.i32],
            Code.get(0)
                + Code.ifElse(
                    0x7f, Code.get(0) + Code.i32(1) + Code.sub32 + Code.call(down), Code.i32(7)))
        builder.function("ok", [], [.i32], Code.i32(1))
        return try builder.module()
    }

    private func call(
        _ instance: Instance, _ name: String, _ arguments: UInt32..., limits: CallLimits? = nil
    ) throws -> UInt32? {
        let function = try #require(instance.exports[function: name])
        let values = arguments.map { Value.i32($0) }
        let results =
            try limits.map { try function.invoke(values, limits: $0) } ?? function.invoke(values)
        guard case .i32(let value)? = results.first else { return nil }
        return value
    }

    /// The call ends by `reason`, the instance answers no more, and a new one does.
    private func expect(
        _ reason: TrapReason, from name: String, _ argument: UInt32, _ limits: CallLimits
    ) throws {
        let store = Store(engine: Engine())
        let instance = try module().instantiate(store: store)
        let trap = #expect(throws: Trap.self) {
            _ = try call(instance, name, argument, limits: limits)
        }
        #expect(trap?.reason == reason)
        #expect(trap?.backtrace.first?.name == name)
        #expect(instance.isDead)
        let later = #expect(throws: Trap.self) { _ = try call(instance, "ok") }
        #expect(later?.reason == .instanceDead)
        #expect(try call(instance.module.instantiate(store: store), "ok") == 1)
    }

    // MARK: Per call

    @Test("a call that grows memory beyond its limit ends, up to it goes on")
    func memoryOfCall() throws {
        let limits = CallLimits(memoryBytes: 10 << 16)
        try expect(.memoryLimitExceeded, from: "grow", 10, limits)
        let instance = try module().instantiate(store: Store(engine: Engine()))
        #expect(try call(instance, "grow", 9, limits: limits) == 1)
        // Beyond the memory's own maximum the answer is -1, as ever.
        #expect(try call(instance, "grow", 91, limits: limits) == UInt32.max)
        #expect(!instance.isDead)
    }

    @Test("a call that grows a table beyond its limit ends, up to it goes on")
    func tableOfCall() throws {
        let limits = CallLimits(tableElements: 10)
        try expect(.tableLimitExceeded, from: "growTable", 10, limits)
        let instance = try module().instantiate(store: Store(engine: Engine()))
        #expect(try call(instance, "growTable", 9, limits: limits) == 1)
        #expect(!instance.isDead)
    }

    @Test("a call that needs more stack than its limit ends, one that needs less does not")
    func stackOfCall() throws {
        let limits = CallLimits(stackBytes: 4_096)
        try expect(.callStackExhausted, from: "down", 1_000, limits)
        let instance = try module().instantiate(store: Store(engine: Engine()))
        #expect(try call(instance, "down", 20, limits: limits) == 7)
        // The limit was the call's, not the store's.
        #expect(try call(instance, "down", 1_000) == 7)
    }

    @Test("a stack limit of nothing refuses the call and harms nothing", arguments: [0, -1, 8])
    func noStack(bytes: Int) throws {
        let instance = try module().instantiate(store: Store(engine: Engine()))
        let trap = #expect(throws: Trap.self) {
            _ = try call(instance, "ok", limits: CallLimits(stackBytes: bytes))
        }
        #expect(trap?.reason == .callStackExhausted)
        #expect(try call(instance, "ok") == 1)
    }

    @Test("a nested call is held to the stricter of both calls' limits")
    func nested() throws {
        var builder = ModuleBuilder()
        builder.memory(1, 100)
        let back = builder.importFunction("env", "back", [])
        builder.function("grow", [], [.i32], Code.i32(20) + Code.memoryGrow)
        builder.function("outer", [], [], Code.call(back))
        let instance = try builder.instance { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "back",
                Function(store: store, parameters: []) { caller, _ in
                    try caller.instance?.exports[function: "grow"]?
                        .invoke([], limits: CallLimits(memoryBytes: 50 << 16))
                    return []
                })
            return imports
        }
        let trap = #expect(throws: Trap.self) {
            try instance.exports[function: "outer"]?
                .invoke([], limits: CallLimits(memoryBytes: 10 << 16))
        }
        #expect(trap?.reason == .memoryLimitExceeded)
        #expect(instance.isDead)
    }

    // MARK: Per instance

    @Test("an instance's own maxima answer -1 and hold for it alone")
    func ownMaxima() throws {
        let store = Store(engine: Engine())
        let module = try module()
        let small = try module.instantiate(
            store: store, limits: InstanceLimits(memoryBytes: 5 << 16, tableElements: 6))
        let large = try module.instantiate(store: store)
        #expect(try call(small, "grow", 5) == UInt32.max)
        #expect(try call(small, "grow", 4) == 1)
        #expect(try call(large, "grow", 50) == 1)
        #expect(try call(small, "growTable", 6) == UInt32.max)
        #expect(try call(small, "growTable", 5) == 1)
        #expect(try call(large, "growTable", 50) == 1)
        let error = #expect(throws: WasmLinkError.self) {
            _ = try module.instantiate(store: store, limits: InstanceLimits(memoryBytes: 100))
        }
        #expect(error?.code == "memory_too_large")
    }

    @Test("an instance's own call limits hold where a call names none")
    func ownCalls() throws {
        let limits = InstanceLimits(calls: CallLimits(fuel: 10))
        let instance = try module().instantiate(store: Store(engine: Engine()), limits: limits)
        #expect(try call(instance, "down", 5) == 7)
        #expect(try call(instance, "down", 50, limits: CallLimits()) == 7)
        let trap = #expect(throws: Trap.self) { _ = try call(instance, "down", 50) }
        #expect(trap?.reason == .fuelExhausted)
        #expect(instance.isDead)
    }

    @Test("an instance's own call limits hold for its start function")
    func ownStart() throws {
        var builder = ModuleBuilder()
        builder.start = builder.function("spin", [], [], Code.forever)
        let module = try builder.module()
        let trap = #expect(throws: Trap.self) {
            _ = try module.instantiate(
                store: Store(engine: Engine()),
                limits: InstanceLimits(calls: CallLimits(fuel: 1_000)))
        }
        #expect(trap?.reason == .fuelExhausted)
    }

    // MARK: Per store

    @Test("a store holds so many instances and no more; another store is as good as new")
    func instances() throws {
        let engine = Engine(configuration: .init(maximumInstances: 3))
        let store = Store(engine: engine)
        let module = try module()
        for _ in 0..<3 { _ = try module.instantiate(store: store) }
        let error = #expect(throws: WasmLinkError.self) {
            _ = try module.instantiate(store: store)
        }
        #expect(error?.code == "too_many_instances")
        #expect(try call(module.instantiate(store: Store(engine: engine)), "ok") == 1)
    }

    @Test("a store holds so many globals, those of the host included")
    func globals() throws {
        var builder = ModuleBuilder()
        builder.global(.i32, isMutable: true, Code.i32(0))
        let store = Store(engine: Engine(configuration: .init(maximumGlobals: 2)))
        _ = try Global(store: store, value: .i32(1))
        _ = try builder.module().instantiate(store: store)
        let error = #expect(throws: WasmLinkError.self) {
            _ = try builder.module().instantiate(store: store)
        }
        #expect(error?.code == "too_many_globals")
        let own = #expect(throws: WasmLinkError.self) {
            _ = try Global(store: store, value: .i32(1))
        }
        #expect(own?.code == "too_many_globals")
    }

    @Test("a store holds so many tables")
    func tables() throws {
        let store = Store(engine: Engine(configuration: .init(maximumTables: 1)))
        let module = try module()
        _ = try module.instantiate(store: store)
        let error = #expect(throws: WasmLinkError.self) {
            _ = try module.instantiate(store: store)
        }
        #expect(error?.code == "too_many_tables")
    }

    @Test("a store's memories and tables are bounded together")
    func together() throws {
        let store = Store(
            engine: Engine(
                configuration: .init(
                    maximumStoreMemoryBytes: 10 << 16, maximumStoreTableElements: 10)))
        let module = try module()
        let first = try module.instantiate(store: store)
        let second = try module.instantiate(store: store)
        #expect(try call(first, "grow", 6) == 1)
        #expect(try call(second, "grow", 3) == UInt32.max)
        #expect(try call(second, "grow", 2) == 1)
        #expect(try call(first, "growTable", 6) == 1)
        #expect(try call(second, "growTable", 3) == UInt32.max)
        #expect(try call(second, "growTable", 2) == 1)
        let error = #expect(throws: WasmLinkError.self) {
            _ = try module.instantiate(store: store)
        }
        #expect(error?.code == "table_too_large")
        let memory = #expect(throws: WasmLinkError.self) {
            _ = try Memory(store: store, type: MemoryType(minimum: 1))
        }
        #expect(memory?.code == "memory_too_large")
    }

    @Test("what a growth did not get is not counted")
    func failedGrowth() throws {
        let store = Store(
            engine: Engine(configuration: .init(maximumStoreMemoryBytes: 100 << 16)))
        let instance = try module().instantiate(store: store)
        for _ in 0..<1_000 { #expect(try call(instance, "grow", 100) == UInt32.max) }
        #expect(try call(instance, "grow", 99) == 1)
    }
}
