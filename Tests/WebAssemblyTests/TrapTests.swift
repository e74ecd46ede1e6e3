import Testing
import WebAssembly

@Suite("Traps")
struct TrapTests {
    /// One function per trap, by its code.
    private static let bodies: [(reason: TrapReason, code: [UInt8])] = [
        (.unreachable, Code.unreachable),
        (.integerDivideByZero, Code.i32(1) + Code.i32(0) + [0x6d] + Code.drop),
        (.integerOverflow, Code.i32(.min) + Code.i32(-1) + [0x6d] + Code.drop),
        (.invalidConversionToInteger, Code.f64(.nan) + [0xaa] + Code.drop),
        (.integerOverflow, Code.f64(1e20) + [0xaa] + Code.drop),
        (.outOfBoundsMemoryAccess, Code.i32(65_533) + Code.load32() + Code.drop),
        (.outOfBoundsMemoryAccess, Code.i32(-1) + Code.load32(0xffff_ffff) + Code.drop),
        (.outOfBoundsTableAccess, Code.i32(9) + [0x25, 0] + Code.drop),
        (.undefinedElement, Code.i32(9) + Code.callIndirect(type: 0)),
        (.uninitializedElement, Code.i32(1) + Code.callIndirect(type: 0)),
        (.indirectCallTypeMismatch, Code.i32(0) + Code.callIndirect(type: 0)),
    ]

    @Test("each trap has its reason, and leaves the instance usable")
    func reasons() throws {
        var builder = ModuleBuilder()
        builder.memory(1)
        builder.table(2)
        // Type 0 is () -> (); element 0 is of another type.
        for (index, body) in TrapTests.bodies.enumerated() {
            builder.function("f\(index)", [], [], body.code)
        }
        let other = builder.function("other", [.i64], [.i64], Code.get(0))
        builder.element(at: 0, [other])
        let instance = try builder.instance()
        for (index, body) in TrapTests.bodies.enumerated() {
            let trap = #expect(throws: Trap.self, "\(body.reason)") {
                try instance.exports[function: "f\(index)"]?.invoke()
            }
            #expect(trap?.reason == body.reason)
            #expect(trap?.backtrace.map(\.name) == ["f\(index)"])
            #expect(try instance.exports[function: "other"]?.invoke([.i64(5)]) == [.i64(5)])
        }
    }

    @Test("the backtrace names every frame and where it stood")
    func backtrace() throws {
        var builder = ModuleBuilder()
        let inner = builder.function(nil, [.i32], [], [0x01] + Code.unreachable)
        let middle = builder.function(
            nil, [], [.i32], locals: [.i64], Code.i32(3) + Code.call(inner) + Code.i32(1))
        builder.function("outer", [], [], Code.call(middle) + Code.drop)
        builder.names([(inner, "inner"), (middle, "middle")])
        let bytes = builder.build()
        let instance = try builder.instance()
        let trap = try #require(
            #expect(throws: Trap.self) { try instance.exports[function: "outer"]?.invoke() })
        #expect(trap.backtrace.map(\.name) == ["inner", "middle", "outer"])
        #expect(trap.backtrace.map(\.function) == [0, 1, 2])
        // The byte at each offset is the operator that the frame stood at.
        #expect(trap.backtrace.map { bytes[$0.offset] } == [0x00, 0x10, 0x10])
        #expect(trap.description.contains("in middle at byte"))
    }

    @Test("the backtrace goes through instances")
    func acrossInstances() throws {
        var library = ModuleBuilder()
        library.function("fail", [.i32], [.i32], Code.unreachable)
        var program = ModuleBuilder()
        let fail = program.importFunction("library", "fail", [.i32], [.i32])
        program.function(
            "run", [.i32], [.i32], Code.get(0) + Code.i32(1) + Code.call(fail) + Code.add32)
        let store = Store(engine: Engine())
        let first = try library.module().instantiate(store: store)
        var imports = Imports()
        imports.define(module: "library", first.exports)
        let second = try program.module().instantiate(store: store, imports: imports)
        let trap = #expect(throws: Trap.self) {
            try second.exports[function: "run"]?.invoke([.i32(1)])
        }
        #expect(trap?.backtrace.map(\.name) == ["fail", "run"])
    }

    @Test("a 64-bit address cannot wrap around into the memory")
    func wideAddresses() throws {
        var builder = ModuleBuilder()
        builder.memory(1, is64: true)
        for (index, offset) in [0, 8, 0xffff_ffff].enumerated() {
            builder.function(
                "load\(index)", [.i64], [.i32], Code.get(0) + [0x28, 2] + leb(offset))
            builder.function(
                "next\(index)", [.i64], [.i32],
                Code.get(0) + Code.i64(1) + Code.add64 + [0x28, 2] + leb(offset))
        }
        builder.function(
            "index", [.i64], [.i32],
            Code.get(0) + Code.get(0) + Code.add64 + [0x28, 2] + leb(0xffff))
        // An offset beyond 32 bits.
        builder.function(
            "far", [.i64], [.i32], Code.get(0) + [0x28, 2] + leb(0x7fff_ffff_ffff_fff8))
        let instance = try builder.instance()
        let addresses: [UInt64] = [
            .max, .max - 3, .max - 7, .max - 8, 1 << 63, 65_533, 1 << 32, .max - 0xffff_ffff,
        ]
        for name in ["load0", "load1", "load2", "next1", "next2", "index", "far"] {
            // One past the last address is the first one: addition of addresses wraps, as it must.
            for address in addresses where name != "next1" || address != .max {
                // Twice 2^63 and the offset is a valid address, but for its last byte.

                let trap = #expect(throws: Trap.self, "\(name) \(address)") {
                    try instance.exports[function: name]?.invoke([.i64(address)])
                }
                #expect(trap?.reason == .outOfBoundsMemoryAccess)
            }
        }
        #expect(try instance.exports[function: "next0"]?.invoke([.i64(.max)]) == [.i32(0)])
        #expect(try instance.exports[function: "load1"]?.invoke([.i64(65_524)]) == [.i32(0)])
    }
}
