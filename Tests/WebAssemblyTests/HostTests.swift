import Testing
import WebAssembly

@Suite("Host functions")
struct HostTests {
    private struct HostError: Error, Equatable { var number: Int }

    private func module() -> ModuleBuilder {
        var builder = ModuleBuilder()
        let host = builder.importFunction("env", "host", [.i32, .i64, .f32, .f64], [.f64])
        builder.memory(1)
        builder.function(
            "run", [], [.f64],
            Code.i32(-1) + Code.i64(-2) + Code.f32(1.5) + Code.f64(2.5) + Code.call(host))
        builder.function("ok", [], [.i32], Code.i32(1))
        return builder
    }

    private func instance(
        _ body: @escaping (Caller, [Value]) throws -> [Value]
    ) throws -> Instance {
        try module().instance { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "host",
                Function(
                    store: store, parameters: [.i32, .i64, .f32, .f64], results: [.f64], body: body
                ))
            return imports
        }
    }

    @Test("arguments and results of every type cross exactly")
    func values() throws {
        let instance = try instance { _, arguments in
            #expect(
                arguments == [
                    .i32(.max), .i64(.max - 1), .f32(Float(1.5).bitPattern),
                    .f64(2.5.bitPattern),
                ])
            return [.f64(0x7ff4_0000_0000_0001)]  // a signalling NaN keeps its bits
        }
        #expect(
            try instance.exports[function: "run"]?.invoke() == [.f64(0x7ff4_0000_0000_0001)])
    }

    @Test("an error of the host reaches the caller unchanged and the guest stays usable")
    func errors() throws {
        let instance = try instance { _, _ in throw HostError(number: 7) }
        #expect(throws: HostError(number: 7)) { try instance.exports[function: "run"]?.invoke() }
        #expect(try instance.exports[function: "ok"]?.invoke() == [.i32(1)])
        #expect(!instance.isDead)
    }

    @Test("wrong results of the host are its error, not the guest's")
    func wrongResults() throws {
        for values in [[], [.i32(1)], [.f64(1), .f64(2)]] as [[Value]] {
            let instance = try instance { _, _ in values }
            #expect(throws: WasmUsageError.self) {
                try instance.exports[function: "run"]?.invoke()
            }
        }
    }

    @Test("the caller is told which instance and memory call it")
    func caller() throws {
        let instance = try instance { caller, _ in
            try caller.memory?.write([1, 2, 3], at: 8)
            #expect(caller.instance?.exports[function: "run"] != nil)
            return [.f64(0)]
        }
        try instance.exports[function: "run"]?.invoke()
        #expect(try instance.exports[memory: "memory"]?.read(at: 8, count: 3) == [1, 2, 3])
    }

    @Test("host calls guest calls host calls guest, and each gets its own result")
    func reentrancy() throws {
        var builder = ModuleBuilder()
        let host = builder.importFunction("env", "host", [.i32], [.i32])
        // f(n) = n == 0 ? 1 : n * host(n - 1), and the host calls f.
        builder.function(
            "f", [.i32], [.i32],
            Code.get(0) + Code.eqz32
                + Code.ifElse(
                    0x7f, Code.i32(1),
                    Code.get(0) + Code.get(0) + Code.i32(1) + Code.sub32 + Code.call(host)
                        + Code.mul32))
        let instance = try builder.instance { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "host",
                Function(store: store, parameters: [.i32], results: [.i32]) { caller, arguments in
                    try caller.instance?.exports[function: "f"]?.invoke(arguments) ?? []
                })
            return imports
        }
        #expect(try instance.exports[function: "f"]?.invoke([.i32(10)]) == [.i32(3_628_800)])
    }

    @Test("memory that the host grows is seen by the guest at once")
    func growthInHost() throws {
        var builder = ModuleBuilder()
        let host = builder.importFunction("env", "grow", [])
        builder.memory(1)
        builder.function(
            "run", [], [.i32],
            Code.i32(0) + Code.i32(5) + Code.store32() + Code.call(host)
                + Code.i32(100 << 16) + Code.load32() + Code.i32(0) + Code.load32() + Code.add32
                + Code.memorySize + Code.add32)
        let instance = try builder.instance { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "grow",
                Function(store: store, parameters: []) { caller, _ in
                    #expect(caller.memory?.grow(by: 200) == 1)
                    return []
                })
            return imports
        }
        #expect(try instance.exports[function: "run"]?.invoke() == [.i32(206)])
    }

    @Test("slots carry arguments and results without arrays, both ways")
    func slots() throws {
        var builder = ModuleBuilder()
        let host = builder.importFunction("env", "host", [.i32, .i32], [.i32])
        builder.function(
            "run", [.i32, .i32], [.i32],
            Code.get(0) + Code.get(1) + Code.call(host) + Code.i32(1) + Code.add32)
        let instance = try builder.instance { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "host",
                Function(
                    store: store, type: FunctionType(parameters: [.i32, .i32], results: [.i32])
                ) { _, slots in slots[0] = slots[0] &* slots[1] })
            return imports
        }
        let run = try #require(instance.exports[function: "run"])
        var buffer: [UInt64] = [6, 7]
        try buffer.withUnsafeMutableBufferPointer { try run.invoke(slots: $0) }
        #expect(buffer[0] == 43)
        #expect(throws: WasmUsageError.self) {
            var short: [UInt64] = [1]
            try short.withUnsafeMutableBufferPointer { try run.invoke(slots: $0) }
        }
    }

    @Test("arguments of the wrong number or type are refused")
    func wrongArguments() throws {
        var builder = ModuleBuilder()
        builder.function("f", [.i32], [], [])
        let function = try #require(try builder.instance().exports[function: "f"])
        for arguments in [[], [.i64(1)], [.i32(1), .i32(2)], [.ref(.nullExtern)]] as [[Value]] {
            #expect(throws: WasmUsageError.self) { try function.invoke(arguments) }
        }
    }

    @Test("a host function can be called by the host itself")
    func direct() throws {
        let store = Store(engine: Engine())
        let function = Function(store: store, parameters: [.i32], results: [.i32]) {
            caller, values in
            #expect(caller.instance == nil)
            return values
        }
        #expect(try function.invoke([.i32(3)]) == [.i32(3)])
    }

    @Test("a range outside the memory does not crash, and the store refuses further calls")
    func poisoned() throws {
        let instance = try instance { _, _ in [.f64(0)] }
        let memory = try #require(instance.exports[memory: "memory"])
        memory.withUnsafeMutableBufferPointer(offset: 65_530, count: 6) { $0[5] = 1 }
        #expect(try instance.exports[function: "ok"]?.invoke() == [.i32(1)])
        let sum = memory.withUnsafeMutableBufferPointer(offset: 65_530, count: 100) { bytes in
            #expect(bytes.count == 100)
            return bytes.reduce(0) { $0 + Int($1) }
        }
        #expect(sum == 0)
        let trap = #expect(throws: Trap.self) { try instance.exports[function: "ok"]?.invoke() }
        #expect(trap?.code == "host_access_out_of_bounds")
        #expect(throws: Trap.self) { _ = try memory.read(at: 65_530, count: 7) }
        #expect(throws: Trap.self) { try memory.write([1], at: .max) }
    }
}
