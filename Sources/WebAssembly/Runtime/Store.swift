import CWasmCore

/// Owns all that guests of one host use together: instances, memories, tables, globals, one stack.
/// A store and all that lives in it belong to one thread at a time.
public final class Store {
    /// The engine whose limits hold here.
    public let engine: Engine
    /// Is told of every call; nil in a store that runs at full speed.
    public let observer: (any CallObserver)?

    // The interpreter's state. Frames of guests lie on one stack, in windows that overlap.
    let context: UnsafeMutablePointer<wc_context>
    let stack: UnsafeMutablePointer<UInt64>
    private let stackBytes: Int
    /// Where the frame of the next call from the host begins.
    var top: UnsafeMutablePointer<UInt64>
    /// How many calls from the host are running inside each other.
    var nesting = 0
    var budget = Budget()
    /// Set when the host asked for bytes outside a memory.
    var isPoisoned = false { didSet { if isPoisoned { isIdle = false } } }
    /// Whether a call needs no bookkeeping but that of its limits: nothing runs, waits or watches.
    var isIdle: Bool
    /// Whether a call without limits of its own has none.
    let isUnbounded: Bool
    /// The call that waits for its host, if one does.
    var suspension: Suspension? { didSet { isWaiting = suspension != nil } }
    private(set) var isWaiting = false
    /// Whether a host function may suspend the call that runs.
    var maySuspend = false

    // What lives here, for as long as the store does.
    let quota: Quota
    var instances: [InstanceData] = []
    /// The records of host functions, and what they do, by number.
    private(set) var hostRecords: [UnsafeMutablePointer<wc_function>] = []
    private(set) var hostBodies: UnsafeMutablePointer<HostBody>
    /// What modules call the host functions that they import; kept for an observer only.
    var hostNames: [Int: String] = [:]
    private var hostCapacity = 16
    private var memories: [MemoryData] = []
    private var tables: [TableData] = []
    private var globals: [UnsafeMutablePointer<UInt64>] = []
    private(set) var types: [FunctionType] = []
    private var typeNumbers: [FunctionType: UInt32] = [:]
    let emptyMemory: UnsafeMutablePointer<wc_memory>

    /// Makes an empty store.
    public required convenience init(engine: Engine) { self.init(engine: engine, observer: nil) }

    /// Makes an empty store whose calls are told to `observer`. Modules are translated for it with
    /// probes where functions begin and end, so calls in this store cost several times as much;
    /// other stores are as fast as ever.
    public init(engine: Engine, observer: (any CallObserver)?) {
        self.engine = engine
        self.observer = observer
        quota = Quota(engine.configuration)
        isIdle = observer == nil
        isUnbounded = !engine.configuration.defaultLimits.isBounded
        hostBodies = .allocate(capacity: hostCapacity)
        let wanted = max(engine.configuration.stackBytes, 16 << 10) & ~15
        // Without room for the stack every call ends with `call_stack_exhausted`.
        let pages = System.map(wanted)
        stackBytes = pages == nil ? 0 : wanted
        stack =
            pages?.bindMemory(to: UInt64.self, capacity: wanted / 8)
            ?? UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        top = stack
        context = .allocate(capacity: 1)
        context.initialize(to: wc_context())
        context.pointee.stack_end = stack + stackBytes / 8
        emptyMemory = .allocate(capacity: 1)
        emptyMemory.initialize(to: wc_memory(bytes: nil, length: 0))
    }

    deinit {
        for cell in globals { cell.deallocate() }
        for record in hostRecords { record.deallocate() }
        hostBodies.deinitialize(count: hostRecords.count)
        hostBodies.deallocate()
        if stackBytes > 0 { System.unmap(stack, stackBytes) } else { stack.deallocate() }
        context.deallocate()
        emptyMemory.deallocate()
    }

    // MARK: Types and functions

    /// The store's number of a function type: equal types have equal numbers.
    func number(of type: FunctionType) -> UInt32 {
        // Few types are found sooner than the first dictionary of them is made.
        let few = 64
        if types.count <= few {
            if let known = types.firstIndex(of: type) { return UInt32(known) }
        } else if let known = typeNumbers[type] {
            return known
        }
        let number = UInt32(types.count)
        types.append(type)
        if types.count == few + 1 {
            for (number, type) in types.enumerated() { typeNumbers[type] = UInt32(number) }
        } else if types.count > few {
            typeNumbers[type] = number
        }
        return number
    }

    func addHostFunction(_ type: FunctionType, _ body: @escaping HostBody)
        -> UnsafeMutablePointer<wc_function>
    {
        let record = UnsafeMutablePointer<wc_function>.allocate(capacity: 1)
        record.initialize(
            to: wc_function(
                code: nil, instance: nil, type: number(of: type),
                parameters: UInt16(clamping: type.parameters.count),
                results: UInt16(clamping: type.results.count),
                identity: UInt32(hostRecords.count), references: type.hasReferences ? 1 : 0))
        if hostRecords.count == hostCapacity {
            let more = UnsafeMutablePointer<HostBody>.allocate(capacity: hostCapacity * 2)
            more.moveInitialize(from: hostBodies, count: hostCapacity)
            hostBodies.deallocate()
            hostBodies = more
            hostCapacity *= 2
        }
        let number = hostRecords.count
        (hostBodies + number).initialize(
            to: observer.map { observed(body, number, type, $0) } ?? body)
        hostRecords.append(record)
        return record
    }

    /// The record that a reference names; nil for a made-up one.
    func function(at bits: UInt64) -> UnsafeMutablePointer<wc_function>? {
        guard let address = UInt(exactly: bits),
            let record = UnsafeMutablePointer<wc_function>(bitPattern: address),
            instances.contains(where: { $0.owns(record) }) || hostRecords.contains(record)
        else { return nil }
        return record
    }

    static let foreignReference = WasmUsageError(
        code: "foreign_reference", message: "the function reference is of another store")

    // MARK: Memories, tables, globals

    func addMemory(_ type: MemoryType, most: UInt64 = .max) throws -> MemoryData {
        let memory = try MemoryData(
            type, most: min(most, engine.configuration.maximumMemoryBytes), quota)
        memories.append(memory)
        return memory
    }

    func addTable(_ type: TableType, most: UInt64 = .max) throws -> TableData {
        let table = try TableData(
            type, most: min(most, engine.configuration.maximumTableElements), quota)
        tables.append(table)
        return table
    }

    func addGlobal(_ bits: UInt64) throws -> UnsafeMutablePointer<UInt64> {
        try quota.addGlobals(1)
        let cell = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        cell.initialize(to: bits)
        globals.append(cell)
        return cell
    }

    // MARK: Values

    /// The slot of a value.
    /// - Throws: ``WasmUsageError`` when it is of another type or another store.
    func bits(_ value: Value, as type: ValueType) throws -> UInt64 {
        if value.type != type {
            throw WasmUsageError(
                code: "wrong_value_type",
                message: "a value of type \(value.type) where \(type) is expected")
        }
        switch value {
        case .i32(let bits), .f32(let bits): return UInt64(bits)
        case .i64(let bits), .f64(let bits): return bits
        case .ref(.nullFunction), .ref(.nullExtern): return 0
        case .ref(.extern(let number)): return UInt64(number) + 1
        case .ref(.function(let reference)):
            guard function(at: UInt64(reference.address)) != nil else {
                throw Store.foreignReference
            }
            return UInt64(reference.address)
        }
    }

    func encode(
        _ values: [Value], as types: [ValueType], into slots: UnsafeMutableBufferPointer<UInt64>,
        _ what: String
    ) throws {
        if values.count != types.count {
            throw WasmUsageError(
                code: "wrong_value_count",
                message: "\(values.count) \(what) where \(types.count) are expected")
        }
        for index in 0..<values.count { slots[index] = try bits(values[index], as: types[index]) }
    }

    /// Checks references that the host wrote into slots by itself.
    func check(_ slots: UnsafeMutableBufferPointer<UInt64>, hold types: [ValueType]) throws {
        for (index, type) in types.enumerated() {
            switch type {
            case .funcRef where slots[index] != 0 && function(at: slots[index]) == nil,
                .externRef where slots[index] > 1 << 32:
                throw Store.foreignReference
            default: continue
            }
        }
    }
}

/// What a function of the host does, over slots.
typealias HostBody = (Caller, UnsafeMutableBufferPointer<UInt64>) throws -> Void

extension FunctionType {
    var hasReferences: Bool {
        func isReference(_ type: ValueType) -> Bool { type == .funcRef || type == .externRef }
        return parameters.contains(where: isReference) || results.contains(where: isReference)
    }
}
