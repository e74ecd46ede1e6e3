import Foundation
import TestSupport
import Testing

@testable import PatchCompression

@Suite("Brotli")
struct BrotliTests {
    private let text = Array(String(repeating: "the quick brown fox 0123456789 ", count: 2000).utf8)

    @Test("what is compressed comes back, whatever its size")
    func roundTrip() throws {
        var generator = SystemRandomNumberGenerator()
        for size in [0, 1, 2, 100, 65_535, 65_536, 200_000] {
            let bytes = (0..<size).map { _ in UInt8.random(in: 0...7, using: &generator) }
            for quality in [-3, 0, 5, 99] {
                let packed = try Brotli.compress(bytes, quality: quality)
                #expect(try Brotli.decompress(packed, maximumSize: size) == bytes)
            }
        }
    }

    @Test("the one-byte empty stream that Apple's side writes by hand is one")
    func emptyStream() throws {
        #expect(try Brotli.decompress([0x06], maximumSize: 0) == [])
        #expect(throws: CompressionError.damaged) { try Brotli.decompress([], maximumSize: 0) }
    }

    @Test("one byte more than allowed is refused, exactly as much is not")
    func limit() throws {
        let packed = try Brotli.compress(text, quality: 5)
        #expect(try Brotli.decompress(packed, maximumSize: text.count) == text)
        #expect(throws: CompressionError.tooLarge(maximum: text.count - 1)) {
            try Brotli.decompress(packed, maximumSize: text.count - 1)
        }
        #expect(throws: CompressionError.tooLarge(maximum: 0)) {
            try Brotli.decompress(packed, maximumSize: -5)
        }
    }

    @Test("a bomb stops at the limit instead of filling the memory")
    func bomb() throws {
        // 64 MiB of zeros in about 60 bytes.
        let packed = try Brotli.compress([UInt8](repeating: 0, count: 64 << 20), quality: 5)
        #expect(packed.count < 1000)
        var decoder = try BrotliDecoder(maximumSize: 100_000)
        var produced = 0
        do {
            try decoder.feed(packed) { produced += $0.count }
            Issue.record("the bomb went off")
        } catch {
            #expect(error as? CompressionError == .tooLarge(maximum: 100_000))
        }
        #expect(produced <= 100_000)
    }

    @Test("a stream cut at any byte is refused as incomplete")
    func truncated() throws {
        let packed = try Brotli.compress(Array(text.prefix(400)), quality: 11)
        for cut in 0..<packed.count {
            #expect(throws: CompressionError.damaged, "cut at \(cut)") {
                try Brotli.decompress(Array(packed[..<cut]), maximumSize: 1 << 20)
            }
        }
    }

    @Test("bytes after the end of the stream are refused")
    func trailing() throws {
        let packed = try Brotli.compress(Array("hello".utf8))
        #expect(throws: CompressionError.damaged) {
            try Brotli.decompress(packed + [0], maximumSize: 100)
        }
        var decoder = try BrotliDecoder(maximumSize: 100)
        try decoder.feed(packed) { _ in }
        try decoder.feed([]) { _ in }
        do {
            try decoder.feed([1]) { _ in }
            Issue.record("a second stream was taken")
        } catch { #expect(error as? CompressionError == .damaged) }
    }

    @Test("flipped bits are refused or give other bytes within the limit, never a crash")
    func flippedBits() throws {
        let packed = try Brotli.compress(Array(text.prefix(3000)), quality: 9)
        for index in packed.indices {
            for bit in 0..<8 {
                var bad = packed
                bad[index] ^= 1 << UInt8(bit)
                if let output = try? Brotli.decompress(bad, maximumSize: 10_000) {
                    #expect(output.count <= 10_000)
                }
            }
        }
    }

    @Test("the streaming decoder gives the same bytes however the input is cut")
    func streaming() throws {
        let packed = try Brotli.compress(text, quality: 9)
        for step in [1, 2, 3, 7, 64, 1000, packed.count] {
            var decoder = try BrotliDecoder(maximumSize: text.count)
            var output: [UInt8] = []
            for start in stride(from: 0, to: packed.count, by: step) {
                try decoder.feed(Array(packed[start..<min(start + step, packed.count)])) {
                    #expect($0.count <= 64 * 1024)
                    output.append(contentsOf: $0)
                }
            }
            try decoder.finish()
            #expect(output == text)
            #expect(decoder.producedSize == text.count)
        }
    }

    @Test("a decoder that failed keeps failing")
    func sticky() throws {
        var decoder = try BrotliDecoder(maximumSize: 10)
        let packed = try Brotli.compress(text)
        for _ in 0..<2 {
            do {
                try decoder.feed(packed) { _ in }
                Issue.record("it went on")
            } catch { #expect(error as? CompressionError == .tooLarge(maximum: 10)) }
        }
        do {
            try decoder.finish()
            Issue.record("it finished")
        } catch { #expect(error as? CompressionError == .tooLarge(maximum: 10)) }
    }

    @Test("an error of the receiver comes back as it is")
    func receiverError() throws {
        struct DiskFull: Error {}
        let packed = try Brotli.compress(text)
        var decoder = try BrotliDecoder(maximumSize: text.count)
        do {
            try decoder.feed(packed) { _ in throw DiskFull() }
            Issue.record("the error was lost")
        } catch { #expect(error is DiskFull) }
    }

    @Test("PyPI brotli reads ours and we read its")
    func python() throws {
        let folder = try TemporaryDirectory("brotli")
        try Data(text).write(to: folder.file("plain"))
        try Data(try Brotli.compress(text)).write(to: folder.file("ours.br"))
        try folder.write(
            """
            import brotli
            plain = open("plain", "rb").read()
            assert brotli.decompress(open("ours.br", "rb").read()) == plain
            open("theirs.br", "wb").write(brotli.compress(plain))
            print("agreed")
            """, to: "check.py")
        let run = try ChildProcess.run(Tools.python, ["check.py"], in: folder.url)
        #expect(run.standardOutput == "agreed\n", "\(run.standardError)")
        let theirs = Array(try Data(contentsOf: folder.file("theirs.br")))
        #expect(try Brotli.decompress(theirs, maximumSize: text.count) == text)
    }
}
