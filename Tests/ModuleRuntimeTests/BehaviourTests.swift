import TestSupport
import Testing
import WebAssembly
import WebAssemblyWASI

/// What PatchSDK relies on, over every engine that is there.
@Suite("Behaviour of an engine")
struct BehaviourTests {
    private typealias W = WasmBytes
    private static let i32: UInt8 = 0x7f
    private static let i64: UInt8 = 0x7e

    /// A module with a memory, a counter, and one function for each kind of trap.
    private static func sample(is64: Bool = false) -> [UInt8] {
        let address = is64 ? i64 : i32
        let zero: [UInt8] = is64 ? [0x42, 0] : [0x41, 0]
        let bodies: [(name: String, type: [UInt8], code: [UInt8])] = [
            ("add", W.type([i32, i32], [i32]), [0x20, 0, 0x20, 1, 0x6a]),
            ("wide", W.type([i64, 0x7c, 0x7d], [i64, 0x7c, 0x7d]), [0x20, 0, 0x20, 1, 0x20, 2]),
            ("next", W.type([], [i32]), [0x23, 0, 0x41, 1, 0x6a, 0x24, 0, 0x23, 0]),
            ("load", W.type([address], [i32]), [0x20, 0, 0x28, 2, 0]),
            ("store", W.type([address, i32], []), [0x20, 0, 0x20, 1, 0x36, 2, 0]),
            ("grow", W.type([address], [address]), [0x20, 0, 0x40, 0]),
            ("unreachable", W.type([], []), [0x00]),
            ("divide", W.type([i32, i32], [i32]), [0x20, 0, 0x20, 1, 0x6d]),
            ("truncate", W.type([0x7c], [i32]), [0x20, 0, 0xaa]),
            ("deep", W.type([], []), [0x10, 9]),
            ("indirect", W.type([i32], [i32]), [0x41, 1, 0x20, 0, 0x11, 11, 0]),
            ("same", W.type([i32], [i32]), [0x20, 0]),
            (
                "bulk", W.type([address], []),
                [0x20, 0, 0x41, 7, 0x42, 4] + (is64 ? [] : [0xa7])
                    + [0xfc, 0x0b, 0]
            ),
        ]
        return W.module(
            W.section(1, W.vector(bodies.map(\.type))),
            W.section(3, W.vector(bodies.indices.map { W.unsigned($0) })),
            W.section(4, W.vector([[0x70, 0, 3]])),
            W.section(5, W.vector([[is64 ? 5 : 1, 1, 4]])),
            W.section(6, W.vector([[i32, 1, 0x41, 0, 0x0b]])),
            W.section(
                7,
                W.vector(
                    bodies.enumerated().map { W.export($0.element.name, $0.offset) }
                        + [W.export("memory", kind: 2, 0)])),
            // Element 0 has the type that `indirect` asks for, element 1 another, 2 is null.
            W.section(9, W.vector([[0, 0x41, 0, 0x0b] + W.vector([[11], [6]])])),
            W.section(10, W.vector(bodies.map { W.body($0.code) })),
            W.section(11, W.vector([[0] + zero + [0x0b] + W.vector([[1], [2], [3], [4]])])))
    }

    @Test("numbers of all four types go in and come out", arguments: TestedEngine.all)
    func numbers(engine: TestedEngine) throws {
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            let instance = try Runtime.start(Self.sample())
            #expect(try instance.call("add", .i32(7), .i32(.max)) == [.i32(6)])
            let nan: UInt64 = 0x7ff8_0000_0000_1234
            let values: [Value] = [.i64(.max), .f64(nan), .f32(0xffc0_0001)]
            #expect(
                try instance.exports[function: "wide"]?.invoke(values, limits: .init()) == values)
            var slots: [UInt64] = [5, 6]
            try slots.withUnsafeMutableBufferPointer {
                try instance.exports[function: "add"]?.invoke(slots: $0, limits: nil)
            }
            #expect(slots[0] == 11)
        }
        try check(engine.runtime)
    }

    @Test("what a caller does wrong is its error, not a crash", arguments: TestedEngine.all)
    func misuse(engine: TestedEngine) throws {
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            let instance = try Runtime.start(Self.sample())
            let add = try #require(instance.exports[function: "add"])
            #expect(add.type == FunctionType(parameters: [.i32, .i32], results: [.i32]))
            #expect(instance.exports[function: "memory"] == nil)
            #expect(instance.exports[function: "absent"] == nil)
            #expect(instance.exports[memory: "add"] == nil)
            var slots: [UInt64] = [5]
            #expect(throws: WasmUsageError.self) {
                try slots.withUnsafeMutableBufferPointer { try add.invoke(slots: $0, limits: nil) }
            }
            #expect(throws: WasmUsageError.self) { try add.invoke([.i32(1)], limits: .init()) }
            #expect(throws: WasmUsageError.self) {
                try add.invoke([.i32(1), .i64(2)], limits: .init())
            }
        }
        try check(engine.runtime)
    }

    @Test("state lasts from call to call, and belongs to one instance", arguments: TestedEngine.all)
    func state(engine: TestedEngine) throws {
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            let (one, other) = (try Runtime.start(Self.sample()), try Runtime.start(Self.sample()))
            #expect(try one.call("next") == [.i32(1)])
            #expect(try one.call("next") == [.i32(2)])
            #expect(try other.call("next") == [.i32(1)])
        }
        try check(engine.runtime)
    }

    @Test("the host reads and writes memory, and never beyond it", arguments: TestedEngine.all)
    func memory(engine: TestedEngine) throws {
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            let instance = try Runtime.start(Self.sample())
            let memory = try #require(instance.exports[memory: "memory"])
            #expect(memory.byteCount == 65_536)
            #expect(try memory.read(at: 0, count: 4) == [1, 2, 3, 4])
            try memory.write([9, 8], at: 65_534)
            #expect(try memory.read(at: 65_534, count: 2) == [9, 8])
            #expect(try memory.read(at: 65_536, count: 0) == [])
            try memory.write([0x2a, 0, 0, 0], at: 100)
            #expect(try instance.call("load", .i32(100)) == [.i32(42)])
            _ = try instance.call("store", .i32(200), .i32(0x0403_0201))
            #expect(try memory.read(at: 200, count: 4) == [1, 2, 3, 4])
            for (address, count) in [(65_535, 2), (65_537, 0), (.max, 1), (1, Int.max), (0, -1)]
                as [(UInt64, Int)]
            {
                let trap = #expect(throws: Trap.self) {
                    try memory.read(at: address, count: count)
                }
                #expect(trap?.reason == .outOfBoundsMemoryAccess)
            }
            #expect(throws: Trap.self) { try memory.write([1], at: 65_536) }
            memory.withUnsafeMutableBufferPointer(offset: 100, count: 4) {
                #expect(Array($0) == [0x2a, 0, 0, 0])
            }
        }
        try check(engine.runtime)
    }

    @Test("each trap has its reason", arguments: TestedEngine.all)
    func traps(engine: TestedEngine) throws {
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            let instance = try Runtime.start(Self.sample())
            func reason(_ name: String, _ arguments: Value...) throws -> TrapReason? {
                let function = try #require(instance.exports[function: name])
                let trap = #expect(throws: Trap.self, "\(name)") {
                    try function.invoke(arguments, limits: .init())
                }
                return trap?.reason
            }
            #expect(try reason("unreachable") == .unreachable)
            #expect(try reason("divide", .i32(1), .i32(0)) == .integerDivideByZero)
            #expect(try reason("divide", .i32(1 << 31), .i32(.max)) == .integerOverflow)
            #expect(
                try reason("truncate", .f64(Double.nan.bitPattern)) == .invalidConversionToInteger)
            #expect(try reason("load", .i32(65_533)) == .outOfBoundsMemoryAccess)
            #expect(try reason("load", .i32(.max)) == .outOfBoundsMemoryAccess)
            #expect(try reason("bulk", .i32(65_533)) == .outOfBoundsMemoryAccess)
            #expect(try reason("deep") == .callStackExhausted)
            #expect(try instance.call("indirect", .i32(0)) == [.i32(1)])
            #expect(try reason("indirect", .i32(1)) == .indirectCallTypeMismatch)
            #expect(try reason("indirect", .i32(2)) == .uninitializedElement)
            #expect(try reason("indirect", .i32(3)) == .undefinedElement)
            // A trap leaves the rest in order.
            #expect(try instance.call("same", .i32(5)) == [.i32(5)])
        }
        try check(engine.runtime)
    }

    @Test(
        "memory grows to the lower of its own bound and the engine's", arguments: TestedEngine.all)
    func limits(engine: TestedEngine) throws {
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            let own = try Runtime.start(Self.sample())
            #expect(try own.call("grow", .i32(3)) == [.i32(1)])
            #expect(try own.call("grow", .i32(1)) == [.i32(.max)])
            #expect(own.exports[memory: "memory"]?.byteCount == 4 * 65_536)
            let bounded = try Runtime.start(
                Self.sample(), EngineConfiguration(maximumMemoryBytes: 2 * 65_536))
            #expect(try bounded.call("grow", .i32(2)) == [.i32(.max)])
            #expect(try bounded.call("grow", .i32(1)) == [.i32(1)])
            let error = #expect(throws: WasmLinkError.self) {
                try Runtime.start(Self.sample(), EngineConfiguration(maximumMemoryBytes: 1000))
            }
            #expect(error?.code == "memory_too_large")
        }
        #expect(engine.runtime.capabilities.contains(.memoryLimits))
        try check(engine.runtime)
    }

    @Test("64-bit memories work", arguments: TestedEngine.all)
    func memory64(engine: TestedEngine) throws {
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            let instance = try Runtime.start(Self.sample(is64: true))
            #expect(try instance.call("load", .i64(0)) == [.i32(0x0403_0201)])
            _ = try instance.call("store", .i64(65_532), .i32(7))
            #expect(try instance.call("load", .i64(65_532)) == [.i32(7)])
            for address in [65_533, 1 << 32, .max] as [UInt64] {
                let trap = #expect(throws: Trap.self) {
                    _ = try instance.call("load", .i64(address))
                }
                #expect(trap?.reason == .outOfBoundsMemoryAccess)
            }
            #expect(try instance.call("grow", .i64(1)) == [.i64(1)])
            #expect(try instance.call("grow", .i64(1 << 40)) == [.i64(.max)])
        }
        #expect(engine.runtime.capabilities.contains(.memory64))
        try check(engine.runtime)
    }

    // MARK: - The host's side

    /// Imports `host.f: (i32, i64) -> (i64)` and exports `calls` that passes its arguments on.
    private static let caller: [UInt8] = W.module(
        W.section(1, W.vector([W.type([i32, i64], [i64])])),
        W.section(2, W.vector([W.name("host") + W.name("f") + [0, 0]])),
        W.section(3, W.vector([[0]])), W.section(5, W.vector([[0, 1]])),
        W.section(7, W.vector([W.export("calls", 1), W.export("memory", kind: 2, 0)])),
        W.section(10, W.vector([W.body([0x20, 0, 0x20, 1, 0x10, 0])])))

    private static let hostType = FunctionType(parameters: [.i32, .i64], results: [.i64])

    @Test("a host function gets arguments and memory, and answers", arguments: TestedEngine.all)
    func hostFunction(engine: TestedEngine) throws {
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            let instance = try Runtime.start(Self.caller) { imports, store in
                imports.define(
                    module: "host", name: "f",
                    Runtime.Function(store: store, type: Self.hostType) { caller, slots in
                        try caller.memory?.write([5], at: slots[0])
                        slots[0] = slots[1] &+ 1
                    })
            }
            #expect(try instance.call("calls", .i32(77), .i64(.max)) == [.i64(0)])
            #expect(try instance.exports[memory: "memory"]?.read(at: 77, count: 1) == [5])
        }
        try check(engine.runtime)
    }

    @Test("what a host function throws arrives unchanged", arguments: TestedEngine.all)
    func hostError(engine: TestedEngine) throws {
        struct Refused: Error, Equatable { let number: UInt64 }
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            let instance = try Runtime.start(Self.caller) { imports, store in
                imports.define(
                    module: "host", name: "f",
                    Runtime.Function(store: store, type: Self.hostType) { _, slots in
                        throw Refused(number: slots[1])
                    })
            }
            #expect(throws: Refused(number: 3)) {
                _ = try instance.call("calls", .i32(1), .i64(3))
            }
        }
        try check(engine.runtime)
    }

    @Test("an import that is absent or of another type is refused", arguments: TestedEngine.all)
    func linking(engine: TestedEngine) throws {
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            let absent = #expect(throws: WasmLinkError.self) { try Runtime.start(Self.caller) }
            #expect(absent?.code == "unknown_import")
            let other = #expect(throws: WasmLinkError.self) {
                try Runtime.start(Self.caller) { imports, store in
                    imports.define(
                        module: "host", name: "f",
                        Runtime.Function(store: store, type: FunctionType(parameters: [])) {
                            _, _ in
                        })
                }
            }
            #expect(other?.code == "incompatible_import_type")
        }
        try check(engine.runtime)
    }

    @Test("a start function runs, and its trap refuses the module", arguments: TestedEngine.all)
    func start(engine: TestedEngine) throws {
        func module(_ code: [UInt8]) -> [UInt8] {
            W.module(
                W.section(1, W.vector([W.type([])])), W.section(3, W.vector([[0]])),
                W.section(5, W.vector([[0, 1]])),
                W.section(7, W.vector([W.export("memory", kind: 2, 0)])),
                W.section(8, [0]), W.section(10, W.vector([W.body(code)])))
        }
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            let instance = try Runtime.start(module([0x41, 4, 0x41, 9, 0x3a, 0, 0]))
            #expect(try instance.exports[memory: "memory"]?.read(at: 4, count: 1) == [9])
            let trap = #expect(throws: Trap.self) { try Runtime.start(module([0x00])) }
            #expect(trap?.reason == .unreachable)
        }
        try check(engine.runtime)
    }

    @Test("the system interface works the same", arguments: TestedEngine.all)
    func systemInterface(engine: TestedEngine) throws {
        // fd_write(1, vector at 8 of 5 bytes at 32, 1, count at 16), then proc_exit(3).
        let module = W.module(
            W.section(
                1,
                W.vector([
                    W.type([Self.i32, Self.i32, Self.i32, Self.i32], [Self.i32]),
                    W.type([Self.i32]), W.type([]),
                ])),
            W.section(
                2,
                W.vector([
                    W.name("wasi_snapshot_preview1") + W.name("fd_write") + [0, 0],
                    W.name("wasi_snapshot_preview1") + W.name("proc_exit") + [0, 1],
                ])),
            W.section(3, W.vector([[2]])), W.section(5, W.vector([[0, 1]])),
            W.section(7, W.vector([W.export("_start", 2), W.export("memory", kind: 2, 0)])),
            W.section(
                10,
                W.vector([
                    W.body([0x41, 1, 0x41, 8, 0x41, 1, 0x41, 16, 0x10, 0, 0x1a, 0x41, 3, 0x10, 1])
                ])),
            W.section(
                11,
                W.vector([
                    [0, 0x41, 8, 0x0b] + W.vector([32, 0, 0, 0, 5, 0, 0, 0].map { [$0] }),
                    [0, 0x41, 32, 0x0b] + W.vector("hello".utf8.map { [$0] }),
                ])))
        func check<Runtime: ModuleRuntime>(_: Runtime.Type) throws {
            var printed: [UInt8] = []
            var host = WASIHost()
            host.standardOutput = { printed += $0 }
            let wasi = try WASIBridgeToHost(host: host)
            let instance = try Runtime.start(module) { imports, store in
                wasi.link(Runtime.self, to: &imports, store: store)
            }
            let exit = #expect(throws: WASIExit.self) { _ = try instance.call("_start") }
            #expect(exit?.code == 3)
            #expect(printed == Array("hello".utf8))
        }
        try check(engine.runtime)
    }

    @Test("limits hold where an engine says that it has them", arguments: TestedEngine.all)
    func callLimits(engine: TestedEngine) throws {
        let endless = W.module(
            exporting: "f", type: W.type([]), code: [0x03, 0x40, 0x0c, 0, 0x0b])
        func check<Runtime: ModuleRuntime>(_: Runtime.Type, _ limits: CallLimits) throws
            -> TrapReason?
        {
            let function = try #require(try Runtime.start(endless).exports[function: "f"])
            return #expect(throws: Trap.self) { try function.invoke([], limits: limits) }?.reason
        }
        let capabilities = engine.runtime.capabilities
        if capabilities.contains(.fuel) {
            #expect(try check(engine.runtime, CallLimits(fuel: 1000)) == .fuelExhausted)
        }
        if capabilities.contains(.deadlines) {
            #expect(
                try check(engine.runtime, CallLimits(timeoutNanoseconds: 1_000_000))
                    == .deadlineExceeded)
        }
        if capabilities.contains(.cancellation) {
            let flag = CancellationFlag()
            flag.cancel()
            #expect(try check(engine.runtime, CallLimits(cancellation: flag)) == .cancelled)
        }
    }
}
