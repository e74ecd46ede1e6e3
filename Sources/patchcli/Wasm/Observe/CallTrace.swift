import WebAssembly

/// Prints calls as they happen: a call that makes none on one line with its results, any other on
/// two. Bounded in lines, so that a loop cannot fill a disk.
final class CallTrace: CallObserver {
    private let name: (ObservedFunction, Store) -> String
    private let print: (String) -> Void
    private let limit: Int
    private var lines = 0
    private var hidden = 0
    private var open: [(function: ObservedFunction, text: String)] = []
    /// Whether the innermost call is not printed yet.
    private var isPending = false

    /// - Parameter limit: the most lines to print.
    init(
        limit: Int, name: @escaping (ObservedFunction, Store) -> String,
        print: @escaping (String) -> Void
    ) {
        self.limit = limit
        self.name = name
        self.print = print
    }

    var depth: Int { open.count }

    func didEnter(
        _ function: ObservedFunction, _ arguments: UnsafeBufferPointer<UInt64>, in store: Store
    ) {
        flush()
        isPending = lines < limit
        if !isPending { hidden += 1 }
        let values = isPending ? store.arguments(of: function, in: arguments) : []
        open.append(
            (function, isPending ? "\(name(function, store))(\(Self.list(values)))" : ""))
    }

    func willReturn(_ results: UnsafeBufferPointer<UInt64>, in store: Store) {
        guard let call = open.popLast() else { return }
        guard lines < limit, isPending || !call.text.isEmpty else { return }
        let values = Self.list(store.results(of: call.function, in: results))
        let end = values.isEmpty ? "" : " = \(values)"
        if isPending {
            write(call.text + end)
        } else if !end.isEmpty {
            write(name(call.function, store) + end)
        }
        isPending = false
    }

    func unwind(to depth: Int) {
        if open.count > depth { isPending = false }
        while open.count > depth {
            let call = open.removeLast()
            if !call.text.isEmpty { write("\(call.text) did not return") }
        }
    }

    /// Says how much was not printed.
    func finish() {
        flush()
        if hidden > 0 { print("… and \(hidden) more calls (--trace-limit)") }
    }

    private func flush() {
        guard isPending, let call = open.last else { return }
        isPending = false
        write(call.text, at: open.count - 1)
    }

    private func write(_ line: String, at depth: Int? = nil) {
        guard lines < limit else { return }
        lines += 1
        // Deep recursion would push everything out of sight.
        print(String(repeating: "  ", count: min(depth ?? open.count, 40)) + line)
    }

    private static func list(_ values: [Value]) -> String {
        values.map(WasmText.text).joined(separator: ", ")
    }
}
