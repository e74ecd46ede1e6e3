import Foundation
import PatchCompression
import PatchCrypto
import PatchDelta
import TestSupport
import Testing

/// What `Delta.make` makes is understood here and elsewhere, whatever the bytes.
@Suite struct DeltaMakeTests {
    private func roundTrip(_ base: [UInt8], _ payload: [UInt8]) throws -> Int {
        let delta = try #require(try Delta.make(from: base, to: payload))
        let output = try Delta.apply(
            delta, to: base, digest: SHA256.hash(base), maximumSize: payload.count)
        #expect(output == payload)
        return delta.count
    }

    /// Bytes with the repetitions of code: pieces of a small stock, and some noise.
    private func code(_ size: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let stock = (0..<40).map { _ in
            (0..<Int.random(in: 4...60, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
        }
        var bytes: [UInt8] = []
        while bytes.count < size {
            bytes += stock[Int.random(in: 0..<stock.count, using: &generator)]
            bytes.append(UInt8.random(in: .min ... .max, using: &generator))
        }
        return Array(bytes.prefix(size))
    }

    private func edited(_ base: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var payload = base
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            let start = Int.random(in: 0...payload.count, using: &generator)
            let end = min(payload.count, start + Int.random(in: 0...200, using: &generator))
            switch Int.random(in: 0...3, using: &generator) {
            case 0: payload.removeSubrange(start..<end)
            case 1: payload.insert(contentsOf: payload[start..<end].reversed(), at: start)
            case 2: for index in start..<end where index % 10 == 0 { payload[index] &+= 3 }
            default: payload += payload[start..<end]
            }
        }
        return payload
    }

    @Test("any two payloads: the delta of one leads to the other")
    func anyPair() throws {
        var generator = SeededGenerator()
        for round in 0..<150 {
            let base = code(Int.random(in: 0...3000, using: &generator), &generator)
            let payload =
                round % 5 == 0
                ? code(Int.random(in: 0...3000, using: &generator), &generator)
                : edited(base, &generator)
            do {
                _ = try roundTrip(base, payload)
            } catch { Issue.record("\(generator), round \(round): \(error)") }
        }
    }

    @Test("corners: nothing, one byte, all alike, swapped halves")
    func corners() throws {
        let zeros = [UInt8](repeating: 0, count: 120_000)
        // Long runs broken in the middle are what takes a naive maker quadratic time: minutes for this.
        let almost = zeros[..<60_000] + [1, 2] + zeros[..<60_000]
        let ramp = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) }
        for (base, payload) in [
            ([], []), ([], [1]), ([1], []), ([1], [1]), ([1, 2], [2, 1]), (zeros, Array(almost)),
            (Array(almost), zeros), (ramp, Array(ramp[10_000...] + ramp[..<10_000])),
        ] as [([UInt8], [UInt8])] { _ = try roundTrip(base, payload) }
    }

    @Test("a few changed bytes in much cost little")
    func small() throws {
        var generator = SeededGenerator()
        let base = code(100_000, &generator)
        var payload = base
        for index in stride(from: 500, to: 100_000, by: 10_000) { payload[index] ^= 0x55 }
        payload.insert(contentsOf: Array("a new literal".utf8), at: 40_000)
        let size = try roundTrip(base, payload)
        #expect(size < 250, "\(size) bytes, \(generator)")
    }

    @Test("the same payloads give the same delta, and none is given that is no gain")
    func reproducible() throws {
        var generator = SeededGenerator()
        let base = code(5000, &generator)
        let payload = edited(base, &generator)
        let first = try #require(try Delta.make(from: base, to: payload))
        #expect(try Delta.make(from: base, to: payload) == first)
        #expect(try Delta.make(from: base, to: payload, smallerThan: first.count) == nil)
        #expect(try Delta.make(from: base, to: payload, smallerThan: first.count + 1) == first)
    }

    @Test("a decoder written elsewhere from the format alone agrees")
    func python() throws {
        let folder = try TemporaryDirectory("delta")
        var generator = SeededGenerator()
        for index in 0..<20 {
            let base = code(Int.random(in: 1...4000, using: &generator), &generator)
            let payload = edited(base, &generator)
            let delta = try #require(try Delta.make(from: base, to: payload))
            for (name, bytes) in [("base", base), ("new", payload), ("delta", delta)] {
                try Data(bytes).write(to: folder.file("\(index).\(name)"))
            }
        }
        try folder.write(Self.decoder, to: "apply.py")
        let run = try ChildProcess.run(Tools.python, ["apply.py"], in: folder.url)
        #expect(run.standardOutput == "20 agree\n", "\(generator) \(run.standardError)")
    }

    private static let decoder = """
        import brotli, hashlib, struct
        def integer(bytes):
            raw, = struct.unpack("<Q", bytes)
            return -(raw & (1 << 63) - 1) if raw >> 63 else raw
        def apply(base, delta):
            assert delta[:4] == b"OPD1"
            size, = struct.unpack("<Q", delta[4:12])
            assert delta[12:44] == hashlib.sha256(base).digest()
            body = brotli.decompress(delta[44:])
            c, d, e = struct.unpack("<3Q", body[:24])
            assert len(body) == 24 + c + d + e and d + e == size
            control, diff, extra = body[24:24 + c], body[24 + c:24 + c + d], body[24 + c + d:]
            new, place = b"", 0
            for at in range(0, c, 24):
                add, copy, seek = (integer(control[at + k:at + k + 8]) for k in (0, 8, 16))
                new += bytes((x + y) & 255 for x, y in zip(base[place:place + add], diff, strict=False))
                diff = diff[add:]
                new, extra = new + extra[:copy], extra[copy:]
                place += add + seek
            assert len(new) == size
            return new
        read = lambda i, name: open(f"{i}.{name}", "rb").read()
        for i in range(20): assert apply(read(i, "base"), read(i, "delta")) == read(i, "new"), i
        print("20 agree")
        """
}
