import CWasmCore

/// The elements of a table.
final class TableData {
    let type: TableType
    let record: UnsafeMutablePointer<wc_table>
    private var capacity: Int
    private let most: UInt64
    private let quota: Quota

    init(_ type: TableType, most allowed: UInt64, _ quota: Quota) throws {
        self.type = type
        self.quota = quota
        if type.minimum > allowed {
            throw WasmLinkError(
                code: "table_too_large",
                message: "a table of \(type.minimum) elements where the engine allows \(allowed)")
        }
        try quota.addTable()
        if !quota.takeElements(type.minimum) {
            throw WasmLinkError(
                code: "table_too_large",
                message: "the store's tables would be larger together than the engine allows")
        }
        most = min(allowed, type.maximum ?? allowed)
        capacity = Int(type.minimum)
        guard let elements = System.zeroed(UInt64.self, capacity) else {
            throw WasmLinkError("out of memory", "a table of \(type.minimum) elements")
        }
        record = .allocate(capacity: 1)
        record.initialize(to: wc_table(elements: elements, count: type.minimum))
    }

    deinit {
        System.free(record.pointee.elements)
        record.deallocate()
    }

    var currentType: TableType {
        TableType(
            element: type.element, minimum: record.pointee.count, maximum: type.maximum,
            is64: type.is64)
    }

    /// The size that `more` elements would make, or nil when the table cannot have them.
    func count(after more: UInt64) -> UInt64? {
        let before = record.pointee.count
        return more > most || before > most - more ? nil : before + more
    }

    /// Grows by `count` elements that are all `bits` and answers the size before, or nil.
    func grow(by count: UInt64, _ bits: UInt64) -> UInt64? {
        let before = record.pointee.count
        guard let wanted = self.count(after: count), quota.takeElements(count) else { return nil }
        let size = Int(wanted)
        if size > capacity {
            let room = max(size, min(capacity * 2, Int(most)))
            guard let new = System.zeroed(UInt64.self, room) else {
                quota.returnElements(count)
                return nil
            }
            new.update(from: record.pointee.elements, count: Int(before))
            System.free(record.pointee.elements)
            record.pointee.elements = new
            capacity = room
        }
        for index in Int(before)..<size { record.pointee.elements[index] = bits }
        record.pointee.count = UInt64(size)
        return before
    }

    /// Whether `at ..< at + count` lies inside the table.
    func contains(_ at: UInt64, _ count: UInt64) -> Bool {
        let size = record.pointee.count
        return count <= size && at <= size - count
    }
}
