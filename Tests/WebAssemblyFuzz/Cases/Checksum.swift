/// CRC-32 as in zlib, which every language has at hand.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { start in
        var value = UInt32(start)
        for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xedb8_8320 : value >> 1 }
        return value
    }

    static func crc32(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { crc32($0) } }

    static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var sum: UInt32 = 0xffff_ffff
            for byte in bytes { sum = (sum >> 8) ^ table[Int((sum ^ UInt32(byte)) & 0xff)] }
            return ~sum
        }
    }

    static func crc32(_ bytes: UnsafeMutableRawBufferPointer) -> UInt32 {
        crc32(UnsafeRawBufferPointer(bytes))
    }
}
