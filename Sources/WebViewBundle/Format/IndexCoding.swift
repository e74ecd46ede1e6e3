/// Reads the integers and texts of an index; every length is checked against what is there.
struct IndexReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }

    /// A variable-length integer: one byte up to 250, else a tag and 2, 4 or 8 bytes, big-endian.
    /// Longer forms than needed are accepted; tags for 16 bytes and the reserved one are not.
    mutating func integer() throws -> UInt64 {
        let tag = try byte()
        let width: Int
        switch tag {
        case 0...250: return UInt64(tag)
        case 251: width = 2
        case 252: width = 4
        case 253: width = 8
        default:
            throw BundleFormatError(
                .badInteger, "The index has an integer of an unknown form (\(tag)).")
        }
        guard remaining >= width else { throw Self.cutShort }
        var value: UInt64 = 0
        for _ in 0..<width { value = value << 8 | UInt64(try byte()) }
        return value
    }

    /// The range of a text of at most `most` bytes, preceded by its length.
    mutating func text(most: Int) throws -> Range<UInt32> {
        let length = try integer()
        guard length <= UInt64(remaining) else { throw Self.cutShort }
        guard length <= UInt64(most) else {
            throw BundleFormatError(
                .textTooLong, "A text of \(length) bytes stands in the index; \(most) are allowed.")
        }
        let start = UInt32(position)
        position += Int(length)
        return start..<UInt32(position)
    }

    private mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw Self.cutShort }
        defer { position += 1 }
        return bytes[position]
    }

    private static var cutShort: BundleFormatError {
        BundleFormatError(
            .truncated, "The index ends in the middle of an entry; fetch or pack the bundle again.")
    }
}

/// Writes the integers and texts of an index, each in its shortest form.
struct IndexWriter {
    private(set) var bytes: [UInt8] = []

    mutating func integer(_ value: UInt64) {
        switch value {
        case 0...250: bytes.append(UInt8(value))
        case 251...0xFFFF: append(251, value, width: 2)
        case 0x1_0000...0xFFFF_FFFF: append(252, value, width: 4)
        default: append(253, value, width: 8)
        }
    }

    mutating func text(_ text: String) {
        integer(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    private mutating func append(_ tag: UInt8, _ value: UInt64, width: Int) {
        bytes.append(tag)
        for index in (0..<width).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))))
        }
    }
}

/// Big-endian 32-bit numbers, as header and checksums have them.
enum BigEndian {
    static func read(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    }

    static func bytes(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
}
