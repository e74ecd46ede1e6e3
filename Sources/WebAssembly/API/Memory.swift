/// A linear memory (core specification 2.0, section 4.2.8).
public struct Memory {
    /// The store that it lives in.
    public let store: Store

    /// Makes a memory that modules can import.
    /// - Throws: ``WasmLinkError`` when it is larger than the engine allows.
    public init(store: Store, type: MemoryType) throws {
        throw WasmUsageError(code: "not_built_yet", message: "the engine is being built")
    }

    /// The type, with the present size as minimum.
    public var type: MemoryType { MemoryType(minimum: 0) }

    /// The present size in bytes.
    public var byteCount: Int { 0 }

    /// The present size in pages of 65,536 bytes.
    public var pageCount: UInt64 { 0 }

    /// Grows the memory by `pages`.
    /// - Returns: the size before, in pages, or nil when it cannot grow that far.
    @discardableResult
    public func grow(by pages: UInt64) -> UInt64? { nil }

    /// Gives `body` the bytes `offset ..< offset + count`; they are valid inside of it only.
    ///
    /// A range outside the memory is a mistake of the host: `body` then works on zeroed scratch
    /// bytes, and the store refuses every later call with `host_access_out_of_bounds`.
    public func withUnsafeMutableBufferPointer<T>(
        offset: UInt, count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> T
    ) rethrows -> T {
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        scratch.initializeMemory(as: UInt8.self, repeating: 0)
        defer { scratch.deallocate() }
        return try body(scratch)
    }

    /// Copies bytes out of the memory.
    /// - Throws: ``Trap`` with `out_of_bounds_memory_access`.
    public func read(at address: UInt64, count: Int) throws -> [UInt8] {
        throw WasmUsageError(code: "not_built_yet", message: "the engine is being built")
    }

    /// Copies bytes into the memory.
    /// - Throws: ``Trap`` with `out_of_bounds_memory_access`.
    public func write(_ bytes: [UInt8], at address: UInt64) throws {
        throw WasmUsageError(code: "not_built_yet", message: "the engine is being built")
    }
}
