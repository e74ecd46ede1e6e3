import Rollout
import RolloutGates

/// A fleet of devices and what a release does to them. Shares are 0...1, times seconds.
public struct FleetModel: Codable, Equatable, Sendable {
    /// How many devices there are.
    public var devices = 100_000
    /// How often a device is used: it checks for updates once in so many seconds.
    public var checkEvery = 3_600
    /// The share of devices that fail once, whatever they run.
    public var baseFailure = 0.003
    /// The share of devices on which the candidate fails, and says so.
    public var candidateFailure = 0.003
    /// The share of devices on which the candidate ends everything: they never report again.
    public var brick = 0.0
    /// The share of devices that are seen again within the return time.
    public var returns = 0.95
    /// The longest time until such a device is seen again; 0 as if it told at once.
    public var returnTime = 0
    /// How long a device stays away that does not return in time.
    public var absence = 28_800
    /// Seconds between two looks of the gates.
    public var lookEvery = 60
    /// What the release key grants, in basis points.
    public var grant = Bucket.count
    /// When a rollout that is neither halted nor complete is given up watching.
    public var limit = 604_800

    /// The fleet of the researched table: 100,000 devices that report at once.
    public init() {}

    enum CodingKeys: String, CodingKey {
        case devices, brick, returns, absence
        case checkEvery = "check_seconds"
        case baseFailure = "base_failure"
        case candidateFailure = "candidate_failure"
        case returnTime = "return_seconds"
        case lookEvery = "look_seconds"
        case grant = "grant_bps"
        case limit = "limit_seconds"
    }

    /// Refuses a model that cannot be meant or would take for ever.
    /// - Throws: ``SimulationError``.
    public func check() throws {
        let shares = [baseFailure, candidateFailure, brick, returns]
        guard shares.allSatisfy({ (0...1).contains($0) }) else {
            throw SimulationError(problem: "every share is between 0 and 1")
        }
        guard (100...2_000_000).contains(devices) else {
            throw SimulationError(problem: "a fleet has 100 to 2,000,000 devices")
        }
        guard (60...604_800).contains(checkEvery), (1...86_400).contains(lookEvery),
            lookEvery <= checkEvery
        else {
            throw SimulationError(
                problem: "devices check once in 60 s to 7 days, and gates look as often at least")
        }
        guard (0...2_592_000).contains(returnTime), (1...2_592_000).contains(absence),
            (lookEvery...31_536_000).contains(limit)
        else { throw SimulationError(problem: "a time is out of range") }
        guard (1...Bucket.count).contains(grant) else {
            throw SimulationError(problem: "a grant is 1 to 10,000 basis points")
        }
    }
}

/// A simulation that cannot be run as asked.
public struct SimulationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, in a sentence.
    public var problem: String
    /// Stable name.
    public var code: String { "invalid_simulation" }
    /// The sentence.
    public var description: String { problem }
}

/// Random numbers that repeat for the same seed (SplitMix64).
public struct SimulationRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts at a seed.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True with a probability.
    mutating func happens(_ probability: Double) -> Bool {
        guard probability > 0 else { return false }
        return Double(next() >> 11) * 0x1p-53 < probability
    }

    /// So many hexadecimal digits, with dashes before some of them.
    mutating func hex(_ digits: Int, dashesAt dashes: Set<Int> = []) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(digits + dashes.count)
        var word: UInt64 = 0
        for place in 0..<digits {
            if place % 16 == 0 { word = next() }
            if dashes.contains(place) { text.append(0x2D) }
            let digit = UInt8(truncatingIfNeeded: word & 15)
            text.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
            word >>= 4
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A random UUID's text.
    mutating func uuid() -> String { hex(32, dashesAt: [8, 12, 16, 20]) }
}
