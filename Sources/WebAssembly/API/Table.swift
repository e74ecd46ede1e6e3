/// A table of references (core specification 2.0, section 4.2.7).
public struct Table {
    let data: TableData
    /// The store that it lives in.
    public let store: Store

    init(data: TableData, store: Store) {
        self.data = data
        self.store = store
    }

    /// Makes a table of nulls that modules can import.
    /// - Throws: ``WasmLinkError`` when it is larger than the engine allows.
    public init(store: Store, type: TableType) throws {
        self.init(data: try store.addTable(type), store: store)
    }

    /// The type, with the present size as minimum.
    public var type: TableType { data.currentType }

    /// The present number of elements.
    public var count: UInt64 { data.record.pointee.count }

    /// The element at `index`.
    /// - Throws: ``Trap`` with `out_of_bounds_table_access`.
    public func get(_ index: UInt64) throws -> Reference {
        guard index < count else { throw Trap(.outOfBoundsTableAccess) }
        return Reference(bits: data.record.pointee.elements[Int(index)], type: data.type.element)
    }

    /// Replaces the element at `index`.
    /// - Throws: ``Trap`` with `out_of_bounds_table_access`; ``WasmUsageError`` when the reference
    ///   is of another kind or another store.
    public func set(_ index: UInt64, _ reference: Reference) throws {
        guard index < count else { throw Trap(.outOfBoundsTableAccess) }
        data.record.pointee.elements[Int(index)] =
            try store.bits(.ref(reference), as: data.type.element)
    }

    /// Grows the table by `count` elements that are all `reference`.
    /// - Returns: the size before, or nil when it cannot grow that far.
    /// - Throws: ``WasmUsageError`` when the reference is of another kind or another store.
    @discardableResult
    public func grow(by count: UInt64, _ reference: Reference) throws -> UInt64? {
        data.grow(by: count, try store.bits(.ref(reference), as: data.type.element))
    }
}
