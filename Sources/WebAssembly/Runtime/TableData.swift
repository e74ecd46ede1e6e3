import CWasmCore

/// The elements of a table.
final class TableData {
    let type: TableType
    let record: UnsafeMutablePointer<wc_table>
    private var capacity: Int
    private let most: UInt64

    init(_ type: TableType, most allowed: UInt64) throws {
        self.type = type
        if type.minimum > allowed {
            throw WasmLinkError(
                code: "table_too_large",
                message: "a table of \(type.minimum) elements where the engine allows \(allowed)")
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

    /// Grows by `count` elements that are all `bits` and answers the size before, or nil.
    func grow(by count: UInt64, _ bits: UInt64) -> UInt64? {
        let before = record.pointee.count
        if count > most || before > most - count { return nil }
        let size = Int(before + count)
        if size > capacity {
            let room = max(size, min(capacity * 2, Int(most)))
            guard let new = System.zeroed(UInt64.self, room) else { return nil }
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
