import WebAssembly

/// One function of preview 1: its name, its wasm type, and what it does.
struct WASIFunction: Sendable {
    typealias Body = @Sendable (WASISystem, GuestMemory, WASIArguments) throws -> Void

    let name: String
    let parameters: [ValueType]
    /// All but `proc_exit` give an errno.
    let results: [ValueType]
    private let body: Body

    /// - Parameter types: the parameters, `i` for i32 and `l` for i64.
    init(_ name: String, _ types: String, returns: Bool = true, _ body: @escaping Body) {
        self.name = name
        parameters = types.map { $0 == "l" ? .i64 : .i32 }
        results = returns ? [.i32] : []
        self.body = body
    }

    /// - Throws: only ``WASIExit``; all else is told to the guest by number.
    func call(
        _ system: WASISystem, _ memory: GuestMemory, _ arguments: [Value]
    ) throws -> [Value] {
        do {
            try body(system, memory, WASIArguments(arguments))
            return results.isEmpty ? [] : [.i32(UInt32(WASIErrno.success.rawValue))]
        } catch let errno as WASIErrno {
            return results.isEmpty ? [] : [.i32(UInt32(errno.rawValue))]
        }
    }

    static let groups: [[WASIFunction]] = [
        arguments, clocks, process, streams, descriptors, paths, sockets,
    ]
    static let all: [WASIFunction] = groups.flatMap { $0 }
}

/// The arguments of a call, by position. The engine has checked their types already.
struct WASIArguments {
    private let values: [Value]
    init(_ values: [Value]) { self.values = values }

    subscript(_ index: Int) -> UInt32 {
        guard index < values.count, case .i32(let value) = values[index] else { return 0 }
        return value
    }

    func long(_ index: Int) -> UInt64 {
        guard index < values.count, case .i64(let value) = values[index] else { return 0 }
        return value
    }
}
