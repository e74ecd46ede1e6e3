import PatchGuest

// Questions to the app's own Foundation.

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
        exchange(question, ask, take: { op_host_format_take($0) })
    }
}
