import CWasmCore

/// What a running call may still spend. The interpreter counts a slice down and asks at its end;
/// then the clock and the cancellation flag are looked at.
struct Budget {
    private var fuel: Int64?
    private var deadline: UInt64?
    private var cancellation: CancellationFlag?
    private var slice: Int64 = 0
    /// Sizes that may not be exceeded.
    private(set) var memoryBytes: UInt64?
    private(set) var tableElements: UInt64?
    private(set) var stackBytes: Int?

    /// Units between two looks at the clock and the flag.
    private static let interval: Int64 = 10_000

    init() {}

    init(_ limits: CallLimits) {
        fuel = limits.fuel.map { Int64(clamping: $0) }
        cancellation = limits.cancellation
        memoryBytes = limits.memoryBytes
        tableElements = limits.tableElements
        stackBytes = limits.stackBytes
        if let timeout = limits.timeoutNanoseconds {
            let (end, overflow) = System.nanoseconds().addingReportingOverflow(timeout)
            deadline = overflow ? .max : end
        }
    }

    var isBounded: Bool { fuel != nil || deadline != nil || cancellation != nil }

    /// The next slice.
    mutating func nextSlice() -> Int64 {
        let interval = deadline == nil && cancellation == nil ? Int64.max / 2 : Budget.interval
        slice = min(fuel ?? interval, interval)
        return slice
    }

    /// Accounts for a slice of which `rest` is left.
    mutating func settle(_ rest: Int64) {
        if let fuel { self.fuel = fuel - (slice - rest) }
        slice = rest
    }

    /// Why the call must end, given that it needs `needed` more units; nil = it may go on.
    func violation(needed: Int64) -> TrapReason? {
        if let fuel, fuel < needed { return .fuelExhausted }
        if let cancellation, cancellation.isCancelled { return .cancelled }
        if let deadline, System.nanoseconds() >= deadline { return .deadlineExceeded }
        return nil
    }

    /// The stricter of this budget and another.
    func limited(by other: Budget) -> Budget {
        var result = self
        if let theirs = other.fuel { result.fuel = min(fuel ?? .max, theirs) }
        if let theirs = other.deadline { result.deadline = min(deadline ?? .max, theirs) }
        if let theirs = other.cancellation { result.cancellation = theirs }
        if let theirs = other.memoryBytes { result.memoryBytes = min(memoryBytes ?? .max, theirs) }
        if let theirs = other.tableElements {
            result.tableElements = min(tableElements ?? .max, theirs)
        }
        if let theirs = other.stackBytes { result.stackBytes = min(stackBytes ?? .max, theirs) }
        return result
    }

    /// Takes what an inner budget, made with `limited`, has spent.
    mutating func pay(_ inner: Budget, of given: Budget) {
        if let fuel, let before = given.fuel, let after = inner.fuel {
            self.fuel = fuel - (before - after)
        }
    }
}
