/// Reads MessagePack values of a shape that the caller knows.
///
/// Nothing is allocated before its bytes are known to be there, so that a lying header costs
/// nothing. The bytes are untrusted: every fault is a ``MessagePackError``.
public struct MessagePackReader {
    /// How deeply arrays and maps may nest.
    public static let maximumDepth = 64

    private let bytes: UnsafeRawBufferPointer
    /// Keeps a copied buffer alive; nil when the caller vouches for `bytes`.
    private let owner: OwnedBytes?
    private var position = 0
    private var depth = 0

    /// Reads from a copy of `bytes`.
    public init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { Self(copying: $0) }
    }

    /// Reads from a copy of `bytes`, which may go when this has returned.
    public init(copying bytes: UnsafeRawBufferPointer) {
        let owner = OwnedBytes(bytes)
        self.owner = owner
        self.bytes = UnsafeRawBufferPointer(owner.storage)
    }

    /// Reads in place; the memory must stay valid as long as the reader is used.
    public init(_ bytes: UnsafeRawBufferPointer) {
        owner = nil
        self.bytes = bytes
    }

    /// Number of bytes not read yet.
    public var remaining: Int { bytes.count - position }
    /// Number of bytes read.
    public var offset: Int { position }

    /// Throws unless all bytes have been read.
    public func finish() throws(MessagePackError) {
        if remaining != 0 { throw MessagePackError(.trailingBytes, at: position) }
    }

    /// Whether a nil stands next; reads it if so.
    public mutating func nextIsNil() throws(MessagePackError) -> Bool {
        guard try peek() == 0xc0 else { return false }
        position += 1
        return true
    }

    /// Whether an array stands next; reads nothing.
    public func nextIsArray() throws(MessagePackError) -> Bool {
        let first = try peek()
        return first & 0xf0 == 0x90 || first == 0xdc || first == 0xdd
    }

    /// Reads nil.
    public mutating func `nil`() throws(MessagePackError) {
        let start = position
        if try take() != 0xc0 { throw MessagePackError(.unexpectedType, at: start) }
    }

    /// Reads a truth value.
    public mutating func bool() throws(MessagePackError) -> Bool {
        let start = position
        switch try take() {
        case 0xc2: return false
        case 0xc3: return true
        default: throw MessagePackError(.unexpectedType, at: start)
        }
    }

    /// Reads an integer of any width that fits `T`.
    @inlinable
    public mutating func integer<T: FixedWidthInteger>(
        _ type: T.Type = T.self
    ) throws(MessagePackError) -> T {
        let start = offset
        let wide = try wideInteger()
        let exact =
            wide.isNegative ? T(exactly: Int64(bitPattern: wide.bits)) : T(exactly: wide.bits)
        guard let value = exact else { throw MessagePackError(.outOfRange, at: start) }
        return value
    }

    /// Reads an integer of any width: an `Int64` if it is negative, else a `UInt64`.
    @usableFromInline
    mutating func wideInteger() throws(MessagePackError) -> (bits: UInt64, isNegative: Bool) {
        func signed(_ value: some FixedWidthInteger) -> (bits: UInt64, isNegative: Bool) {
            (UInt64(truncatingIfNeeded: value), value < 0)
        }
        let start = position
        let first = try take()
        switch first {
        case 0x00...0x7f: return (UInt64(first), false)
        case 0xe0...0xff: return signed(Int8(bitPattern: first))
        case 0xcc: return (UInt64(try fixed(UInt8.self)), false)
        case 0xcd: return (UInt64(try fixed(UInt16.self)), false)
        case 0xce: return (UInt64(try fixed(UInt32.self)), false)
        case 0xcf: return (try fixed(UInt64.self), false)
        case 0xd0: return signed(try fixed(Int8.self))
        case 0xd1: return signed(try fixed(Int16.self))
        case 0xd2: return signed(try fixed(Int32.self))
        case 0xd3: return signed(try fixed(Int64.self))
        default: throw MessagePackError(.unexpectedType, at: start)
        }
    }

    /// Reads a signed integer.
    public mutating func int() throws(MessagePackError) -> Int64 { try integer() }
    /// Reads an unsigned integer.
    public mutating func uint() throws(MessagePackError) -> UInt64 { try integer() }

    /// Reads a 32-bit float; a double is another type.
    public mutating func float() throws(MessagePackError) -> Float {
        let start = position
        guard try take() == 0xca else { throw MessagePackError(.unexpectedType, at: start) }
        return Float(bitPattern: try fixed(UInt32.self))
    }

    /// Reads a 64-bit float; a float is another type.
    public mutating func double() throws(MessagePackError) -> Double {
        let start = position
        guard try take() == 0xcb else { throw MessagePackError(.unexpectedType, at: start) }
        return Double(bitPattern: try fixed(UInt64.self))
    }

    /// Reads text.
    /// - Throws: `invalid_text` when it is not UTF-8.
    public mutating func string() throws(MessagePackError) -> String {
        let start = position
        let first = try take()
        let count: Int
        switch first {
        case 0xa0...0xbf: count = Int(first & 0x1f)
        case 0xd9: count = Int(try fixed(UInt8.self))
        case 0xda: count = Int(try fixed(UInt16.self))
        case 0xdb: count = Int(try fixed(UInt32.self))
        default: throw MessagePackError(.unexpectedType, at: start)
        }
        let text = UnsafeRawBufferPointer(rebasing: try slice(count, of: start))
            .bindMemory(to: UInt8.self)
        var value = String(decoding: text, as: UTF8.self)
        // `String(validating:)` is newer than the deployment floor; a repair shows in the bytes.
        guard value.withUTF8({ $0.elementsEqual(text) }) else {
            throw MessagePackError(.invalidText, at: start)
        }
        return value
    }

    /// Reads bytes.
    public mutating func binary() throws(MessagePackError) -> [UInt8] {
        let start = position
        let count: Int
        switch try take() {
        case 0xc4: count = Int(try fixed(UInt8.self))
        case 0xc5: count = Int(try fixed(UInt16.self))
        case 0xc6: count = Int(try fixed(UInt32.self))
        default: throw MessagePackError(.unexpectedType, at: start)
        }
        return [UInt8](try slice(count, of: start))
    }
}

// MARK: - Arrays and maps

extension MessagePackReader {
    /// Reads an array header: the number of elements, which is never more than the bytes left.
    public mutating func arrayHeader() throws(MessagePackError) -> Int {
        let start = position
        let first = try take()
        let count: Int
        switch first {
        case 0x90...0x9f: count = Int(first & 0x0f)
        case 0xdc: count = Int(try fixed(UInt16.self))
        case 0xdd: count = Int(try fixed(UInt32.self))
        default: throw MessagePackError(.unexpectedType, at: start)
        }
        // An element takes at least one byte.
        guard count <= remaining else { throw MessagePackError(.truncated, at: start) }
        return count
    }

    /// Reads the header of an array of exactly `count` elements.
    public mutating func arrayHeader(exactly count: Int) throws(MessagePackError) {
        let start = position
        if try arrayHeader() != count { throw MessagePackError(.unexpectedCount, at: start) }
    }

    /// Reads a map header: the number of pairs, which is never more than half the bytes left.
    public mutating func mapHeader() throws(MessagePackError) -> Int {
        let start = position
        let first = try take()
        let count: Int
        switch first {
        case 0x80...0x8f: count = Int(first & 0x0f)
        case 0xde: count = Int(try fixed(UInt16.self))
        case 0xdf: count = Int(try fixed(UInt32.self))
        default: throw MessagePackError(.unexpectedType, at: start)
        }
        guard count <= remaining / 2 else { throw MessagePackError(.truncated, at: start) }
        return count
    }

    /// Reads what `body` reads, one level deeper.
    /// - Throws: `too_deep` beyond ``maximumDepth``.
    public mutating func nested<T>(
        _ body: (inout MessagePackReader) throws -> T
    ) throws -> T {
        guard depth < Self.maximumDepth else { throw MessagePackError(.tooDeep, at: position) }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    /// Begins a value that holds others; ``leave()`` ends it. What reads into the parts of a new
    /// struct cannot do so in the closure of ``nested(_:)``.
    /// - Throws: `too_deep` beyond ``maximumDepth``.
    public mutating func enter() throws(MessagePackError) {
        guard depth < Self.maximumDepth else { throw MessagePackError(.tooDeep, at: position) }
        depth += 1
    }

    /// Ends what ``enter()`` began.
    public mutating func leave() { depth -= 1 }

    /// Reads text that `make` turns into a value.
    /// - Throws: `invalid_value` when it cannot.
    public mutating func parsed<T>(_ make: (String) -> T?) throws(MessagePackError) -> T {
        let start = position
        guard let value = make(try string()) else {
            throw MessagePackError(.invalidValue, at: start)
        }
        return value
    }

    /// Reads a position in `text`, counted in UTF-8.
    /// - Throws: ``MessagePackError``, `invalid_value` for one outside of it.
    public mutating func position(in text: Substring) throws(MessagePackError) -> String.Index {
        let start = position
        let offset = try integer(Int.self)
        guard offset >= 0,
            let index = text.utf8.index(
                text.startIndex, offsetBy: offset, limitedBy: text.endIndex)
        else { throw MessagePackError(.invalidValue, at: start) }
        return index
    }

    /// Refuses a case index that an enum does not have.
    /// - Throws: `invalid_value`, always.
    public func refuse() throws(MessagePackError) -> Never {
        throw MessagePackError(.invalidValue, at: position)
    }

    /// Reads an array whose elements `element` reads.
    public mutating func array<T>(
        _ element: (inout MessagePackReader) throws -> T
    ) throws -> [T] {
        try nested { reader in
            let count = try reader.arrayHeader()
            var values: [T] = []
            // A small value may be large in memory, so grow with what is really there.
            values.reserveCapacity(min(count, 4096))
            for _ in 0..<count { values.append(try element(&reader)) }
            return values
        }
    }

    /// Reads an `Optional`: nil, or an array of one.
    public mutating func optional<T>(
        _ value: (inout MessagePackReader) throws -> T
    ) throws -> T? {
        if try nextIsNil() { return nil }
        return try nested { reader in
            try reader.arrayHeader(exactly: 1)
            return try value(&reader)
        }
    }

    /// Reads a `Set`.
    /// - Throws: `invalid_value` when a member occurs twice.
    public mutating func set<T: Hashable>(
        _ element: (inout MessagePackReader) throws -> T
    ) throws -> Set<T> {
        let start = position
        let members = try array(element)
        let set = Set(members)
        if set.count != members.count { throw MessagePackError(.invalidValue, at: start) }
        return set
    }

    /// Reads a `Dictionary`.
    /// - Throws: `invalid_value` when a key occurs twice.
    public mutating func dictionary<Key: Hashable, Value>(
        key: (inout MessagePackReader) throws -> Key,
        value: (inout MessagePackReader) throws -> Value
    ) throws -> [Key: Value] {
        try nested { reader in
            let count = try reader.mapHeader()
            var pairs: [Key: Value] = [:]
            pairs.reserveCapacity(min(count, 4096))
            for _ in 0..<count {
                let start = reader.position
                let name = try key(&reader)
                let old = pairs.updateValue(try value(&reader), forKey: name)
                if old != nil { throw MessagePackError(.invalidValue, at: start) }
            }
            return pairs
        }
    }

    /// Skips one value of any kind.
    public mutating func skip() throws(MessagePackError) {
        var open = 1
        while open > 0 {
            open -= 1
            let start = position
            let first = try peek()
            switch first {
            case 0xc1:
                throw MessagePackError(.invalidFormat, at: start)
            case 0x80...0x8f, 0xde, 0xdf:
                open += 2 * (try mapHeader())
            case 0x90...0x9f, 0xdc, 0xdd:
                open += try arrayHeader()
            default:
                position += 1
                _ = try slice(try payload(after: first), of: start)
            }
            // Elements that are still owed need at least a byte each.
            guard open <= remaining else { throw MessagePackError(.truncated, at: start) }
        }
    }

    /// The number of bytes after the first byte (and its length field, read here) of a value that
    /// is neither array nor map.
    private mutating func payload(after first: UInt8) throws(MessagePackError) -> Int {
        switch first {
        case 0xa0...0xbf: return Int(first & 0x1f)
        case 0xc4, 0xd9: return Int(try fixed(UInt8.self))
        case 0xc5, 0xda: return Int(try fixed(UInt16.self))
        case 0xc6, 0xdb: return Int(try fixed(UInt32.self))
        case 0xc7: return Int(try fixed(UInt8.self)) + 1
        case 0xc8: return Int(try fixed(UInt16.self)) + 1
        case 0xc9: return Int(try fixed(UInt32.self)) + 1
        case 0xcc, 0xd0: return 1
        case 0xcd, 0xd1, 0xd4: return 2
        case 0xd5: return 3
        case 0xca, 0xce, 0xd2: return 4
        case 0xd6: return 5
        case 0xcb, 0xcf, 0xd3: return 8
        case 0xd7: return 9
        case 0xd8: return 17
        default: return 0
        }
    }
}

// MARK: - Bytes

extension MessagePackReader {
    private func peek() throws(MessagePackError) -> UInt8 {
        guard position < bytes.count else { throw MessagePackError(.truncated, at: position) }
        return bytes[position]
    }

    private mutating func take() throws(MessagePackError) -> UInt8 {
        let byte = try peek()
        position += 1
        return byte
    }

    private mutating func fixed<T: FixedWidthInteger>(
        _ type: T.Type
    ) throws(MessagePackError) -> T {
        let size = MemoryLayout<T>.size
        guard remaining >= size else { throw MessagePackError(.truncated, at: position) }
        let value = bytes.loadUnaligned(fromByteOffset: position, as: T.self)
        position += size
        return T(bigEndian: value)
    }

    private mutating func slice(
        _ count: Int, of start: Int
    ) throws(MessagePackError) -> Slice<UnsafeRawBufferPointer> {
        guard count <= remaining else { throw MessagePackError(.truncated, at: start) }
        defer { position += count }
        return bytes[position..<position + count]
    }
}

/// A copy of bytes at a fixed address.
private final class OwnedBytes {
    let storage: UnsafeMutableRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        storage = .allocate(byteCount: bytes.count, alignment: 1)
        storage.copyBytes(from: bytes)
    }

    deinit { storage.deallocate() }
}
