import Foundation

/// Random numbers that repeat for the same seed (SplitMix64). `OPENPATCH_SEED` fixes the seed of
/// every property test of a run; a failing test prints the one it used.
public struct SeededGenerator: RandomNumberGenerator, CustomStringConvertible {
    /// What the numbers follow from.
    public let seed: UInt64
    private var state: UInt64

    /// Starts at the given seed, else at `OPENPATCH_SEED`, else at one drawn now.
    public init(seed: UInt64? = nil) {
        let named = ProcessInfo.processInfo.environment["OPENPATCH_SEED"].flatMap { UInt64($0) }
        self.seed = seed ?? named ?? UInt64.random(in: 0 ... .max)
        state = self.seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// How to repeat the run.
    public var description: String { "replay with OPENPATCH_SEED=\(seed)" }
}
