/// A number in a box, as formatters take it.
public class NSNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    enum Value {
        case signed(Int64)
        case unsigned(UInt64)
        case double(Double)
        case float(Float)
        case decimal(Decimal)
    }

    let value: Value

    init(_ value: Value) { self.value = value }

    /// A whole number.
    public required init(integerLiteral value: Int) { self.value = .signed(Int64(value)) }
    /// A fraction.
    public required init(floatLiteral value: Double) { self.value = .double(value) }
    /// A whole number.
    public init(value: Int) { self.value = .signed(Int64(value)) }
    /// A whole number.
    public init(value: Int8) { self.value = .signed(Int64(value)) }
    /// A whole number.
    public init(value: Int16) { self.value = .signed(Int64(value)) }
    /// A whole number.
    public init(value: Int32) { self.value = .signed(Int64(value)) }
    /// A whole number.
    public init(value: Int64) { self.value = .signed(value) }
    /// A whole number.
    public init(value: UInt) { self.value = .unsigned(UInt64(value)) }
    /// A whole number.
    public init(value: UInt8) { self.value = .signed(Int64(value)) }
    /// A whole number.
    public init(value: UInt16) { self.value = .signed(Int64(value)) }
    /// A whole number.
    public init(value: UInt32) { self.value = .signed(Int64(value)) }
    /// A whole number.
    public init(value: UInt64) { self.value = .unsigned(value) }
    /// A fraction.
    public init(value: Double) { self.value = .double(value) }
    /// A fraction.
    public init(value: Float) { self.value = .float(value) }

    /// The number as a fraction.
    public var doubleValue: Double {
        switch value {
        case .signed(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .double(let value): value
        case .float(let value): Double(value)
        case .decimal(let value): value.double
        }
    }

    /// The whole part of the number; what does not fit traps.
    public var intValue: Int {
        switch value {
        case .signed(let value): Int(value)
        case .unsigned(let value): Int(value)
        case .double(let value): Int(value)
        case .float(let value): Int(value)
        case .decimal(let value): value.integer
        }
    }
}

/// A decimal number in a box.
public final class NSDecimalNumber: NSNumber {
    /// Which way to round.
    public typealias RoundingMode = Decimal.RoundingMode

    /// A decimal number.
    public init(decimal: Decimal) { super.init(.decimal(decimal)) }
    /// A whole number.
    public required init(integerLiteral value: Int) { super.init(.decimal(Decimal(value))) }
    /// A number near a fraction of powers of two.
    public required init(floatLiteral value: Double) { super.init(.decimal(Decimal(value))) }
    /// What a text begins with.
    public init(string: String) { super.init(.decimal(Decimal(string: string) ?? .nan)) }

    /// The number.
    public var decimalValue: Decimal {
        if case .decimal(let value) = value { return value }
        return .nan
    }

    /// The number in digits.
    public var stringValue: String { decimalValue.description }
}
