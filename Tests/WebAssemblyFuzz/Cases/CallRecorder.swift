import WebAssembly

/// Sees calls and remembers enough to be asked whether it saw the right ones.
final class CallRecorder: CallObserver {
    private(set) var depth = 0
    private var first: [UInt64]?
    private var last: [UInt64] = []

    /// A call from the host comes next.
    func begin() {
        first = nil
        last = []
        depth = 0
    }

    /// Whether that call was seen with these arguments and results, and ended.
    func saw(_ arguments: [Value], _ results: [Value]) -> Bool {
        func same(_ slots: [UInt64], _ values: [Value]) -> Bool {
            slots.count == values.count
                && zip(slots, values).allSatisfy { slot, value in
                    switch value {
                    case .i32(let bits), .f32(let bits):
                        return UInt32(truncatingIfNeeded: slot) == bits
                    case .i64(let bits), .f64(let bits): return slot == bits
                    case .ref: return true
                    }
                }
        }
        return depth == 0 && same(first ?? [], arguments) && same(last, results)
    }

    func didEnter(
        _ function: ObservedFunction, _ arguments: UnsafeBufferPointer<UInt64>, in store: Store
    ) {
        depth += 1
        if first == nil { first = Array(arguments) }
    }

    func willReturn(_ results: UnsafeBufferPointer<UInt64>, in store: Store) {
        depth -= 1
        last = Array(results)
    }

    func unwind(to depth: Int) { self.depth = depth }
}
