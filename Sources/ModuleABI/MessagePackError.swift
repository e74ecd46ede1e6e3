/// Why bytes are not the value that was asked for.
public struct MessagePackError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A stable name of the fault.
    public enum Code: String, Sendable {
        /// The bytes end inside a value.
        case truncated
        /// A value of another kind stands there.
        case unexpectedType = "unexpected_type"
        /// An integer does not fit the type asked for.
        case outOfRange = "out_of_range"
        /// An array or map has another number of elements than the type has.
        case unexpectedCount = "unexpected_count"
        /// Text is not UTF-8.
        case invalidText = "invalid_text"
        /// Values are nested deeper than ``MessagePackReader/maximumDepth``.
        case tooDeep = "too_deep"
        /// Bytes are left over after the value.
        case trailingBytes = "trailing_bytes"
        /// The first byte of the value is not assigned by MessagePack.
        case invalidFormat = "invalid_format"
        /// A case index that the enum does not have, or a key that occurs twice.
        case invalidValue = "invalid_value"
    }

    /// What is wrong.
    public var kind: Code
    /// Offset of the value in the bytes read.
    public var offset: Int

    /// A fault at a place in the bytes.
    public init(_ kind: Code, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// The stable code, in snake case.
    public var code: String { kind.rawValue }

    /// The sentence for people.
    public var description: String {
        "the encoded value does not have the expected shape at byte \(offset) (\(code)); "
            + "build the module again for this app version"
    }
}
