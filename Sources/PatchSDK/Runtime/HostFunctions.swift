import Foundation
import PatchPlatform
import WebAssembly

/// The functions of wasm module `openpatch` that this version provides. A capability of the core
/// set that has none yet is refused by name.
struct HostFunctions: Sendable {
    let clock: any SystemClock
    let random: any RandomSource
    /// Takes what modules log: level (0 debug, 1 info, 2 warning, 3 error) and text.
    let log: @Sendable (Int, String) -> Void

    /// The longest line that a module may log, and the most random bytes at once.
    static let maximumBytes = 64 << 10

    private static let types: [String: FunctionType] = [
        "log.write": FunctionType(parameters: [.i32, .i32, .i32]),
        "clock.now": FunctionType(parameters: [], results: [.f64]),
        "clock.monotonic": FunctionType(parameters: [], results: [.i64]),
        "random.fill": FunctionType(parameters: [.i32, .i32]),
        "random.u64": FunctionType(parameters: [], results: [.i64]),
    ]

    /// The type of a function, or nil when there is none of that name.
    static func type(of name: String) -> FunctionType? { types[name] }

    /// Provides all functions to a store. Which of them a module may import was checked before.
    func define(in imports: inout Imports, store: Store) {
        func add(
            _ name: String,
            _ body: @escaping (Caller, UnsafeMutableBufferPointer<UInt64>) throws -> Void
        ) {
            guard let type = Self.types[name] else { return }
            imports.define(
                module: CapabilityName.importModule, name: name,
                Function(store: store, type: type, rawBody: body))
        }
        add("log.write") { [log] caller, slots in
            let level = Int(Int32(truncatingIfNeeded: slots[0]))
            let bytes = try Self.read(caller, pointer: slots[1], count: slots[2])
            log(min(max(level, 0), 3), String(decoding: bytes, as: UTF8.self))
        }
        add("clock.now") { [clock] _, slots in slots[0] = clock.now().bitPattern }
        add("clock.monotonic") { [clock] _, slots in slots[0] = clock.monotonicNanoseconds() }
        add("random.u64") { [random] _, slots in
            slots[0] = random.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        add("random.fill") { [random] caller, slots in
            let count = UInt32(truncatingIfNeeded: slots[1])
            guard count <= Self.maximumBytes, let memory = caller.memory else {
                throw PatchError(.guestMemoryFault, "random.fill of \(count) bytes")
            }
            let pointer = UInt64(UInt32(truncatingIfNeeded: slots[0]))
            try memory.write(random.bytes(Int(count)), at: pointer)
        }
    }

    private static func read(
        _ caller: Caller, pointer: UInt64, count: UInt64
    ) throws -> [UInt8] {
        let count = UInt32(truncatingIfNeeded: count)
        guard count <= maximumBytes, let memory = caller.memory else {
            throw PatchError(.guestMemoryFault, "\(count) bytes")
        }
        return try memory.read(
            at: UInt64(UInt32(truncatingIfNeeded: pointer)), count: Int(count))
    }
}
