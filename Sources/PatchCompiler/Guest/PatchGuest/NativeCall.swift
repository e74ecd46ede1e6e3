// Calls of the app's own native functions. The host keeps an answer until the guest has made room
// for it, so that nothing of the guest runs while it waits.

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
        let contents = arguments.contents
        let start = UInt(bitPattern: contents.baseAddress)
        let length = op_host_native_call(
            Int64(bitPattern: id), Int32(truncatingIfNeeded: start),
            Int32(truncatingIfNeeded: contents.count))
        arguments.discard()
        let count = Int(UInt32(bitPattern: length))
        // One byte at least, so that there is an address to give back.
        let place = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 1)
        op_host_native_take(Int32(truncatingIfNeeded: UInt(bitPattern: place)))
        return GuestReader(UnsafeRawBufferPointer(start: place, count: count))
    }
}
