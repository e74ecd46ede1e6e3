import Foundation
import WebAssembly

/// Values as they are written on a command line: integers in signed decimal, floating-point
/// numbers as the shortest text that reads back the same, NaN payloads as in the text format.
enum WasmText {
    static func text(_ value: Value) -> String {
        switch value {
        case .i32(let bits): return String(Int32(bitPattern: bits))
        case .i64(let bits): return String(Int64(bitPattern: bits))
        case .f32(let bits):
            let value = Float(bitPattern: bits)
            if !value.isNaN { return "\(value)" }
            return nan(bits >> 31 != 0, UInt64(bits & 0x7f_ffff), canonical: 0x40_0000)
        case .f64(let bits):
            let value = Double(bitPattern: bits)
            if !value.isNaN { return "\(value)" }
            return nan(
                bits >> 63 != 0, bits & 0xf_ffff_ffff_ffff, canonical: 0x8_0000_0000_0000)
        case .ref(.nullFunction), .ref(.nullExtern): return "null"
        case .ref(.function): return "function"
        case .ref(.extern(let number)): return String(number)
        }
    }

    /// Reads a value of a type: a signed or unsigned decimal, `0x…`, and for floating point also
    /// `inf`, `nan` and `nan:0x…`. Nil for anything else, what does not fit included.
    static func value(_ text: String, as type: ValueType) -> Value? {
        switch type {
        case .i32: return integer(text, Int32.self, UInt32.self).map { .i32($0) }
        case .i64: return integer(text, Int64.self, UInt64.self).map { .i64($0) }
        case .f32:
            if let bits = nanBits(text, fraction: 23) {
                return .f32(UInt32(bits) | 0x7f80_0000 | (text.hasPrefix("-") ? 1 << 31 : 0))
            }
            return number(text, Float.self).map { .f32($0.bitPattern) }
        case .f64:
            if let bits = nanBits(text, fraction: 52) {
                return .f64(
                    bits | 0x7ff0_0000_0000_0000 | (text.hasPrefix("-") ? 1 << 63 : 0))
            }
            return number(text, Double.self).map { .f64($0.bitPattern) }
        case .funcRef: return text == "null" ? .ref(.nullFunction) : nil
        case .externRef:
            return text == "null" ? .ref(.nullExtern) : UInt32(text).map { .ref(.extern($0)) }
        }
    }

    /// A part of a whole, one digit after the point.
    static func percent(_ part: UInt64, of whole: UInt64) -> String {
        String(format: "%.1f", whole == 0 ? 0 : 100 * Double(part) / Double(whole))
    }

    /// A long name cut in its middle: its ends tell most.
    static func shortened(_ text: String, to width: Int) -> String {
        guard text.count > width, width > 4 else { return text }
        let head = (width - 1) * 2 / 3
        return text.prefix(head) + "…" + text.suffix(width - 1 - head)
    }

    private static func nan(_ isNegative: Bool, _ payload: UInt64, canonical: UInt64) -> String {
        (isNegative ? "-nan" : "nan")
            + (payload == canonical ? "" : ":0x" + String(payload, radix: 16))
    }

    private static func nanBits(_ text: String, fraction: Int) -> UInt64? {
        var rest = text[...]
        if rest.hasPrefix("-") || rest.hasPrefix("+") { rest.removeFirst() }
        guard rest.hasPrefix("nan") else { return nil }
        rest.removeFirst(3)
        if rest.isEmpty { return 1 << (fraction - 1) }
        guard rest.hasPrefix(":0x"), let payload = UInt64(rest.dropFirst(3), radix: 16),
            payload > 0, payload < 1 << fraction
        else { return nil }
        return payload
    }

    private static func integer<Signed: FixedWidthInteger, Unsigned: FixedWidthInteger>(
        _ text: String, _: Signed.Type, _: Unsigned.Type
    ) -> Unsigned? {
        var digits = text[...]
        let isNegative = digits.hasPrefix("-")
        if isNegative || digits.hasPrefix("+") { digits.removeFirst() }
        let isHex = digits.hasPrefix("0x") || digits.hasPrefix("0X")
        if isHex { digits.removeFirst(2) }
        // A second sign would be taken by the conversion below.
        guard let first = digits.first, first != "-", first != "+" else { return nil }
        let sign = isNegative ? "-" : ""
        if !isNegative, let value = Unsigned(digits, radix: isHex ? 16 : 10) { return value }
        return Signed(sign + digits, radix: isHex ? 16 : 10).map {
            Unsigned(truncatingIfNeeded: $0)
        }
    }

    private static func number<Number: LosslessStringConvertible & BinaryFloatingPoint>(
        _ text: String, _: Number.Type
    ) -> Number? {
        guard let value = Number(text), !value.isNaN else { return nil }
        return value
    }
}
