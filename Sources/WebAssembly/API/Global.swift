/// A global variable (core specification 2.0, section 4.2.9).
public struct Global {
    /// The store that it lives in.
    public let store: Store
    /// The type of its value, and whether it can be assigned.
    public let type: GlobalType
    let cell: UnsafeMutablePointer<UInt64>

    init(cell: UnsafeMutablePointer<UInt64>, type: GlobalType, store: Store) {
        self.cell = cell
        self.type = type
        self.store = store
    }

    /// Makes a global that modules can import.
    /// - Throws: ``WasmUsageError`` when a reference is of another store; ``WasmLinkError`` when
    ///   the store has as many globals as the engine allows.
    public init(store: Store, value: Value, isMutable: Bool = false) throws {
        let bits = try store.bits(value, as: value.type)
        self.init(
            cell: try store.addGlobal(bits),
            type: GlobalType(value: value.type, isMutable: isMutable),
            store: store)
    }

    /// The present value.
    public var value: Value { Value(bits: cell.pointee, type: type.value) }

    /// Assigns the global.
    /// - Throws: ``WasmUsageError`` when it is immutable or the value is of another type.
    public func set(_ value: Value) throws {
        guard type.isMutable else {
            throw WasmUsageError(
                code: "immutable_global", message: "the global cannot be assigned")
        }
        cell.pointee = try store.bits(value, as: type.value)
    }
}
