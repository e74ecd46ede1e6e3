import Foundation
import ModuleABI
import TestSupport
import Testing

@Suite("MessagePack")
struct MessagePackTests {
    /// Around every width at which the encoding or a JSON number changes.
    static let edges: [Int64] = {
        var values: [Int64] = [.min, .min + 1, .max, .max - 1]
        for power in [5, 7, 8, 15, 16, 31, 32, 53, 62] {
            for delta in -2...2 {
                values.append(Int64(1) << power + Int64(delta))
                values.append(-(Int64(1) << power) + Int64(delta))
            }
        }
        return values
    }()

    @Test("integers around every power that matters come back, in the shortest form")
    func integerEdges() throws {
        for value in Self.edges {
            var writer = MessagePackWriter()
            writer.int(value)
            var reader = MessagePackReader(writer.bytes)
            #expect(try reader.int() == value)
            try reader.finish()
            let width: Int
            switch value {
            case -32...127: width = 1
            case -128 ... -33, 128...255: width = 2
            case Int64(Int16.min)...Int64(UInt16.max): width = 3
            case Int64(Int32.min)...Int64(UInt32.max): width = 5
            default: width = 9
            }
            // The signed ranges are narrower than the unsigned ones above by one bit.
            #expect(writer.bytes.count <= max(width, 2) + (value < 0 ? 4 : 0))
            if value >= 0 { #expect(writer.bytes.count == width) }
        }
        for value in [UInt64.max, 1 << 63, (1 << 63) - 1, (1 << 53) + 1] as [UInt64] {
            var writer = MessagePackWriter()
            writer.uint(value)
            var reader = MessagePackReader(writer.bytes)
            #expect(try reader.uint() == value)
        }
    }

    @Test("an integer that does not fit the type asked for is refused, not cut")
    func outOfRange() throws {
        var writer = MessagePackWriter()
        writer.int(5_000_000_000)
        for attempt in [
            { _ = try $0.integer(Int32.self) }, { _ = try $0.integer(UInt32.self) },
            { _ = try $0.integer(Int8.self) },
        ] as [(inout MessagePackReader) throws -> Void] {
            var reader = MessagePackReader(writer.bytes)
            let error = #expect(throws: MessagePackError.self) { try attempt(&reader) }
            #expect(error?.code == "out_of_range")
        }
        var negative = MessagePackWriter()
        negative.int(-1)
        var reader = MessagePackReader(negative.bytes)
        #expect(throws: MessagePackError.self) { try reader.uint() }
    }

    @Test("floats keep their width and every bit, NaN payloads and signed zeros included")
    func floats() throws {
        for bits in [0, 0x8000_0000, 0x7fc0_1234, 0xff80_0000, 0x0000_0001, 0x3f80_0000] as [UInt32]
        {
            var writer = MessagePackWriter()
            writer.float(Float(bitPattern: bits))
            #expect(writer.bytes.count == 5)
            var reader = MessagePackReader(writer.bytes)
            #expect(try reader.float().bitPattern == bits)
            var asDouble = MessagePackReader(writer.bytes)
            #expect(throws: MessagePackError.self) { try asDouble.double() }
        }
        for value in [0.0, -0.0, .infinity, -.infinity, .pi, .leastNonzeroMagnitude] as [Double] {
            var writer = MessagePackWriter()
            writer.double(value)
            var reader = MessagePackReader(writer.bytes)
            #expect(try reader.double().bitPattern == value.bitPattern)
        }
    }

    @Test("nil, an empty optional inside an optional and an optional value stay apart")
    func optionals() throws {
        func decode(_ bytes: [UInt8]) throws -> Int64?? {
            var reader = MessagePackReader(bytes)
            let value = try reader.optional { try $0.optional { try $0.int() } }
            try reader.finish()
            return value
        }
        #expect(try decode([0xc0]) == .none)
        #expect(try decode([0x91, 0xc0]) == .some(.none))
        #expect(try decode([0x91, 0x91, 0x07]) == .some(.some(7)))
        #expect(throws: MessagePackError.self) { try decode([0x92, 0x91, 0x07, 0x07]) }
        #expect(throws: MessagePackError.self) { try decode([0x90]) }
    }

    @Test("headers that promise more than is there are refused before anything is reserved")
    func lyingHeaders() {
        let liars: [[UInt8]] = [
            [0xdd, 0xff, 0xff, 0xff, 0xff], [0xdc, 0xff, 0xff, 0x01], [0x9f, 0x01],
            [0xdf, 0xff, 0xff, 0xff, 0xff, 0x01], [0x8f, 0x01, 0x01],
            [0xdb, 0xff, 0xff, 0xff, 0xff], [0xc6, 0x7f, 0xff, 0xff, 0xff, 0x00],
        ]
        for bytes in liars {
            var reader = MessagePackReader(bytes)
            let error = #expect(throws: MessagePackError.self) {
                _ = try SampleValue.read(&reader)
            }
            #expect(error?.code == "truncated")
            var skipper = MessagePackReader(bytes)
            #expect(throws: MessagePackError.self) { try skipper.skip() }
        }
    }

    @Test("nesting deeper than the limit is refused")
    func depth() throws {
        func nested(_ levels: Int) -> [UInt8] {
            [UInt8](repeating: 0x91, count: levels) + [0xc0]
        }
        var fine = MessagePackReader(nested(MessagePackReader.maximumDepth))
        _ = try SampleValue.read(&fine)
        var deep = MessagePackReader(nested(100_000))
        let error = #expect(throws: MessagePackError.self) { _ = try SampleValue.read(&deep) }
        #expect(error?.code == "too_deep")
        // Skipping needs no stack, so it is bounded by the bytes alone.
        var skipped = MessagePackReader(nested(100_000))
        try skipped.skip()
        try skipped.finish()
    }

    @Test("text that is not UTF-8 is refused, as are repeated keys and left-over bytes")
    func strictness() throws {
        for bytes in [[0xa1, 0xff], [0xa2, 0xc0, 0x80], [0xa3, 0xed, 0xa0, 0x80]] as [[UInt8]] {
            var reader = MessagePackReader(bytes)
            let error = #expect(throws: MessagePackError.self) { try reader.string() }
            #expect(error?.code == "invalid_text")
        }
        var repeated = MessagePackReader([0x82, 0x01, 0x01, 0x01, 0x02])
        let error = #expect(throws: MessagePackError.self) {
            try repeated.dictionary(key: { try $0.int() }, value: { try $0.int() })
        }
        #expect(error?.code == "invalid_value")
        var long = MessagePackReader([0x01, 0x01])
        _ = try long.int()
        #expect(throws: MessagePackError.self) { try long.finish() }
    }

    @Test("random values come back equal, and truncated or flipped bytes never crash the reader")
    func roundTripAndFuzz() throws {
        let seed = SeededGenerator.seed(ProcessInfo.processInfo.environment)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<150 {
            let value = SampleValue.random(&generator)
            let bytes = value.encoded
            var reader = MessagePackReader(bytes)
            #expect(try SampleValue.read(&reader) == value, "seed \(seed), round \(round)")
            try reader.finish()
            var skipper = MessagePackReader(bytes)
            try skipper.skip()
            #expect(skipper.remaining == 0, "seed \(seed), round \(round)")
            guard bytes.count < 400 else { continue }
            for length in 0..<bytes.count {
                var short = MessagePackReader(Array(bytes.prefix(length)))
                #expect(throws: MessagePackError.self) { _ = try SampleValue.read(&short) }
            }
            for bit in 0..<bytes.count * 8 {
                var broken = bytes
                broken[bit / 8] ^= 1 << UInt8(bit % 8)
                var fuzzed = MessagePackReader(broken)
                // Any outcome but a crash will do; what is read must be a value that we can write.
                if let read = try? SampleValue.read(&fuzzed) { _ = read.encoded }
                var skipped = MessagePackReader(broken)
                try? skipped.skip()
            }
        }
    }
}

@Suite("MessagePack against PyPI msgpack")
struct MessagePackInteroperabilityTests {
    @Test("what we write, the other library reads and writes again byte for byte")
    func written() throws {
        let seed = SeededGenerator.seed(ProcessInfo.processInfo.environment)
        var generator = SeededGenerator(seed: seed)
        var values = MessagePackTests.edges.map(SampleValue.int)
        values += [.uint(.max), .uint(1 << 63), .string(""), .binary([]), .array([]), .map([:])]
        for count in [31, 32, 255, 256, 65_535, 65_536] {
            values.append(.string(String(repeating: "x", count: count)))
            values.append(.binary([UInt8](repeating: 7, count: count)))
            values.append(.array([SampleValue](repeating: .none, count: count)))
        }
        for _ in 0..<100 { values.append(.random(&generator)) }
        let folder = try TemporaryDirectory("msgpack")
        let lines = values.map { hex($0.encoded) }
        try folder.write(lines.joined(separator: "\n"), to: "ours.txt")
        try folder.write(
            """
            import msgpack, sys
            for line in open(sys.argv[1]).read().split("\\n"):
                value = msgpack.unpackb(bytes.fromhex(line), strict_map_key=False, raw=False)
                print(msgpack.packb(value, use_bin_type=True).hex())
            """, to: "again.py")
        let result = try ChildProcess.run(
            Tools.python, [folder.file("again.py").path, folder.file("ours.txt").path])
        #expect(result.status == 0, "\(result.standardError)")
        let again = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(again.count == lines.count)
        for (ours, theirs) in zip(lines, again) where ours != theirs {
            Issue.record("seed \(seed): \(ours.prefix(80)) came back as \(theirs.prefix(80))")
        }
    }

    @Test("what the other library writes, we read with the same values")
    func read() throws {
        let folder = try TemporaryDirectory("msgpack")
        try folder.write(
            """
            import msgpack
            powers = [7, 8, 15, 16, 31, 32, 53, 63]
            numbers = sorted({s * 2**p + d for p in powers for d in (-1, 0, 1) for s in (1, -1)})
            for number in numbers:
                if -2**63 <= number < 2**64:
                    print(number, msgpack.packb(number).hex())
            """, to: "numbers.py")
        let result = try ChildProcess.run(Tools.python, [folder.file("numbers.py").path])
        #expect(result.status == 0, "\(result.standardError)")
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.count > 40)
        for line in lines {
            let parts = line.split(separator: " ")
            var reader = MessagePackReader(unhex(parts[1]))
            if let signed = Int64(parts[0]) {
                #expect(try reader.int() == signed)
                var writer = MessagePackWriter()
                writer.int(signed)
                #expect(hex(writer.bytes) == parts[1])
            } else {
                #expect(try reader.uint() == UInt64(parts[0]))
            }
        }
    }

    @Test("a single float of the other library is our Float")
    func singleFloat() throws {
        let code = "import msgpack;print(msgpack.packb([1.5,-0.25],use_single_float=True).hex())"
        let result = try ChildProcess.run(Tools.python, ["-c", code])
        var reader = MessagePackReader(
            unhex(result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(try reader.array { try $0.float() } == [1.5, -0.25])
    }
}
