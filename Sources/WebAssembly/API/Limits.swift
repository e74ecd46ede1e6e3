import CWasmCore

/// Bounds of one call from the host. A call that exceeds one ends with a ``Trap`` and its
/// instances are dead afterwards, since their state may be half changed.
public struct CallLimits: Sendable {
    /// How many backward branches and calls the guest may take; nil = no bound. Deterministic:
    /// the same call spends the same fuel on every machine.
    public var fuel: UInt64?
    /// How long the call may run, in nanoseconds; nil = no bound. Time in which the guest does not
    /// come by its checks counts 50 ms at most: a process that is suspended in the middle of a call,
    /// or a host function that waits, does not use the call's time up.
    public var timeoutNanoseconds: UInt64?
    /// How many host-to-guest calls may be nested (host calls guest calls host calls guest …).
    public var nestingDepth: Int
    /// Ends the call from another thread; nil = the call cannot be cancelled.
    public var cancellation: CancellationFlag?
    /// The most bytes that the call may grow a memory to; nil = only the memory's maximum holds,
    /// beyond which `memory.grow` answers -1 and the call goes on.
    public var memoryBytes: UInt64?
    /// The most elements that the call may grow a table to; nil = only the table's maximum holds.
    public var tableElements: UInt64?
    /// The most bytes of the interpreter's stack that the call may use; nil = all of it. Running
    /// out of the whole stack is a trap that instances survive, as the specification has it.
    public var stackBytes: Int?

    /// Makes a set of limits; by default a call is bounded in nesting only.
    public init(
        fuel: UInt64? = nil, timeoutNanoseconds: UInt64? = nil, nestingDepth: Int = 64,
        cancellation: CancellationFlag? = nil, memoryBytes: UInt64? = nil,
        tableElements: UInt64? = nil, stackBytes: Int? = nil
    ) {
        self.fuel = fuel
        self.timeoutNanoseconds = timeoutNanoseconds
        self.nestingDepth = nestingDepth
        self.cancellation = cancellation
        self.memoryBytes = memoryBytes
        self.tableElements = tableElements
        self.stackBytes = stackBytes
    }
}

/// Bounds of one instance, given when it is made.
public struct InstanceLimits: Sendable {
    /// The most bytes that the memory which the instance makes may have; nil = what the engine
    /// allows. `memory.grow` beyond it answers -1, and a module that asks for more at the start is
    /// not instantiated.
    public var memoryBytes: UInt64?
    /// The most elements that each table which the instance makes may have; nil = what the engine
    /// allows.
    public var tableElements: UInt64?
    /// Limits of the host's calls into the instance that name none of their own, and of its start
    /// function; nil = the engine's.
    public var calls: CallLimits?

    /// Makes a set of limits; by default only the engine's hold.
    public init(
        memoryBytes: UInt64? = nil, tableElements: UInt64? = nil, calls: CallLimits? = nil
    ) {
        self.memoryBytes = memoryBytes
        self.tableElements = tableElements
        self.calls = calls
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
    /// The most bytes that all memories of one store may have together.
    public var maximumStoreMemoryBytes: UInt64
    /// The most elements that all tables of one store may have together.
    public var maximumStoreTableElements: UInt64
    /// The most instances of one store; the store keeps dead ones too.
    public var maximumInstances: Int
    /// The most tables of one store.
    public var maximumTables: Int
    /// The most globals of one store.
    public var maximumGlobals: Int

    /// Makes a configuration; the defaults suit an app.
    public init(
        defaultLimits: CallLimits = .init(), maximumMemoryBytes: UInt64 = 1 << 30,
        maximumTableElements: UInt64 = 1_000_000, stackBytes: Int = 1 << 20,
        maximumStoreMemoryBytes: UInt64 = 4 << 30,
        maximumStoreTableElements: UInt64 = 10_000_000, maximumInstances: Int = 10_000,
        maximumTables: Int = 10_000, maximumGlobals: Int = 1_000_000
    ) {
        self.defaultLimits = defaultLimits
        self.maximumMemoryBytes = maximumMemoryBytes
        self.maximumTableElements = maximumTableElements
        self.stackBytes = stackBytes
        self.maximumStoreMemoryBytes = maximumStoreMemoryBytes
        self.maximumStoreTableElements = maximumStoreTableElements
        self.maximumInstances = maximumInstances
        self.maximumTables = maximumTables
        self.maximumGlobals = maximumGlobals
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
