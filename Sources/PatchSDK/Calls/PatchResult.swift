import ModuleABI
import WebAssembly

/// What a call into a module returned, as generated code reads it.
public struct PatchResult {
    let slot: UInt64
    /// The type that the export declares; nil for none.
    let type: ValueType?
    /// Reads (and frees) the bytes that a packed result names.
    let take: (PackedResult) throws -> [UInt8]

    /// The result as i32.
    /// - Throws: ``PatchError`` with code `result_mismatch`.
    public func i32() throws -> UInt32 {
        try require(.i32)
        return UInt32(truncatingIfNeeded: slot)
    }

    /// The result as i64.
    /// - Throws: ``PatchError`` with code `result_mismatch`.
    public func i64() throws -> UInt64 {
        try require(.i64)
        return slot
    }

    /// The result as `Float`.
    /// - Throws: ``PatchError`` with code `result_mismatch`.
    public func f32() throws -> Float {
        try require(.f32)
        return Float(bitPattern: UInt32(truncatingIfNeeded: slot))
    }

    /// The result as `Double`.
    /// - Throws: ``PatchError`` with code `result_mismatch`.
    public func f64() throws -> Double {
        try require(.f64)
        return Double(bitPattern: slot)
    }

    /// Reads the encoded value that a packed result points at; a packed nil reads as a nil value.
    /// - Throws: ``PatchError`` for a place outside the module's memory, what `body` throws, and
    ///   ``MessagePackError`` when bytes are left over.
    public mutating func decoded<Value>(
        _ body: (inout MessagePackReader) throws -> Value
    ) throws -> Value {
        try require(.i64)
        let packed = PackedResult(rawValue: slot)
        var reader = MessagePackReader(packed.isNone ? [0xC0] : try take(packed))
        let value = try body(&reader)
        try reader.finish()
        return value
    }

    private func require(_ expected: ValueType) throws {
        guard type == expected else { throw PatchError(.resultMismatch) }
    }
}
