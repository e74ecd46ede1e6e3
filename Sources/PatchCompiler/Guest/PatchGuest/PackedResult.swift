/// A value in guest memory as an export returns it: `(pointer << 32) | length`.
public enum Packed {
    /// The absent value.
    @inline(always) public static var none: UInt64 { 0 }

    /// Copies `bytes` into memory of their own; the host gives it back with `op_free`.
    ///
    /// No bytes have an address too, because 0 means nil on the boundary.
    public static func bytes(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let place = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 1)
        if let start = bytes.baseAddress {
            place.copyMemory(from: start, byteCount: bytes.count)
        }
        return UInt64(UInt(bitPattern: place)) << 32 | UInt64(bytes.count)
    }
}
