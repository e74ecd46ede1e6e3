import CWasmCore

/// A function of a store: of an instance or of the host.
public struct Function {
    /// Parameters and results.
    public let type: FunctionType
    /// The store that it lives in.
    public let store: Store
    let record: UnsafeMutablePointer<wc_function>

    init(record: UnsafeMutablePointer<wc_function>, store: Store) {
        self.record = record
        self.store = store
        type = store.types[Int(record.pointee.type)]
    }

    /// Makes a host function. An error that `body` throws ends the guest and reaches the host's
    /// call unchanged. The store keeps `body`; a body that keeps the store is never freed.
    public init(
        store: Store, parameters: [ValueType], results: [ValueType] = [],
        body: @escaping (Caller, [Value]) throws -> [Value]
    ) {
        let type = FunctionType(parameters: parameters, results: results)
        self.init(store: store, type: type) { caller, slots in
            var arguments: [Value] = []
            arguments.reserveCapacity(parameters.count)
            for (index, parameter) in parameters.enumerated() {
                arguments.append(Value(bits: slots[index], type: parameter))
            }
            let values = try body(caller, arguments)
            try caller.store.encode(values, as: results, into: slots, "results of a host function")
        }
    }

    /// Makes a host function without arrays: `body` finds the arguments in the buffer and leaves
    /// the results there, both from index 0, one 64-bit slot each. 32-bit values use the low half
    /// of a slot; floating-point numbers are bit patterns.
    public init(
        store: Store, type: FunctionType,
        rawBody: @escaping (Caller, UnsafeMutableBufferPointer<UInt64>) throws -> Void
    ) {
        self.type = type
        self.store = store
        record = store.addHostFunction(type, rawBody)
    }

    /// The function that a reference names.
    /// - Throws: ``WasmUsageError`` when the reference is not of this store.
    public init(reference: FunctionReference, store: Store) throws {
        guard let record = store.function(at: UInt64(reference.address)) else {
            throw Store.foreignReference
        }
        self.init(record: record, store: store)
    }

    /// A reference to this function, for tables and globals.
    public var reference: FunctionReference {
        FunctionReference(address: UInt(bitPattern: record))
    }

    /// Calls the function.
    /// - Throws: ``Trap``; ``WasmUsageError`` when the arguments do not fit; what a host function
    ///   threw; what validation throws at the first call of a guest function.
    @discardableResult
    public func invoke(_ arguments: [Value] = []) throws -> [Value] {
        try invoke(arguments, nil)
    }

    /// Calls the function under limits of its own.
    /// - Throws: as ``invoke(_:)``.
    @discardableResult
    public func invoke(_ arguments: [Value] = [], limits: CallLimits) throws -> [Value] {
        try invoke(arguments, limits)
    }

    private func invoke(_ arguments: [Value], _ limits: CallLimits?) throws -> [Value] {
        let count = max(type.parameters.count, type.results.count)
        return try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { slots in
            slots.initialize(repeating: 0)
            try store.encode(arguments, as: type.parameters, into: slots, "arguments")
            try store.call(record, slots, limits)
            var results: [Value] = []
            results.reserveCapacity(type.results.count)
            for (index, result) in type.results.enumerated() {
                results.append(Value(bits: slots[index], type: result))
            }
            return results
        }
    }

    /// Calls the function without arrays: arguments are taken from `slots` and results are left
    /// there, both from index 0. The buffer must hold the larger number of the two. 32-bit values
    /// use the low half of a slot; floating-point numbers are bit patterns.
    /// - Throws: as ``invoke(_:)``.
    public func invoke(
        slots: UnsafeMutableBufferPointer<UInt64>, limits: CallLimits? = nil
    ) throws {
        try checkRoom(slots)
        try store.call(record, slots, limits)
    }

    /// Calls the function as ``invoke(slots:limits:)`` does, with its time alone limited.
    /// - Parameters:
    ///   - slots: arguments, then results.
    ///   - timeoutNanoseconds: how long the call may run, as ``CallLimits/timeoutNanoseconds``.
    /// - Throws: as ``invoke(_:)``.
    public func invoke(
        slots: UnsafeMutableBufferPointer<UInt64>, timeoutNanoseconds: UInt64
    ) throws {
        try checkRoom(slots)
        try store.call(record, slots, timeoutNanoseconds: timeoutNanoseconds)
    }

    /// The function for callers that keep its store alive themselves.
    public var unowned: UnownedFunction { UnownedFunction(self) }

    fileprivate func checkRoom(_ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        if slots.count < Int(max(record.pointee.parameters, record.pointee.results)) {
            throw WasmUsageError(
                code: "too_few_slots",
                message: "the buffer must hold all parameters and all results of \(type)")
        }
        if record.pointee.references != 0 {
            try store.check(slots, hold: type.parameters)
        }
    }
}

/// A function that does not keep its store alive: counting references costs more than a short call.
/// It must not be called once nobody else keeps the store.
public struct UnownedFunction {
    private let store: Unmanaged<Store>
    private let record: UnsafeMutablePointer<wc_function>

    fileprivate init(_ function: Function) {
        store = .passUnretained(function.store)
        record = function.record
    }

    /// The function itself.
    public var function: Function {
        Function(record: record, store: store.takeUnretainedValue())
    }

    /// Calls the function as ``Function/invoke(slots:timeoutNanoseconds:)`` does: the way that costs
    /// least.
    /// - Throws: as ``Function/invoke(_:)``.
    public func invoke(
        slots: UnsafeMutableBufferPointer<UInt64>, timeoutNanoseconds: UInt64
    ) throws {
        if record.pointee.references != 0
            || slots.count < Int(max(record.pointee.parameters, record.pointee.results))
        {
            try function.checkRoom(slots)
        }
        try store._withUnsafeGuaranteedRef {
            try $0.call(record, slots, timeoutNanoseconds: timeoutNanoseconds)
        }
    }
}

/// What a host function is told about the guest that calls it.
public struct Caller {
    /// The store of the call.
    public let store: Store
    let index: Int

    /// The instance that calls, or nil when the host called the function itself.
    public var instance: Instance? {
        index < 0 ? nil : Instance(data: store.instances[index], store: store)
    }

    /// The memory of the calling instance, if it has one.
    public var memory: Memory? {
        guard index >= 0, let data = store.instances[index].memory else { return nil }
        return Memory(data: data, store: store)
    }
}

extension Value {
    /// The value that a slot holds; references were made by the engine.
    init(bits: UInt64, type: ValueType) {
        switch type {
        case .i32: self = .i32(UInt32(truncatingIfNeeded: bits))
        case .i64: self = .i64(bits)
        case .f32: self = .f32(UInt32(truncatingIfNeeded: bits))
        case .f64: self = .f64(bits)
        case .funcRef, .externRef: self = .ref(Reference(bits: bits, type: type))
        }
    }
}

extension Reference {
    /// Null is zero; a function is the address of its record; an external number is one more.
    init(bits: UInt64, type: ValueType) {
        if type == .funcRef {
            self = bits == 0 ? .nullFunction : .function(FunctionReference(address: UInt(bits)))
        } else {
            self = bits == 0 ? .nullExtern : .extern(UInt32(truncatingIfNeeded: bits &- 1))
        }
    }

    var type: ValueType {
        switch self {
        case .nullFunction, .function: return .funcRef
        case .nullExtern, .extern: return .externRef
        }
    }
}
