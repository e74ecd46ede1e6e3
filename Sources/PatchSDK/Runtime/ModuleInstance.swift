import Foundation
import WebAssembly

/// One instance of a module with a store of its own. Used by one thread at a time.
final class ModuleInstance {
    private let instance: Instance
    private let limits: PatchLimits
    /// The module; nil while its pool has the instance.
    var module: LoadedModule?
    /// The routed functions of the module.
    let table: FunctionTable
    /// The longest that a call may take, in nanoseconds.
    var callNanoseconds: UInt64
    private let memory: Memory?
    /// What a plain module's imports live on.
    private let plainHost: AnyObject?
    /// The app's functions that it calls.
    let natives: NativeCalls
    private let store: Store
    /// The routed functions in the order of ``table``, then those of the allocator.
    private let functions: InstanceFunctions
    private let allocate: Int?
    private let free: Int?
    private var named: [String: Function] = [:]

    /// False once a call ended badly: what is inside may be half changed, so it is not used again.
    private(set) var isSound = true

    /// Instantiates under limits and runs the module's initialisers once.
    /// - Parameter table: the routed functions.
    /// - Throws: ``PatchError`` `memory_limit`, `import_unknown`, `start_failed` or `export_missing`.
    init(
        _ inspected: InspectedModule, table: FunctionTable, limits: PatchLimits,
        host: HostFunctions
    ) throws {
        natives = NativeCalls(
            host.natives, declared: Set(inspected.section?.needs.map(\.id) ?? []))
        let (instance, plainHost, store) = try Self.instantiate(
            inspected, limits: limits, host: host, natives: natives)
        self.table = table
        self.store = store
        self.instance = instance
        self.plainHost = plainHost
        self.limits = limits
        callNanoseconds = limits.callNanoseconds
        memory = instance.exports[memory: GuestExport.memory]
        var functions = try table.exports.map { name in
            guard let function = instance.exports[function: name] else {
                throw PatchError(.exportMissing, "'\(name)'")
            }
            return function
        }
        func add(_ name: String, _ type: FunctionType) -> Int? {
            guard let function = instance.exports[function: name], function.type == type else {
                return nil
            }
            functions.append(function)
            return functions.count - 1
        }
        allocate = add(
            GuestExport.allocate, FunctionType(parameters: [.i32], results: [.i32]))
        free = add(GuestExport.free, FunctionType(parameters: [.i32, .i32]))
        self.functions = InstanceFunctions(functions)
    }

    deinit { functions.deallocate() }

    private static func instantiate(
        _ inspected: InspectedModule, limits: PatchLimits, host: HostFunctions,
        natives: NativeCalls
    ) throws -> (Instance, AnyObject?, Store) {
        let startLimits = CallLimits(timeoutNanoseconds: limits.startNanoseconds)
        let engine = Engine(
            configuration: EngineConfiguration(
                defaultLimits: startLimits, maximumMemoryBytes: limits.memoryBytes,
                maximumTableElements: 100_000, stackBytes: limits.stackBytes))
        let store = Store(engine: engine)
        var imports = Imports()
        host.define(for: inspected.module, in: &imports, store: store, natives: natives)
        let plain = inspected.plainModules.flatMap { plain in
            inspected.module.imports.contains { $0.module == plain.importModule } ? plain : nil
        }
        do {
            let plainHost = try plain?.link(to: &imports, store: store)
            let instance = try inspected.module.instantiate(store: store, imports: imports)
            if let initialize = instance.exports[function: GuestExport.initialize] {
                guard initialize.type == FunctionType(parameters: []) else {
                    throw PatchError(.startFailed, "_initialize is \(initialize.type)")
                }
                try initialize.invoke([], limits: startLimits)
            }
            return (instance, plainHost, store)
        } catch let error as PatchError {
            throw error
        } catch let error as WasmLinkError {
            throw PatchError(
                error.code.contains("memory") ? .memoryLimit : .importUnknown, "\(error)")
        } catch {
            throw PatchError(.startFailed, "\(error)")
        }
    }

    /// The exported function called `name`.
    func exportedFunction(_ name: String) -> Function? {
        if let known = named[name] { return known }
        let found = instance.exports[function: name]
        named[name] = found
        return found
    }

    /// Tries the allocator that every call with encoded values relies on.
    /// - Throws: ``PatchError`` `smoke_failed`.
    func smoke() throws {
        guard allocate != nil, free != nil else { return }
        let probe: [UInt8] = Array("openpatch smoke".utf8)
        do {
            let pointer = try place(probe)
            let back = try take(PackedResult(pointer: pointer, length: UInt32(probe.count)))
            guard back == probe else { throw PatchError(.smokeFailed, "memory does not hold") }
        } catch {
            throw PatchError(.smokeFailed, "\(error)")
        }
    }

    /// Calls a function; `slots` holds arguments, then results.
    /// - Throws: ``PatchError`` `time_limit` or `trapped`.
    func call(_ function: Function, _ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        do {
            try function.invoke(slots: slots, timeoutNanoseconds: callNanoseconds)
        } catch {
            throw failed(error)
        }
    }

    /// Calls one of the functions in their order.
    /// - Throws: as ``call(_:_:)``.
    func call(_ index: Int, _ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        do {
            try functions.call(index, slots, nanoseconds: callNanoseconds)
        } catch {
            throw failed(error)
        }
    }

    /// The same, and native functions that have to be waited for suspend it.
    /// - Returns: whether it is done; otherwise ``NativeCalls/finishWaiting(isolation:)`` and
    ///   ``resume(_:_:)`` are next.
    func start(_ index: Int, _ slots: UnsafeMutableBufferPointer<UInt64>) throws -> Bool {
        do {
            return try functions[index].start(
                slots: slots, limits: CallLimits(timeoutNanoseconds: callNanoseconds))
        } catch {
            throw failed(error)
        }
    }

    /// Goes on with a suspended call, whose native function has an answer of `length` bytes.
    func resume(_ length: Int, _ slots: UnsafeMutableBufferPointer<UInt64>) throws -> Bool {
        do {
            return try store.resume(
                reply: UInt64(length), slots: slots,
                limits: CallLimits(timeoutNanoseconds: callNanoseconds))
        } catch {
            throw failed(error)
        }
    }

    private func failed(_ error: any Error) -> PatchError {
        isSound = false
        return Self.named(error)
    }

    /// The type of one of the functions in their order.
    func type(of index: Int) -> FunctionType { functions[index].type }

    /// Copies an encoded argument into the guest.
    /// - Returns: where it lies.
    func place(_ bytes: [UInt8]) throws -> UInt32 {
        guard let allocate, let memory else {
            throw PatchError(.exportMissing, GuestExport.allocate)
        }
        guard let count = UInt32(exactly: bytes.count), bytes.count <= limits.memoryBytes else {
            throw PatchError(.guestMemoryFault, "\(bytes.count) bytes of arguments")
        }
        var slots = InlineSlots()
        slots[0] = UInt64(count)
        try slots.withSlots { try call(allocate, $0) }
        let pointer = UInt32(truncatingIfNeeded: slots[0])
        guard pointer != 0 else { throw fault("no room for \(count) bytes") }
        do {
            try memory.write(bytes, at: UInt64(pointer))
        } catch {
            throw fault("op_alloc answered \(pointer)")
        }
        return pointer
    }

    /// Copies the bytes that a packed result names out of the guest and frees them there.
    func take(_ packed: PackedResult) throws -> [UInt8] {
        let bytes = try read(packed) { [UInt8]($0) }
        try release(packed.pointer, packed.length)
        return bytes
    }

    /// A reader of a copy of these bytes, which are freed in the guest.
    func takeReader(_ packed: PackedResult) throws -> MessagePackReader {
        let reader = try read(packed) { MessagePackReader(copying: $0) }
        try release(packed.pointer, packed.length)
        return reader
    }

    /// Gives bytes in the guest back.
    func release(_ pointer: UInt32, _ count: UInt32) throws {
        guard let free else { throw PatchError(.exportMissing, GuestExport.free) }
        var slots = InlineSlots()
        slots[0] = UInt64(pointer)
        slots[1] = UInt64(count)
        try slots.withSlots { try call(free, $0) }
    }

    private func read<Value>(
        _ packed: PackedResult, _ body: (UnsafeRawBufferPointer) throws -> Value
    ) throws -> Value {
        guard let memory else { throw PatchError(.exportMissing, GuestExport.memory) }
        let end = UInt64(packed.pointer) + UInt64(packed.length)
        guard end <= UInt64(memory.byteCount) else {
            throw fault("\(packed.length) bytes at \(packed.pointer)")
        }
        return try memory.withUnsafeMutableBufferPointer(
            offset: UInt(packed.pointer), count: Int(packed.length)
        ) { try body(UnsafeRawBufferPointer($0)) }
    }

    /// A guest that names bytes it does not have is not used again.
    private func fault(_ context: String) -> PatchError {
        isSound = false
        return PatchError(.guestMemoryFault, context)
    }

    private static func named(_ error: any Error) -> PatchError {
        switch error {
        case let error as PatchError: return error
        case is HostCallPending:
            return PatchError(
                .nativeDenied, "a native function would have to be waited for")
        case let trap as Trap:
            switch trap.reason {
            case .deadlineExceeded, .fuelExhausted, .cancelled:
                return PatchError(.timeLimit, "\(trap)")
            default: return PatchError(.trapped, "\(trap)")
            }
        default: return PatchError(.callFailed, "\(error)")
        }
    }
}
