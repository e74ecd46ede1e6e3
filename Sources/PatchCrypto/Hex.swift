/// Hexadecimal text.
public enum Hex {
    /// `bytes` as lower-case hexadecimal digits, two a byte.
    public static func encode<Bytes: Sequence>(_ bytes: Bytes) -> String
    where Bytes.Element == UInt8 { encode(Array(bytes)) }

    /// The same without what generic code looks up at its first use.
    public static func encode(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 15))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes that `text` stands for: an even number of digits of either case and nothing else,
    /// or nil.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension Array where Element == UInt8 {
    /// These bytes as lower-case hexadecimal digits.
    public var hex: String { Hex.encode(self) }
}

extension Collection where Element == UInt8 {
    /// These bytes as lower-case hexadecimal digits.
    public var hex: String { Hex.encode(self) }
}
