import Foundation
import ModuleABI
import TestSupport
import Testing
import WebAssembly

@testable import PatchCompiler

/// Guests on our own engine, as a host runs them.
@Suite("Guests on our engine")
struct GuestBuilderEngineTests {
    private struct Missing: Error { var name: String }

    private struct Guest {
        let instance: Instance

        init(_ module: GuestModule) throws {
            let parsed = try parseWasm(bytes: module.wasm)
            try parsed.validate()
            instance = try parsed.instantiate(store: Store(engine: Engine()))
            _ = try call("_initialize")
        }

        @discardableResult
        func call(_ name: String, _ arguments: Value...) throws -> Value? {
            guard let function = instance.exports[function: name] else { throw Missing(name: name) }
            return try function.invoke(arguments).first
        }

        func number(_ name: String, _ arguments: Value...) throws -> UInt64 {
            guard let function = instance.exports[function: name] else { throw Missing(name: name) }
            switch try function.invoke(arguments).first {
            case .i32(let value)?: return UInt64(value)
            case .i64(let value)?: return value
            default: throw Missing(name: "a result of \(name)")
            }
        }

        var memory: Memory {
            get throws {
                guard let memory = instance.exports[memory: "memory"] else {
                    throw Missing(name: "memory")
                }
                return memory
            }
        }

        func place(_ text: String, with allocator: String = "op_alloc") throws -> (Value, Value) {
            let bytes = Array(text.utf8)
            let pointer = try number(allocator, .i32(UInt32(bytes.count)))
            try memory.write(bytes, at: pointer)
            return (.i32(UInt32(pointer)), .i32(UInt32(bytes.count)))
        }

        func text(_ packed: UInt64) throws -> String {
            let result = PackedResult(rawValue: packed)
            let bytes = try memory.read(at: UInt64(result.pointer), count: Int(result.length))
            try call("op_free", .i32(result.pointer), .i32(result.length))
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test(
        "both guest files of the first seed give their texts",
        .enabled(if: SharedData.isAvailable(Seed.path)), arguments: GuestTarget.allCases)
    func seeds(target: GuestTarget) throws {
        let greeting = try Guest(guestBuilder(target).build(sources: [Seed.greeting()]))
        let count = try greeting.number("greeting_len")
        let bytes = try (0..<count).map {
            UInt8(truncatingIfNeeded: try greeting.number("greeting_byte", .i32(UInt32($0))))
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "Hello from version one")

        let pointers = try Guest(guestBuilder(target).build(sources: [Seed.pointerGreeting()]))
        for name in ["World", "", "Zoë 👩‍👩‍👧‍👦", String(repeating: "long ", count: 1000)] {
            let (pointer, length) = try pointers.place(name, with: "guest_alloc")
            let packed = try pointers.number("make_greeting", pointer, length)
            #expect(try pointers.text(packed) == "Hello, \(name)")
            try pointers.call("guest_free", pointer, length)
        }
    }

    @Test("programs give what they give on the host", arguments: GuestTarget.allCases)
    func programs(target: GuestTarget) throws {
        let strings = try Guest(guestProgram("GuestStrings", target))
        #expect(try strings.number("program_text", .i64(5), .i32(20)) == programText(5, 20))
        #expect(
            try strings.number("program_collections", .i64(5), .i32(100))
                == programCollections(5, 100))
        let floats = try Guest(guestProgram("GuestFloats", target))
        #expect(
            try floats.number("program_float_operations", .i64(5), .i32(100))
                == programFloatOperations(5, 100))
        #expect(try floats.number("program_hard_numbers") == programHardNumbers())
        guard #available(macOS 15.0, iOS 18.0, *) else { return }
        let integers = try Guest(guestProgram("GuestIntegers", target))
        #expect(
            try integers.number("program_signed128", .i64(5), .i32(100)) == programSigned128(5, 100)
        )
    }

    @Test(
        "allocations are checked byte by byte, and the heap is reused",
        arguments: GuestTarget.allCases)
    func allocator(target: GuestTarget) throws {
        let guest = try Guest(guestProgram("GuestAllocator", target))
        #expect(try guest.number("program_allocator", .i64(3), .i32(300), .i32(40)) == 0)
        let size = try guest.memory.byteCount
        #expect(try guest.number("program_allocator", .i64(3), .i32(300), .i32(40)) == 0)
        #expect(try guest.memory.byteCount == size)
    }

    @Test(
        "the host's allocator answers 0 instead of trapping, and has an address for nothing",
        arguments: GuestTarget.allCases)
    func hostAllocator(target: GuestTarget) throws {
        let source = GuestSource(name: "a.swift", text: "@_cdecl(\"f\") public func f() {}")
        let guest = try Guest(guestBuilder(target).build(sources: [source]))
        let empty = try guest.number("op_alloc", .i32(0))
        #expect(empty != 0)
        for size in [UInt32.max, 0x8000_0000, 0x7fff_ff00, 0x7fff_0000] {
            #expect(try guest.number("op_alloc", .i32(size)) == 0)
        }
        // Still in order.
        let pointer = try guest.number("op_alloc", .i32(100_000))
        #expect(pointer != 0 && pointer % 16 == 0)
        try guest.call("op_free", .i32(UInt32(pointer)), .i32(100_000))
        try guest.call("op_free", .i32(UInt32(empty)), .i32(0))
        try guest.call("op_free", .i32(0), .i32(0))
    }

    @Test("freeing what was not allocated, or twice, traps", arguments: [0, 1, 2, 3])
    func badFree(kind: Int) throws {
        let source = GuestSource(name: "a.swift", text: "@_cdecl(\"f\") public func f() {}")
        let guest = try Guest(guestBuilder().build(sources: [source]))
        let pointer = try guest.number("op_alloc", .i32(40))
        let bad: UInt64
        switch kind {
        case 0:
            try guest.call("op_free", .i32(UInt32(pointer)), .i32(40))
            bad = pointer
        case 1: bad = pointer + 16
        case 2: bad = pointer + 1
        default: bad = 0xffff_fff0
        }
        #expect(throws: Trap.self) { try guest.call("op_free", .i32(UInt32(bad)), .i32(40)) }
    }

    @Test("initialising twice traps", arguments: GuestTarget.allCases)
    func initialisedOnce(target: GuestTarget) throws {
        let source = GuestSource(name: "a.swift", text: "@_cdecl(\"f\") public func f() {}")
        let guest = try Guest(guestBuilder(target).build(sources: [source]))
        #expect(throws: Trap.self) { try guest.call("_initialize") }
    }

    @Test(
        "unbounded recursion and exhausted memory trap; nothing is overwritten before",
        arguments: GuestTarget.allCases)
    func exhaustion(target: GuestTarget) throws {
        let source = GuestSource(
            name: "a.swift",
            text: """
                nonisolated(unsafe) var sum: [Int64] = []
                @_cdecl("deep") public func deep(_ n: Int64) -> Int64 {
                    withUnsafeTemporaryAllocation(of: Int64.self, capacity: 64) { buffer in
                        buffer.initialize(repeating: n)
                        return deep(n + 1) &+ buffer[Int(truncatingIfNeeded: n & 63)]
                    }
                }
                @_cdecl("fill") public func fill() { while true { sum += sum + [1] } }
                """)
        for name in ["deep", "fill"] {
            let guest = try Guest(
                guestBuilder(target) { $0.maximumMemory = 4 << 20 }.build(sources: [source]))
            let arguments: [Value] = name == "deep" ? [.i64(1)] : []
            let function = try #require(guest.instance.exports[function: name])
            #expect(throws: Trap.self) { try function.invoke(arguments) }
            #expect(try guest.memory.byteCount <= 4 << 20)
        }
    }
}
