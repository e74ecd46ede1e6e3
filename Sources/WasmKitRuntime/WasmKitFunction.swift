import WasmKit
import WebAssembly

/// A function of a guest in WasmKit, or of the host.
public struct WasmKitFunction: RuntimeFunction {
    /// Parameters and results.
    public let type: WebAssembly.FunctionType
    let wasmKit: WasmKit.Function
    private let store: WasmKitStore

    init?(_ function: WasmKit.Function, store: WasmKitStore) {
        guard let type = Scalars.type(of: function.type) else { return nil }
        self.type = type
        wasmKit = function
        self.store = store
    }

    /// Makes a host function over slots. What `body` throws ends the guest and reaches the host's
    /// call unchanged.
    public init(
        store: WasmKitStore, type: WebAssembly.FunctionType,
        rawBody: @escaping (WasmKitCaller, UnsafeMutableBufferPointer<UInt64>) throws -> Void
    ) {
        self.type = type
        self.store = store
        wasmKit = WasmKit.Function(store: store.wasmKit, type: Scalars.wasmKitType(of: type)) {
            caller, values in
            let memory = Self.memory(of: caller.instance)
            let count = max(type.parameters.count, type.results.count)
            return try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { slots in
                slots.initialize(repeating: 0)
                for (index, value) in values.enumerated() { slots[index] = Scalars.bits(value) }
                try rawBody(WasmKitCaller(memory: memory), slots)
                return type.results.enumerated().map { Scalars.value(slots[$0], as: $1) }
            }
        }
    }

    /// WasmKit tells a host function of exported memories only.
    private static func memory(of instance: WasmKit.Instance?) -> WasmKitMemory? {
        guard let exports = instance?.exports else { return nil }
        if let usual = exports[memory: "memory"] { return WasmKitMemory(usual) }
        for (_, value) in exports {
            if case .memory(let memory) = value { return WasmKitMemory(memory) }
        }
        return nil
    }

    /// Calls the function: arguments in `slots`, then results. Limits are not obeyed.
    /// - Throws: ``Trap``; ``WasmUsageError``; what a host function threw.
    public func invoke(
        slots: UnsafeMutableBufferPointer<UInt64>, limits: CallLimits?
    ) throws {
        guard slots.count >= max(type.parameters.count, type.results.count) else {
            throw WasmUsageError(
                code: "too_few_slots",
                message: "the buffer must hold all parameters and all results of \(type)")
        }
        let arguments = type.parameters.enumerated().map { Scalars.value(slots[$0], as: $1) }
        let results = try WasmKitFault.translating(.call) { try wasmKit.invoke(arguments) }
        for (index, result) in results.enumerated() { slots[index] = Scalars.bits(result) }
    }

    /// Calls the function as ``invoke(slots:limits:)`` does. The limit is not obeyed.
    /// - Throws: as ``invoke(slots:limits:)``.
    public func invoke(
        slots: UnsafeMutableBufferPointer<UInt64>, timeoutNanoseconds: UInt64
    ) throws {
        try invoke(slots: slots, limits: nil)
    }

    /// The function itself; WasmKit's calls cost much more than counting references.
    public var unowned: WasmKitFunction { self }
    /// The function itself.
    public var function: WasmKitFunction { self }

    /// Calls the function with values. Limits are not obeyed.
    /// - Throws: as ``invoke(slots:limits:)``.
    @discardableResult
    public func invoke(
        _ arguments: [WebAssembly.Value], limits: CallLimits = CallLimits()
    ) throws -> [WebAssembly.Value] {
        guard arguments.map(\.type) == type.parameters else {
            throw WasmUsageError(
                code: "wrong_value_type", message: "the arguments do not fit \(type)")
        }
        let results = try WasmKitFault.translating(.call) {
            try wasmKit.invoke(arguments.map(Scalars.wasmKitValue))
        }
        return zip(results, type.results).map { Scalars.value(of: $0, as: $1) }
    }
}

/// What a host function is told about the guest that calls it.
public struct WasmKitCaller: RuntimeCaller {
    /// The memory that the calling instance exports, if it does.
    public let memory: WasmKitMemory?
}

/// A linear memory in WasmKit.
public struct WasmKitMemory: RuntimeMemory {
    private let wasmKit: WasmKit.Memory

    init(_ memory: WasmKit.Memory) { wasmKit = memory }

    /// The present size in bytes.
    public var byteCount: Int { wasmKit.byteCount }

    private func holds(_ address: UInt64, _ count: Int) -> Bool {
        count >= 0 && UInt64(count) <= UInt64(byteCount)
            && address <= UInt64(byteCount) - UInt64(count)
    }

    /// Copies bytes out of the memory.
    /// - Throws: ``Trap`` with `out_of_bounds_memory_access`.
    public func read(at address: UInt64, count: Int) throws -> [UInt8] {
        guard holds(address, count) else {
            throw WebAssembly.Trap(.outOfBoundsMemoryAccess)
        }
        if count == 0 { return [] }
        return wasmKit.withUnsafeBufferPointer(offset: UInt(address), count: count) { Array($0) }
    }

    /// Copies bytes into the memory.
    /// - Throws: ``Trap`` with `out_of_bounds_memory_access`.
    public func write(_ bytes: [UInt8], at address: UInt64) throws {
        guard holds(address, bytes.count) else {
            throw WebAssembly.Trap(.outOfBoundsMemoryAccess)
        }
        if bytes.isEmpty { return }
        wasmKit.withUnsafeMutableBufferPointer(offset: UInt(address), count: bytes.count) {
            $0.copyBytes(from: bytes)
        }
    }

    /// Gives `body` the bytes themselves. Outside the memory, where WasmKit would end the process,
    /// it works on zeroed scratch bytes.
    public func withUnsafeMutableBufferPointer<T>(
        offset: UInt, count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> T
    ) rethrows -> T {
        if holds(UInt64(offset), count), count > 0 {
            return try wasmKit.withUnsafeMutableBufferPointer(offset: offset, count: count, body)
        }
        let scratch = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(0, min(count, 1 << 30)), alignment: 16)
        defer { scratch.deallocate() }
        scratch.initializeMemory(as: UInt8.self, repeating: 0)
        return try body(scratch)
    }
}
