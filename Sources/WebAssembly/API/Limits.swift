import CWasmCore

/// Bounds of one call from the host. A call that exceeds one ends with a ``Trap`` and its
/// instances are dead afterwards, since their state may be half changed.
public struct CallLimits: Sendable {
    /// How many backward branches and calls the guest may take; nil = no bound. Deterministic:
    /// the same call spends the same fuel on every machine.
    public var fuel: UInt64?
    /// How long the call may last, in nanoseconds; nil = no bound.
    public var timeoutNanoseconds: UInt64?
    /// How many host-to-guest calls may be nested (host calls guest calls host calls guest …).
    public var nestingDepth: Int
    /// Ends the call from another thread; nil = the call cannot be cancelled.
    public var cancellation: CancellationFlag?

    /// Makes a set of limits; by default a call is bounded in nesting only.
    public init(
        fuel: UInt64? = nil, timeoutNanoseconds: UInt64? = nil, nestingDepth: Int = 64,
        cancellation: CancellationFlag? = nil
    ) {
        self.fuel = fuel
        self.timeoutNanoseconds = timeoutNanoseconds
        self.nestingDepth = nestingDepth
        self.cancellation = cancellation
    }
}

/// Limits that hold for all stores of an engine.
public struct EngineConfiguration: Sendable {
    /// Limits of a call that names none of its own.
    public var defaultLimits: CallLimits
    /// The most bytes that one linear memory may have. `memory.grow` beyond it answers -1, and a
    /// module that asks for more at the start is not instantiated.
    public var maximumMemoryBytes: UInt64
    /// The most elements that one table may have.
    public var maximumTableElements: UInt64
    /// The size of the interpreter's stack of one store, in bytes.
    public var stackBytes: Int

    /// Makes a configuration; the defaults suit an app.
    public init(
        defaultLimits: CallLimits = .init(), maximumMemoryBytes: UInt64 = 1 << 30,
        maximumTableElements: UInt64 = 1_000_000, stackBytes: Int = 1 << 20
    ) {
        self.defaultLimits = defaultLimits
        self.maximumMemoryBytes = maximumMemoryBytes
        self.maximumTableElements = maximumTableElements
        self.stackBytes = stackBytes
    }
}

/// Holds the configuration that stores are made with.
public final class Engine: Sendable {
    /// The limits of all stores of this engine.
    public let configuration: EngineConfiguration

    /// Makes an engine.
    public init(configuration: EngineConfiguration = .init()) {
        self.configuration = configuration
    }
}

/// Ends a running call from another thread.
public final class CancellationFlag: @unchecked Sendable {
    // Unchecked: the flag is only read and written with atomic operations.
    let flag: UnsafeMutablePointer<wc_flag>

    /// Makes a flag that is not set.
    public init() {
        flag = .allocate(capacity: 1)
        flag.initialize(to: wc_flag(value: 0))
    }

    deinit { flag.deallocate() }

    /// Ends the call that carries the flag, soon after at a backward branch or call.
    public func cancel() { wc_flag_set(flag) }

    /// Whether the flag is set.
    public var isCancelled: Bool { wc_flag_is_set(flag) }
}
