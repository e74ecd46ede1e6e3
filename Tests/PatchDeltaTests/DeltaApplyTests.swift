import PatchCompression
import PatchCrypto
import PatchDelta
import TestSupport
import Testing

/// What `Delta.apply` takes and what it refuses. Deltas are untrusted until their output is hashed.
@Suite struct DeltaApplyTests {
    private func apply(_ delta: DeltaBytes, maximumSize: Int = 100) throws -> [UInt8] {
        try Delta.apply(
            try delta.encoded(), to: delta.base, digest: SHA256.hash(delta.base),
            maximumSize: maximumSize)
    }

    private func refusal(_ change: (inout DeltaBytes) -> Void) -> (any Error)? {
        var delta = DeltaBytes.whole
        change(&delta)
        do {
            _ = try apply(delta)
            return nil
        } catch { return error }
    }

    @Test("pieces of the base and new bytes make the payload")
    func whole() throws {
        #expect(try apply(.whole) == DeltaBytes.payload)
        #expect(try apply(.whole, maximumSize: 17) == DeltaBytes.payload)
    }

    @Test("the bytes of the format are pinned: a delta made elsewhere is understood for ever")
    func golden() throws {
        // Made by Python: struct, hashlib, brotli. "hello world" to "hello brave world".
        let golden = Self.golden
        let made = try #require(Hex.decode(golden))
        #expect(
            try Delta.apply(
                made, to: DeltaBytes.base, digest: SHA256.hash(DeltaBytes.base), maximumSize: 17)
                == DeltaBytes.payload)
    }

    private static let golden =
        "4f5044311100000000000000b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088"
        + "f7ace2efcde91b5800f88f94aced91100737f925939003ac41c2caec74034cc8c29470e0b380"
        + "011444cabd07"

    @Test("bytes wrap around when they are added, and the base may be read backwards")
    func wrapping() throws {
        let delta = DeltaBytes(
            newSize: 4, base: [250, 7], steps: [(1, 0, 0), (1, 1, -2), (1, 0, 1)],
            diff: [10, 255, 6], extra: [99])
        #expect(try apply(delta) == [4, 6, 99, 0])
    }

    @Test("nothing can be made of nothing")
    func empty() throws {
        let delta = DeltaBytes(newSize: 0, base: [1, 2], steps: [], diff: [], extra: [])
        #expect(try apply(delta, maximumSize: 0) == [])
        let all = DeltaBytes(newSize: 2, base: [], steps: [(0, 2, 0)], diff: [], extra: [7, 8])
        #expect(try apply(all) == [7, 8])
    }

    @Test("a delta of another base is refused before anything is decompressed")
    func otherBase() throws {
        let delta = try DeltaBytes.whole.encoded()
        #expect(throws: DeltaError.otherBase) {
            try Delta.apply(
                delta, to: [1], digest: SHA256.hash([1]), maximumSize: 100)
        }
    }

    @Test("S10: a delta that grows beyond the signed size is refused before anything is allocated")
    func S10_growing() throws {
        #expect(throws: DeltaError.tooLarge(maximum: 16)) { try apply(.whole, maximumSize: 16) }
        for size in [UInt64(1) << 62, .max] {
            let error = refusal { $0.newSize = size }
            #expect(error as? DeltaError == .tooLarge(maximum: 100))
        }
        #expect(throws: DeltaError.tooLarge(maximum: -1)) { try apply(.whole, maximumSize: -1) }
    }

    @Test("S10: a delta whose body is a bomb stops at the bound")
    func S10_bomb() throws {
        let zeros = [UInt8](repeating: 0, count: 64 << 20)
        let bomb = DeltaBytes.whole.header + (try Brotli.compress(zeros, quality: 5))
        #expect(bomb.count < 1000)
        #expect(throws: (any Error).self) {
            try Delta.apply(
                bomb, to: DeltaBytes.base, digest: SHA256.hash(DeltaBytes.base), maximumSize: 17)
        }
        // All sizes right, and more after them.
        let error = refusal { $0.trailing = zeros }
        #expect(error != nil)
    }

    @Test("every broken rule is refused as damage")
    func brokenRules() {
        let broken: [(String, (inout DeltaBytes) -> Void)] = [
            ("magic", { $0.magic = Array("OPD2".utf8) }),
            ("payload larger than its parts", { $0.newSize = 18 }),
            ("payload smaller than its parts", { $0.newSize = 16 }),
            ("control cut", { $0.sizes = [47, 11, 6] }),
            ("control beyond the bound", { $0.sizes = [24 * 1000, 11, 6] }),
            ("huge sizes", { $0.sizes = [48, .max, .max] }),
            ("sizes that wrap around", { $0.sizes = [48, .max - 5, 23] }),
            ("negative add", { $0.steps[0].add = -6 }),
            ("negative copy", { $0.steps[0].copy = -6 }),
            ("smallest number", { $0.steps[0].seek = -.max }),
            ("largest add", { $0.steps[0].add = .max }),
            ("seek before the base", { $0.steps[0].seek = -7 }),
            ("seek after the base", { $0.steps[0].seek = 6 }),
            ("seek that overflows", { $0.steps[0].seek = .max }),
            ("add beyond the base", { $0.steps[0].seek = 1 }),
            ("add beyond the diff", { $0.steps[1].add = 6 }),
            ("copy beyond the extra", { $0.steps[0].copy = 7 }),
            ("steps that leave diff over", { $0.steps[1].add = 4 }),
            (
                "missing bytes",
                {
                    $0.extra.removeLast(); $0.sizes = [48, 11, 6]
                }
            ),
            ("bytes left over", { $0.trailing = [0] }),
        ]
        for (rule, change) in broken {
            let error = refusal(change)
            #expect(
                error as? DeltaError == .damaged, "\(rule): \(error.map { "\($0)" } ?? "taken")")
        }
    }

    @Test("a delta cut at any byte is refused")
    func truncated() throws {
        let delta = try DeltaBytes.whole.encoded()
        let digest = SHA256.hash(DeltaBytes.base)
        for cut in 0..<delta.count {
            #expect(throws: (any Error).self, "cut at \(cut)") {
                try Delta.apply(
                    Array(delta[..<cut]), to: DeltaBytes.base, digest: digest, maximumSize: 17)
            }
        }
    }

    @Test(
        "deltas with any bits changed, before or after compression, give an error or some payload")
    func fuzzed() throws {
        var generator = SeededGenerator()
        let base = (0..<600).map { _ in UInt8.random(in: 0...9, using: &generator) }
        var payload = base
        payload.replaceSubrange(100..<150, with: base[300..<420])
        payload[10] ^= 77
        let made = try #require(try Delta.make(from: base, to: payload))
        let body = try Brotli.decompress(Array(made[Delta.headerSize...]), maximumSize: 1 << 20)
        let digest = SHA256.hash(base)
        for round in 0..<20_000 {
            var bytes = round % 2 == 0 ? body : made
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                // Sizes and control, at the front, are what can do harm.
                let end = Bool.random(using: &generator) ? min(120, bytes.count) : bytes.count
                let index = Int.random(in: 0..<end, using: &generator)
                bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            let delta =
                round % 2 == 0
                ? Array(made[..<Delta.headerSize]) + (try Brotli.compress(bytes, quality: 0))
                : bytes
            do {
                let output = try Delta.apply(
                    delta, to: base, digest: digest, maximumSize: payload.count)
                #expect(output.count <= payload.count, "\(generator)")
            } catch {
                #expect(error is DeltaError || error is CompressionError, "\(generator): \(error)")
            }
        }
    }

    @Test("errors say what to do and carry their code")
    func words() {
        for error in [DeltaError.damaged, .otherBase, .tooLarge(maximum: 5)] {
            #expect(error.description.hasSuffix("[\(error.code)]"))
        }
    }
}
