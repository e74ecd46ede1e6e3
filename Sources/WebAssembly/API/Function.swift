/// A function of a store: of an instance or of the host.
public struct Function {
    /// Parameters and results.
    public let type: FunctionType
    /// The store that it lives in.
    public let store: Store

    /// Makes a host function. An error that `body` throws ends the guest and reaches the host's
    /// call unchanged.
    public init(
        store: Store, parameters: [ValueType], results: [ValueType] = [],
        body: @escaping (Caller, [Value]) throws -> [Value]
    ) {
        self.type = FunctionType(parameters: parameters, results: results)
        self.store = store
    }

    /// Makes a host function without arrays: `body` finds the arguments in the buffer and leaves
    /// the results there, both from index 0, one 64-bit slot each. 32-bit values use the low half
    /// and must leave the high half zero; floating-point numbers are bit patterns.
    public init(
        store: Store, type: FunctionType,
        rawBody: @escaping (Caller, UnsafeMutableBufferPointer<UInt64>) throws -> Void
    ) {
        self.type = type
        self.store = store
    }

    /// The function that a reference names.
    /// - Throws: ``WasmUsageError`` when the reference is not of this store.
    public init(reference: FunctionReference, store: Store) throws {
        throw WasmUsageError(code: "not_built_yet", message: "the engine is being built")
    }

    /// A reference to this function, for tables and globals.
    public var reference: FunctionReference { FunctionReference(address: 0) }

    /// Calls the function.
    /// - Throws: ``Trap``; ``WasmUsageError`` when the arguments do not fit; what a host function
    ///   threw; what validation throws at the first call of a guest function.
    @discardableResult
    public func invoke(_ arguments: [Value] = []) throws -> [Value] {
        throw WasmUsageError(code: "not_built_yet", message: "the engine is being built")
    }

    /// Calls the function under limits of its own.
    /// - Throws: as ``invoke(_:)``.
    @discardableResult
    public func invoke(_ arguments: [Value] = [], limits: CallLimits) throws -> [Value] {
        throw WasmUsageError(code: "not_built_yet", message: "the engine is being built")
    }

    /// Calls the function without arrays: arguments are taken from `slots` and results are left
    /// there, both from index 0. The buffer must hold the larger number of the two. 32-bit values
    /// use the low half of a slot; floating-point numbers are bit patterns.
    /// - Throws: as ``invoke(_:)``.
    public func invoke(
        slots: UnsafeMutableBufferPointer<UInt64>, limits: CallLimits? = nil
    ) throws {
        throw WasmUsageError(code: "not_built_yet", message: "the engine is being built")
    }
}

/// What a host function is told about the guest that calls it.
public struct Caller {
    /// The instance that calls, or nil when the host called the function itself.
    public let instance: Instance?
    /// The store of the call.
    public let store: Store
    /// The memory of the calling instance, if it has one.
    public var memory: Memory? { nil }
}
