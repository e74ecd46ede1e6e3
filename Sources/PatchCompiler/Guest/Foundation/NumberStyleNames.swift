// Styles by the names that code writes with a leading dot.

extension FormatStyle where Self == IntegerFormatStyle<Int> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<Int>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<Int>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == IntegerFormatStyle<Int64> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<Int64>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<Int64>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == IntegerFormatStyle<Int32> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<Int32>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<Int32>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == IntegerFormatStyle<Int16> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<Int16>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<Int16>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == IntegerFormatStyle<Int8> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<Int8>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<Int8>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt64> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt64>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt64>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt32> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt32>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt32>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt16> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt16>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt16>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt8> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt8>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == IntegerFormatStyle<UInt8>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == FloatingPointFormatStyle<Double> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == FloatingPointFormatStyle<Double>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == FloatingPointFormatStyle<Double>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == FloatingPointFormatStyle<Float> {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == FloatingPointFormatStyle<Float>.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == FloatingPointFormatStyle<Float>.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}

extension FormatStyle where Self == Decimal.FormatStyle {
    /// Numbers.
    public static var number: Self { Self() }
}

extension FormatStyle where Self == Decimal.FormatStyle.Percent {
    /// Hundredths.
    public static var percent: Self { Self() }
}

extension FormatStyle where Self == Decimal.FormatStyle.Currency {
    /// Amounts of money.
    public static func currency(code: String) -> Self { Self(code: code) }
}
