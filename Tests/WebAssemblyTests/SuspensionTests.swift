import Testing

@testable import WebAssembly

@Suite("Calls that wait for their host")
struct SuspensionTests {
    /// `sum(n)`: adds what `ask(i)` answers for n, n-1, … 1, two frames deep in a loop.
    private func module() -> ModuleBuilder {
        var builder = ModuleBuilder()
        let ask = builder.importFunction("env", "ask", [.i32], [.i64])
        builder.memory(1)
        let middle = builder.function(
            nil, [.i32], [.i64], Code.get(0) + Code.call(ask) + Code.i64(1) + [0x7c])
        builder.function(
            "sum", [.i32], [.i64], locals: [.i64],
            Code.loop(
                0x40,
                Code.get(1) + Code.get(0) + Code.call(middle) + [0x7c] + Code.set(1)
                    + Code.get(0) + Code.i32(1) + [0x6b] + Code.tee(0) + Code.brIf(0))
                + Code.get(1))
        builder.function("ok", [], [.i32], Code.i32(1))
        return builder
    }

    private func instance(
        _ answer: @escaping (UInt64) throws -> UInt64
    ) throws -> Instance {
        try module().instance { store in
            var imports = Imports()
            imports.define(
                module: "env", name: "ask",
                Function(store: store, type: FunctionType(parameters: [.i32], results: [.i64])) {
                    _, slots in slots[0] = try answer(slots[0])
                })
            return imports
        }
    }

    private func run(
        _ instance: Instance, _ count: UInt64, limits: CallLimits = CallLimits(),
        _ reply: () -> UInt64
    ) throws -> UInt64 {
        let function = try #require(instance.exports[function: "sum"])
        let slots = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 4)
        defer { slots.deallocate() }
        slots[0] = count
        var isDone = try function.start(slots: slots, limits: limits)
        while !isDone {
            isDone = try function.store.resume(reply: reply(), slots: slots, limits: limits)
        }
        return slots[0]
    }

    @Test("a guest goes on where it was, as often as its host lets it wait")
    func resume() throws {
        var asked: [UInt64] = []
        let instance = try instance {
            asked.append($0)
            throw HostCallPending()
        }
        var next: UInt64 = 0
        let sum = try run(instance, 5) {
            next += 10
            return next
        }
        #expect(asked == [5, 4, 3, 2, 1])
        #expect(sum == 10 + 20 + 30 + 40 + 50 + 5)
        #expect(!instance.store.isSuspended)
        #expect(try instance.exports[function: "ok"]?.invoke() == [.i32(1)])
    }

    @Test("some answers may come at once and others later")
    func mixed() throws {
        let instance = try instance {
            if $0 % 2 == 0 { throw HostCallPending() }
            return 1
        }
        #expect(try run(instance, 6) { 100 } == 3 * 101 + 3 * 2)
    }

    @Test("while a call waits the store runs nothing else")
    func exclusive() throws {
        let instance = try instance { _ in throw HostCallPending() }
        let function = try #require(instance.exports[function: "sum"])
        let slots = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 4)
        defer { slots.deallocate() }
        slots[0] = 1
        #expect(try !function.start(slots: slots))
        #expect(throws: WasmUsageError.self) {
            try instance.exports[function: "ok"]?.invoke()
        }
        #expect(throws: WasmUsageError.self) { _ = try function.start(slots: slots) }
        #expect(try instance.store.resume(reply: 4, slots: slots, limits: CallLimits()))
        #expect(slots[0] == 5)
        #expect(throws: WasmUsageError.self) {
            _ = try instance.store.resume(slots: slots, limits: CallLimits())
        }
        #expect(try instance.exports[function: "ok"]?.invoke() == [.i32(1)])
    }

    @Test("a call that was not started to wait ends with the host's error")
    func plainCall() throws {
        let instance = try instance { _ in throw HostCallPending() }
        #expect(throws: HostCallPending.self) {
            try instance.exports[function: "sum"]?.invoke([.i32(1)])
        }
        #expect(!instance.store.isSuspended)
        #expect(try run(instance, 2) { 7 } == 16)
    }

    @Test("a guest called by its host in the middle of another call cannot wait")
    func nested() throws {
        var inner: (any Error)?
        var again: Function?
        let instance = try instance { count in
            guard count == 2, let again else { throw HostCallPending() }
            let slots = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 4)
            defer { slots.deallocate() }
            slots[0] = 1
            do { _ = try again.start(slots: slots) } catch { inner = error }
            return 5
        }
        again = instance.exports[function: "sum"]
        #expect(try run(instance, 2) { 3 } == 5 + 3 + 2)
        #expect(inner is HostCallPending)
        again = nil
    }

    @Test("each leg has its own limits, and what ends one ends the call")
    func limits() throws {
        let instance = try instance { _ in throw HostCallPending() }
        let error = #expect(throws: Trap.self) {
            _ = try run(instance, 3, limits: CallLimits(fuel: 1)) { 1 }
        }
        #expect(error?.reason == .fuelExhausted)
        let other = try self.instance { _ in throw HostCallPending() }
        #expect(try run(other, 1000, limits: CallLimits(fuel: 100)) { 1 } == 2000)
    }

    @Test("what waits is simply let go with its store")
    func abandoned() throws {
        weak var store: Store?
        do {
            let instance = try instance { _ in throw HostCallPending() }
            store = instance.store
            let function = try #require(instance.exports[function: "sum"])
            let slots = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: 4)
            defer { slots.deallocate() }
            slots[0] = 9
            #expect(try !function.start(slots: slots))
        }
        #expect(store == nil)
    }
}
