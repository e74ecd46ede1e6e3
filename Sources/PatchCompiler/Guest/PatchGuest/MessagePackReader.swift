/// Reads MessagePack values of a shape that the caller knows, in place.
///
/// The app encodes arguments from typed values, so a fault is a mismatch of app and module: it
/// traps, and the app serves the call with its own code. Nothing is allocated before its bytes
/// are known to be there.
public struct MessagePackReader {
    private var next: UnsafeRawPointer
    private var remaining: Int

    /// Reads the `length` bytes at `pointer`, which stay the host's.
    public init(_ pointer: UInt32, _ length: UInt32) {
        guard let start = UnsafeRawPointer(bitPattern: UInt(pointer)) else { trap() }
        next = start
        remaining = Int(length)
    }

    /// Traps unless all bytes have been read.
    public func finish() { if remaining != 0 { trap() } }

    /// Whether a nil stands next; reads it if so.
    public mutating func nextIsNil() -> Bool {
        guard remaining > 0 else { trap() }
        guard next.load(as: UInt8.self) == 0xc0 else { return false }
        skip(1)
        return true
    }

    /// Reads nil.
    public mutating func `nil`() { if byte() != 0xc0 { trap() } }

    /// Reads a truth value.
    public mutating func bool() -> Bool {
        switch byte() {
        case 0xc2: return false
        case 0xc3: return true
        default: trap()
        }
    }

    /// Reads an integer of any width; one that does not fit `T` traps.
    @inline(__always)
    public mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) -> T {
        let (bits, negative) = integerBits()
        if negative {
            guard let value = T(exactly: Int64(bitPattern: bits)) else { trap() }
            return value
        }
        guard let value = T(exactly: bits) else { trap() }
        return value
    }

    /// Reads a 32-bit float.
    public mutating func float() -> Float {
        guard byte() == 0xca else { trap() }
        return Float(bitPattern: UInt32(truncatingIfNeeded: bigEndian(4)))
    }

    /// Reads a 64-bit float.
    public mutating func double() -> Double {
        guard byte() == 0xcb else { trap() }
        return Double(bitPattern: bigEndian(8))
    }

    /// Reads text.
    public mutating func string() -> String {
        let tag = byte()
        let count: Int
        switch tag {
        case 0xa0...0xbf: count = Int(tag & 0x1f)
        case 0xd9...0xdb: count = length(tag &- 0xd9)
        default: trap()
        }
        return String(decoding: take(count), as: UTF8.self)
    }

    /// Reads bytes.
    public mutating func binary() -> [UInt8] {
        let tag = byte()
        guard tag >= 0xc4, tag <= 0xc6 else { trap() }
        return [UInt8](take(length(tag &- 0xc4)))
    }

    /// Reads the header of an array.
    public mutating func arrayHeader() -> Int {
        let tag = byte()
        switch tag {
        case 0x90...0x9f: return bounded(Int(tag & 0x0f), 1)
        case 0xdc, 0xdd: return bounded(length(tag &- 0xdb), 1)
        default: trap()
        }
    }

    /// Reads the header of an array that must have `count` elements.
    public mutating func arrayHeader(exactly count: Int) {
        if arrayHeader() != count { trap() }
    }

    /// Reads the header of a map: its number of pairs.
    public mutating func mapHeader() -> Int {
        let tag = byte()
        switch tag {
        case 0x80...0x8f: return bounded(Int(tag & 0x0f), 2)
        case 0xde, 0xdf: return bounded(length(tag &- 0xdd), 2)
        default: trap()
        }
    }

    /// Reads nil, or an array of the wrapped value.
    public mutating func optional<Wrapped>(
        _ wrapped: (inout MessagePackReader) -> Wrapped
    ) -> Wrapped? {
        if nextIsNil() { return nil }
        arrayHeader(exactly: 1)
        return wrapped(&self)
    }

    /// Reads an array.
    public mutating func array<Element>(
        _ element: (inout MessagePackReader) -> Element
    ) -> [Element] {
        let count = arrayHeader()
        var values: [Element] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(element(&self)) }
        return values
    }

    /// Reads a set.
    public mutating func set<Element: Hashable>(
        _ element: (inout MessagePackReader) -> Element
    ) -> Set<Element> {
        let count = arrayHeader()
        var values = Set<Element>(minimumCapacity: count)
        for _ in 0..<count { values.insert(element(&self)) }
        return values
    }

    /// Reads a dictionary; of equal keys the last one counts.
    public mutating func dictionary<Key: Hashable, Value>(
        key: (inout MessagePackReader) -> Key, value: (inout MessagePackReader) -> Value
    ) -> [Key: Value] {
        let count = mapHeader()
        var values = [Key: Value](minimumCapacity: count)
        for _ in 0..<count {
            let name = key(&self)
            values[name] = value(&self)
        }
        return values
    }

    /// Runs `body` with this reader: lets an expression read several values in order.
    @inline(__always)
    public mutating func nested<Value>(_ body: (inout MessagePackReader) -> Value) -> Value {
        body(&self)
    }

    private mutating func integerBits() -> (bits: UInt64, negative: Bool) {
        let tag = byte()
        switch tag {
        case 0x00...0x7f: return (UInt64(tag), false)
        case 0xe0...0xff: return (UInt64(bitPattern: Int64(Int8(bitPattern: tag))), true)
        case 0xcc...0xcf: return (bigEndian(1 << Int(tag &- 0xcc)), false)
        case 0xd0...0xd3:
            let width = 1 << Int(tag &- 0xd0)
            let unused = UInt64(64 - width * 8)
            let value = Int64(bitPattern: bigEndian(width) << unused) >> Int64(unused)
            return (UInt64(bitPattern: value), value < 0)
        default: trap()
        }
    }

    /// A length of `1 << width` bytes.
    private mutating func length(_ width: UInt8) -> Int { Int(bigEndian(1 << Int(width))) }

    /// A count of elements of at least `size` bytes each, which the bytes left can hold.
    private func bounded(_ count: Int, _ size: Int) -> Int {
        guard count <= remaining / size else { trap() }
        return count
    }

    private mutating func byte() -> UInt8 {
        guard remaining > 0 else { trap() }
        defer { skip(1) }
        return next.load(as: UInt8.self)
    }

    private mutating func bigEndian(_ width: Int) -> UInt64 {
        guard remaining >= width else { trap() }
        var value: UInt64 = 0
        for index in 0..<width {
            value = value << 8 | UInt64(next.load(fromByteOffset: index, as: UInt8.self))
        }
        skip(width)
        return value
    }

    private mutating func take(_ count: Int) -> UnsafeBufferPointer<UInt8> {
        guard remaining >= count else { trap() }
        let start = next.assumingMemoryBound(to: UInt8.self)
        skip(count)
        return UnsafeBufferPointer(start: start, count: count)
    }

    private mutating func skip(_ count: Int) {
        next += count
        remaining -= count
    }
}
