/// The bytes of a `UUID`.
public typealias uuid_t = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
    UInt8, UInt8, UInt8
)

/// An identifier of 16 bytes. A guest makes none of its own, so there is no `UUID()`: pass one in.
public struct UUID: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// An identifier of these bytes.
    public init(uuid: uuid_t) {
        func word(
            _ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ e: UInt8, _ f: UInt8, _ g: UInt8,
            _ h: UInt8
        ) -> UInt64 {
            var word = UInt64(a) << 56 | UInt64(b) << 48 | UInt64(c) << 40
            word |= UInt64(d) << 32 | UInt64(e) << 24 | UInt64(f) << 16
            return word | UInt64(g) << 8 | UInt64(h)
        }
        high = word(uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5, uuid.6, uuid.7)
        low = word(uuid.8, uuid.9, uuid.10, uuid.11, uuid.12, uuid.13, uuid.14, uuid.15)
    }

    /// Reads `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`, in either case; nil for other texts.
    ///
    /// Versions of Foundation that scan with C read signs, blanks and `0x` inside as well. Such a
    /// text traps, and the app serves the call with its own Foundation.
    public init?(uuidString text: String) {
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        var isValid = text.utf8.count == 36
        for (index, byte) in text.utf8.enumerated() {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            case UInt8(ascii: "-") where index == 8 || index == 13 || index == 18 || index == 23:
                continue
            case 0, 9...13, UInt8(ascii: " "):
                preconditionFailure("read differently by versions of Foundation")
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "x"), UInt8(ascii: "X"):
                precondition(text.utf8.count != 36, "read differently by versions of Foundation")
                isValid = false
                continue
            default:
                isValid = false
                continue
            }
            if index == 8 || index == 13 || index == 18 || index == 23 { isValid = false }
            if digits < 16 {
                words.0 = words.0 << 4 | UInt64(digit)
            } else {
                words.1 = words.1 << 4 | UInt64(digit)
            }
            digits += 1
        }
        guard isValid, digits == 32 else { return nil }
        (high, low) = words
    }

    /// The bytes.
    public var uuid: uuid_t {
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
            UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
        }
        return (
            byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4),
            byte(high, 5), byte(high, 6), byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2),
            byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
        )
    }

    /// 36 characters with digits in upper case.
    public var uuidString: String {
        var text: [UInt8] = []
        var index = 0
        while index < 32 {
            if index == 8 || index == 12 || index == 16 || index == 20 {
                text.append(UInt8(ascii: "-"))
            }
            let word = index < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (index & 15)) & 15)
            text.append(digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "A"))
            index += 1
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The same as ``uuidString``.
    public var description: String { uuidString }

    /// By bytes.
    public static func < (left: UUID, right: UUID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
