import Testing
import WebAssembly

/// Writes down what it is told.
private final class Recorder: CallObserver {
    var lines: [String] = []
    private var open: [ObservedFunction] = []
    var depth: Int { open.count }

    func didEnter(
        _ function: ObservedFunction, _ arguments: UnsafeBufferPointer<UInt64>, in store: Store
    ) {
        let values = store.arguments(of: function, in: arguments)
        lines.append("> \(store.name(of: function) ?? "?") \(values)")
        open.append(function)
    }

    func willReturn(_ results: UnsafeBufferPointer<UInt64>, in store: Store) {
        let function = open.removeLast()
        let values = store.results(of: function, in: results)
        lines.append("< \(store.name(of: function) ?? "?") \(values)")
    }

    func unwind(to depth: Int) {
        while open.count > depth { lines.append("! \(open.removeLast().functionIndex ?? -1)") }
    }
}

@Suite("Observing calls")
struct ObserverTests {
    private let recorder = Recorder()

    private func instance(
        _ builder: ModuleBuilder, _ imports: (Store) -> Imports = { _ in Imports() }
    ) throws -> Instance {
        let store = Store(engine: Engine(), observer: recorder)
        return try builder.module().instantiate(store: store, imports: imports(store))
    }

    @Test("arguments and results are told, wherever the results are")
    func values() throws {
        var builder = ModuleBuilder()
        // A sum is in an accumulator, a local in a slot, a constant nowhere.
        let sum = builder.function(
            "sum", [.i32, .i32], [.i32], Code.get(0) + Code.get(1) + Code.add32)
        builder.function("half", [.f64], [.f64], Code.get(0) + Code.f64(0.5) + [0xa2])
        builder.function("half32", [.f32], [.f32], Code.get(0) + Code.f32(0.5) + [0x94])
        builder.function("same", [.i64], [.i64], Code.get(0))
        builder.function("small", [], [.i32], Code.i32(-1))
        builder.function("large", [], [.i64], Code.i64(-2))
        builder.function("two", [.i32], [.i32, .i64], Code.get(0) + Code.i64(9))
        builder.function("early", [.i32], [.i32], Code.get(0) + Code.ret + Code.unreachable)
        builder.function("none", [], [], Code.i32(1) + Code.i32(2) + Code.call(sum) + Code.drop)
        let exports = try instance(builder).exports
        func call(_ name: String, _ arguments: Value...) throws -> [String] {
            recorder.lines = []
            try exports[function: name]?.invoke(arguments)
            #expect(recorder.depth == 0)
            return recorder.lines
        }
        func line(_ name: String, _ arguments: [Value], _ results: [Value]) -> [String] {
            ["> \(name) \(arguments)", "< \(name) \(results)"]
        }
        let four = Double(4).bitPattern
        let two = Double(2).bitPattern
        #expect(
            try call("sum", .i32(2), .i32(3)) == line("sum", [.i32(2), .i32(3)], [.i32(5)]))
        #expect(try call("half", .f64(four)) == line("half", [.f64(four)], [.f64(two)]))
        let narrow = (Float(4).bitPattern, Float(2).bitPattern)
        #expect(
            try call("half32", .f32(narrow.0)) == line("half32", [.f32(narrow.0)], [.f32(narrow.1)])
        )
        #expect(try call("same", .i64(7)) == line("same", [.i64(7)], [.i64(7)]))
        #expect(try call("small") == line("small", [], [.i32(.max)]))
        #expect(try call("large") == line("large", [], [.i64(.max - 1)]))
        #expect(try call("two", .i32(1)) == line("two", [.i32(1)], [.i32(1), .i64(9)]))
        #expect(try call("early", .i32(6)) == line("early", [.i32(6)], [.i32(6)]))
        #expect(
            try call("none")
                == ["> none []"] + line("sum", [.i32(1), .i32(2)], [.i32(3)]) + ["< none []"])
    }

    @Test("host functions are named as they are imported, and nest like all others")
    func hostFunctions() throws {
        var builder = ModuleBuilder()
        let host = builder.importFunction("env", "add_one", [.i32], [.i32])
        builder.function("f", [.i32], [.i32], Code.get(0) + Code.call(host))
        builder.function("inner", [], [], [])
        let instance = try self.instance(builder) { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "add_one",
                Function(store: store, parameters: [.i32], results: [.i32]) { caller, values in
                    try caller.instance?.exports[function: "inner"]?.invoke()
                    guard case .i32(let value) = values[0] else { return [] }
                    return [.i32(value + 1)]
                })
            return imports
        }
        try instance.exports[function: "f"]?.invoke([.i32(4)])
        #expect(
            recorder.lines == [
                "> f \([Value.i32(4)])", "> env.add_one \([Value.i32(4)])", "> inner []",
                "< inner []", "< env.add_one \([Value.i32(5)])", "< f \([Value.i32(5)])",
            ])
    }

    @Test("calls that end in a trap or a thrown error are unwound, and those around them go on")
    func unwinding() throws {
        struct Refused: Error {}
        var builder = ModuleBuilder()
        let host = builder.importFunction("env", "catches", [])
        let thrower = builder.importFunction("env", "throws", [])
        builder.function("traps", [], [], Code.unreachable)
        builder.function("outer", [], [], Code.call(host))
        builder.function("throwing", [], [], Code.call(thrower))
        let instance = try self.instance(builder) { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "catches",
                Function(store: store, parameters: []) { caller, _ in
                    do { try caller.instance?.exports[function: "traps"]?.invoke() } catch is Trap {
                    }
                    return []
                })
            imports.define(
                module: "env", name: "throws",
                Function(store: store, parameters: []) { _, _ in throw Refused() })
            return imports
        }
        try instance.exports[function: "outer"]?.invoke()
        #expect(
            recorder.lines == [
                "> outer []", "> env.catches []", "> traps []", "! 2", "< env.catches []",
                "< outer []",
            ])
        recorder.lines = []
        #expect(throws: Refused.self) { try instance.exports[function: "throwing"]?.invoke() }
        #expect(recorder.lines == ["> throwing []", "> env.throws []", "! -1", "! 4"])
        #expect(recorder.depth == 0)
    }

    @Test("a module that is observed in one store runs without probes in another")
    func otherStores() throws {
        var builder = ModuleBuilder()
        builder.function("f", [], [.i32], Code.i32(1))
        let module = try builder.module()
        let observed = try module.instantiate(store: Store(engine: Engine(), observer: recorder))
        let plain = try module.instantiate(store: Store(engine: Engine()))
        #expect(try plain.exports[function: "f"]?.invoke() == [.i32(1)])
        #expect(recorder.lines.isEmpty)
        #expect(try observed.exports[function: "f"]?.invoke() == [.i32(1)])
        #expect(recorder.lines.count == 2)
    }

    @Test("observing changes neither fuel nor the place of a trap")
    func sameElsewhere() throws {
        var builder = ModuleBuilder()
        let leaf = builder.function(nil, [], [], [])
        builder.function("f", [], [], Code.call(leaf) + Code.call(leaf) + Code.unreachable)
        for fuel in 0...4 as ClosedRange<UInt64> {
            let traps = try [instance(builder), builder.instance()].map { instance in
                try #require(
                    #expect(throws: Trap.self) {
                        try instance.exports[function: "f"]?.invoke(limits: CallLimits(fuel: fuel))
                    })
            }
            #expect(traps[0] == traps[1])
        }
    }
}
