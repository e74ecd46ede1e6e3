/// Bytes. A slice keeps the indices of what it is a slice of.
public struct Data: Sendable, Hashable, RandomAccessCollection, MutableCollection,
    RangeReplaceableCollection, CustomStringConvertible
{
    private var bytes: ArraySlice<UInt8>

    private init(slice: ArraySlice<UInt8>) { bytes = slice }

    /// No bytes.
    public init() { bytes = [] }

    /// The bytes of a sequence.
    public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {
        bytes = ArraySlice(Array(elements))
    }

    /// The same byte many times.
    public init(repeating byte: UInt8, count: Int) {
        bytes = ArraySlice(Array(repeating: byte, count: count))
    }

    /// Zeros.
    public init(count: Int) { self.init(repeating: 0, count: count) }

    /// No bytes, with room for some.
    public init(capacity: Int) { bytes = [] }

    /// The first index.
    public var startIndex: Int { bytes.startIndex }
    /// The index after the last byte.
    public var endIndex: Int { bytes.endIndex }
    /// The index after another.
    public func index(after index: Int) -> Int { index + 1 }
    /// The index before another.
    public func index(before index: Int) -> Int { index - 1 }

    /// One byte.
    public subscript(index: Int) -> UInt8 {
        get { bytes[index] }
        set { bytes[index] = newValue }
    }

    /// Some of the bytes, under their indices.
    public subscript(range: Range<Int>) -> Data {
        get { Data(slice: bytes[range]) }
        set { bytes.replaceSubrange(range, with: newValue.bytes) }
    }

    /// Puts other bytes in the place of some.
    public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with new: C)
    where C.Element == UInt8 { bytes.replaceSubrange(range, with: new) }

    /// Adds bytes.
    public mutating func append(_ other: Data) { bytes.append(contentsOf: other.bytes) }

    /// A copy of some of the bytes, with indices from 0.
    public func subdata(in range: Range<Int>) -> Data { Data(bytes[range]) }

    /// Whether the same bytes follow each other.
    public static func == (left: Data, right: Data) -> Bool {
        left.bytes.elementsEqual(right.bytes)
    }

    /// Feeds the bytes, not their indices.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.count)
        for byte in bytes { hasher.combine(byte) }
    }

    /// As in `5 bytes`, and `1 bytes`.
    public var description: String { "\(count) bytes" }

    /// The bytes in groups of six bits, padded.
    public func base64EncodedString() -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            let second = rest.popFirst()
            let third = rest.popFirst()
            let bits = UInt32(first) << 16 | UInt32(second ?? 0) << 8 | UInt32(third ?? 0)
            text.append(digits[Int(bits >> 18 & 63)])
            text.append(digits[Int(bits >> 12 & 63)])
            text.append(second == nil ? UInt8(ascii: "=") : digits[Int(bits >> 6 & 63)])
            text.append(third == nil ? UInt8(ascii: "=") : digits[Int(bits & 63)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    /// How characters become bytes; a guest knows UTF-8 only.
    public struct Encoding: Sendable, Hashable {
        private let raw: UInt8
        /// UTF-8.
        public static let utf8 = Encoding(raw: 4)
    }

    /// Reads bytes as text; nil when they are none in that encoding.
    public init?(data: Data, encoding: Encoding) {
        // Foundation takes a byte order mark away in some versions: the app knows in which.
        precondition(!data.starts(with: [0xef, 0xbb, 0xbf]))
        let text = String(decoding: data, as: UTF8.self)
        guard text.utf8.elementsEqual(data) else { return nil }
        self = text
    }

    /// The text's bytes.
    public func data(using encoding: Encoding) -> Data? { Data(utf8) }
}
