/// Reads the binary format (core specification 2.0, section 5.2) from bytes that it does not own.
struct ByteReader {
    var at: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    /// The start of the module, for offsets in errors.
    let start: UnsafePointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        // An empty buffer may have no address; one that is never read stands in.
        start = bytes.baseAddress ?? UnsafePointer(ByteReader.nowhere)
        at = start
        end = start + bytes.count
    }

    init(at: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>, start: UnsafePointer<UInt8>) {
        self.at = at
        self.end = end
        self.start = start
    }

    nonisolated(unsafe) private static let nowhere: UnsafeMutablePointer<UInt8> = {
        // Unsafe only in name: allocated once, never written after.
        let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
        byte.initialize(to: 0)
        return byte
    }()

    var offset: Int { at - start }
    var remaining: Int { end - at }
    var isAtEnd: Bool { at == end }

    func error(_ text: String) -> WasmDecodingError { WasmDecodingError(text, offset: offset) }

    mutating func byte() throws -> UInt8 {
        if at == end { throw error("unexpected end") }
        let value = at.pointee
        at += 1
        return value
    }

    mutating func u32() throws -> UInt32 {
        if at == end { throw error("unexpected end") }
        let first = at.pointee
        at += 1
        if first < 0x80 { return UInt32(first) }
        var value = UInt32(first & 0x7f)
        var shift: UInt32 = 7
        while true {
            let next = try byte()
            if shift == 28 {
                if next & 0x80 != 0 { throw error("integer representation too long") }
                if next & 0xf0 != 0 { throw error("integer too large") }
                return value | UInt32(next) &<< 28
            }
            value |= UInt32(next & 0x7f) &<< shift
            if next & 0x80 == 0 { return value }
            shift &+= 7
        }
    }

    mutating func u64() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            if shift == 63 {
                if next & 0x80 != 0 { throw error("integer representation too long") }
                if next & 0xfe != 0 { throw error("integer too large") }
                return value | UInt64(next) &<< 63
            }
            value |= UInt64(next & 0x7f) &<< shift
            if next & 0x80 == 0 { return value }
            shift &+= 7
        }
    }

    /// A signed integer of `bits` (32, 33 or 64) bits.
    mutating func signed(_ bits: Int64) throws -> Int64 {
        var value: Int64 = 0
        var shift: Int64 = 0
        while true {
            let next = try byte()
            if shift &+ 7 >= bits {
                // The last byte: unused bits must repeat the sign.
                if next & 0x80 != 0 { throw error("integer representation too long") }
                let used = bits &- shift
                let extended = Int64(Int8(bitPattern: next &<< 1)) &>> 1
                let sign = extended &>> (used &- 1)
                if sign != 0 && sign != -1 { throw error("integer too large") }
                return value | extended &<< shift
            }
            value |= Int64(next & 0x7f) &<< shift
            shift &+= 7
            if next & 0x80 == 0 {
                return next & 0x40 != 0 ? value | (-1 &<< shift) : value
            }
        }
    }

    mutating func f32Bits() throws -> UInt32 {
        if remaining < 4 { throw error("unexpected end") }
        let value = UnsafeRawPointer(at).loadUnaligned(as: UInt32.self)
        at += 4
        return UInt32(littleEndian: value)
    }

    mutating func f64Bits() throws -> UInt64 {
        if remaining < 8 { throw error("unexpected end") }
        let value = UnsafeRawPointer(at).loadUnaligned(as: UInt64.self)
        at += 8
        return UInt64(littleEndian: value)
    }

    /// The number of items of a vector. Each takes at least `itemSize` bytes, so that a count that
    /// cannot be true is refused before anything is allocated for it.
    mutating func count(limit: Int, of what: String, itemSize: Int = 1) throws -> Int {
        let n = Int(try u32())
        if n > remaining / itemSize { throw error("unexpected end") }
        if n > limit {
            throw WasmDecodingError(
                code: "too_many_\(what)",
                message: "too many \(what): \(n) where \(limit) are allowed",
                offset: offset)
        }
        return n
    }

    /// A part of `count` bytes, skipped here.
    mutating func part(_ count: Int, _ text: String = "length out of bounds") throws -> ByteReader {
        if count > remaining { throw error(text) }
        let sub = ByteReader(at: at, end: at + count, start: start)
        at += count
        return sub
    }

    mutating func name() throws -> String {
        let length = Int(try u32())
        if length > remaining { throw error("length out of bounds") }
        let bytes = UnsafeBufferPointer(start: at, count: length)
        guard isWellFormedUTF8(bytes) else { throw error("malformed UTF-8 encoding") }
        at += length
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Whether `bytes` are UTF-8 as Unicode defines it: shortest forms, no surrogates, at most U+10FFFF.
func isWellFormedUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var i = 0
    let n = bytes.count
    while i < n {
        let lead = bytes[i]
        i += 1
        if lead < 0x80 { continue }
        let more: Int
        var low: UInt8 = 0x80
        var high: UInt8 = 0xbf
        switch lead {
        case 0xc2...0xdf: more = 1
        case 0xe0: (more, low) = (2, 0xa0)
        case 0xed: (more, high) = (2, 0x9f)
        case 0xe1...0xef: more = 2
        case 0xf0: (more, low) = (3, 0x90)
        case 0xf1...0xf3: more = 3
        case 0xf4: (more, high) = (3, 0x8f)
        default: return false
        }
        if n - i < more { return false }
        if bytes[i] < low || bytes[i] > high { return false }
        for k in 1..<max(more, 1) where bytes[i + k] & 0xc0 != 0x80 { return false }
        i += more
    }
    return true
}
