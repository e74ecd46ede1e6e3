/// A linear memory (core specification 2.0, section 4.2.8).
public struct Memory {
    let data: MemoryData
    /// The store that it lives in.
    public let store: Store

    init(data: MemoryData, store: Store) {
        self.data = data
        self.store = store
    }

    /// Makes a memory that modules can import.
    /// - Throws: ``WasmLinkError`` when it is larger than the engine allows.
    public init(store: Store, type: MemoryType) throws {
        self.init(data: try store.addMemory(type), store: store)
    }

    /// The type, with the present size as minimum.
    public var type: MemoryType { data.currentType }

    /// The present size in bytes.
    public var byteCount: Int { Int(data.record.pointee.length) }

    /// The present size in pages of 65,536 bytes.
    public var pageCount: UInt64 { data.record.pointee.length >> 16 }

    /// Grows the memory by `pages`.
    /// - Returns: the size before, in pages, or nil when it cannot grow that far.
    @discardableResult
    public func grow(by pages: UInt64) -> UInt64? { data.grow(by: pages) }

    /// Gives `body` the bytes `offset ..< offset + count`; they are valid inside of it only, and
    /// only until the guest runs again.
    ///
    /// A range outside the memory is a mistake of the host: `body` then works on zeroed scratch
    /// bytes, and the store refuses every later call with `host_access_out_of_bounds`.
    public func withUnsafeMutableBufferPointer<T>(
        offset: UInt, count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> T
    ) rethrows -> T {
        if let base = data.address(UInt64(offset), count) {
            return try body(UnsafeMutableRawBufferPointer(start: base, count: count))
        }
        store.isPoisoned = true
        // As large as the range when that is sane: `body` may rely on `count`.
        let size = max(0, min(count, 1 << 30))
        guard let scratch = System.map(max(size, 1)) else {
            return try body(UnsafeMutableRawBufferPointer(start: nil, count: 0))
        }
        defer { System.unmap(scratch, max(size, 1)) }
        return try body(UnsafeMutableRawBufferPointer(start: scratch, count: size))
    }

    /// Copies bytes out of the memory.
    /// - Throws: ``Trap`` with `out_of_bounds_memory_access`.
    public func read(at address: UInt64, count: Int) throws -> [UInt8] {
        guard let base = data.address(address, count) else { throw Trap(.outOfBoundsMemoryAccess) }
        return [UInt8](UnsafeRawBufferPointer(start: base, count: count))
    }

    /// Copies bytes into the memory.
    /// - Throws: ``Trap`` with `out_of_bounds_memory_access`.
    public func write(_ bytes: [UInt8], at address: UInt64) throws {
        guard let base = data.address(address, bytes.count) else {
            throw Trap(.outOfBoundsMemoryAccess)
        }
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(start: base, count: bytes.count).copyMemory(from: source)
        }
    }
}
