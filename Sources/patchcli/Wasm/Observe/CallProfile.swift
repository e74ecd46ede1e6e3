import WebAssembly

/// Counts calls and the time spent in them, by function and by the way they were reached.
///
/// The clock is read on entry to and exit from every probe, so that what observing costs is in
/// nobody's time but for the way between a guest and its probe. Nor is the translation of functions
/// at their first call: a program that runs for long does not notice it, and a short one should see
/// what it would.
final class CallProfile: CallObserver {
    /// What is known of one function.
    struct Row {
        let function: ObservedFunction
        var calls = 0
        /// Nanoseconds in the function itself.
        var own: UInt64 = 0
        /// Nanoseconds in it and in what it called; a recursion is counted once.
        var total: UInt64 = 0
        fileprivate var active = 0

        fileprivate init(_ function: ObservedFunction) { self.function = function }
    }

    /// A place in the tree of calls.
    private struct Node {
        let row: Int
        let parent: Int
        var own: UInt64 = 0
    }

    private struct Frame {
        let node: Int
        let row: Int
        let start: UInt64
    }

    private let clock: () -> UInt64
    private var numbers: [ObservedFunction: Int] = [:]
    private(set) var rows: [Row] = []
    private var nodes: [Node] = []
    private var children: [UInt64: Int] = [:]
    private var stack: [Frame] = []
    private var elapsed: UInt64 = 0
    private var last: UInt64 = 0
    /// Whether the tree grew too large, so that some calls are counted with their callers in
    /// stacks; the rows are exact all the same.
    private(set) var isTruncated = false

    /// The most places in the tree: recursion over many functions makes very many.
    private let maximumNodes: Int

    init(maximumNodes: Int = 200_000, clock: @escaping () -> UInt64) {
        self.maximumNodes = maximumNodes
        self.clock = clock
    }

    var depth: Int { stack.count }

    /// Nanoseconds in all calls together.
    var total: UInt64 { elapsed }

    func didEnter(
        _ function: ObservedFunction, _ arguments: UnsafeBufferPointer<UInt64>, in store: Store
    ) {
        settle()
        let row = number(of: function)
        rows[row].calls += 1
        rows[row].active += 1
        stack.append(
            Frame(node: node(for: row, below: stack.last?.node), row: row, start: elapsed))
        last = clock()
    }

    func willReturn(_ results: UnsafeBufferPointer<UInt64>, in store: Store) {
        settle()
        pop()
        last = clock()
    }

    func unwind(to depth: Int) {
        settle()
        while stack.count > depth { pop() }
        last = clock()
    }

    func engineWorks(_ isBeginning: Bool) {
        if isBeginning { settle() } else { last = clock() }
    }

    /// Adds the time since the last probe to the function that runs.
    private func settle() {
        guard let frame = stack.last else { return }
        let now = clock()
        let spent = now > last ? now - last : 0
        elapsed += spent
        rows[frame.row].own += spent
        if frame.node >= 0 { nodes[frame.node].own += spent }
    }

    private func pop() {
        guard let frame = stack.popLast() else { return }
        rows[frame.row].active -= 1
        if rows[frame.row].active == 0 { rows[frame.row].total += elapsed - frame.start }
    }

    private func number(of function: ObservedFunction) -> Int {
        if let known = numbers[function] { return known }
        rows.append(Row(function))
        numbers[function] = rows.count - 1
        return rows.count - 1
    }

    private func node(for row: Int, below parent: Int?) -> Int {
        let parent = parent ?? -1
        let key = UInt64(UInt32(truncatingIfNeeded: parent)) << 32 | UInt64(row)
        if let known = children[key] { return known }
        guard nodes.count < maximumNodes else {
            isTruncated = true
            return parent
        }
        nodes.append(Node(row: row, parent: parent))
        children[key] = nodes.count - 1
        return nodes.count - 1
    }

    /// The tree as folded stacks: the names on the way, `;` between them, and the nanoseconds spent
    /// at its end. Tools that draw flame graphs read this.
    func folded(_ name: (ObservedFunction) -> String) -> [String] {
        var names: [Int: String] = [:]
        func text(_ row: Int) -> String {
            if let known = names[row] { return known }
            let text = name(rows[row].function).map { $0 == ";" || $0 == "\n" ? "," : $0 }
            names[row] = String(text)
            return String(text)
        }
        return nodes.indices.filter { nodes[$0].own > 0 }.map { index in
            var path: [String] = []
            var at = index
            while at >= 0 {
                path.append(text(nodes[at].row))
                at = nodes[at].parent
            }
            return path.reversed().joined(separator: ";") + " \(nodes[index].own)"
        }
    }
}
