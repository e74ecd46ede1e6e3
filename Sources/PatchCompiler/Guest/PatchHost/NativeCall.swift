import PatchGuest

// Calls of the app's own native functions.

@_extern(wasm, module: "openpatch", name: "native.call") @_extern(c)
func op_host_native_call(_ id: Int64, _ pointer: Int32, _ length: Int32) -> Int32

@_extern(wasm, module: "openpatch", name: "native.take") @_extern(c)
func op_host_native_take(_ pointer: Int32)

/// A call of a function that the app has natively.
public enum NativeCall {
    /// Calls the function with an id.
    /// - Parameter arguments: the encoded arguments; the writer must not be used afterwards.
    /// - Returns: the encoded answer, to be given back with ``GuestReader/discard()``.
    public static func answer(_ id: UInt64, _ arguments: GuestWriter) -> GuestReader {
        exchange(
            arguments, { op_host_native_call(Int64(bitPattern: id), $0, $1) },
            take: { op_host_native_take($0) })
    }
}
