// The guest's side of formats.md, "Values". The methods have the names of the host's
// MessagePackWriter, so that one generator writes code for both.

/// Appends MessagePack values to memory that the host gives back with `op_free`.
public struct GuestWriter {
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private var count = 0

    /// An empty writer with room for `capacity` bytes.
    public init(capacity: Int = 64) {
        start = .allocate(byteCount: capacity, alignment: 1)
        self.capacity = capacity
    }

    /// The bytes written, as an export returns them. The writer must not be used afterwards.
    public func finish() -> Int64 {
        Int64(bitPattern: UInt64(UInt(bitPattern: start)) << 32 | UInt64(count))
    }

    /// Appends nil.
    public mutating func `nil`() { byte(0xc0) }

    /// Appends a truth value.
    public mutating func bool(_ value: Bool) { byte(value ? 0xc3 : 0xc2) }

    /// Appends a signed integer, as short as it goes.
    @inline(never) public mutating func int(_ value: Int64) {
        if value >= 0 { return uint(UInt64(value)) }
        if value >= -32 {
            byte(UInt8(truncatingIfNeeded: value))
        } else if value >= -0x80 {
            tagged(0xd0, UInt64(bitPattern: value), bytes: 1)
        } else if value >= -0x8000 {
            tagged(0xd1, UInt64(bitPattern: value), bytes: 2)
        } else if value >= -0x8000_0000 {
            tagged(0xd2, UInt64(bitPattern: value), bytes: 4)
        } else {
            tagged(0xd3, UInt64(bitPattern: value), bytes: 8)
        }
    }

    /// Appends an unsigned integer, as short as it goes.
    @inline(never) public mutating func uint(_ value: UInt64) {
        if value <= 0x7f {
            byte(UInt8(truncatingIfNeeded: value))
        } else if value <= 0xff {
            tagged(0xcc, value, bytes: 1)
        } else if value <= 0xffff {
            tagged(0xcd, value, bytes: 2)
        } else if value <= 0xffff_ffff {
            tagged(0xce, value, bytes: 4)
        } else {
            tagged(0xcf, value, bytes: 8)
        }
    }

    /// Appends a 32-bit float.
    public mutating func float(_ value: Float) { tagged(0xca, UInt64(value.bitPattern), bytes: 4) }

    /// Appends a 64-bit float.
    public mutating func double(_ value: Double) { tagged(0xcb, value.bitPattern, bytes: 8) }

    /// Appends a position in `text`, counted in UTF-8; -1, which no reader takes, for one outside.
    public mutating func position(_ index: String.Index, in text: Substring) {
        guard index >= text.startIndex, index <= text.endIndex else { return int(-1) }
        int(Int64(text.utf8.distance(from: text.startIndex, to: index)))
    }

    /// Appends text.
    public mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            if utf8.count <= 31 {
                byte(0xa0 | UInt8(truncatingIfNeeded: utf8.count))
            } else {
                header(utf8.count, 0xd9, 0xda, 0xdb)
            }
            append(UnsafeRawBufferPointer(utf8))
        }
    }

    /// Appends bytes.
    @inline(never) public mutating func binary(_ value: [UInt8]) {
        header(value.count, 0xc4, 0xc5, 0xc6)
        value.withUnsafeBytes { append($0) }
    }

    /// Appends what `body` writes, as bytes.
    public mutating func embedded(_ body: (inout GuestWriter) -> Void) {
        var inner = GuestWriter()
        body(&inner)
        header(inner.count, 0xc4, 0xc5, 0xc6)
        append(inner.contents)
        inner.discard()
    }

    /// Announces `count` elements.
    @inline(never) public mutating func arrayHeader(_ count: Int) {
        if count <= 15 {
            byte(0x90 | UInt8(truncatingIfNeeded: count))
        } else {
            header(count, nil, 0xdc, 0xdd)
        }
    }

    /// Announces `count` pairs.
    public mutating func mapHeader(_ count: Int) {
        if count <= 15 {
            byte(0x80 | UInt8(truncatingIfNeeded: count))
        } else {
            header(count, nil, 0xde, 0xdf)
        }
    }

    /// Appends nil, or an array of the one value that `encode` writes.
    public mutating func optional<Value>(
        _ value: Value?, _ encode: (inout GuestWriter, Value) -> Void
    ) {
        guard let value else { return self.nil() }
        arrayHeader(1)
        encode(&self, value)
    }

    /// Appends an array of what `encode` writes for each element.
    public mutating func array<Element>(
        _ values: [Element], _ encode: (inout GuestWriter, Element) -> Void
    ) {
        arrayHeader(values.count)
        for value in values { encode(&self, value) }
    }

    /// Appends an array of the members, sorted by their encodings.
    @inline(never)
    public mutating func set<Element>(
        _ values: Set<Element>, _ encode: (inout GuestWriter, Element) -> Void
    ) {
        var pieces = Pieces(atMost: values.count)
        for value in values {
            var writer = GuestWriter(capacity: 16)
            encode(&writer, value)
            pieces.add(writer)
        }
        arrayHeader(pieces.count)
        pieces.write(to: &self)
    }

    /// Appends a map, sorted by the encodings of the keys.
    @inline(never)
    public mutating func dictionary<Key, Value>(
        _ pairs: [Key: Value], key: (inout GuestWriter, Key) -> Void,
        value: (inout GuestWriter, Value) -> Void
    ) {
        var pieces = Pieces(atMost: pairs.count)
        for pair in pairs {
            var writer = GuestWriter(capacity: 32)
            key(&writer, pair.key)
            writer.keyLength = writer.count
            value(&writer, pair.value)
            pieces.add(writer)
        }
        mapHeader(pieces.count)
        pieces.write(to: &self)
    }

    /// Bytes of the key at the front, when this holds a key and a value.
    fileprivate var keyLength: Int?

    /// The bytes written so far, valid until the next one.
    public var contents: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: count)
    }

    fileprivate var sortKey: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: keyLength ?? count)
    }

    /// Gives the memory back; nothing may be written or read afterwards.
    public func discard() { start.deallocate() }

    @inline(never) fileprivate mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let from = bytes.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        (start + count).copyMemory(from: from, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(never) private mutating func reserve(_ more: Int) {
        guard count + more > capacity else { return }
        let larger = max(capacity * 2, count + more)
        let place = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 1)
        place.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = place
        capacity = larger
    }

    private mutating func byte(_ value: UInt8) {
        reserve(1)
        start.storeBytes(of: value, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    private mutating func tagged(_ tag: UInt8, _ value: UInt64, bytes: Int) {
        byte(tag)
        var shift = UInt64(bytes) * 8
        while shift > 0 {
            shift -= 8
            byte(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    @inline(never) private mutating func header(
        _ count: Int, _ tag8: UInt8?, _ tag16: UInt8, _ tag32: UInt8
    ) {
        if let tag8, count <= 0xff {
            tagged(tag8, UInt64(count), bytes: 1)
        } else if count <= 0xffff {
            tagged(tag16, UInt64(count), bytes: 2)
        } else {
            tagged(tag32, UInt64(count), bytes: 4)
        }
    }
}

/// Encoded pieces that are written in the order of their bytes.
private struct Pieces {
    private let writers: UnsafeMutablePointer<GuestWriter>
    private(set) var count = 0

    init(atMost count: Int) { writers = .allocate(capacity: count) }

    mutating func add(_ writer: GuestWriter) {
        (writers + count).initialize(to: writer)
        count += 1
    }

    /// Appends them in order. A heap, because the library's sort is ten times as much code.
    mutating func write(to target: inout GuestWriter) {
        var root = count / 2
        while root > 0 {
            root -= 1
            sink(root, below: count)
        }
        var end = count
        while end > 1 {
            end -= 1
            swap(0, end)
            sink(0, below: end)
        }
        for index in 0..<count {
            target.append(writers[index].contents)
            writers[index].discard()
        }
        writers.deallocate()
    }

    private func swap(_ one: Int, _ other: Int) {
        let writer = writers[one]
        writers[one] = writers[other]
        writers[other] = writer
    }

    /// Lets a piece sink below those that come after it.
    private func sink(_ start: Int, below end: Int) {
        var root = start
        while root * 2 + 1 < end {
            var child = root * 2 + 1
            if child + 1 < end, precedes(child, child + 1) { child += 1 }
            guard precedes(root, child) else { return }
            swap(root, child)
            root = child
        }
    }

    @inline(never)
    private func precedes(_ one: Int, _ other: Int) -> Bool {
        let left = writers[one].sortKey
        let right = writers[other].sortKey
        var index = 0
        while index < left.count && index < right.count {
            if left[index] != right[index] { return left[index] < right[index] }
            index += 1
        }
        return left.count < right.count
    }
}
