import Foundation

/// Where random bytes come from.
public protocol RandomSource: Sendable {
    /// `count` random bytes, fit for secrets when the source is live.
    func bytes(_ count: Int) -> [UInt8]
}

extension RandomSource {
    /// A random (version 4) UUID as lower-case text.
    public func uuid() -> String {
        var raw = bytes(16)
        raw[6] = raw[6] & 0x0F | 0x40
        raw[8] = raw[8] & 0x3F | 0x80
        var text: [UInt8] = []
        text.reserveCapacity(36)
        func digit(_ value: UInt8) -> UInt8 {
            value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
        for (index, byte) in raw.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 {
                text.append(UInt8(ascii: "-"))
            }
            text.append(digit(byte >> 4))
            text.append(digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A random number below `bound` (0 when `bound` is 0).
    public func number(below bound: UInt64) -> UInt64 {
        guard bound > 0 else { return 0 }
        let raw = bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return raw % bound
    }
}

/// The random numbers of the operating system.
public struct LiveRandom: RandomSource {
    /// The source.
    public init() {}

    /// See ``RandomSource/bytes(_:)``.
    public func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // Eight at a time: each call asks the system.
            while filled < count {
                var word = generator.next()
                for _ in 0..<min(8, count - filled) {
                    buffer[filled] = UInt8(truncatingIfNeeded: word)
                    word >>= 8
                    filled += 1
                }
            }
        }
    }
}

/// Numbers that repeat for the same seed, for tests. Never for keys.
public final class SeededRandom: RandomSource, RandomNumberGenerator {
    private let state: Lock<UInt64>
    /// The seed, to be printed by a failing test.
    public let seed: UInt64

    /// The source.
    public init(seed: UInt64) {
        self.seed = seed
        state = Lock(seed)
    }

    /// SplitMix64.
    public func next() -> UInt64 {
        state.withLock {
            $0 &+= 0x9E37_79B9_7F4A_7C15
            var mixed = $0
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// See ``RandomSource/bytes(_:)``.
    public func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
