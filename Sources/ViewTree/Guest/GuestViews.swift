import WebAssembly

/// How much a view may use.
public struct ViewLimits: Sendable {
    /// Nanoseconds that one call may take.
    public var callNanoseconds: UInt64 = 1_000_000_000
    /// Nanoseconds that the start of the module may take.
    public var startNanoseconds: UInt64 = 2_000_000_000
    /// Bytes of the guest's memory.
    public var memoryBytes: UInt64 = 64 << 20
    /// Limits of trees.
    public var tree = TreeLimits()

    /// The usual limits.
    public init() {}
}

/// A module whose views can be shown: one instance, with the state of all that is mounted in it.
/// Used by one thread at a time.
///
/// A call that fails leaves the guest half changed, so nothing calls it again: every later call
/// throws ``ViewFault`` `view_not_sound`, and a new instance starts without the old one's state.
public final class GuestViews {
    private let instance: Instance
    private let memory: Memory
    private let limits: ViewLimits
    private let functions: Functions

    /// False once a call failed.
    public private(set) var isSound = true

    private struct Functions {
        let allocate: Function
        let free: Function
        let mount: Function
        let update: Function
        let render: Function
        let event: Function
        let row: Function
        let state: Function
        let unmount: Function
    }

    /// Instantiates a module and runs its initialisers.
    /// - Parameter define: adds the host functions that the module may import.
    /// - Throws: ``ViewFault`` `view_export_missing` or `view_start_failed`.
    public init(
        _ module: Module, limits: ViewLimits = ViewLimits(),
        define: (inout Imports, Store) -> Void = { _, _ in }
    ) throws(ViewFault) {
        self.limits = limits
        let start = CallLimits(timeoutNanoseconds: limits.startNanoseconds)
        let engine = Engine(
            configuration: EngineConfiguration(
                defaultLimits: start, maximumMemoryBytes: limits.memoryBytes,
                maximumTableElements: 100_000))
        let store = Store(engine: engine)
        var imports = Imports()
        define(&imports, store)
        do {
            instance = try module.instantiate(store: store, imports: imports)
            try instance.exports[function: "_initialize"]?.invoke([], limits: start)
        } catch {
            throw ViewFault(.startFailed, "\(error)")
        }
        guard let memory = instance.exports[memory: "memory"] else {
            throw ViewFault(.exportMissing, "memory")
        }
        self.memory = memory
        functions = try Self.functions(of: instance)
    }

    private static func functions(of instance: Instance) throws(ViewFault) -> Functions {
        func find(
            _ name: String, _ parameters: [ValueType], _ result: ValueType?
        ) throws(ViewFault) -> Function {
            let type = FunctionType(parameters: parameters, results: result.map { [$0] } ?? [])
            guard let function = instance.exports[function: name], function.type == type else {
                throw ViewFault(.exportMissing, name)
            }
            return function
        }
        return Functions(
            allocate: try find("op_alloc", [.i32], .i32),
            free: try find("op_free", [.i32, .i32], nil),
            mount: try find("op_mount", [.i64, .i32, .i32], .i32),
            update: try find("op_update", [.i32, .i32, .i32], nil),
            render: try find("op_render", [.i32, .i64], .i64),
            event: try find("op_event", [.i32, .i64, .i32, .i32], .i32),
            row: try find("op_row", [.i32, .i64, .i64], .i64),
            state: try find("op_state", [.i32, .i32], .i64),
            unmount: try find("op_unmount", [.i32], nil))
    }

    /// Mounts a view of the module.
    /// - Parameters:
    ///   - properties: the values of its properties, one encoded array.
    ///   - state: what ``MountedView/state()`` gave in a module before this one.
    /// - Throws: ``ViewFault``.
    public func mount(
        _ view: UInt64, properties: [UInt8] = [0x90], in surroundings: Surroundings = .init(),
        state: [UInt8]? = nil
    ) throws(ViewFault) -> MountedView {
        var message = surroundings.message(properties: properties)
        if let state {
            message[0] = 0x93
            message += state
        }
        let handle = try withBytes(message) {
            (pointer, count) throws(ViewFault) in
            try call(functions.mount, view, pointer, count)
        }
        guard handle != 0 else {
            throw ViewFault(.unknownView, "no view has the id \(String(view, radix: 16))")
        }
        return MountedView(self, UInt32(truncatingIfNeeded: handle), properties, surroundings)
    }

    /// Bytes of the guest's memory.
    public var memoryBytes: Int { memory.byteCount }

    // MARK: - Calls

    fileprivate func update(_ handle: UInt32, _ message: [UInt8]) throws(ViewFault) {
        _ = try withBytes(message) { (pointer, count) throws(ViewFault) in
            try call(functions.update, UInt64(handle), pointer, count)
        }
    }

    fileprivate func render(
        _ handle: UInt32, changesOnly: Bool = false
    ) throws(ViewFault) -> [UInt8] {
        try take(try call(functions.render, UInt64(handle), changesOnly ? 1 : 0)) ?? []
    }

    fileprivate func row(
        _ handle: UInt32, _ token: EventToken, _ index: Int
    ) throws(ViewFault) -> [UInt8]? {
        try take(try call(functions.row, UInt64(handle), token.rawValue, UInt64(index)))
    }

    fileprivate func event(
        _ handle: UInt32, _ token: EventToken, _ payload: [UInt8]
    ) throws(ViewFault) -> UInt64 {
        try withBytes(payload) { (pointer, count) throws(ViewFault) in
            try call(functions.event, UInt64(handle), token.rawValue, pointer, count)
        }
    }

    fileprivate func state(_ handle: UInt32) throws(ViewFault) -> [UInt8] {
        try take(try call(functions.state, UInt64(handle), 0)) ?? [0x90]
    }

    fileprivate func unmount(_ handle: UInt32) throws(ViewFault) {
        _ = try call(functions.unmount, UInt64(handle))
    }

    fileprivate func decode(
        _ bytes: [UInt8], after last: [ViewNode] = []
    ) throws(ViewFault) -> [ViewNode] {
        do throws(TreeError) {
            return try Tree.applying(bytes, to: last, limits: limits.tree)
        } catch {
            isSound = false
            throw ViewFault(.badTree, "byte \(error.offset)", tree: error)
        }
    }

    private func call(_ function: Function, _ arguments: UInt64...) throws(ViewFault) -> UInt64 {
        guard isSound else { throw ViewFault(.notSound, "an earlier call failed") }
        let result = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 4) {
            slots -> Result<UInt64, ViewFault> in
            slots.initialize(repeating: 0)
            for (index, argument) in arguments.enumerated() { slots[index] = argument }
            do {
                try function.invoke(
                    slots: slots, limits: CallLimits(timeoutNanoseconds: limits.callNanoseconds))
                return .success(function.type.results.isEmpty ? 0 : slots[0])
            } catch {
                return .failure(Self.fault(error))
            }
        }
        if case .failure = result { isSound = false }
        return try result.get()
    }

    private static func fault(_ error: any Error) -> ViewFault {
        guard let trap = error as? Trap else { return ViewFault(.trapped, "\(error)") }
        switch trap.reason {
        case .deadlineExceeded, .fuelExhausted, .cancelled:
            return ViewFault(.timeLimit, "\(trap)")
        default: return ViewFault(.trapped, "\(trap)")
        }
    }

    /// Lends bytes to the guest for one call.
    private func withBytes(
        _ bytes: [UInt8], _ body: (UInt64, UInt64) throws(ViewFault) -> UInt64
    ) throws(ViewFault) -> UInt64 {
        let count = UInt64(bytes.count)
        let pointer = try call(functions.allocate, count) & 0xffff_ffff
        guard pointer != 0 else { throw broken("no room for \(count) bytes") }
        do {
            try memory.write(bytes, at: pointer)
        } catch {
            throw broken("op_alloc answered \(pointer)")
        }
        let result = try body(pointer, count)
        _ = try call(functions.free, pointer, count)
        return result & 0xffff_ffff
    }

    /// Copies what a packed result names out of the guest and frees it there; nil for nothing.
    private func take(_ packed: UInt64) throws(ViewFault) -> [UInt8]? {
        if packed == 0 { return nil }
        let pointer = packed >> 32
        let count = packed & 0xffff_ffff
        guard count <= UInt64(limits.tree.bytes) else {
            throw broken("\(count) bytes of a tree")
        }
        let bytes: [UInt8]
        do {
            bytes = try memory.read(at: pointer, count: Int(count))
        } catch {
            throw broken("\(count) bytes at \(pointer)")
        }
        _ = try call(functions.free, pointer, count)
        return bytes
    }

    private func broken(_ detail: String) -> ViewFault {
        isSound = false
        return ViewFault(.memoryFault, detail)
    }
}

/// A view of a guest that is shown somewhere.
public final class MountedView {
    private let guest: GuestViews
    private let handle: UInt32
    private var properties: [UInt8]
    /// What surrounds the view.
    public private(set) var surroundings: Surroundings
    /// What ``renderChanges()`` gave last; a whole tree in between makes it old.
    private var shown: [ViewNode]?
    /// Bytes that the module sent for ``renderChanges()``.
    public private(set) var sentBytes = 0

    fileprivate init(
        _ guest: GuestViews, _ handle: UInt32, _ properties: [UInt8],
        _ surroundings: Surroundings
    ) {
        self.guest = guest
        self.handle = handle
        self.properties = properties
        self.surroundings = surroundings
    }

    /// What an event did.
    public struct Outcome: OptionSet, Sendable {
        /// A bit each, as the guest answers.
        public let rawValue: UInt32
        /// Takes the guest's answer.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// The tree is another one now.
        public static let changed = Outcome(rawValue: 1)
        /// No action has this token; the view that had it is gone.
        public static let unknownToken = Outcome(rawValue: 2)
        /// The screen asks to be dismissed.
        public static let dismissed = Outcome(rawValue: 4)
    }

    /// The view as bytes; the tree of ``render()``.
    /// - Throws: ``ViewFault``.
    public func renderedBytes() throws(ViewFault) -> [UInt8] {
        shown = nil
        return try guest.render(handle)
    }

    /// The view.
    /// - Throws: ``ViewFault``.
    public func render() throws(ViewFault) -> [ViewNode] {
        try guest.decode(try renderedBytes())
    }

    /// The view after what happened since this was asked last: the module draws and sends only
    /// what changed, when it knows.
    /// - Throws: ``ViewFault``.
    public func renderChanges() throws(ViewFault) -> [ViewNode] {
        let last = shown
        // Given away, so that the parts that stay are not copied.
        shown = nil
        let bytes = try guest.render(handle, changesOnly: last != nil)
        sentBytes = bytes.count
        let nodes = try guest.decode(bytes, after: last ?? [])
        shown = nodes
        return nodes
    }

    /// Tells the guest of an event.
    /// - Throws: ``ViewFault``.
    public func send(
        _ token: EventToken, _ payload: EventPayload = .none
    ) throws(ViewFault) -> Outcome {
        Outcome(
            rawValue: UInt32(
                truncatingIfNeeded: try guest.event(handle, token, payload.bytes)))
    }

    /// One row of a long list; nil when the list or the row is gone.
    /// - Throws: ``ViewFault``.
    public func row(
        _ token: EventToken, _ index: Int
    ) throws(ViewFault) -> [ViewNode]? {
        guard index >= 0, let bytes = try guest.row(handle, token, index) else { return nil }
        return try guest.decode(bytes)
    }

    /// Gives the view new properties or surroundings.
    /// - Throws: ``ViewFault``.
    public func update(
        properties: [UInt8]? = nil, in surroundings: Surroundings? = nil
    ) throws(ViewFault) {
        if let properties { self.properties = properties }
        if let surroundings { self.surroundings = surroundings }
        try guest.update(handle, self.surroundings.message(properties: self.properties))
    }

    /// All state of the view and of those in it whose types cross, for another module's view.
    /// - Throws: ``ViewFault``.
    public func state() throws(ViewFault) -> [UInt8] { try guest.state(handle) }

    /// Ends the view and its state.
    /// - Throws: ``ViewFault``.
    public func unmount() throws(ViewFault) { try guest.unmount(handle) }
}
