import PatchGuest
import PatchHost

@_extern(wasm, module: "openpatch", name: "format.decimal") @_extern(c)
func op_host_format_decimal(_ pointer: Int32, _ length: Int32) -> Int32

/// A decimal number of up to 38 digits. The app's own Foundation calculates with it. There is no
/// `exponent`: equal numbers may differ in it.
public struct Decimal: Sendable, Hashable, SignedNumeric, Comparable, Strideable,
    ExpressibleByFloatLiteral, CustomStringConvertible
{
    /// Digits without zeros that say nothing, so that equal numbers have equal texts.
    private let digits: String

    fileprivate init(digits: String) { self.digits = digits }

    /// Zero.
    public init() { digits = "0" }
    /// A whole number.
    public init(_ value: Int) { digits = value.description }
    /// A whole number.
    public init(_ value: Int8) { digits = value.description }
    /// A whole number.
    public init(_ value: Int16) { digits = value.description }
    /// A whole number.
    public init(_ value: Int32) { digits = value.description }
    /// A whole number.
    public init(_ value: Int64) { digits = value.description }
    /// A whole number.
    public init(_ value: UInt) { digits = value.description }
    /// A whole number.
    public init(_ value: UInt8) { digits = value.description }
    /// A whole number.
    public init(_ value: UInt16) { digits = value.description }
    /// A whole number.
    public init(_ value: UInt32) { digits = value.description }
    /// A whole number.
    public init(_ value: UInt64) { digits = value.description }
    /// A whole number.
    public init<Source: BinaryInteger>(exactly source: Source) { digits = source.description }
    /// A whole number.
    public init(integerLiteral value: Int) { self.init(value) }
    /// A number near a fraction of powers of two.
    public init(floatLiteral value: Double) { self.init(value) }

    /// A number near a fraction of powers of two.
    public init(_ value: Double) {
        var writer = Decimal.question(1, 2)
        writer.double(value)
        self.init(digits: Decimal.answer(writer))
    }

    /// The number that a text begins with; nil for none.
    public init?(string text: String, locale: Locale? = nil) {
        var writer = Decimal.question(0, 3)
        writer.string(text)
        writer.optional(locale) { $0.string($1.name) }
        var reader = Decimal.ask(writer)
        let found = reader.optional { $0.string() }
        reader.discard()
        guard let found else { return nil }
        digits = found
    }

    /// A number from its parts.
    public init(sign: FloatingPointSign, exponent: Int, significand: Decimal) {
        precondition((-60...60).contains(exponent))
        let power = pow(Decimal(10), exponent < 0 ? -exponent : exponent)
        let value = exponent < 0 ? significand / power : significand * power
        digits = (sign == .minus ? -value : value).digits
    }

    /// Zero.
    public static let zero = Decimal(digits: "0")
    /// No number.
    public static let nan = Decimal(digits: "NaN")
    /// No number.
    public static let quietNaN = Decimal(digits: "NaN")
    /// The ratio of a circle's circumference to its diameter.
    public static let pi = Decimal(digits: "3.14159265358979323846264338327950288419")

    /// Whether this is no number.
    public var isNaN: Bool { digits == "NaN" }
    /// Whether this is no number.
    public var isSignalingNaN: Bool { false }
    /// Whether this is a number.
    public var isFinite: Bool { !isNaN }
    /// Never.
    public var isInfinite: Bool { false }
    /// Whether this is zero.
    public var isZero: Bool { digits == "0" }
    /// Whether this is below zero.
    public var isSignMinus: Bool { digits.utf8.first == UInt8(ascii: "-") }
    /// The sign.
    public var sign: FloatingPointSign { isSignMinus ? .minus : .plus }
    /// The number without its sign.
    public var magnitude: Decimal { isSignMinus ? -self : self }
    /// The number in digits.
    public var description: String { digits }

    // What `Strideable` offers would ask for the distance, and compare that in the same way.
    /// Whether both numbers are the same.
    public static func == (left: Decimal, right: Decimal) -> Bool { left.digits == right.digits }
    /// Whether the left number is smaller.
    public static func < (left: Decimal, right: Decimal) -> Bool {
        var writer = question(3, 3)
        writer.decimal(left)
        writer.decimal(right)
        var reader = ask(writer)
        let order = reader.integer(Int.self)
        reader.discard()
        return order < 0
    }
    /// The sum.
    public static func + (left: Decimal, right: Decimal) -> Decimal { result(left, right, 0) }
    /// The difference.
    public static func - (left: Decimal, right: Decimal) -> Decimal { result(left, right, 1) }
    /// The product.
    public static func * (left: Decimal, right: Decimal) -> Decimal { result(left, right, 2) }
    /// The quotient.
    public static func / (left: Decimal, right: Decimal) -> Decimal { result(left, right, 3) }
    /// Adds.
    public static func += (left: inout Decimal, right: Decimal) { left = left + right }
    /// Subtracts.
    public static func -= (left: inout Decimal, right: Decimal) { left = left - right }
    /// Multiplies.
    public static func *= (left: inout Decimal, right: Decimal) { left = left * right }
    /// Divides.
    public static func /= (left: inout Decimal, right: Decimal) { left = left / right }
    /// The number with the other sign.
    public static prefix func - (value: Decimal) -> Decimal {
        if value.isNaN || value.isZero { return value }
        return Decimal(
            digits: value.isSignMinus ? String(value.digits.dropFirst()) : "-" + value.digits)
    }
    /// Changes the sign.
    public mutating func negate() { self = -self }

    /// The difference to another number.
    public func distance(to other: Decimal) -> Decimal { other - self }
    /// The number so much further.
    public func advanced(by amount: Decimal) -> Decimal { self + amount }

    // MARK: - Questions

    fileprivate static func question(_ kind: Int64, _ count: Int) -> GuestWriter {
        var writer = GuestWriter()
        writer.arrayHeader(count)
        writer.int(kind)
        return writer
    }

    fileprivate static func ask(_ writer: GuestWriter) -> GuestReader {
        HostAnswer.ask(writer) { op_host_format_decimal($0, $1) }
    }

    fileprivate static func answer(_ writer: GuestWriter) -> String {
        var reader = ask(writer)
        let found = reader.string()
        reader.discard()
        return found
    }

    private static func result(_ left: Decimal, _ right: Decimal, _ kind: Int64) -> Decimal {
        var writer = question(2, 4)
        writer.decimal(left)
        writer.decimal(right)
        writer.int(kind)
        return Decimal(digits: answer(writer))
    }

    /// What `NSDecimalNumber(decimal:)` gives.
    var double: Double {
        var writer = Decimal.question(4, 2)
        writer.decimal(self)
        var reader = Decimal.ask(writer)
        let found = reader.double()
        reader.discard()
        return found
    }

    /// What `NSDecimalNumber(decimal:)` gives.
    var integer: Int {
        var writer = Decimal.question(7, 2)
        writer.decimal(self)
        var reader = Decimal.ask(writer)
        let found = reader.integer(Int.self)
        reader.discard()
        return found
    }

    /// Which way to round.
    public enum RoundingMode: UInt, Sendable {
        /// To the nearest, halves away from zero.
        case plain
        /// Down.
        case down
        /// Up.
        case up
        /// To the nearest, halves to even.
        case bankers
    }
}

/// A power.
public func pow(_ value: Decimal, _ power: Int) -> Decimal {
    var writer = Decimal.question(6, 3)
    writer.decimal(value)
    writer.int(Int64(power))
    return Decimal(digits: Decimal.answer(writer))
}

/// Rounds to so many places after the point.
public func NSDecimalRound(
    _ result: UnsafeMutablePointer<Decimal>, _ number: UnsafePointer<Decimal>, _ scale: Int,
    _ mode: Decimal.RoundingMode
) {
    var writer = Decimal.question(5, 4)
    writer.decimal(number.pointee)
    writer.int(Int64(scale))
    writer.uint(UInt64(mode.rawValue))
    result.pointee = Decimal(digits: Decimal.answer(writer))
}

extension GuestWriter {
    /// Appends a decimal number.
    public mutating func decimal(_ value: Decimal) { string(value.description) }
}

extension GuestReader {
    /// Reads a decimal number.
    public mutating func decimal() -> Decimal { Decimal(digits: string()) }
}
