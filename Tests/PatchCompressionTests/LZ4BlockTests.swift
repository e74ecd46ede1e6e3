import PatchCompression
import Testing

@Suite("LZ4 blocks")
struct LZ4BlockTests {
    @Test("what was compressed comes back", arguments: 0..<40)
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let bytes = random.compressibleBytes(upTo: seed < 30 ? 3_000 : 300_000)
        let block = try LZ4Block.compress(bytes)
        #expect(try LZ4Block.decompress(block, size: bytes.count) == bytes, "seed \(seed)")
    }

    @Test("every length from 0 to 100 comes back, of zeros and of counting bytes")
    func shortInputs() throws {
        for count in 0...100 {
            for bytes in [
                [UInt8](repeating: 0, count: count), (0..<count).map { UInt8($0) },
            ] {
                let block = try LZ4Block.compress(bytes)
                #expect(try LZ4Block.decompress(block, size: count) == bytes)
            }
        }
    }

    @Test("repetition is found: zeros shrink to the format's best ratio")
    func zerosShrink() throws {
        let block = try LZ4Block.compress([UInt8](repeating: 0, count: 70_000))
        #expect(block.count < 300)
        #expect(LZ4Block.mostOutput(ofBlock: block.count) >= 70_000)
    }

    @Test("an empty input is one zero byte, and only that stands for it")
    func emptyInput() throws {
        #expect(try LZ4Block.compress([]) == [0])
        #expect(try LZ4Block.decompress([0], size: 0) == [])
        #expect(throws: CompressionError.damaged) { try LZ4Block.decompress([], size: 0) }
    }

    @Test("the same bytes always give the same block", arguments: [1, 2, 3] as [UInt64])
    func deterministic(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let bytes = random.compressibleBytes(upTo: 20_000)
        #expect(try LZ4Block.compress(bytes) == LZ4Block.compress(Array(bytes[...])))
    }

    // Pinned so that a change of the encoder, which changes every archive, is a decision.
    @Test("the encoder's output for a known text is the one that archives contain")
    func pinnedOutput() throws {
        let text = Array(String(repeating: "over the air, ", count: 8).utf8)
        #expect(
            try LZ4Block.compress(text)
                == [0xEF] + Array("over the air, ".utf8)
                + [0x0E, 0x00, 74] + [0x50] + Array("air, ".utf8))
    }

    @Test(
        "a malformed block is refused",
        arguments: [
            ("a match of distance 0", [0x10, 0x61, 0x00, 0x00, 0x00], 5),
            ("a match before the start", [0x10, 0x61, 0x02, 0x00, 0x00], 5),
            ("literals beyond the end", [0x50, 0x61], 5),
            ("no final literals", [0x10, 0x61, 0x01, 0x00], 5),
            ("half a distance", [0x10, 0x61, 0x01], 5),
            ("a length that never ends", [0xF0, 255, 255], 5000),
            ("a match longer than the output", [0x1F, 0x61, 0x01, 0x00, 200, 0x00], 20),
            ("fewer bytes than announced", [0x20, 0x61, 0x62], 3),
            ("more bytes than announced", [0x20, 0x61, 0x62], 1),
            ("an announced size beyond any ratio", [0x00], 1 << 40),
            ("a negative size", [0x00], -1),
        ] as [(String, [UInt8], Int)])
    func malformed(what: String, block: [UInt8], size: Int) {
        #expect(throws: CompressionError.damaged, "\(what)") {
            try LZ4Block.decompress(block, size: size)
        }
    }

    @Test("a cut block is refused at every byte")
    func truncation() throws {
        var random = SplitMix(seed: 7)
        let bytes = random.compressibleBytes(upTo: 4_000)
        let block = try LZ4Block.compress(bytes)
        for cut in 0..<block.count {
            #expect(throws: CompressionError.damaged) {
                try LZ4Block.decompress(Array(block[..<cut]), size: bytes.count)
            }
        }
    }

    @Test(
        "blocks of any distances and lengths give what a decoder gives that copies byte by byte",
        arguments: 0..<200)
    func everyWayOfCopying(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var block: [UInt8] = []
        var expected: [UInt8] = []
        func put(_ length: Int) {
            guard length >= 15 else { return }
            block += [UInt8](repeating: 255, count: (length - 15) / 255)
            block.append(UInt8((length - 15) % 255))
        }
        for _ in 0..<(1 + Int(random.next() % 40)) {
            let most = [4, 14, 40, 600][Int(random.next() % 4)]
            let literals = random.bytes(1 + Int(random.next() % UInt64(most)))
            let length = Int(random.next() % UInt64(most))
            block.append(UInt8(min(literals.count, 15) << 4 | min(length, 15)))
            put(literals.count)
            block += literals
            expected += literals
            let farthest = UInt64(min(expected.count, [3, 9, 40, 65_535][Int(random.next() % 4)]))
            let distance = 1 + Int(random.next() % farthest)
            block += [UInt8(distance & 255), UInt8(distance >> 8)]
            put(length)
            for _ in 0..<length + 4 { expected.append(expected[expected.count - distance]) }
        }
        let rest = random.bytes(Int(random.next() % 20))
        block.append(UInt8(min(rest.count, 15) << 4))
        put(rest.count)
        block += rest
        expected += rest
        #expect(try LZ4Block.decompress(block, size: expected.count) == expected, "seed \(seed)")
        // A buffer that ends earlier is not written past.
        let less = Int(random.next() % UInt64(expected.count))
        #expect(throws: CompressionError.damaged) {
            try LZ4Block.decompress(block, size: less)
        }
    }

    @Test("random blocks never crash, and give the announced size or nothing")
    func randomBlocks() {
        var random = SplitMix(seed: 99)
        for _ in 0..<20_000 {
            let block = random.bytes(Int(random.next() % 40))
            let size = Int(random.next() % 300)
            if let output = try? LZ4Block.decompress(block, size: size) {
                #expect(output.count == size)
            }
        }
    }
}

struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Random pieces, runs, and repetitions of what came before.
    mutating func compressibleBytes(upTo most: Int) -> [UInt8] {
        let count = Int(next() % UInt64(most))
        var result: [UInt8] = []
        while result.count < count {
            let length = 1 + Int(next() % 200)
            switch next() % 3 {
            case 0: result += bytes(length)
            case 1: result += [UInt8](repeating: UInt8(truncatingIfNeeded: next()), count: length)
            default:
                guard !result.isEmpty else { continue }
                let start = Int(next() % UInt64(result.count))
                result += result[start..<min(result.count, start + length)]
            }
        }
        return Array(result.prefix(count))
    }
}
