/// What a generated export returns for a value in guest memory: `(pointer << 32) | length`, both
/// unsigned. Zero is nil; an empty value has a non-zero pointer and length 0.
public struct PackedResult: RawRepresentable, Hashable, Sendable {
    /// The value as it crosses, in one i64.
    public var rawValue: UInt64

    /// Takes the i64 that an export returned.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Packs a place in guest memory.
    public init(pointer: UInt32, length: UInt32) {
        rawValue = UInt64(pointer) << 32 | UInt64(length)
    }

    /// The absent value.
    public static let none = PackedResult(rawValue: 0)

    /// Where the bytes begin in guest memory.
    public var pointer: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
    /// The number of bytes.
    public var length: UInt32 { UInt32(truncatingIfNeeded: rawValue) }
    /// Whether no value came back, as opposed to an empty one.
    public var isNone: Bool { rawValue == 0 }
}
