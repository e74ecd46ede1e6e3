import CPatchGate
import ModuleABI
import WebAssembly

/// What a call into a module returned, as generated code reads it.
public struct PatchResult {
    @usableFromInline let slot: UInt64
    /// The type that the export declares, in the form of ``PatchArguments``.
    @usableFromInline let type: UInt8
    // Unowned, because the call that the result is of keeps it, and counting costs as much as the call.
    private unowned(unsafe) let instance: ModuleInstance?

    init(slot: UInt64, type: UInt8, instance: ModuleInstance?) {
        self.slot = slot
        self.type = type
        self.instance = instance
    }

    /// The result as i32.
    /// - Throws: ``PatchError`` with code `result_mismatch`.
    @inlinable
    public func i32() throws -> UInt32 {
        if type != 0 { throw Self.mismatch }
        return UInt32(truncatingIfNeeded: slot)
    }

    /// The result as i64.
    /// - Throws: ``PatchError`` with code `result_mismatch`.
    @inlinable
    public func i64() throws -> UInt64 {
        if type != 1 { throw Self.mismatch }
        return slot
    }

    /// The result as `Float`.
    /// - Throws: ``PatchError`` with code `result_mismatch`.
    @inlinable
    public func f32() throws -> Float {
        if type != 2 { throw Self.mismatch }
        return Float(bitPattern: UInt32(truncatingIfNeeded: slot))
    }

    /// The result as `Double`.
    /// - Throws: ``PatchError`` with code `result_mismatch`.
    @inlinable
    public func f64() throws -> Double {
        if type != 3 { throw Self.mismatch }
        return Double(bitPattern: slot)
    }

    /// Reads the encoded value that a packed result points at; a packed nil reads as a nil value.
    /// - Throws: ``PatchError`` for a place outside the module's memory, what `body` throws, and
    ///   ``MessagePackError`` when bytes are left over.
    @inlinable
    public mutating func decoded<Value>(
        _ body: (inout MessagePackReader) throws -> Value
    ) throws -> Value {
        var reader = try reader()
        let value = try body(&reader)
        try reader.finish()
        return value
    }

    @usableFromInline static var mismatch: any Error { PatchError(.resultMismatch) }

    /// Takes the bytes that a packed result names out of the guest.
    @usableFromInline
    func reader() throws -> MessagePackReader {
        if type != 1 { throw Self.mismatch }
        let packed = PackedResult(rawValue: slot)
        guard !packed.isNone, let instance else { return MessagePackReader([0xC0]) }
        return try instance.takeReader(packed)
    }
}
