import Foundation

/// `formatted(_:)` of numbers: the kind of style, what it was told, and the number.
enum NumberStyles {
    static func text(_ reader: inout MessagePackReader) throws -> String {
        try reader.arrayHeader(exactly: 2)
        let kind = try reader.integer(Int.self)
        let code = try reader.string()
        let settings = try reader.settings()
        switch try reader.anyNumber() {
        case .signed(let value):
            return try text(
                value, kind, settings, IntegerFormatStyle<Int64>(),
                IntegerFormatStyle<Int64>.Percent(),
                IntegerFormatStyle<Int64>.Currency(code: code))
        case .unsigned(let value):
            return try text(
                value, kind, settings, IntegerFormatStyle<UInt64>(),
                IntegerFormatStyle<UInt64>.Percent(),
                IntegerFormatStyle<UInt64>.Currency(code: code))
        case .double(let value):
            return try text(
                value, kind, settings, FloatingPointFormatStyle<Double>(),
                FloatingPointFormatStyle<Double>.Percent(),
                FloatingPointFormatStyle<Double>.Currency(code: code))
        case .float(let value):
            return try text(
                value, kind, settings, FloatingPointFormatStyle<Float>(),
                FloatingPointFormatStyle<Float>.Percent(),
                FloatingPointFormatStyle<Float>.Currency(code: code))
        case .decimal(let value):
            return try text(
                value, kind, settings, Decimal.FormatStyle(), Decimal.FormatStyle.Percent(),
                Decimal.FormatStyle.Currency(code: code))
        }
    }

    private static func text<
        Value, Plain: PlainNumberStyle, Percent: PlainNumberStyle, Currency: CurrencyNumberStyle
    >(
        _ value: Value, _ kind: Int, _ settings: [(key: Int, value: Setting)], _ plain: Plain,
        _ percent: Percent, _ currency: Currency
    ) throws -> String
    where
        Plain.FormatInput == Value, Percent.FormatInput == Value, Currency.FormatInput == Value,
        Plain.FormatOutput == String, Percent.FormatOutput == String,
        Currency.FormatOutput == String
    {
        switch kind {
        case 0: return try styled(plain, settings).format(value)
        case 1: return try styled(percent, settings).format(value)
        case 2:
            var style = currency
            for (key, setting) in settings {
                if let done = try common(style, key, setting) {
                    style = done
                } else if key == 5, let number = setting.number {
                    let all: [CurrencyFormatStyleConfiguration.SignDisplayStrategy] = [
                        .automatic, .never, .always(showZero: false), .always(showZero: true),
                        .accounting, .accountingAlways(showZero: false),
                        .accountingAlways(showZero: true),
                    ]
                    style = style.sign(strategy: try all.at(number))
                } else if key == 8, let number = setting.number {
                    style = style.presentation(
                        try [.standard, .isoCode, .narrow, .fullName].at(number))
                } else {
                    throw FoundationAnswers.unknown("part of a style")
                }
            }
            return style.format(value)
        default: throw FoundationAnswers.unknown("kind of style")
        }
    }

    private static func styled<Style: PlainNumberStyle>(
        _ style: Style, _ settings: [(key: Int, value: Setting)]
    ) throws -> Style {
        var style = style
        for (key, setting) in settings {
            if let done = try common(style, key, setting) {
                style = done
            } else if key == 5, let number = setting.number {
                let all: [NumberFormatStyleConfiguration.SignDisplayStrategy] = [
                    .automatic, .never, .always(includingZero: false),
                    .always(includingZero: true),
                ]
                style = style.sign(strategy: try all.at(number))
            } else if key == 6, let number = setting.number {
                style = style.notation(try [.automatic, .scientific, .compactName].at(number))
            } else {
                throw FoundationAnswers.unknown("part of a style")
            }
        }
        return style
    }

    /// What all styles can be told; nil for anything else.
    private static func common<Style: NumberStyle>(
        _ style: Style, _ key: Int, _ setting: Setting
    ) throws -> Style? {
        switch (key, setting) {
        case (0, .text(let name)): return style.locale(Locale(named: name))
        case (1, .text(let text)): return style.precision(try precision(text))
        case (2, .flag(let isOn)): return style.grouping(isOn ? .automatic : .never)
        case (3, .flag(let isAlways)):
            return style.decimalSeparator(strategy: isAlways ? .always : .automatic)
        case (4, .fraction(let factor)): return style.scale(factor)
        case (7, .text(let text)):
            let words = text.split(separator: " ")
            let rules: [FloatingPointRoundingRule] = [
                .toNearestOrAwayFromZero, .toNearestOrEven, .up, .down, .towardZero,
                .awayFromZero,
            ]
            guard words.count == 2, let rule = Int(words[0]) else { return nil }
            return style.rounded(try rules.at(rule), by: words[1] == "-" ? nil : String(words[1]))
        default: return nil
        }
    }

    /// Reads `f 1 2`: which digits are counted, how many at least and at most (`-` for any).
    private static func precision(
        _ text: String
    ) throws -> NumberFormatStyleConfiguration.Precision {
        let words = text.split(separator: " ").map(String.init)
        let limits = words.dropFirst().map { Int($0) ?? -1 }
        guard words.count == 3, limits.allSatisfy({ (-1...500).contains($0) }) else {
            throw FoundationAnswers.unknown("precision")
        }
        let (low, high) = (limits[0], limits[1])
        guard words[0] == "b" || high == -1 || low <= high else {
            throw FoundationAnswers.unknown("precision")
        }
        switch words[0] {
        case "f" where high == -1: return .fractionLength(max(low, 0)...)
        case "f" where low == -1: return .fractionLength(...high)
        case "f": return .fractionLength(low...high)
        case "s" where high == -1: return .significantDigits(max(low, 1)...)
        case "s" where low == -1: return .significantDigits(...high)
        case "s": return .significantDigits(low...high)
        case "i" where high == -1: return .integerLength(max(low, 0)...)
        case "i" where low == -1: return .integerLength(...high)
        case "i": return .integerLength(low...high)
        case "b" where low >= 0 && high >= 0:
            return .integerAndFractionLength(integer: low, fraction: high)
        default: throw FoundationAnswers.unknown("precision")
        }
    }
}

extension Array {
    /// The element of a number that a module sent.
    fileprivate func at(_ index: Int) throws -> Element {
        guard indices.contains(index) else { throw FoundationAnswers.unknown("choice \(index)") }
        return self[index]
    }
}

/// What the styles of Foundation have in common, which declares it for each of them again.
protocol NumberStyle: FormatStyle {
    func locale(_ locale: Locale) -> Self
    func precision(_ precision: NumberFormatStyleConfiguration.Precision) -> Self
    func grouping(_ group: NumberFormatStyleConfiguration.Grouping) -> Self
    func decimalSeparator(
        strategy: NumberFormatStyleConfiguration.DecimalSeparatorDisplayStrategy
    ) -> Self
    func scale(_ factor: Double) -> Self
    /// Rounds by a rule to multiples of a number, written in digits.
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self
}

/// Styles that are not for currencies.
protocol PlainNumberStyle: NumberStyle {
    func sign(strategy: NumberFormatStyleConfiguration.SignDisplayStrategy) -> Self
    func notation(_ notation: NumberFormatStyleConfiguration.Notation) -> Self
}

/// Styles for currencies.
protocol CurrencyNumberStyle: NumberStyle {
    func sign(strategy: CurrencyFormatStyleConfiguration.SignDisplayStrategy) -> Self
    func presentation(_ presentation: CurrencyFormatStyleConfiguration.Presentation) -> Self
}

extension IntegerFormatStyle: PlainNumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
}
extension IntegerFormatStyle.Percent: PlainNumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
}
extension IntegerFormatStyle.Currency: CurrencyNumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
}
extension FloatingPointFormatStyle: PlainNumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Double($0) })
    }
}
extension FloatingPointFormatStyle.Percent: PlainNumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Double($0) })
    }
}
extension FloatingPointFormatStyle.Currency: CurrencyNumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Double($0) })
    }
}
extension Decimal.FormatStyle: PlainNumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
}
extension Decimal.FormatStyle.Percent: PlainNumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
}
extension Decimal.FormatStyle.Currency: CurrencyNumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
}
