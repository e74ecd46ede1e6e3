import Foundation
import WebAssembly

/// One instance of a module with a store of its own. Used by one thread at a time.
final class ModuleInstance {
    private let instance: Instance
    private let limits: PatchLimits
    /// The longest that a call may take, in nanoseconds.
    var callNanoseconds: UInt64
    private let memory: Memory?
    private let allocate: Function?
    private let free: Function?
    /// What a plain module's imports live on.
    private let plainHost: AnyObject?
    /// The app's functions that it calls.
    let natives: NativeCalls
    private let store: Store
    private var functions: [String: Function] = [:]
    private var routed: [Function?]

    /// False once a call ended badly: what is inside may be half changed, so it is not used again.
    private(set) var isSound = true

    /// Instantiates under limits and runs the module's initialisers once.
    /// - Throws: ``PatchError`` `memory_limit`, `import_unknown` or `start_failed`.
    init(
        _ inspected: InspectedModule, routes: [String], limits: PatchLimits, host: HostFunctions
    ) throws {
        natives = NativeCalls(
            host.natives, declared: Set(inspected.section?.needs.map(\.id) ?? []))
        let (instance, plainHost, store) = try Self.instantiate(
            inspected, limits: limits, host: host, natives: natives)
        self.store = store
        self.instance = instance
        self.plainHost = plainHost
        self.limits = limits
        callNanoseconds = limits.callNanoseconds
        memory = instance.exports[memory: GuestExport.memory]
        allocate = Self.function(
            instance, GuestExport.allocate, FunctionType(parameters: [.i32], results: [.i32]))
        free = Self.function(
            instance, GuestExport.free, FunctionType(parameters: [.i32, .i32]))
        routed = routes.map { instance.exports[function: $0] }
    }

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

    private static func function(
        _ instance: Instance, _ name: String, _ type: FunctionType
    ) -> Function? {
        guard let function = instance.exports[function: name], function.type == type else {
            return nil
        }
        return function
    }

    /// The routed function at `index` of the list given at the start.
    func routedFunction(_ index: Int) -> Function? { routed[index] }

    /// The exported function called `name`.
    func exportedFunction(_ name: String) -> Function? {
        if let known = functions[name] { return known }
        let found = instance.exports[function: name]
        functions[name] = found
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

    /// Calls a function in place; `slots` holds arguments, then results.
    /// - Throws: ``PatchError`` `time_limit` or `trapped`.
    func call(_ function: Function, _ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        try guarding {
            try function.invoke(
                slots: slots, limits: CallLimits(timeoutNanoseconds: callNanoseconds))
        }
    }

    /// The same, and native functions that have to be waited for suspend it.
    /// - Returns: whether it is done; otherwise ``NativeCalls/finishWaiting(isolation:)`` and
    ///   ``resume(_:_:)`` are next.
    func start(_ function: Function, _ slots: UnsafeMutableBufferPointer<UInt64>) throws -> Bool {
        try guarding {
            try function.start(
                slots: slots, limits: CallLimits(timeoutNanoseconds: callNanoseconds))
        }
    }

    /// Goes on with a suspended call, whose native function has an answer of `length` bytes.
    func resume(_ length: Int, _ slots: UnsafeMutableBufferPointer<UInt64>) throws -> Bool {
        try guarding {
            try store.resume(
                reply: UInt64(length), slots: slots,
                limits: CallLimits(timeoutNanoseconds: callNanoseconds))
        }
    }

    private func guarding<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            isSound = false
            throw Self.named(error)
        }
    }

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
        let bytes = try read(packed)
        try release(packed.pointer, packed.length)
        return bytes
    }

    /// Gives bytes in the guest back.
    func release(_ pointer: UInt32, _ count: UInt32) throws {
        guard let free else { throw PatchError(.exportMissing, GuestExport.free) }
        var slots = InlineSlots()
        slots[0] = UInt64(pointer)
        slots[1] = UInt64(count)
        try slots.withSlots { try call(free, $0) }
    }

    private func read(_ packed: PackedResult) throws -> [UInt8] {
        guard let memory else { throw PatchError(.exportMissing, GuestExport.memory) }
        let end = UInt64(packed.pointer) + UInt64(packed.length)
        guard end <= UInt64(memory.byteCount) else {
            throw fault("\(packed.length) bytes at \(packed.pointer)")
        }
        do {
            return try memory.read(at: UInt64(packed.pointer), count: Int(packed.length))
        } catch {
            throw fault("\(error)")
        }
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
