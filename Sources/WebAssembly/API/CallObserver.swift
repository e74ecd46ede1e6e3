/// Sees every call in a store that was made with it: for traces and profiles.
///
/// Functions may end without returning, by a trap or an error; then ``unwind(to:)`` is called in
/// place of ``willReturn(_:in:)``, for all of them at once. The buffers hold one 64-bit slot for
/// each value and are valid during the call only; ``Store/arguments(of:in:)`` and
/// ``Store/results(of:in:)`` read them.
public protocol CallObserver: AnyObject {
    /// How many calls have begun and not ended.
    var depth: Int { get }
    /// A function of a guest or of the host begins.
    func didEnter(
        _ function: ObservedFunction, _ arguments: UnsafeBufferPointer<UInt64>, in store: Store)
    /// The function that began last ends.
    func willReturn(_ results: UnsafeBufferPointer<UInt64>, in store: Store)
    /// All calls above `depth` have ended without returning.
    func unwind(to depth: Int)
    /// The engine begins, or ends, work of its own: it translates a function at its first call.
    func engineWorks(_ isBeginning: Bool)
}

extension CallObserver {
    /// Does nothing.
    public func engineWorks(_ isBeginning: Bool) {}
}

/// A function of an observed store. Equal for the same function of the same instance.
public struct ObservedFunction: Hashable, Sendable {
    /// The number of its instance in the store, or -1.
    let instance: Int32
    /// Its index in its module, or its number among the store's host functions.
    let index: Int32

    /// Whether it is a function of the host.
    public var isHost: Bool { instance < 0 }
    /// Its index in its module's function space; nil for a host function.
    public var functionIndex: Int? { isHost ? nil : Int(index) }
}

extension Store {
    /// The module that a guest function is of; nil for a host function.
    public func module(of function: ObservedFunction) -> Module? {
        function.isHost ? nil : instances[Int(function.instance)].module
    }

    /// A function's name: of a guest, from the name section or its exports; of the host, what the
    /// module that imports it calls it, `module.name`. Nil when nobody names it.
    public func name(of function: ObservedFunction) -> String? {
        guard let module = module(of: function) else { return hostNames[Int(function.index)] }
        return module.functionName(Int(function.index))
    }

    /// A function's type.
    public func type(of function: ObservedFunction) -> FunctionType {
        guard let contents = module(of: function)?.contents else {
            return types[Int(hostRecords[Int(function.index)].pointee.type)]
        }
        return contents.types[Int(contents.functions[Int(function.index)])]
    }

    /// The arguments that an observer was given.
    public func arguments(
        of function: ObservedFunction, in slots: UnsafeBufferPointer<UInt64>
    ) -> [Value] {
        zip(slots, type(of: function).parameters).map { Value(bits: $0, type: $1) }
    }

    /// The results that an observer was given.
    public func results(
        of function: ObservedFunction, in slots: UnsafeBufferPointer<UInt64>
    ) -> [Value] {
        zip(slots, type(of: function).results).map { Value(bits: $0, type: $1) }
    }
}
