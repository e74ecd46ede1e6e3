/// Reads the parts of a WebAssembly file in order (core specification 2.0, section 5.2).
struct WasmCursor {
    /// Why bytes are not read: cut short, or of a shape that a linker of guests does not write.
    struct Unreadable: Error, Equatable {
        var what: String
        init(_ what: String) { self.what = what }
    }

    let bytes: [UInt8]
    var position: Int
    let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = min(range.upperBound, bytes.count)
    }

    var isAtEnd: Bool { position >= end }

    mutating func byte() throws -> UInt8 {
        guard position < end else { throw Unreadable("cut short") }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func take(_ count: Int) throws -> Range<Int> {
        guard count >= 0, count <= end - position else { throw Unreadable("cut short") }
        defer { position += count }
        return position..<position + count
    }

    /// An unsigned LEB128 number.
    mutating func number() throws -> Int {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64 {
            let byte = try byte()
            value |= UInt64(byte & 0x7f) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            guard let number = Int(exactly: value) else { break }
            return number
        }
        throw Unreadable("a number is too large")
    }

    /// A signed LEB128 number.
    mutating func signed() throws -> Int {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64 {
            let byte = try byte()
            value |= UInt64(byte & 0x7f) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            if byte & 0x40 != 0, shift < 64 { value |= ~0 << shift }
            return Int(truncatingIfNeeded: value)
        }
        throw Unreadable("a number is too large")
    }

    mutating func name() throws -> String {
        String(decoding: bytes[try take(try number())], as: UTF8.self)
    }

    /// As many items as a count says that stands before them.
    mutating func list<Item>(_ item: (inout WasmCursor) throws -> Item) throws -> [Item] {
        let count = try number()
        guard count <= end - position else { throw Unreadable("cut short") }
        var items: [Item] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try item(&self)) }
        return items
    }
}

/// Writes what ``WasmCursor`` reads.
extension Array where Element == UInt8 {
    mutating func appendNumber(_ number: Int) {
        var rest = UInt64(number)
        while rest >= 0x80 {
            append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    mutating func appendSigned(_ number: Int) {
        var rest = number
        while true {
            let low = UInt8(rest & 0x7f)
            rest >>= 7
            if (rest == 0 && low & 0x40 == 0) || (rest == -1 && low & 0x40 != 0) {
                append(low)
                return
            }
            append(low | 0x80)
        }
    }

    mutating func appendName(_ name: String) {
        appendNumber(name.utf8.count)
        append(contentsOf: name.utf8)
    }

    mutating func appendSection(_ id: UInt8, _ contents: [UInt8]) {
        append(id)
        appendNumber(contents.count)
        append(contentsOf: contents)
    }

    /// Overwrites `width` bytes with a LEB128 number that has exactly that many.
    mutating func overwriteLEB(_ number: Int, at position: Int, width: Int) {
        var rest = number
        for offset in 0..<width {
            let more: UInt8 = offset == width - 1 ? 0 : 0x80
            // The last byte of ten holds one bit, of which the sign fills the others.
            self[position + offset] = UInt8(rest & 0x7f) | more
            rest >>= 7
        }
    }

    mutating func overwriteWord(_ number: Int, at position: Int, width: Int) {
        for offset in 0..<width {
            self[position + offset] = UInt8(truncatingIfNeeded: number >> (8 * offset))
        }
    }
}
