import TUF
import TestSupport

/// Ways to damage a JSON document.
public enum MetadataDamage: String, CaseIterable, Sendable {
    case bitFlip, truncation, wrongType, hugeNumber, deepNesting, duplicateKey, invalidUTF8
    case inserted, removed, repeated

    /// The document, damaged somewhere.
    public func apply(
        to bytes: [UInt8], using generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = bytes
        guard !bytes.isEmpty else { return [0xFF] }
        func place(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &generator) }
        switch self {
        case .bitFlip:
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[place(bytes.count)] ^= UInt8(1 << place(8))
            }
        case .truncation: bytes.removeLast(1 + place(bytes.count))
        case .wrongType: bytes = retyped(bytes, &generator)
        case .hugeNumber:
            let numbers = [
                "9223372036854775807", "-9223372036854775808", "9223372036854775808",
                "9007199254740993", "1e400", "1.5", "-0", "00", String(repeating: "9", count: 400),
            ]
            replaceNumber(
                in: &bytes, by: numbers[place(numbers.count)], nth: place(1 << 20))
        case .deepNesting:
            let depth = [60, 200, 5_000, 100_000][place(4)]
            let text = place(2) == 0 ? "[" : "{\"a\":"
            let insert = Array(String(repeating: text, count: depth).utf8)
            bytes.insert(contentsOf: insert, at: place(bytes.count))
        case .duplicateKey: duplicateMember(in: &bytes, nth: place(1 << 20))
        case .invalidUTF8:
            let sequences: [[UInt8]] = [
                [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
                [0x80], [0xF4, 0x90, 0x80, 0x80],
            ]
            bytes.insert(contentsOf: sequences[place(sequences.count)], at: place(bytes.count))
        case .inserted:
            let noise = (0..<(1 + place(8))).map { _ in UInt8(place(256)) }
            bytes.insert(contentsOf: noise, at: place(bytes.count))
        case .removed:
            let from = place(bytes.count)
            bytes.removeSubrange(from..<min(bytes.count, from + 1 + place(16)))
        case .repeated:
            let from = place(bytes.count)
            let piece = bytes[from..<min(bytes.count, from + 1 + place(200))]
            bytes.insert(contentsOf: piece, at: place(bytes.count))
        }
        return bytes
    }

    /// The document with one value of another type, well formed.
    private func retyped(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        guard let json = try? JSONValue(parsing: bytes) else { return bytes }
        var left = Int.random(in: 0..<max(1, Self.count(json)), using: &generator)
        let others: [JSONValue] = [
            .null, true, 0, -1, .integer(.max), "", "x", [], [:], [[]], ["": [:]],
        ]
        let other = others[Int.random(in: 0..<others.count, using: &generator)]
        return Self.replaced(json, at: &left, by: other).encoded()
    }

    private static func count(_ json: JSONValue) -> Int {
        switch json {
        case .array(let elements): return elements.reduce(1) { $0 + count($1) }
        case .object(let members): return members.values.reduce(1) { $0 + count($1) }
        default: return 1
        }
    }

    private static func replaced(
        _ json: JSONValue, at left: inout Int, by other: JSONValue
    ) -> JSONValue {
        left -= 1
        if left == -1 { return other }
        switch json {
        case .array(let elements):
            return .array(elements.map { replaced($0, at: &left, by: other) })
        case .object(let members):
            var changed: [String: JSONValue] = [:]
            for key in members.keys.sorted() {
                changed[key] = members[key].map { replaced($0, at: &left, by: other) }
            }
            return .object(changed)
        default: return json
        }
    }

    private func replaceNumber(in bytes: inout [UInt8], by text: String, nth: Int) {
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        let starts = bytes.indices.filter {
            isDigit(bytes[$0]) && $0 > 0 && bytes[$0 - 1] == UInt8(ascii: ":")
        }
        guard !starts.isEmpty else { return }
        let start = starts[nth % starts.count]
        let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
        bytes.replaceSubrange(start..<end, with: Array(text.utf8))
    }

    /// Writes a member a second time, before itself with another value or behind itself.
    private func duplicateMember(in bytes: inout [UInt8], nth: Int) {
        let starts = bytes.indices.filter { index in
            bytes[index] == UInt8(ascii: "\"") && index > 0
                && (bytes[index - 1] == UInt8(ascii: "{") || bytes[index - 1] == UInt8(ascii: ","))
        }
        guard !starts.isEmpty else { return }
        let start = starts[nth % starts.count]
        guard let end = bytes[(start + 1)...].firstIndex(of: UInt8(ascii: "\"")) else { return }
        bytes.insert(contentsOf: bytes[start...end] + Array(":0,".utf8), at: start)
    }
}
