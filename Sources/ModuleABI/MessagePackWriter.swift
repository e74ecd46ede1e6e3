/// Appends MessagePack values to bytes, each in its one canonical form: integers, strings and
/// headers as short as they go, floats in the width asked for.
public struct MessagePackWriter: Sendable {
    /// What has been written so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty writer.
    public init() {}

    /// Makes room for `byteCount` bytes in all.
    public mutating func reserve(_ byteCount: Int) { bytes.reserveCapacity(byteCount) }

    /// Forgets what was written and keeps the room.
    public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Appends a value that is encoded already.
    public mutating func encoded(_ value: [UInt8]) { bytes += value }

    /// Appends nil.
    public mutating func `nil`() { bytes.append(0xc0) }

    /// Appends a truth value.
    public mutating func bool(_ value: Bool) { bytes.append(value ? 0xc3 : 0xc2) }

    /// Appends a signed integer, as short as it goes.
    public mutating func int(_ value: Int64) {
        if value >= 0 {
            uint(UInt64(value))
        } else if value >= -32 {
            bytes.append(UInt8(truncatingIfNeeded: value))
        } else if value >= Int64(Int8.min) {
            bytes.append(0xd0)
            append(UInt8(truncatingIfNeeded: value))
        } else if value >= Int64(Int16.min) {
            bytes.append(0xd1)
            append(UInt16(truncatingIfNeeded: value))
        } else if value >= Int64(Int32.min) {
            bytes.append(0xd2)
            append(UInt32(truncatingIfNeeded: value))
        } else {
            bytes.append(0xd3)
            append(UInt64(bitPattern: value))
        }
    }

    /// Appends an unsigned integer, as short as it goes.
    public mutating func uint(_ value: UInt64) {
        if value <= 0x7f {
            bytes.append(UInt8(value))
        } else if value <= 0xff {
            bytes.append(0xcc)
            append(UInt8(value))
        } else if value <= 0xffff {
            bytes.append(0xcd)
            append(UInt16(value))
        } else if value <= 0xffff_ffff {
            bytes.append(0xce)
            append(UInt32(value))
        } else {
            bytes.append(0xcf)
            append(value)
        }
    }

    /// Appends a 32-bit float.
    public mutating func float(_ value: Float) {
        bytes.append(0xca)
        append(value.bitPattern)
    }

    /// Appends a 64-bit float.
    public mutating func double(_ value: Double) {
        bytes.append(0xcb)
        append(value.bitPattern)
    }

    /// Appends a position in `text`, counted in UTF-8; -1, which no reader takes, for one outside.
    public mutating func position(_ index: String.Index, in text: Substring) {
        guard index >= text.startIndex, index <= text.endIndex else { return int(-1) }
        int(Int64(text.utf8.distance(from: text.startIndex, to: index)))
    }

    /// Appends text; what is not valid Unicode cannot occur in a Swift `String`.
    public mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            stringHeader(utf8.count)
            bytes.append(contentsOf: utf8)
        }
    }

    /// Appends bytes.
    public mutating func binary(_ value: some Collection<UInt8>) {
        let count = value.count
        if count <= 0xff {
            bytes.append(0xc4)
            append(UInt8(count))
        } else if count <= 0xffff {
            bytes.append(0xc5)
            append(UInt16(count))
        } else {
            bytes.append(0xc6)
            append(UInt32(clamping: count))
        }
        bytes.append(contentsOf: value)
    }

    /// Announces `count` elements, which the caller appends next.
    public mutating func arrayHeader(_ count: Int) {
        if count <= 15 {
            bytes.append(0x90 | UInt8(truncatingIfNeeded: count))
        } else if count <= 0xffff {
            bytes.append(0xdc)
            append(UInt16(count))
        } else {
            bytes.append(0xdd)
            append(UInt32(clamping: count))
        }
    }

    /// Announces `count` pairs, which the caller appends next, sorted by encoded key.
    public mutating func mapHeader(_ count: Int) {
        if count <= 15 {
            bytes.append(0x80 | UInt8(truncatingIfNeeded: count))
        } else if count <= 0xffff {
            bytes.append(0xde)
            append(UInt16(count))
        } else {
            bytes.append(0xdf)
            append(UInt32(clamping: count))
        }
    }

    /// Appends values that are encoded already.
    public mutating func encoded(_ value: some Sequence<UInt8>) {
        bytes.append(contentsOf: value)
    }

    private mutating func stringHeader(_ count: Int) {
        if count <= 31 {
            bytes.append(0xa0 | UInt8(truncatingIfNeeded: count))
        } else if count <= 0xff {
            bytes.append(0xd9)
            append(UInt8(count))
        } else if count <= 0xffff {
            bytes.append(0xda)
            append(UInt16(count))
        } else {
            bytes.append(0xdb)
            append(UInt32(clamping: count))
        }
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
