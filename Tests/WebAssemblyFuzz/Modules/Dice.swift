/// Random numbers of one case (SplitMix64). Its whole state follows from a seed and the number of
/// the case, so that any case can be made again without those before it.
public struct Dice: RandomNumberGenerator {
    private var state: UInt64

    /// Starts at case `number` of `seed`.
    public init(seed: UInt64, case number: UInt64) {
        state = seed
        let first = next()
        state = first ^ (number &* 0xd134_2543_de82_ef95)
        _ = next()
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// A number from 0 to one below `n`.
    mutating func below(_ n: Int) -> Int { n <= 1 ? 0 : Int(next() % UInt64(n)) }

    /// A number of the range.
    mutating func within(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// True once in `n` times.
    mutating func once(in n: Int) -> Bool { below(n) == 0 }

    /// One of the elements.
    mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }
}
