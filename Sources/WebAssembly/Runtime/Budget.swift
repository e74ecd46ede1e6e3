import CWasmCore

/// What a running call may still spend. The interpreter counts a slice down and asks at its end;
/// then the clock and the cancellation flag are looked at.
///
/// Time is spent by running: an app that is suspended in the middle of a call, or a machine that has
/// other work, must not make a sound function look like one that hangs. So what passes between two
/// looks at the clock counts up to ``longestStep`` only; a guest that runs comes by far more often.
struct Budget {
    private var fuel: Int64?
    /// Nanoseconds that are left.
    private var time: Int64?
    /// When the clock was looked at last; before the first look, an hour that never comes.
    private var looked: UInt64 = .max
    private var cancellation: CancellationFlag?
    private var slice: Int64 = 0
    /// How many units sooner the clock is looked at for each call of a host function.
    private var hostCallWeight: Int64 = 0
    /// Sizes that may not be exceeded.
    private(set) var memoryBytes: UInt64?
    private(set) var tableElements: UInt64?
    private(set) var stackBytes: Int?

    /// Units between two looks at the clock and the flag.
    private static let interval: Int64 = 10_000
    /// The most that one step from look to look counts, in nanoseconds.
    static let longestStep: UInt64 = 50_000_000
    /// A longer step is put down to slow host functions: the next look comes after one of them.
    private static let slowStep: UInt64 = 5_000_000

    init() {}

    /// The budget of a call that begins now.
    /// - Parameter now: what the clock says, in nanoseconds; asked only if `limits` bound the time.
    init(_ limits: CallLimits, now: @autoclosure () -> UInt64 = System.nanoseconds()) {
        fuel = limits.fuel.map { Int64(clamping: $0) }
        cancellation = limits.cancellation
        memoryBytes = limits.memoryBytes
        tableElements = limits.tableElements
        stackBytes = limits.stackBytes
        if let timeout = limits.timeoutNanoseconds {
            time = Int64(clamping: timeout)
            looked = now()
            hostCallWeight = Budget.interval / 64
        }
    }

    /// Begins a call of an idle store whose time alone is limited. Time counts from the first look at
    /// the clock on, which comes after one slice: reading the clock would cost as much as the call.
    /// - Returns: the first slice.
    mutating func beginTimed(_ nanoseconds: UInt64) -> Int64 {
        time = Int64(clamping: nanoseconds)
        looked = .max
        hostCallWeight = Budget.interval / 64
        slice = nanoseconds == 0 ? 0 : Budget.interval
        return slice
    }

    /// Ends what ``beginTimed(_:)`` began.
    mutating func endTimed() {
        time = nil
        hostCallWeight = 0
    }

    var isBounded: Bool { fuel != nil || time != nil || cancellation != nil }

    /// The next slice; empty when time is over, so that the next look comes at once.
    mutating func nextSlice() -> Int64 {
        let interval = time == nil && cancellation == nil ? Int64.max / 2 : Budget.interval
        let isOver = time.map { $0 <= 0 } ?? false
        slice = isOver ? 0 : min(fuel ?? interval, interval)
        return slice
    }

    /// Brings the next look nearer after a call of a host function.
    /// - Parameter rest: what is left of the slice.
    mutating func noteHostCall(_ rest: inout Int64) {
        if hostCallWeight == 0 { return }
        let weight = min(hostCallWeight, max(0, rest))
        rest -= weight
        slice -= weight
    }

    /// Accounts for a slice of which `rest` is left.
    mutating func settle(_ rest: Int64) {
        if let fuel { self.fuel = fuel - (slice - rest) }
        slice = rest
    }

    /// Looks at the clock and the flag.
    /// - Parameters:
    ///   - needed: units that come next.
    ///   - now: what the clock says, in nanoseconds; asked only if time is bounded.
    /// - Returns: why the call must end; nil = it may go on.
    mutating func violation(
        needed: Int64, now: @autoclosure () -> UInt64 = System.nanoseconds()
    ) -> TrapReason? {
        if let fuel, fuel < needed { return .fuelExhausted }
        if let cancellation, cancellation.isCancelled { return .cancelled }
        guard let time else { return nil }
        let now = now()
        let step = now > looked ? now - looked : 0
        looked = now
        hostCallWeight = Budget.interval / (step > Budget.slowStep ? 1 : 64)
        let left = time - Int64(clamping: min(step, Budget.longestStep))
        self.time = left
        return left > 0 ? nil : .deadlineExceeded
    }

    /// The stricter of this budget and another, which begins now.
    func limited(by other: Budget) -> Budget {
        var result = self
        if let theirs = other.fuel { result.fuel = min(fuel ?? .max, theirs) }
        if let theirs = other.time {
            result.time = min(time ?? .max, theirs)
            result.looked = other.looked
            result.hostCallWeight = other.hostCallWeight
        }
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
        if let time, let before = given.time, let after = inner.time {
            self.time = time - (before - after)
            looked = inner.looked
        }
    }
}
