/// The 32-bit xxHash with seed 0: the format's guard against accidents. It is no guard against
/// attackers; integrity strings and signatures are.
enum XXH32 {
    private static let prime1: UInt32 = 0x9E37_79B1
    private static let prime2: UInt32 = 0x85EB_CA77
    private static let prime3: UInt32 = 0xC2B2_AE3D
    private static let prime4: UInt32 = 0x27D4_EB2F
    private static let prime5: UInt32 = 0x1656_67B1

    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var position = 0
        var result: UInt32
        if bytes.count >= 16 {
            var (a, b, c, d) = (prime1 &+ prime2, prime2, UInt32(0), 0 &- prime1)
            while position + 16 <= bytes.count {
                a = round(a, word(bytes, position))
                b = round(b, word(bytes, position + 4))
                c = round(c, word(bytes, position + 8))
                d = round(d, word(bytes, position + 12))
                position += 16
            }
            result = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
        } else {
            result = prime5
        }
        result = result &+ UInt32(truncatingIfNeeded: bytes.count)
        while position + 4 <= bytes.count {
            result = rotate(result &+ word(bytes, position) &* prime3, 17) &* prime4
            position += 4
        }
        while position < bytes.count {
            result = rotate(result &+ UInt32(bytes[position]) &* prime5, 11) &* prime1
            position += 1
        }
        result = (result ^ result >> 15) &* prime2
        result = (result ^ result >> 13) &* prime3
        return result ^ result >> 16
    }

    static func hash(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { hash($0) } }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt32, _ word: UInt32) -> UInt32 {
        rotate(lane &+ word &* prime2, 13) &* prime1
    }

    @inline(__always)
    private static func rotate(_ value: UInt32, _ by: UInt32) -> UInt32 {
        value << by | value >> (32 - by)
    }
}
