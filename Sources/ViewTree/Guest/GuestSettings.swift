import WebAssembly

/// Settings that only live as long as this object: what previews and tests give `@AppStorage`
/// in place of an app's own (`PatchSDK`, `ModuleDefaults`). Used by the guest's thread only.
public final class GuestSettings {
    private var values: [String: (kind: UInt64, bytes: [UInt8])] = [:]

    /// No settings.
    public init() {}

    /// Provides `defaults.get` and `defaults.set`.
    public func define(in imports: inout Imports, store: Store) {
        let parameters = [ValueType](repeating: .i32, count: 5)
        imports.define(
            module: "openpatch", name: "defaults.get",
            Function(
                store: store, type: FunctionType(parameters: parameters, results: [.i32]),
                rawBody: get))
        imports.define(
            module: "openpatch", name: "defaults.set",
            Function(store: store, type: FunctionType(parameters: parameters), rawBody: set))
    }

    private func get(
        _ caller: Caller, _ slots: UnsafeMutableBufferPointer<UInt64>
    ) throws {
        guard let memory = caller.memory,
            let value = values[try text(memory, slots[1], slots[2])], value.kind == low(slots[0])
        else {
            slots[0] = 0xffff_ffff
            return
        }
        if UInt64(value.bytes.count) <= low(slots[4]) {
            try memory.write(value.bytes, at: low(slots[3]))
        }
        slots[0] = UInt64(value.bytes.count)
    }

    private func set(
        _ caller: Caller, _ slots: UnsafeMutableBufferPointer<UInt64>
    ) throws {
        guard let memory = caller.memory, low(slots[4]) <= 1 << 20 else { return }
        let key = try text(memory, slots[1], slots[2])
        let kind = low(slots[0])
        values[key] =
            kind == 0
            ? nil : (kind, try memory.read(at: low(slots[3]), count: Int(low(slots[4]))))
    }

    private func low(_ slot: UInt64) -> UInt64 { slot & 0xffff_ffff }

    private func text(_ memory: Memory, _ pointer: UInt64, _ count: UInt64) throws -> String {
        String(
            decoding: try memory.read(at: low(pointer), count: Int(min(low(count), 1 << 10))),
            as: UTF8.self)
    }
}
