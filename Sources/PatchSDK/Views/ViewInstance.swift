import ModuleABI
import WebAssembly

/// A view that a module shows: an instance of the module with the state of that view.
/// Used by one thread at a time.
final class ViewInstance {
    /// What the host calls in a module with views, and its types.
    static let exports: [(name: String, type: FunctionType)] = [
        ("op_mount", FunctionType(parameters: [.i64, .i32, .i32], results: [.i32])),
        ("op_update", FunctionType(parameters: [.i32, .i32, .i32])),
        ("op_render", FunctionType(parameters: [.i32, .i64], results: [.i64])),
        ("op_event", FunctionType(parameters: [.i32, .i64, .i32, .i32], results: [.i32])),
        ("op_row", FunctionType(parameters: [.i32, .i64, .i64], results: [.i64])),
        ("op_state", FunctionType(parameters: [.i32, .i32], results: [.i64])),
    ]

    /// Bytes that a tree may have; what reads it holds it to the same.
    static let maximumTreeBytes: UInt32 = 8 << 20

    /// The module that is shown.
    let module: LoadedModule
    private let instance: ModuleInstance
    private let functions: [Function]
    private var handle: UInt64 = 0

    /// Mounts a view.
    /// - Parameter message: properties, surroundings and state.
    /// - Throws: ``PatchError``.
    init(_ module: LoadedModule, _ view: UInt64, _ message: [UInt8]) throws {
        self.module = module
        let instance = try module.makeInstance()
        self.instance = instance
        functions = try Self.exports.map { name, type in
            guard let function = instance.exportedFunction(name), function.type == type else {
                throw PatchError(.exportMissing, "'\(name)'")
            }
            return function
        }
        handle = try call(0, [view], message)
        guard handle != 0 else {
            throw PatchError(.exportMissing, "view \(DeclarationID.hex16(view))")
        }
    }

    func update(_ message: [UInt8]) throws { _ = try call(1, [handle], message) }

    /// - Parameter changesOnly: whether only what changed since the last answer will do.
    func render(changesOnly: Bool) throws -> [UInt8] {
        try take(try call(2, [handle, changesOnly ? 1 : 0]), most: Self.maximumTreeBytes) ?? []
    }

    func event(_ token: UInt64, _ payload: [UInt8]) throws -> UInt64 {
        try call(3, [handle, token], payload)
    }

    func row(_ list: UInt64, _ index: Int) throws -> [UInt8]? {
        try take(
            try call(4, [handle, list, UInt64(bitPattern: Int64(index))]),
            most: Self.maximumTreeBytes)
    }

    /// All state, or what changed of the values that native code keeps as well.
    func state(writtenOnly: Bool) throws -> ViewState {
        let packed = try call(5, [handle, writtenOnly ? 1 : 0])
        guard let bytes = try take(packed, most: 64 << 20) else { return ViewState(entries: []) }
        do {
            return try ViewState(reading: bytes)
        } catch {
            throw PatchError(.resultMalformed, "state: \(error)")
        }
    }

    private func call(_ number: Int, _ arguments: [UInt64], _ bytes: [UInt8]? = nil) throws
        -> UInt64
    {
        guard instance.isSound else { throw PatchError(.callFailed, "an earlier call failed") }
        let function = functions[number]
        return try module.call(on: instance) {
            var slots = InlineSlots()
            for (index, argument) in arguments.enumerated() { slots[index] = argument }
            var placed: UInt32?
            if let bytes {
                let pointer = try instance.place(bytes)
                slots[arguments.count] = UInt64(pointer)
                slots[arguments.count + 1] = UInt64(bytes.count)
                placed = pointer
            }
            try slots.withSlots { try instance.call(function, $0) }
            if let placed, let bytes { try instance.release(placed, UInt32(bytes.count)) }
            let result = function.type.results.first
            return result == nil
                ? 0 : result == .i32 ? slots[0] & 0xffff_ffff : slots[0]
        }
    }

    private func take(_ packed: UInt64, most: UInt32) throws -> [UInt8]? {
        let result = PackedResult(rawValue: packed)
        if result.isNone { return nil }
        guard result.length <= most else {
            throw PatchError(.viewUnreadable, "\(result.length) bytes")
        }
        return try module.call(on: instance) { try instance.take(result) }
    }
}
