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
