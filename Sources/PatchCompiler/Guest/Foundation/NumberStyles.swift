import PatchGuest

/// Makes texts of values.
public protocol FormatStyle {
    /// What it takes.
    associatedtype FormatInput
    /// What it makes.
    associatedtype FormatOutput
    /// Makes a text of a value.
    func format(_ value: FormatInput) -> FormatOutput
}

/// What a style of numbers was told.
public struct NumberStyleSettings: Sendable, Hashable {
    let kind: Int
    let code: String
    var list = Settings()

    init(_ kind: Int, _ code: String = "") {
        self.kind = kind
        self.code = code
    }

    func text(_ value: NSNumber.Value) -> String {
        var writer = op_question(4, 4)
        writer.arrayHeader(2)
        writer.int(Int64(kind))
        writer.string(code)
        list.write(to: &writer)
        value.write(to: &writer)
        var reader = op_ask_number(writer)
        return reader.onlyText()
    }
}

/// Styles of numbers.
public protocol NumberFormatStyle: FormatStyle where FormatOutput == String {
    /// What rounding counts in.
    associatedtype Increment: CustomStringConvertible
    /// What it was told.
    var op_settings: NumberStyleSettings { get set }
}

/// Styles of numbers that are not for currencies.
public protocol PlainNumberFormatStyle: NumberFormatStyle {}

/// Styles of amounts of money.
public protocol CurrencyNumberFormatStyle: NumberFormatStyle {}

extension NumberFormatStyle {
    private func told(_ tell: (inout Settings) -> Void) -> Self {
        var copy = self
        tell(&copy.op_settings.list)
        return copy
    }

    /// In another language and region.
    public func locale(_ locale: Locale) -> Self { told { $0.set(0, locale.name) } }

    /// With so many digits.
    public func precision(_ precision: NumberFormatStyleConfiguration.Precision) -> Self {
        told { $0.set(1, precision.text) }
    }

    /// With or without groups of digits.
    public func grouping(_ grouping: NumberFormatStyleConfiguration.Grouping) -> Self {
        told { $0.set(2, grouping == .automatic) }
    }

    /// With or without a separator after whole numbers.
    public func decimalSeparator(
        strategy: NumberFormatStyleConfiguration.DecimalSeparatorDisplayStrategy
    ) -> Self { told { $0.set(3, strategy == .always) } }

    /// Times a factor.
    public func scale(_ factor: Double) -> Self { told { $0.set(4, factor) } }

    /// Rounded.
    public func rounded(
        rule: FloatingPointRoundingRule = .toNearestOrEven, increment: Increment? = nil
    ) -> Self {
        let number =
            switch rule {
            case .toNearestOrAwayFromZero: "0"
            case .toNearestOrEven: "1"
            case .up: "2"
            case .down: "3"
            case .towardZero: "4"
            case .awayFromZero: "5"
            @unknown default: preconditionFailure()
            }
        return told { $0.set(7, number + " " + (increment?.description ?? "-")) }
    }
}

extension PlainNumberFormatStyle {
    /// With signs.
    public func sign(strategy: NumberFormatStyleConfiguration.SignDisplayStrategy) -> Self {
        var copy = self
        copy.op_settings.list.set(5, strategy.number)
        return copy
    }

    /// In short or with an exponent.
    public func notation(_ notation: NumberFormatStyleConfiguration.Notation) -> Self {
        var copy = self
        copy.op_settings.list.set(6, notation.rawValue)
        return copy
    }
}

extension CurrencyNumberFormatStyle {
    /// With signs.
    public func sign(strategy: CurrencyFormatStyleConfiguration.SignDisplayStrategy) -> Self {
        var copy = self
        copy.op_settings.list.set(5, strategy.number)
        return copy
    }

    /// With sign, code or name of the currency.
    public func presentation(
        _ presentation: CurrencyFormatStyleConfiguration.Presentation
    ) -> Self {
        var copy = self
        copy.op_settings.list.set(8, presentation.rawValue)
        return copy
    }
}

/// Parts of styles of numbers.
public enum NumberFormatStyleConfiguration {
    /// How many digits there are.
    public struct Precision: Sendable, Hashable {
        let text: String

        private init(_ kind: String, _ low: Int?, _ high: Int?) {
            text = kind + " " + (low?.description ?? "-") + " " + (high?.description ?? "-")
        }

        /// So many digits after the separator.
        public static func fractionLength(_ limit: Int) -> Precision {
            Precision("f", limit, limit)
        }
        /// So many digits after the separator.
        public static func fractionLength(_ limit: ClosedRange<Int>) -> Precision {
            Precision("f", limit.lowerBound, limit.upperBound)
        }
        /// So many digits after the separator.
        public static func fractionLength(_ limit: PartialRangeFrom<Int>) -> Precision {
            Precision("f", limit.lowerBound, nil)
        }
        /// So many digits after the separator.
        public static func fractionLength(_ limit: PartialRangeThrough<Int>) -> Precision {
            Precision("f", nil, limit.upperBound)
        }
        /// So many digits in all.
        public static func significantDigits(_ limit: Int) -> Precision {
            Precision("s", limit, limit)
        }
        /// So many digits in all.
        public static func significantDigits(_ limit: ClosedRange<Int>) -> Precision {
            Precision("s", limit.lowerBound, limit.upperBound)
        }
        /// So many digits in all.
        public static func significantDigits(_ limit: PartialRangeFrom<Int>) -> Precision {
            Precision("s", limit.lowerBound, nil)
        }
        /// So many digits in all.
        public static func significantDigits(_ limit: PartialRangeThrough<Int>) -> Precision {
            Precision("s", nil, limit.upperBound)
        }
        /// So many digits before the separator.
        public static func integerLength(_ limit: Int) -> Precision {
            Precision("i", limit, limit)
        }
        /// So many digits before the separator.
        public static func integerLength(_ limit: ClosedRange<Int>) -> Precision {
            Precision("i", limit.lowerBound, limit.upperBound)
        }
        /// So many digits before the separator.
        public static func integerLength(_ limit: PartialRangeFrom<Int>) -> Precision {
            Precision("i", limit.lowerBound, nil)
        }
        /// So many digits before the separator.
        public static func integerLength(_ limit: PartialRangeThrough<Int>) -> Precision {
            Precision("i", nil, limit.upperBound)
        }
        /// So many digits before and after the separator.
        public static func integerAndFractionLength(integer: Int, fraction: Int) -> Precision {
            Precision("b", integer, fraction)
        }
    }

    /// Whether digits stand in groups.
    public enum Grouping: Sendable {
        /// As usual.
        case automatic
        /// Not.
        case never
    }

    /// Whether whole numbers have a separator.
    public enum DecimalSeparatorDisplayStrategy: Sendable {
        /// As usual.
        case automatic
        /// Yes.
        case always
    }

    /// Which numbers have signs.
    public struct SignDisplayStrategy: Sendable, Hashable {
        let number: Int
        /// Negative ones.
        public static var automatic: Self { Self(number: 0) }
        /// None.
        public static var never: Self { Self(number: 1) }
        /// All, zero too or not.
        public static func always(includingZero: Bool = true) -> Self {
            Self(number: includingZero ? 3 : 2)
        }
    }

    /// How large numbers look.
    public enum Notation: Int, Sendable {
        /// As usual.
        case automatic
        /// With an exponent.
        case scientific
        /// In short.
        case compactName
    }
}

/// Parts of styles of amounts of money.
public enum CurrencyFormatStyleConfiguration {
    /// How many digits there are.
    public typealias Precision = NumberFormatStyleConfiguration.Precision
    /// Whether digits stand in groups.
    public typealias Grouping = NumberFormatStyleConfiguration.Grouping

    /// What names the currency.
    public enum Presentation: Int, Sendable {
        /// Its sign.
        case standard
        /// Its code.
        case isoCode
        /// Its shortest sign.
        case narrow
        /// Its name.
        case fullName
    }

    /// Which amounts have signs.
    public struct SignDisplayStrategy: Sendable, Hashable {
        let number: Int
        /// Negative ones.
        public static var automatic: Self { Self(number: 0) }
        /// None.
        public static var never: Self { Self(number: 1) }
        /// All, zero too or not.
        public static func always(showZero: Bool = true) -> Self { Self(number: showZero ? 3 : 2) }
        /// Negative ones have parentheses.
        public static var accounting: Self { Self(number: 4) }
        /// Negative ones have parentheses, others signs.
        public static func accountingAlways(showZero: Bool = false) -> Self {
            Self(number: showZero ? 6 : 5)
        }
    }
}

/// Numbers.
public struct IntegerFormatStyle<Value: BinaryInteger & Sendable>: PlainNumberFormatStyle, Sendable,
    Hashable
{
    /// What rounding counts in.
    public typealias Increment = Int
    /// What it was told.
    public var op_settings: NumberStyleSettings
    /// In a language and region.
    public init(locale: Locale = .autoupdatingCurrent) {
        op_settings = NumberStyleSettings(0)
        if !locale.name.isEmpty { op_settings.list.set(0, locale.name) }
    }

    /// The text of a number.
    public func format(_ value: Value) -> String {
        op_settings.text(NSNumber.Value(integer: value))
    }

    /// Hundredths.
    public struct Percent: PlainNumberFormatStyle, Sendable, Hashable {
        /// What rounding counts in.
        public typealias Increment = Int
        /// What it was told.
        public var op_settings: NumberStyleSettings
        /// In a language and region.
        public init(locale: Locale = .autoupdatingCurrent) {
            op_settings = NumberStyleSettings(1)
            if !locale.name.isEmpty { op_settings.list.set(0, locale.name) }
        }

        /// The text of a number.
        public func format(_ value: Value) -> String {
            op_settings.text(NSNumber.Value(integer: value))
        }
    }

    /// Amounts of money.
    public struct Currency: CurrencyNumberFormatStyle, Sendable, Hashable {
        /// What rounding counts in.
        public typealias Increment = Int
        /// What it was told.
        public var op_settings: NumberStyleSettings
        /// Amounts in a currency.
        public init(code: String, locale: Locale = .autoupdatingCurrent) {
            op_settings = NumberStyleSettings(2, code)
            if !locale.name.isEmpty { op_settings.list.set(0, locale.name) }
        }

        /// The text of a number.
        public func format(_ value: Value) -> String {
            op_settings.text(NSNumber.Value(integer: value))
        }
    }
}

/// Numbers.
public struct FloatingPointFormatStyle<Value: BinaryFloatingPoint & Sendable>:
    PlainNumberFormatStyle, Sendable, Hashable
{
    /// What rounding counts in.
    public typealias Increment = Double
    /// What it was told.
    public var op_settings: NumberStyleSettings
    /// In a language and region.
    public init(locale: Locale = .autoupdatingCurrent) {
        op_settings = NumberStyleSettings(0)
        if !locale.name.isEmpty { op_settings.list.set(0, locale.name) }
    }

    /// The text of a number.
    public func format(_ value: Value) -> String {
        op_settings.text(NSNumber.Value(fraction: value))
    }

    /// Hundredths.
    public struct Percent: PlainNumberFormatStyle, Sendable, Hashable {
        /// What rounding counts in.
        public typealias Increment = Double
        /// What it was told.
        public var op_settings: NumberStyleSettings
        /// In a language and region.
        public init(locale: Locale = .autoupdatingCurrent) {
            op_settings = NumberStyleSettings(1)
            if !locale.name.isEmpty { op_settings.list.set(0, locale.name) }
        }

        /// The text of a number.
        public func format(_ value: Value) -> String {
            op_settings.text(NSNumber.Value(fraction: value))
        }
    }

    /// Amounts of money.
    public struct Currency: CurrencyNumberFormatStyle, Sendable, Hashable {
        /// What rounding counts in.
        public typealias Increment = Double
        /// What it was told.
        public var op_settings: NumberStyleSettings
        /// Amounts in a currency.
        public init(code: String, locale: Locale = .autoupdatingCurrent) {
            op_settings = NumberStyleSettings(2, code)
            if !locale.name.isEmpty { op_settings.list.set(0, locale.name) }
        }

        /// The text of a number.
        public func format(_ value: Value) -> String {
            op_settings.text(NSNumber.Value(fraction: value))
        }
    }
}

extension Decimal {
    /// Numbers.
    public struct FormatStyle: PlainNumberFormatStyle, Sendable, Hashable {
        /// What rounding counts in.
        public typealias Increment = Int
        /// What it was told.
        public var op_settings: NumberStyleSettings
        /// In a language and region.
        public init(locale: Locale = .autoupdatingCurrent) {
            op_settings = NumberStyleSettings(0)
            if !locale.name.isEmpty { op_settings.list.set(0, locale.name) }
        }

        /// The text of a number.
        public func format(_ value: Decimal) -> String {
            op_settings.text(.decimal(value))
        }

        /// Hundredths.
        public struct Percent: PlainNumberFormatStyle, Sendable, Hashable {
            /// What rounding counts in.
            public typealias Increment = Int
            /// What it was told.
            public var op_settings: NumberStyleSettings
            /// In a language and region.
            public init(locale: Locale = .autoupdatingCurrent) {
                op_settings = NumberStyleSettings(1)
                if !locale.name.isEmpty { op_settings.list.set(0, locale.name) }
            }

            /// The text of a number.
            public func format(_ value: Decimal) -> String {
                op_settings.text(.decimal(value))
            }
        }

        /// Amounts of money.
        public struct Currency: CurrencyNumberFormatStyle, Sendable, Hashable {
            /// What rounding counts in.
            public typealias Increment = Int
            /// What it was told.
            public var op_settings: NumberStyleSettings
            /// Amounts in a currency.
            public init(code: String, locale: Locale = .autoupdatingCurrent) {
                op_settings = NumberStyleSettings(2, code)
                if !locale.name.isEmpty { op_settings.list.set(0, locale.name) }
            }

            /// The text of a number.
            public func format(_ value: Decimal) -> String {
                op_settings.text(.decimal(value))
            }
        }
    }
}

extension NSNumber.Value {
    /// A number of any type with fractions.
    init<Value: BinaryFloatingPoint>(fraction value: Value) {
        if let float = value as? Float {
            self = .float(float)
        } else {
            self = .double(Double(value))
        }
    }
}

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

extension BinaryInteger {
    /// The number as the user reads it.
    public func formatted() -> String { NumberStyleSettings(0).text(NSNumber.Value(integer: self)) }

    /// The number in a style.
    public func formatted<Style: FormatStyle>(_ style: Style) -> Style.FormatOutput
    where Style.FormatInput == Self { style.format(self) }

    /// The number in a style for another type of integers.
    public func formatted<Style: FormatStyle>(_ style: Style) -> Style.FormatOutput
    where Style.FormatInput: BinaryInteger { style.format(Style.FormatInput(self)) }
}

extension BinaryFloatingPoint {
    /// The number as the user reads it.
    public func formatted() -> String {
        NumberStyleSettings(0).text(NSNumber.Value(fraction: self))
    }

    /// The number in a style.
    public func formatted<Style: FormatStyle>(_ style: Style) -> Style.FormatOutput
    where Style.FormatInput == Self { style.format(self) }

    /// The number in a style for another type of fractions.
    public func formatted<Style: FormatStyle>(_ style: Style) -> Style.FormatOutput
    where Style.FormatInput: BinaryFloatingPoint { style.format(Style.FormatInput(self)) }
}

extension Decimal {
    /// The number as the user reads it.
    public func formatted() -> String { NumberStyleSettings(0).text(.decimal(self)) }

    /// The number in a style.
    public func formatted<Style: Foundation.FormatStyle>(_ style: Style) -> Style.FormatOutput
    where Style.FormatInput == Decimal { style.format(self) }
}
