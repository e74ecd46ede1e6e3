import Testing
import WebAssembly

@Suite("Linking")
struct LinkingTests {
    @Test("an instance calls another one, which has a memory and globals of its own")
    func crossCalls() throws {
        var counter = ModuleBuilder()
        counter.memory(2)
        counter.global(.i32, isMutable: true, Code.i32(100))
        // Adds its argument to the global and to memory, where another instance has other bytes.
        counter.function(
            "bump", [.i32], [.i32, .i64],
            Code.globalGet(0) + Code.get(0) + Code.add32 + Code.globalSet(0) + Code.i32(0)
                + Code.i32(0) + Code.load32() + Code.get(0) + Code.add32 + Code.store32()
                + Code.globalGet(0) + Code.i64(9))
        counter.function("stored", [], [.i32], Code.i32(0) + Code.load32())
        var user = ModuleBuilder()
        let bump = user.importFunction("counter", "bump", [.i32], [.i32, .i64])
        user.memory(1)
        user.global(.i32, isMutable: true, Code.i32(1))
        user.function(
            "run", [.i32], [.i32], locals: [.i64],
            Code.i32(0) + Code.i32(77) + Code.store32() + Code.get(0) + Code.call(bump)
                + Code.set(1) + Code.globalGet(0) + Code.add32 + Code.i32(0) + Code.load32()
                + Code.add32 + Code.memorySize + Code.add32)
        let store = Store(engine: Engine())
        let first = try counter.module().instantiate(store: store)
        var imports = Imports()
        imports.define(module: "counter", first.exports)
        let second = try user.module().instantiate(store: store, imports: imports)
        #expect(try second.exports[function: "run"]?.invoke([.i32(5)]) == [.i32(105 + 1 + 77 + 1)])
        #expect(try second.exports[function: "run"]?.invoke([.i32(5)]) == [.i32(110 + 1 + 77 + 1)])
        #expect(try first.exports[function: "stored"]?.invoke() == [.i32(10)])
    }

    @Test("instances share an imported memory, table and global")
    func shared() throws {
        let store = Store(engine: Engine())
        let memory = try Memory(store: store, type: MemoryType(minimum: 1))
        let table = try Table(store: store, type: TableType(element: .funcRef, minimum: 2))
        let global = try Global(store: store, value: .i64(40), isMutable: true)
        var imports = Imports()
        imports.define(module: "env", name: "memory", memory)
        imports.define(module: "env", name: "table", table)
        imports.define(module: "env", name: "global", global)

        func builder() -> ModuleBuilder {
            var builder = ModuleBuilder()
            builder.importMemory("env", "memory", minimum: 1)
            builder.importTable("env", "table", minimum: 2)
            builder.importGlobal("env", "global", .i64, isMutable: true)
            return builder
        }
        var writer = builder()
        writer.function(
            "write", [], [],
            Code.i32(4) + Code.i32(11) + Code.store32() + Code.globalGet(0) + Code.i64(2)
                + Code.add64 + Code.globalSet(0))
        let answer = writer.function(nil, [], [.i32], Code.i32(12))
        writer.element(at: 1, [answer])
        var reader = builder()
        let type = reader.type([], [.i32])
        reader.function(
            "read", [], [.i32],
            Code.i32(4) + Code.load32() + Code.i32(1) + Code.callIndirect(type: type)
                + Code.add32)
        let first = try writer.module().instantiate(store: store, imports: imports)
        let second = try reader.module().instantiate(store: store, imports: imports)
        try first.exports[function: "write"]?.invoke()
        #expect(try second.exports[function: "read"]?.invoke() == [.i32(23)])
        #expect(global.value == .i64(42))
        #expect(try memory.read(at: 4, count: 1) == [11])
        // A function taken from the table can be called by the host.
        guard case .function(let reference) = try table.get(1) else {
            Issue.record("no function in the table")
            return
        }
        #expect(try Function(reference: reference, store: store).invoke() == [.i32(12)])
    }

    @Test("a missing import is named")
    func missing() throws {
        var builder = ModuleBuilder()
        builder.importFunction("env", "absent", [])
        let error = #expect(throws: WasmLinkError.self) { _ = try builder.instance() }
        #expect(error?.code == "unknown_import")
        #expect(error?.message.contains("absent") == true)
    }

    @Test("an import of another type, kind or store is refused")
    func mismatch() throws {
        var builder = ModuleBuilder()
        builder.importFunction("env", "f", [.i32])
        let module = try builder.module()
        let store = Store(engine: Engine())
        let other = Store(engine: Engine())
        let wrong: [ExternalValue] = [
            .function(Function(store: store, parameters: [.i64]) { _, _ in [] }),
            .global(try Global(store: store, value: .i32(1))),
            .function(Function(store: other, parameters: [.i32]) { _, _ in [] }),
        ]
        for value in wrong {
            var imports = Imports()
            imports.define(module: "env", name: "f", value)
            let error = #expect(throws: WasmLinkError.self) {
                _ = try module.instantiate(store: store, imports: imports)
            }
            #expect(error?.code == "incompatible_import_type")
        }
    }

    @Test("a reference of another store is refused")
    func foreignReference() throws {
        let store = Store(engine: Engine())
        let table = try Table(store: store, type: TableType(element: .funcRef, minimum: 1))
        let foreign = Function(store: Store(engine: Engine()), parameters: []) { _, _ in [] }
        #expect(throws: WasmUsageError.self) {
            try table.set(0, .function(foreign.reference))
        }
        #expect(throws: WasmUsageError.self) {
            _ = try Function(reference: foreign.reference, store: store)
        }
    }

    @Test("a segment outside its memory traps, and functions it left in a table stay callable")
    func partialInstantiation() throws {
        let store = Store(engine: Engine())
        let table = try Table(store: store, type: TableType(element: .funcRef, minimum: 1))
        var builder = ModuleBuilder()
        builder.importTable("env", "table", minimum: 1)
        builder.memory(1)
        let seven = builder.function(nil, [], [.i32], Code.i32(7))
        builder.element(at: 0, [seven])
        builder.data(at: 65_536, [1])
        var imports = Imports()
        imports.define(module: "env", name: "table", table)
        let trap = #expect(throws: Trap.self) {
            _ = try builder.module().instantiate(store: store, imports: imports)
        }
        #expect(trap?.reason == .outOfBoundsMemoryAccess)
        guard case .function(let reference) = try table.get(0) else {
            Issue.record("the table is empty")
            return
        }
        #expect(try Function(reference: reference, store: store).invoke() == [.i32(7)])
    }

    @Test("the start function runs at instantiation, and its trap prevents it")
    func start() throws {
        var good = ModuleBuilder()
        good.global(.i32, isMutable: true, Code.i32(1))
        good.start = good.function(nil, [], [], Code.i32(2) + Code.globalSet(0))
        good.function("get", [], [.i32], Code.globalGet(0))
        #expect(try good.instance().exports[function: "get"]?.invoke() == [.i32(2)])
        var bad = ModuleBuilder()
        bad.start = bad.function(nil, [], [], Code.unreachable)
        #expect(throws: Trap.self) { _ = try bad.instance() }
    }

    @Test("constants may add and multiply (proposal extended-const)")
    func extendedConstants() throws {
        var builder = ModuleBuilder()
        builder.importGlobal("env", "base", .i32, isMutable: false)
        builder.global(
            .i32, isMutable: false,
            Code.globalGet(0) + Code.i32(3) + Code.mul32 + Code.i32(-2) + Code.add32)
        builder.export("g", 3, 1)
        let instance = try builder.instance { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "base", try Global(store: store, value: .i32(10)))
            return imports
        }
        #expect(instance.exports[global: "g"]?.value == .i32(28))
        #expect(throws: WasmUsageError.self) { try instance.exports[global: "g"]?.set(.i32(1)) }
    }
}
