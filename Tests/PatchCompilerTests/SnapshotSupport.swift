import Foundation
import TestSupport
import Testing

/// Compares `text` with the snapshot of that name. With `OPENPATCH_RECORD` set it writes the
/// snapshot instead and fails, so that a recording run never counts.
func expectSnapshot(
    _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let file = ProjectFixture.root.appendingPathComponent("snapshots/\(name).txt")
    if ProcessInfo.processInfo.environment["OPENPATCH_RECORD"] != nil {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        Issue.record("recorded \(name); run again without it", sourceLocation: sourceLocation)
        return
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    #expect(text == expected, "\(name) differs", sourceLocation: sourceLocation)
}

/// SplitMix64, so that a seed says all about a random test.
struct SeededGenerator: RandomNumberGenerator {
    /// The seed named by `OPENPATCH_SEED`, else a fixed one.
    static let seed =
        ProcessInfo.processInfo.environment["OPENPATCH_SEED"].flatMap { UInt64($0) } ?? 20_261_130

    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
