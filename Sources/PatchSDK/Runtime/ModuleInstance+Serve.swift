import CPatchGate
import WebAssembly

/// One call of a function, from the arguments that the app wrote to the result that it reads.
extension ModuleInstance {
    /// An encoded argument in the guest, which is the host's to free.
    struct Placed {
        var pointer: UInt32
        var count: UInt32
    }

    /// Places the arguments, calls one of the functions in their order, and reads the result.
    /// - Throws: ``PatchError``.
    func serve(
        _ function: patch_function, _ arguments: inout PatchArguments,
        _ read: (inout PatchResult) throws -> Void
    ) throws {
        let placed = try place(&arguments, for: function, type(of: Int(function.index)))
        try arguments.slots.withSlots { try call(Int(function.index), $0) }
        try self.read(arguments.slots[0], of: function, read)
        if let placed { try release(placed.pointer, placed.count) }
    }

    /// Copies an encoded argument into the guest, and checks the arguments against the export.
    func place(
        _ arguments: inout PatchArguments, for function: patch_function,
        _ type: @autoclosure () -> FunctionType
    ) throws -> Placed? {
        if !arguments.isEncoded {
            guard arguments.fits(function) else { throw Self.mismatch(type()) }
            return nil
        }
        let value = arguments.encodedValue
        guard function.takesPlace else { throw Self.mismatch(type()) }
        let here = Placed(pointer: try place(value), count: UInt32(value.count))
        arguments.slots[0] = UInt64(here.pointer)
        arguments.slots[1] = UInt64(here.count)
        return here
    }

    /// Lets `read` read what a call left.
    func read<Value>(
        _ slot: UInt64, of function: patch_function, _ read: (inout PatchResult) throws -> Value
    ) throws -> Value {
        var result = PatchResult(slot: slot, type: function.result, instance: self)
        do {
            return try read(&result)
        } catch let error as PatchError {
            throw error
        } catch {
            throw PatchError(.resultMalformed, "\(error)")
        }
    }

    private static func mismatch(_ type: FunctionType) -> PatchError {
        PatchError(.argumentMismatch, "the export is \(type)")
    }
}
