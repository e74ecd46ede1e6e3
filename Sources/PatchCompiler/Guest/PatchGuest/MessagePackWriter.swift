/// Appends MessagePack values to guest memory, in the one canonical form that `formats.md` names:
/// integers, strings and headers as short as they go, sets and dictionaries sorted by encoded key.
///
/// The methods are those of the app's writer, so that generated code reads the same on both sides.
public struct MessagePackWriter {
    private var start: UnsafeMutableRawPointer
    private var count = 0
    private var capacity: Int

    /// An empty writer. Its memory is the result's: end it with ``finish()`` or ``discard()``.
    public init() {
        capacity = 64
        start = .allocate(byteCount: 64, alignment: 1)
    }

    /// What was written, as an export returns it: `(pointer << 32) | length`. The host gives the
    /// memory back with `op_free`.
    public func finish() -> UInt64 { UInt64(UInt(bitPattern: start)) << 32 | UInt64(count) }

    /// Gives the memory back.
    public func discard() { start.deallocate() }

    /// Appends nil.
    public mutating func `nil`() { byte(0xc0) }

    /// Appends a truth value.
    public mutating func bool(_ value: Bool) { byte(value ? 0xc3 : 0xc2) }

    /// Appends a signed integer, as short as it goes.
    public mutating func int(_ value: Int64) {
        if value >= 0 {
            uint(UInt64(value))
        } else if value >= -32 {
            byte(UInt8(truncatingIfNeeded: value))
        } else if value >= -0x80 {
            tagged(0xd0, UInt64(bitPattern: value), 1)
        } else if value >= -0x8000 {
            tagged(0xd1, UInt64(bitPattern: value), 2)
        } else if value >= -0x8000_0000 {
            tagged(0xd2, UInt64(bitPattern: value), 4)
        } else {
            tagged(0xd3, UInt64(bitPattern: value), 8)
        }
    }

    /// Appends an unsigned integer, as short as it goes.
    public mutating func uint(_ value: UInt64) {
        if value <= 0x7f {
            byte(UInt8(truncatingIfNeeded: value))
        } else if value <= 0xff {
            tagged(0xcc, value, 1)
        } else if value <= 0xffff {
            tagged(0xcd, value, 2)
        } else if value <= 0xffff_ffff {
            tagged(0xce, value, 4)
        } else {
            tagged(0xcf, value, 8)
        }
    }

    /// Appends a 32-bit float.
    public mutating func float(_ value: Float) { tagged(0xca, UInt64(value.bitPattern), 4) }

    /// Appends a 64-bit float.
    public mutating func double(_ value: Double) { tagged(0xcb, value.bitPattern, 8) }

    /// Appends text.
    public mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            header(utf8.count, short: 0xa0, shortLimit: 31, tag: 0xd9, from8: true)
            raw(UnsafeRawBufferPointer(utf8))
        }
    }

    /// Appends bytes.
    public mutating func binary(_ value: [UInt8]) {
        header(value.count, short: 0, shortLimit: -1, tag: 0xc4, from8: true)
        value.withUnsafeBytes { raw($0) }
    }

    /// Announces `count` elements, which the caller appends next.
    public mutating func arrayHeader(_ count: Int) {
        header(count, short: 0x90, shortLimit: 15, tag: 0xdc, from8: false)
    }

    /// Announces `count` pairs, which the caller appends next, sorted by encoded key.
    public mutating func mapHeader(_ count: Int) {
        header(count, short: 0x80, shortLimit: 15, tag: 0xde, from8: false)
    }

    /// Appends nil, or an array of the wrapped value.
    public mutating func optional<Wrapped>(
        _ value: Wrapped?, _ wrapped: (inout MessagePackWriter, Wrapped) -> Void
    ) {
        guard let value else {
            self.nil()
            return
        }
        arrayHeader(1)
        wrapped(&self, value)
    }

    /// Appends the elements in order.
    public mutating func array<Element>(
        _ values: [Element], _ element: (inout MessagePackWriter, Element) -> Void
    ) {
        arrayHeader(values.count)
        for value in values { element(&self, value) }
    }

    /// Appends the members as an array, sorted by their encoding.
    public mutating func set<Element: Hashable>(
        _ values: Set<Element>, _ element: (inout MessagePackWriter, Element) -> Void
    ) {
        arrayHeader(values.count)
        var scratch = MessagePackWriter()
        var entries: [Entry] = []
        entries.reserveCapacity(values.count)
        for value in values {
            let begin = scratch.count
            element(&scratch, value)
            entries.append(Entry(begin: begin, keyEnd: scratch.count, end: scratch.count))
        }
        append(&entries, of: scratch)
    }

    /// Appends the pairs as a map, sorted by encoded key.
    public mutating func dictionary<Key: Hashable, Value>(
        _ values: [Key: Value], key: (inout MessagePackWriter, Key) -> Void,
        value: (inout MessagePackWriter, Value) -> Void
    ) {
        mapHeader(values.count)
        var scratch = MessagePackWriter()
        var entries: [Entry] = []
        entries.reserveCapacity(values.count)
        for (name, element) in values {
            let begin = scratch.count
            key(&scratch, name)
            let keyEnd = scratch.count
            value(&scratch, element)
            entries.append(Entry(begin: begin, keyEnd: keyEnd, end: scratch.count))
        }
        append(&entries, of: scratch)
    }

    private struct Entry {
        var begin: Int
        var keyEnd: Int
        var end: Int
    }

    private mutating func append(_ entries: inout [Entry], of scratch: MessagePackWriter) {
        let base = scratch.start
        entries.sort { left, right in
            var a = left.begin
            var b = right.begin
            while a < left.keyEnd, b < right.keyEnd {
                let x = base.load(fromByteOffset: a, as: UInt8.self)
                let y = base.load(fromByteOffset: b, as: UInt8.self)
                if x != y { return x < y }
                a += 1
                b += 1
            }
            return left.keyEnd - left.begin < right.keyEnd - right.begin
        }
        for entry in entries {
            raw(UnsafeRawBufferPointer(start: base + entry.begin, count: entry.end - entry.begin))
        }
        scratch.discard()
    }

    private mutating func header(
        _ length: Int, short: UInt8, shortLimit: Int, tag: UInt8, from8: Bool
    ) {
        let next: UInt8 = from8 ? 1 : 0
        if length <= shortLimit {
            byte(short | UInt8(truncatingIfNeeded: length))
        } else if from8, length <= 0xff {
            tagged(tag, UInt64(length), 1)
        } else if length <= 0xffff {
            tagged(tag &+ next, UInt64(length), 2)
        } else {
            tagged(tag &+ next &+ 1, UInt64(length), 4)
        }
    }

    private mutating func byte(_ value: UInt8) {
        reserve(1)
        start.storeBytes(of: value, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// `tag`, then the lowest `width` bytes of `value`, most significant first.
    private mutating func tagged(_ tag: UInt8, _ value: UInt64, _ width: Int) {
        reserve(9)
        start.storeBytes(of: tag, toByteOffset: count, as: UInt8.self)
        let aligned = value << UInt64(64 - width * 8)
        (start + count + 1).storeBytes(of: aligned.bigEndian, as: UInt64.self)
        count += 1 + width
    }

    private mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        guard let from = bytes.baseAddress else { return }
        reserve(bytes.count)
        (start + count).copyMemory(from: from, byteCount: bytes.count)
        count += bytes.count
    }

    private mutating func reserve(_ more: Int) {
        guard count + more > capacity else { return }
        let larger = max(capacity * 2, count + more)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 1)
        moved.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = moved
        capacity = larger
    }
}
