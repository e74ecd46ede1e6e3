import Foundation
import Testing
import WebAssembly

@Suite("One module, many threads")
struct SharingTests {
    @Test("threads translate and run the same module at the same time")
    func threads() throws {
        var builder = ModuleBuilder()
        // f0(n) = n, f(k)(n) = f(k-1)(n) + k: every first call translates.
        var last = builder.function("f0", [.i32], [.i32], Code.get(0))
        for k in 1..<200 {
            last = builder.function(
                "f\(k)", [.i32], [.i32],
                Code.get(0) + Code.call(last) + Code.i32(Int32(k)) + Code.add32)
        }
        let module = try parseWasm(bytes: builder.build())
        let results = Results()
        let group = DispatchGroup()
        for thread in 0..<8 {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                let instance = try? module.instantiate(store: Store(engine: Engine()))
                let function = instance?.exports[function: "f199"]
                results.add(try? function?.invoke([.i32(UInt32(thread))]).first)
            }
        }
        group.wait()
        let expected = (0..<8).map { Value.i32(UInt32($0 + 199 * 200 / 2)) }
        #expect(Set(results.values) == Set(expected))
    }

    @Test("a function that another thread translates in the same moment is called all the same")
    func sameMoment() throws {
        for _ in 0..<40 {
            var builder = ModuleBuilder()
            var last = builder.function(nil, [.i32], [.i32], Code.get(0))
            for k in 1..<60 {
                last = builder.function(
                    k == 59 ? "f" : nil, [.i32], [.i32],
                    Code.get(0) + Code.call(last) + Code.i32(1) + Code.add32)
            }
            let module = try parseWasm(bytes: builder.build())
            let group = DispatchGroup()
            let results = Results()
            let gate = DispatchSemaphore(value: 0)
            for _ in 0..<4 {
                group.enter()
                Thread.detachNewThread {
                    defer { group.leave() }
                    let instance = try? module.instantiate(store: Store(engine: Engine()))
                    gate.wait()
                    do {
                        results.add(
                            try instance?.exports[function: "f"]?.invoke([.i32(1)]).first)
                    } catch { Issue.record("\(error)") }
                }
            }
            for _ in 0..<4 { gate.signal() }
            group.wait()
            #expect(results.values == Array(repeating: .i32(60), count: 4))
        }
    }

    @Test("threads validate, translate, trap and walk frames of the same module at the same time")
    func everything() throws {
        let count = 120
        var builder = ModuleBuilder()
        builder.memory(1, 4)
        builder.table(count)
        builder.global(.i32, isMutable: true, Code.i32(0))
        var functions: [Int] = []
        for k in 0..<count {
            // Counts its calls in the memory and in a global, then divides 1,000 by its argument.
            functions.append(
                builder.function(
                    "f\(k)", [.i32], [.i32],
                    Code.globalGet(0) + Code.i32(1) + Code.add32 + Code.globalSet(0)
                        + Code.i32(Int32(4 * k)) + Code.globalGet(0) + Code.store32()
                        + Code.i32(1_000) + Code.get(0) + Code.divU32
                        + Code.i32(Int32(k)) + Code.add32))
        }
        builder.element(at: 0, functions)
        let type = builder.type([.i32], [.i32])
        builder.function(
            "indirect", [.i32, .i32], [.i32],
            Code.get(1) + Code.get(0) + Code.callIndirect(type: type))
        let module = try parseWasm(bytes: builder.build())
        let results = Results()
        let group = DispatchGroup()
        let threads = 6
        for thread in 0..<threads {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                if thread % 2 == 0 { try? module.validate() }
                guard let instance = try? module.instantiate(store: Store(engine: Engine())),
                    let indirect = instance.exports[function: "indirect"]
                else { return }
                var sum: UInt32 = 0
                for step in 0..<count {
                    // Each thread in an order of its own.
                    let k = UInt32((step * (2 * thread + 1) + thread) % count)
                    let value = try? indirect.invoke([.i32(k), .i32(10)]).first
                    if case .i32(let bits)? = value { sum &+= bits }
                    do { _ = try indirect.invoke([.i32(k), .i32(0)]) } catch {
                        let trap = error as? Trap
                        if trap?.reason == .integerDivideByZero,
                            trap?.backtrace.map(\.name) == ["f\(k)", "indirect"]
                        {
                            sum &+= 1
                        }
                    }
                }
                results.add(.i32(sum))
            }
        }
        group.wait()
        let sums = (0..<threads).map { thread in
            (0..<count).reduce(UInt32(0)) {
                $0 + 100 + 1 + UInt32(($1 * (2 * thread + 1) + thread) % count)
            }
        }
        let numbers = results.values.compactMap { value -> UInt32? in
            if case .i32(let bits) = value { return bits }
            return nil
        }
        #expect(numbers.sorted() == sums.sorted())
    }

    private final class Results: @unchecked Sendable {
        // Unchecked: guarded by the lock.
        private let lock = NSLock()
        private var list: [Value] = []

        func add(_ value: Value?) {
            lock.lock()
            defer { lock.unlock() }
            if let value { list.append(value) }
        }

        var values: [Value] {
            lock.lock()
            defer { lock.unlock() }
            return list
        }
    }

    @Test("instances of one module do not share state")
    func isolation() throws {
        var builder = ModuleBuilder()
        builder.memory(1)
        builder.global(.i32, isMutable: true, Code.i32(0))
        builder.function(
            "bump", [], [.i32],
            Code.globalGet(0) + Code.i32(1) + Code.add32 + Code.globalSet(0)
                + Code.globalGet(0))
        let module = try builder.module()
        let store = Store(engine: Engine())
        let first = try module.instantiate(store: store)
        let second = try module.instantiate(store: store)
        _ = try first.exports[function: "bump"]?.invoke()
        #expect(try first.exports[function: "bump"]?.invoke() == [.i32(2)])
        #expect(try second.exports[function: "bump"]?.invoke() == [.i32(1)])
    }
}
