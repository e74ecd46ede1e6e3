// Questions to the app's own Foundation. As with native functions, the host keeps the answer until
// the guest has made room for it.

@_extern(wasm, module: "openpatch", name: "format.take") @_extern(c)
func op_host_format_take(_ pointer: Int32)

/// A question to the host's Foundation.
public enum HostAnswer {
    /// Asks with the values written; the writer must not be used afterwards.
    /// - Parameter ask: the host's function.
    /// - Returns: the encoded answer, to be given back with ``GuestReader/discard()``.
    public static func ask(
        _ question: GuestWriter, _ ask: (Int32, Int32) -> Int32
    ) -> GuestReader {
        let contents = question.contents
        let length = ask(
            Int32(truncatingIfNeeded: UInt(bitPattern: contents.baseAddress)),
            Int32(truncatingIfNeeded: contents.count))
        question.discard()
        let count = Int(UInt32(bitPattern: length))
        // One byte at least, so that there is an address to give back.
        let place = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 1)
        op_host_format_take(Int32(truncatingIfNeeded: UInt(bitPattern: place)))
        return GuestReader(UnsafeRawBufferPointer(start: place, count: count))
    }
}
