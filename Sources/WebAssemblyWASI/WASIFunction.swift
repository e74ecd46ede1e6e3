import WebAssembly

/// One function of preview 1: its name, its wasm type, and what it does.
struct WASIFunction: Sendable {
    typealias Body = @Sendable (WASISystem, GuestMemory, WASIArguments) throws -> Void

    let name: String
    /// All but `proc_exit` give an errno.
    let type: FunctionType
    private let body: Body

    /// - Parameter types: the parameters, `i` for i32 and `l` for i64.
    init(_ name: String, _ types: String, returns: Bool = true, _ body: @escaping Body) {
        self.name = name
        type = FunctionType(
            parameters: types.map { $0 == "l" ? .i64 : .i32 }, results: returns ? [.i32] : [])
        self.body = body
    }

    /// Makes the call whose arguments are in `slots`, where its errno is left.
    /// - Throws: only ``WASIExit``; all else is told to the guest by number.
    func call(
        _ system: WASISystem, _ memory: GuestMemory, _ slots: UnsafeMutableBufferPointer<UInt64>
    ) throws {
        var outcome = WASIErrno.success
        do {
            try body(system, memory, WASIArguments(UnsafeBufferPointer(slots)))
        } catch let errno as WASIErrno {
            outcome = errno
        }
        if !type.results.isEmpty { slots[0] = UInt64(outcome.rawValue) }
    }

    static let groups: [[WASIFunction]] = [
        arguments, clocks, process, streams, descriptors, paths, sockets,
    ]
    static let all: [WASIFunction] = groups.flatMap { $0 }
}

/// The arguments of a call, by position. The engine has checked their number and types already.
struct WASIArguments {
    private let slots: UnsafeBufferPointer<UInt64>
    init(_ slots: UnsafeBufferPointer<UInt64>) { self.slots = slots }

    subscript(_ index: Int) -> UInt32 { UInt32(truncatingIfNeeded: long(index)) }

    func long(_ index: Int) -> UInt64 { index < slots.count ? slots[index] : 0 }
}
