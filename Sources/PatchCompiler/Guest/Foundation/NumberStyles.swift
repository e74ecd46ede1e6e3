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
    /// What the numbers count.
    enum Kind: Int64 {
        case plain
        case percent
        case currency
    }

    let kind: Kind
    let code: String
    var list = Settings()

    init(_ kind: Kind, _ code: String = "", _ locale: Locale = .autoupdatingCurrent) {
        self.kind = kind
        self.code = code
        if !locale.name.isEmpty { list.set(0, locale.name) }
    }

    init(_ kind: Kind, _ locale: Locale) { self.init(kind, "", locale) }

    func text(_ value: NSNumber.Value) -> String {
        var writer = op_question(4, 4)
        writer.arrayHeader(2)
        writer.int(kind.rawValue)
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

extension BinaryInteger {
    /// The number as the user reads it.
    public func formatted() -> String {
        NumberStyleSettings(.plain).text(NSNumber.Value(integer: self))
    }

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
        NumberStyleSettings(.plain).text(NSNumber.Value(fraction: self))
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
    public func formatted() -> String { NumberStyleSettings(.plain).text(.decimal(self)) }

    /// The number in a style.
    public func formatted<Style: Foundation.FormatStyle>(_ style: Style) -> Style.FormatOutput
    where Style.FormatInput == Decimal { style.format(self) }
}
