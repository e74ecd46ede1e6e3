// Programs in this folder are compiled twice: into the tests, and, as text, into guest modules.
// Both must give the same numbers. They use nothing but the standard library.

/// Numbers that look random and are the same everywhere (xorshift64*).
struct ProgramNumbers {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed | 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 2_685_821_657_736_338_717
    }

    mutating func below(_ limit: UInt64) -> UInt64 { next() % limit }

    /// A number whose length is random too, so that short and extreme ones occur.
    mutating func skewed() -> UInt64 {
        switch below(8) {
        case 0: return below(4)
        case 1: return UInt64.max &- below(4)
        case 2: return UInt64(1) << below(64) &- below(2)
        default: return next() >> below(64)
        }
    }
}

/// A running digest of results (FNV-1a, 64 bits).
struct ProgramDigest {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

    mutating func add(_ word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            add(UInt8(truncatingIfNeeded: word >> shift))
        }
    }

    mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        add(UInt8(0xff))
    }
}
