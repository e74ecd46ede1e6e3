import CWasmCore

/// The bytes of a linear memory. Pages beyond the length are mapped in advance, so that growing
/// rarely moves anything; untouched ones cost nothing.
final class MemoryData {
    let type: MemoryType
    let record: UnsafeMutablePointer<wc_memory>
    private var capacity: Int
    private let mostPages: UInt64
    private let quota: Quota

    init(_ type: MemoryType, most: UInt64, _ quota: Quota) throws {
        self.type = type
        self.quota = quota
        let allowed = min(type.is64 ? 1 << 32 : 65_536, most >> 16)
        if type.minimum > allowed {
            throw WasmLinkError(
                code: "memory_too_large",
                message: "a memory of \(type.minimum) pages where the engine allows \(allowed)")
        }
        if !quota.takeMemory(type.minimum << 16) {
            throw WasmLinkError(
                code: "memory_too_large",
                message: "the store's memories would be larger together than the engine allows")
        }
        mostPages = min(allowed, type.maximum ?? allowed)
        let length = Int(type.minimum) << 16
        let reserve = max(length, min(Int(mostPages) << 16, 4 << 20))
        record = .allocate(capacity: 1)
        guard let pages = reserve == 0 ? nil : System.map(reserve) else {
            record.initialize(to: wc_memory(bytes: nil, length: 0))
            capacity = 0
            if length > 0 { throw WasmLinkError("out of memory", "\(length) bytes") }
            return
        }
        capacity = reserve
        record.initialize(
            to: wc_memory(
                bytes: pages.bindMemory(to: UInt8.self, capacity: reserve), length: UInt64(length)))
    }

    deinit {
        if let bytes = record.pointee.bytes { System.unmap(bytes, capacity) }
        record.deallocate()
    }

    var currentType: MemoryType {
        MemoryType(minimum: record.pointee.length >> 16, maximum: type.maximum, is64: type.is64)
    }

    /// The address of a range, or nil when it is not inside the memory. An empty range may lie at
    /// the end.
    func address(_ at: UInt64, _ count: Int) -> UnsafeMutableRawPointer? {
        let length = record.pointee.length
        guard count >= 0, UInt64(count) <= length, at <= length - UInt64(count) else { return nil }
        guard let bytes = record.pointee.bytes else { return nil }
        return UnsafeMutableRawPointer(bytes + Int(at))
    }

    /// The size that `pages` more would make, or nil when the memory cannot have them.
    func pages(after more: UInt64) -> UInt64? {
        let before = record.pointee.length >> 16
        if more > mostPages || before > mostPages - more { return nil }
        return before + more
    }

    /// Grows by `pages` and answers the size before, or nil.
    func grow(by pages: UInt64) -> UInt64? {
        let before = record.pointee.length >> 16
        guard let size = self.pages(after: pages), quota.takeMemory(pages << 16) else { return nil }
        let length = Int(size) << 16
        if length > capacity {
            let room = max(length, min(capacity * 2, Int(mostPages) << 16))
            guard let new = System.map(room) else {
                quota.returnMemory(pages << 16)
                return nil
            }
            if let old = record.pointee.bytes {
                new.copyMemory(from: old, byteCount: Int(record.pointee.length))
                System.unmap(old, capacity)
            }
            record.pointee.bytes = new.bindMemory(to: UInt8.self, capacity: room)
            capacity = room
        }
        record.pointee.length = UInt64(length)
        return before
    }
}
