// The guest's side of formats.md, "Values". The host encodes arguments by the same rules, so
// anything unexpected is a mismatch of builds: it traps, and the host serves the call natively.

/// Reads MessagePack values that the host wrote into guest memory.
public struct GuestReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    /// Reads the argument of an export.
    public init(_ pointer: Int32, _ length: Int32) {
        bytes = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(UInt32(bitPattern: pointer))),
            count: Int(UInt32(bitPattern: length)))
    }

    /// Reads bytes that the caller keeps.
    public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Traps unless all bytes were read, and gives them back.
    public func discard() {
        finish()
        abandon()
    }

    /// Gives the bytes back, read or not.
    public func abandon() { bytes.baseAddress?.deallocate() }

    /// The bytes that were not read.
    public var unread: [UInt8] { [UInt8](bytes[position...]) }

    /// Traps unless all bytes were read.
    public func finish() { GuestReader.check(position == bytes.count) }

    /// Reads a truth value.
    public mutating func bool() -> Bool {
        let tag = byte()
        GuestReader.check(tag == 0xc2 || tag == 0xc3)
        return tag == 0xc3
    }

    /// Reads an integer that fits `T`; on wasm32 an `Int` that does not is refused here.
    public mutating func integer<T: FixedWidthInteger>(_ type: T.Type) -> T {
        let tag = byte()
        switch tag {
        case 0x00...0x7f: return T(tag)
        case 0xe0...0xff: return exact(Int64(Int8(bitPattern: tag)))
        case 0xcc: return exact(big(1))
        case 0xcd: return exact(big(2))
        case 0xce: return exact(big(4))
        case 0xcf: return exact(big(8))
        case 0xd0: return exact(Int64(Int8(truncatingIfNeeded: big(1))))
        case 0xd1: return exact(Int64(Int16(truncatingIfNeeded: big(2))))
        case 0xd2: return exact(Int64(Int32(truncatingIfNeeded: big(4))))
        default:
            GuestReader.check(tag == 0xd3)
            return exact(Int64(bitPattern: big(8)))
        }
    }

    /// Reads a 32-bit float.
    public mutating func float() -> Float {
        GuestReader.check(byte() == 0xca)
        return Float(bitPattern: UInt32(truncatingIfNeeded: big(4)))
    }

    /// Reads a 64-bit float.
    public mutating func double() -> Double {
        GuestReader.check(byte() == 0xcb)
        return Double(bitPattern: big(8))
    }

    /// Reads text.
    public mutating func string() -> String {
        let tag = byte()
        let count: Int
        switch tag {
        case 0xa0...0xbf: count = Int(tag & 0x1f)
        case 0xd9: count = Int(big(1))
        case 0xda: count = Int(big(2))
        default:
            GuestReader.check(tag == 0xdb)
            count = Int(big(4))
        }
        return String(decoding: slice(count), as: UTF8.self)
    }

    /// Reads bytes.
    @inline(never) public mutating func binary() -> [UInt8] {
        let tag = byte()
        let count: Int
        switch tag {
        case 0xc4: count = Int(big(1))
        case 0xc5: count = Int(big(2))
        default:
            GuestReader.check(tag == 0xc6)
            count = Int(big(4))
        }
        return [UInt8](slice(count))
    }

    /// Whether an array stands next; reads nothing.
    public func nextIsArray() -> Bool {
        GuestReader.check(position < bytes.count)
        let first = bytes[position]
        return first & 0xf0 == 0x90 || first == 0xdc || first == 0xdd
    }

    /// Reads an array header of exactly `count` elements.
    public mutating func arrayHeader(exactly count: Int) {
        GuestReader.check(arrayHeader() == count)
    }

    /// Reads nil, or an array of the one value that `value` reads.
    public mutating func optional<T>(_ value: (inout GuestReader) -> T) -> T? {
        GuestReader.check(position < bytes.count)
        if bytes[position] == 0xc0 {
            position += 1
            return nil
        }
        arrayHeader(exactly: 1)
        return value(&self)
    }

    /// Reads an array.
    public mutating func array<T>(_ element: (inout GuestReader) -> T) -> [T] {
        let count = arrayHeader()
        var values: [T] = []
        values.reserveCapacity(count)
        var index = 0
        while index < count {
            values.append(element(&self))
            index += 1
        }
        return values
    }

    /// Reads a set.
    public mutating func set<T: Hashable>(_ element: (inout GuestReader) -> T) -> Set<T> {
        Set(array(element))
    }

    /// Reads a dictionary.
    public mutating func dictionary<Key: Hashable, Value>(
        key: (inout GuestReader) -> Key, value: (inout GuestReader) -> Value
    ) -> [Key: Value] {
        let tag = byte()
        let count: Int
        switch tag {
        case 0x80...0x8f: count = Int(tag & 0x0f)
        case 0xde: count = Int(big(2))
        default:
            GuestReader.check(tag == 0xdf)
            count = Int(big(4))
        }
        GuestReader.check(count <= bytes.count - position)
        var pairs: [Key: Value] = [:]
        var index = 0
        while index < count {
            let name = key(&self)
            pairs[name] = value(&self)
            index += 1
        }
        return pairs
    }

    /// Reads what `body` reads; the host's reader counts levels here.
    public mutating func nested<T>(_ body: (inout GuestReader) -> T) -> T { body(&self) }

    /// Begins a value that holds others; the host's reader counts levels here.
    public mutating func enter() {}

    /// Ends what ``enter()`` began.
    public mutating func leave() {}

    /// Reads text that `make` turns into a value.
    public mutating func parsed<T>(_ make: (String) -> T?) -> T {
        guard let value = make(string()) else { refuse() }
        return value
    }

    /// Reads a position in `text`, counted in UTF-8.
    public mutating func position(in text: Substring) -> String.Index {
        let offset = integer(Int.self)
        guard offset >= 0,
            let index = text.utf8.index(
                text.startIndex, offsetBy: offset, limitedBy: text.endIndex)
        else { refuse() }
        return index
    }

    /// Traps, for a case index that an enum does not have.
    public func refuse() -> Never {
        preconditionFailure("the argument is not encoded as this module expects")
    }

    /// Reads an array header: the number of elements.
    @inline(never) public mutating func arrayHeader() -> Int {
        let tag = byte()
        let count: Int
        switch tag {
        case 0x90...0x9f: count = Int(tag & 0x0f)
        case 0xdc: count = Int(big(2))
        default:
            GuestReader.check(tag == 0xdd)
            count = Int(big(4))
        }
        GuestReader.check(count <= bytes.count - position)
        return count
    }

    // Traps without a word: `fatalError` would print, and its text needs the capability `log`.
    private static func check(_ holds: Bool) {
        precondition(holds, "the argument is not encoded as this module expects")
    }

    private func exact<T: FixedWidthInteger>(_ value: Int64) -> T {
        guard let exact = T(exactly: value) else { preconditionFailure("int_range") }
        return exact
    }

    private func exact<T: FixedWidthInteger>(_ value: UInt64) -> T {
        guard let exact = T(exactly: value) else { preconditionFailure("int_range") }
        return exact
    }

    private mutating func byte() -> UInt8 {
        GuestReader.check(position < bytes.count)
        let value = bytes[position]
        position += 1
        return value
    }

    @inline(never) private mutating func big(_ count: Int) -> UInt64 {
        var value: UInt64 = 0
        var index = 0
        while index < count {
            value = value << 8 | UInt64(byte())
            index += 1
        }
        return value
    }

    @inline(never) private mutating func slice(_ count: Int) -> UnsafeRawBufferPointer {
        GuestReader.check(count <= bytes.count - position)
        let part = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        position += count
        return part
    }
}
