import WebAssembly

/// Functions of one instance, which keeps their store alive: a call counts no references.
struct InstanceFunctions {
    private let all: UnsafeMutableBufferPointer<UnownedFunction>

    init(_ functions: [Function]) {
        all = .allocate(capacity: functions.count)
        _ = all.initialize(from: functions.lazy.map(\.unowned))
    }

    /// Frees the list, which the owner does once.
    func deallocate() {
        all.deinitialize()
        all.deallocate()
    }

    /// The function at a place.
    subscript(index: Int) -> Function { all[index].function }

    /// Calls a function; `slots` holds arguments, then results.
    func call(
        _ index: Int, _ slots: UnsafeMutableBufferPointer<UInt64>, nanoseconds: UInt64
    ) throws {
        try all[index].invoke(slots: slots, timeoutNanoseconds: nanoseconds)
    }
}
