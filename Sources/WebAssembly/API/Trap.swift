/// Execution of a guest ended early (core specification, section 4.2.4, and the limits of the
/// host).
public struct Trap: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why it ended.
    public let reason: TrapReason
    /// The guest's frames, innermost first; at most 64 of them.
    public let backtrace: [Frame]

    /// A trap of the engine or of an adapter.
    package init(_ reason: TrapReason, backtrace: [Frame] = []) {
        self.reason = reason
        self.backtrace = backtrace
    }

    /// One frame of the guest.
    public struct Frame: Hashable, Sendable, CustomStringConvertible {
        /// The function's index in its module's function space.
        public let function: Int
        /// The function's name, where the module has a name section or exports it.
        public let name: String?
        /// Where in the module execution stood, in bytes from its start.
        public let offset: Int

        /// The frame as one line.
        public var description: String {
            "\(name ?? "function \(function)") at byte \(offset)"
        }
    }

    /// A stable name of the reason, in snake case.
    public var code: String { reason.code }

    /// The trap as text: one line, then one line per frame.
    public var description: String {
        (["\(reason.message) (\(reason.code))"] + backtrace.map { "  in \($0)" })
            .joined(separator: "\n")
    }
}

/// Why a guest ended early. Messages are those of the specification's test suite where it has
/// one.
public enum TrapReason: Hashable, Sendable {
    /// An `unreachable` instruction was executed.
    case unreachable
    /// An integer was divided by zero.
    case integerDivideByZero
    /// An integer result is not representable.
    case integerOverflow
    /// A NaN was converted to an integer.
    case invalidConversionToInteger
    /// A memory access lies outside the memory.
    case outOfBoundsMemoryAccess
    /// A table access lies outside the table.
    case outOfBoundsTableAccess
    /// An indirect call named an element outside the table.
    case undefinedElement
    /// An indirect call named an element that is null.
    case uninitializedElement
    /// An indirect call named a function of another type.
    case indirectCallTypeMismatch
    /// The guest's calls are nested too deeply.
    case callStackExhausted
    /// The call used up its fuel; the instance is dead.
    case fuelExhausted
    /// The call lasted longer than allowed; the instance is dead.
    case deadlineExceeded
    /// The call was cancelled from another thread; the instance is dead.
    case cancelled
    /// The call grew a memory beyond its limit; the instance is dead.
    case memoryLimitExceeded
    /// The call grew a table beyond its limit; the instance is dead.
    case tableLimitExceeded
    /// The instance was killed by an earlier limit.
    case instanceDead
    /// Host code asked for bytes outside a memory; the store is not usable any more.
    case hostAccessOutOfBounds

    /// A stable name of the reason, in snake case.
    public var code: String { text.code }
    /// The reason as a sentence.
    public var message: String { text.message }

    private var text: (code: String, message: String) {
        switch self {
        case .unreachable: return ("unreachable", "unreachable")
        case .integerDivideByZero: return ("integer_divide_by_zero", "integer divide by zero")
        case .integerOverflow: return ("integer_overflow", "integer overflow")
        case .invalidConversionToInteger:
            return ("invalid_conversion_to_integer", "invalid conversion to integer")
        case .outOfBoundsMemoryAccess:
            return ("out_of_bounds_memory_access", "out of bounds memory access")
        case .outOfBoundsTableAccess:
            return ("out_of_bounds_table_access", "out of bounds table access")
        case .undefinedElement: return ("undefined_element", "undefined element")
        case .uninitializedElement: return ("uninitialized_element", "uninitialized element")
        case .indirectCallTypeMismatch:
            return ("indirect_call_type_mismatch", "indirect call type mismatch")
        case .callStackExhausted: return ("call_stack_exhausted", "call stack exhausted")
        case .fuelExhausted: return ("fuel_exhausted", "the call used up its fuel")
        case .deadlineExceeded:
            return ("deadline_exceeded", "the call lasted longer than its limit")
        case .cancelled: return ("cancelled", "the call was cancelled")
        case .memoryLimitExceeded:
            return ("memory_limit_exceeded", "the call grew a memory beyond its limit")
        case .tableLimitExceeded:
            return ("table_limit_exceeded", "the call grew a table beyond its limit")
        case .instanceDead:
            return (
                "instance_dead",
                "the instance was ended by a limit earlier; make a new one from its module"
            )
        case .hostAccessOutOfBounds:
            return (
                "host_access_out_of_bounds",
                "the host asked for bytes outside the guest's memory; make a new store"
            )
        }
    }
}
