import PatchGuest
import PatchHost

@_extern(wasm, module: "openpatch", name: "format.number") @_extern(c)
func op_host_format_number(_ pointer: Int32, _ length: Int32) -> Int32

func op_ask_number(_ writer: GuestWriter) -> GuestReader {
    HostAnswer.ask(writer) { op_host_format_number($0, $1) }
}

/// Numbers as texts and back, by the app's own Foundation. Properties of which the host alone knows
/// the first value can be set and not read.
public final class NumberFormatter {
    /// What kind of number it is.
    public enum Style: UInt, Sendable {
        /// Digits.
        case none = 0
        /// With groups and fraction.
        case decimal = 1
        /// An amount of money.
        case currency = 2
        /// Hundredths.
        case percent = 3
        /// With an exponent.
        case scientific = 4
        /// In words.
        case spellOut = 5
        /// As in `3rd`.
        case ordinal = 6
        /// An amount of money with its code.
        case currencyISOCode = 8
        /// An amount of money in words.
        case currencyPlural = 9
        /// An amount of money, as accountants write it.
        case currencyAccounting = 10
    }

    /// Which way to round.
    public enum RoundingMode: UInt, Sendable {
        /// Up.
        case ceiling = 0
        /// Down.
        case floor = 1
        /// Towards zero.
        case down = 2
        /// Away from zero.
        case up = 3
        /// To the nearest, halves to even.
        case halfEven = 4
        /// To the nearest, halves towards zero.
        case halfDown = 5
        /// To the nearest, halves away from zero.
        case halfUp = 6
    }

    private var settings = Settings()

    /// A formatter for digits.
    public init() {}

    /// What kind of number it is.
    public var numberStyle: Style {
        get { Style(rawValue: UInt(settings.number(0) ?? 0)) ?? .none }
        set { settings.set(0, Int(newValue.rawValue)) }
    }

    /// Language and region.
    public var locale: Locale! {
        get { settings.text(1).map { Locale(named: $0) } ?? .current }
        set { settings.set(1, (newValue ?? .current).name) }
    }

    /// Which way to round.
    public var roundingMode: RoundingMode {
        get { RoundingMode(rawValue: UInt(settings.number(15) ?? 4)) ?? .halfEven }
        set { settings.set(15, Int(newValue.rawValue)) }
    }

    /// What numbers are multiplied with before they become texts.
    public var multiplier: NSNumber? {
        @available(*, unavailable) get { nil }
        set { settings.set(16, newValue?.doubleValue ?? 1) }
    }

    /// The code of the currency.
    public var currencyCode: String! {
        get { text(6) }
        set { settings.set(6, newValue ?? "") }
    }

    /// The sign of the currency.
    public var currencySymbol: String! {
        get { text(7) }
        set { settings.set(7, newValue ?? "") }
    }

    /// What stands between groups of digits.
    public var groupingSeparator: String! {
        get { text(9) }
        set { settings.set(9, newValue ?? "") }
    }

    /// What stands before fractions.
    public var decimalSeparator: String! {
        get { text(10) }
        set { settings.set(10, newValue ?? "") }
    }

    /// The sign for hundredths.
    public var percentSymbol: String! {
        get { text(17) }
        set { settings.set(17, newValue ?? "") }
    }

    /// The sign for more.
    public var plusSign: String! {
        get { text(25) }
        set { settings.set(25, newValue ?? "") }
    }

    /// The sign for less.
    public var minusSign: String! {
        get { text(26) }
        set { settings.set(26, newValue ?? "") }
    }

    /// What stands before positive numbers.
    public var positivePrefix: String! {
        @available(*, unavailable) get { nil }
        set { settings.set(11, newValue ?? "") }
    }

    /// What stands after positive numbers.
    public var positiveSuffix: String! {
        @available(*, unavailable) get { nil }
        set { settings.set(12, newValue ?? "") }
    }

    /// What stands before negative numbers.
    public var negativePrefix: String! {
        @available(*, unavailable) get { nil }
        set { settings.set(13, newValue ?? "") }
    }

    /// What stands after negative numbers.
    public var negativeSuffix: String! {
        @available(*, unavailable) get { nil }
        set { settings.set(14, newValue ?? "") }
    }

    /// The pattern of positive numbers.
    public var positiveFormat: String! {
        @available(*, unavailable) get { nil }
        set { settings.set(21, newValue ?? "") }
    }

    /// The pattern of negative numbers.
    public var negativeFormat: String! {
        @available(*, unavailable) get { nil }
        set { settings.set(22, newValue ?? "") }
    }

    /// What stands for zero.
    public var zeroSymbol: String! {
        @available(*, unavailable) get { nil }
        set { settings.set(23, newValue ?? "") }
    }

    /// What stands between groups of digits of an amount.
    public var currencyGroupingSeparator: String! {
        @available(*, unavailable) get { nil }
        set { settings.set(28, newValue ?? "") }
    }

    /// What stands before fractions of an amount.
    public var currencyDecimalSeparator: String! {
        @available(*, unavailable) get { nil }
        set { settings.set(29, newValue ?? "") }
    }

    /// Whether digits stand in groups.
    public var usesGroupingSeparator: Bool {
        @available(*, unavailable) get { false }
        set { settings.set(8, newValue) }
    }

    /// Whether digits are counted from the first.
    public var usesSignificantDigits: Bool {
        @available(*, unavailable) get { false }
        set { settings.set(18, newValue) }
    }

    /// Whether whole numbers have a separator too.
    public var alwaysShowsDecimalSeparator: Bool {
        @available(*, unavailable) get { false }
        set { settings.set(30, newValue) }
    }

    /// Whether texts are read generously.
    public var isLenient: Bool {
        @available(*, unavailable) get { false }
        set { settings.set(32, newValue) }
    }

    /// The fewest digits after the separator.
    public var minimumFractionDigits: Int {
        @available(*, unavailable) get { 0 }
        set { settings.set(2, newValue) }
    }

    /// The most digits after the separator.
    public var maximumFractionDigits: Int {
        @available(*, unavailable) get { 0 }
        set { settings.set(3, newValue) }
    }

    /// The fewest digits before the separator.
    public var minimumIntegerDigits: Int {
        @available(*, unavailable) get { 0 }
        set { settings.set(4, newValue) }
    }

    /// The most digits before the separator.
    public var maximumIntegerDigits: Int {
        @available(*, unavailable) get { 0 }
        set { settings.set(5, newValue) }
    }

    /// The fewest digits.
    public var minimumSignificantDigits: Int {
        @available(*, unavailable) get { 0 }
        set { settings.set(19, newValue) }
    }

    /// The most digits.
    public var maximumSignificantDigits: Int {
        @available(*, unavailable) get { 0 }
        set { settings.set(20, newValue) }
    }

    /// Digits of a group.
    public var groupingSize: Int {
        @available(*, unavailable) get { 0 }
        set { settings.set(24, newValue) }
    }

    /// Characters in all.
    public var formatWidth: Int {
        @available(*, unavailable) get { 0 }
        set { settings.set(33, newValue) }
    }

    /// The text of a number.
    public func string(from number: NSNumber) -> String? {
        var writer = op_question(0, 3)
        settings.write(to: &writer)
        number.value.write(to: &writer)
        var reader = op_ask_number(writer)
        return reader.onlyOptionalText()
    }

    /// The text of a number.
    public func string(for number: Int) -> String? { string(from: NSNumber(value: number)) }
    /// The text of a number.
    public func string(for number: Double) -> String? { string(from: NSNumber(value: number)) }
    /// The text of a number.
    public func string(for number: Decimal) -> String? {
        string(from: NSDecimalNumber(decimal: number))
    }

    /// The number of a text.
    public func number(from text: String) -> NSNumber? {
        var writer = op_question(1, 3)
        settings.write(to: &writer)
        writer.string(text)
        var reader = op_ask_number(writer)
        let value = reader.optional { NSNumber.Value(from: &$0) }
        reader.discard()
        return value.map { NSNumber($0) }
    }

    /// The text of a number in a style.
    public static func localizedString(from number: NSNumber, number style: Style) -> String {
        var writer = op_question(3, 3)
        writer.uint(UInt64(style.rawValue))
        number.value.write(to: &writer)
        var reader = op_ask_number(writer)
        return reader.onlyText()
    }

    private func text(_ key: Int) -> String? {
        var writer = op_question(2, 3)
        settings.write(to: &writer)
        writer.int(Int64(key))
        var reader = op_ask_number(writer)
        return reader.onlyOptionalText()
    }
}

/// Numbers of bytes as texts.
public final class ByteCountFormatter {
    /// How a number of bytes is counted.
    public enum CountStyle: Int, Sendable {
        /// As files are.
        case file = 0
        /// As memory is.
        case memory = 1
        /// By thousands.
        case decimal = 2
        /// By powers of two.
        case binary = 3
    }

    /// The text of a number of bytes.
    public static func string(fromByteCount count: Int64, countStyle: CountStyle) -> String {
        ByteCountFormatStyle.text(count, 1, countStyle.rawValue)
    }
}

/// How `formatted(.byteCount(style:))` writes a number of bytes.
public struct ByteCountFormatStyle: FormatStyle, Sendable {
    /// How a number of bytes is counted.
    public enum Style: Int, Sendable {
        /// As files are.
        case file = 0
        /// As memory is.
        case memory = 1
        /// By thousands.
        case decimal = 2
        /// By powers of two.
        case binary = 3
    }

    let style: Style

    /// The text of a number of bytes.
    public func format(_ value: Int64) -> String { Self.text(value, 0, style.rawValue) }

    static func text(_ count: Int64, _ form: UInt64, _ style: Int) -> String {
        var writer = op_question(5, 4)
        writer.uint(form)
        writer.int(Int64(style))
        writer.int(count)
        var reader = op_ask_number(writer)
        return reader.onlyText()
    }
}

extension FormatStyle where Self == ByteCountFormatStyle {
    /// Numbers of bytes.
    public static func byteCount(style: ByteCountFormatStyle.Style) -> Self {
        ByteCountFormatStyle(style: style)
    }
}
