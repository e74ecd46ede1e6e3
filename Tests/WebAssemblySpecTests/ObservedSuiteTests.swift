import Foundation
import TestSupport
import Testing
import WebAssembly
import WebAssemblySpec

/// Counts calls, and remembers whether one ended that had not begun.
private final class Balance: CallObserver {
    var depth = 0
    var calls = 0
    var isSound = true

    func didEnter(
        _ function: ObservedFunction, _ arguments: UnsafeBufferPointer<UInt64>, in store: Store
    ) {
        isSound = isSound && arguments.count == store.type(of: function).parameters.count
        depth += 1
        calls += 1
    }

    func willReturn(_ results: UnsafeBufferPointer<UInt64>, in store: Store) {
        depth -= 1
        isSound = isSound && depth >= 0
    }

    func unwind(to depth: Int) {
        isSound = isSound && depth <= self.depth
        self.depth = depth
    }
}

@Suite("The specification's suite, observed")
struct ObservedSuiteTests {
    @Test(
        "observing changes no result, and every call that begins ends",
        .enabled(if: SharedData.isAvailable(SuiteFolders.wasm2), "the 2.0 suite is absent"),
        arguments: [
            "call", "call_indirect", "br", "br_if", "br_table", "return", "func", "if", "loop",
            "block", "fac", "linking", "imports", "start", "unreachable", "traps", "memory_trap",
            "select", "f32", "f64", "float_exprs", "stack", "labels", "local_tee", "nop",
        ])
    func balanced(name: String) throws {
        let file = try SuiteFolders.unpacked(SuiteFolders.wasm2)
            .appendingPathComponent("\(name).json")
        let balance = Balance()
        let report = try SpecRunner.run(file, observer: balance)
        #expect(report.passed == report.counted && report.failures.isEmpty)
        #expect(balance.depth == 0 && balance.isSound)
        #expect(balance.calls > 0)
    }
}
