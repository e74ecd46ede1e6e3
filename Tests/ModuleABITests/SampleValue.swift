import ModuleABI

/// Any MessagePack value that our ABI uses, for tests that do not know a shape beforehand.
indirect enum SampleValue: Hashable {
    case none
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    case double(UInt64)
    case string(String)
    case binary([UInt8])
    case array([SampleValue])
    case map([SampleValue: SampleValue])

    func write(to writer: inout MessagePackWriter) {
        switch self {
        case .none: writer.nil()
        case .bool(let value): writer.bool(value)
        case .int(let value): writer.int(value)
        case .uint(let value): writer.uint(value)
        case .double(let bits): writer.double(Double(bitPattern: bits))
        case .string(let value): writer.string(value)
        case .binary(let value): writer.binary(value)
        case .array(let values):
            writer.arrayHeader(values.count)
            for value in values { value.write(to: &writer) }
        case .map(let pairs):
            writer.mapHeader(pairs.count)
            let sorted = pairs.map { ($0.key.encoded, $0.value) }
                .sorted { $0.0.lexicographicallyPrecedes($1.0) }
            for (key, value) in sorted {
                writer.encoded(key)
                value.write(to: &writer)
            }
        }
    }

    var encoded: [UInt8] {
        var writer = MessagePackWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Reads whatever stands next, by trying each kind on a copy of the reader.
    static func read(_ reader: inout MessagePackReader) throws -> SampleValue {
        func attempt<T>(_ body: (inout MessagePackReader) throws -> T) throws -> T? {
            var copy = reader
            do {
                let value = try body(&copy)
                reader = copy
                return value
            } catch let error as MessagePackError where error.kind == .unexpectedType {
                return nil
            } catch let error as MessagePackError where error.kind == .outOfRange {
                return nil
            }
        }
        if try reader.nextIsNil() { return .none }
        if let value = try attempt({ try $0.bool() }) { return .bool(value) }
        if let value = try attempt({ try $0.int() }) { return .int(value) }
        if let value = try attempt({ try $0.uint() }) { return .uint(value) }
        if let value = try attempt({ try $0.double() }) { return .double(value.bitPattern) }
        if let value = try attempt({ try $0.string() }) { return .string(value) }
        if let value = try attempt({ try $0.binary() }) { return .binary(value) }
        if let value = try attempt({ try $0.array(SampleValue.read) }) { return .array(value) }
        return .map(try reader.dictionary(key: SampleValue.read, value: SampleValue.read))
    }

    static func random(_ generator: inout SeededGenerator, depth: Int = 0) -> SampleValue {
        switch Int.random(in: 0..<(depth > 3 ? 7 : 9), using: &generator) {
        case 0: return .none
        case 1: return .bool(Bool.random(using: &generator))
        case 2:
            let shift = Int64.random(in: 0...63, using: &generator)
            return .int(Int64.random(in: .min ... .max, using: &generator) >> shift)
        case 3: return .uint(UInt64.random(in: (1 << 63)...UInt64.max, using: &generator))
        case 4: return .double(generator.next() & 0x7fef_ffff_ffff_ffff)
        case 5:
            let count = Int.random(in: 0...40, using: &generator)
            let scalars: [Character] = ["a", "é", "日", "🧵", "\0", "\"", "e\u{301}"]
            return .string(
                String((0..<count).map { _ in scalars.randomElement(using: &generator) ?? "a" }))
        case 6:
            let count = [0, 1, 31, 255, 256, 70_000].randomElement(using: &generator) ?? 0
            return .binary((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        case 7:
            let count = Int.random(in: 0...20, using: &generator)
            return .array((0..<count).map { _ in random(&generator, depth: depth + 1) })
        default:
            let count = Int.random(in: 0...20, using: &generator)
            var pairs: [SampleValue: SampleValue] = [:]
            for index in 0..<count {
                let key =
                    Bool.random(using: &generator)
                    ? SampleValue.string("key \(index)") : .int(Int64(index))
                pairs[key] = random(&generator, depth: depth + 1)
            }
            return .map(pairs)
        }
    }
}

/// SplitMix64; the seed is printed by the test that uses it.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// The seed named by `OPENPATCH_SEED`, else a fixed one.
    static func seed(_ environment: [String: String]) -> UInt64 {
        environment["OPENPATCH_SEED"].flatMap { UInt64($0) } ?? 20_261_130
    }
}

func unhex(_ text: some StringProtocol) -> [UInt8] {
    let digits = Array(text.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).map { index in
        UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
    }
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
