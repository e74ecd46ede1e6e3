/// A table of references (core specification 2.0, section 4.2.7).
public struct Table {
    /// The store that it lives in.
    public let store: Store

    /// Makes a table of nulls that modules can import.
    /// - Throws: ``WasmLinkError`` when it is larger than the engine allows.
    public init(store: Store, type: TableType) throws {
        throw WasmUsageError(code: "not_built_yet", message: "the engine is being built")
    }

    /// The type, with the present size as minimum.
    public var type: TableType { TableType(element: .funcRef, minimum: 0) }

    /// The present number of elements.
    public var count: UInt64 { 0 }

    /// The element at `index`.
    /// - Throws: ``Trap`` with `out_of_bounds_table_access`.
    public func get(_ index: UInt64) throws -> Reference { .nullFunction }

    /// Replaces the element at `index`.
    /// - Throws: ``Trap`` with `out_of_bounds_table_access`; ``WasmUsageError`` when the reference
    ///   is of another kind or another store.
    public func set(_ index: UInt64, _ reference: Reference) throws {}

    /// Grows the table by `count` elements.
    /// - Returns: the size before, or nil when it cannot grow that far.
    @discardableResult
    public func grow(by count: UInt64, _ reference: Reference) throws -> UInt64? { nil }
}
