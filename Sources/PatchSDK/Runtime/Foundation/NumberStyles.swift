import Foundation

/// `formatted(_:)` of numbers: the kind of style, what it was told, and the number.
enum NumberStyles {
    /// One thing that a style is told. Read before the style is known, so that only what differs
    /// from style to style is compiled for each of the fifteen.
    private enum Part {
        case locale(Locale)
        case precision(NumberFormatStyleConfiguration.Precision)
        case grouping(NumberFormatStyleConfiguration.Grouping)
        case separator(NumberFormatStyleConfiguration.DecimalSeparatorDisplayStrategy)
        case scale(Double)
        case rounded(FloatingPointRoundingRule, by: String?)
        case sign(NumberFormatStyleConfiguration.SignDisplayStrategy)
        case notation(NumberFormatStyleConfiguration.Notation)
        case currencySign(CurrencyFormatStyleConfiguration.SignDisplayStrategy)
        case presentation(CurrencyFormatStyleConfiguration.Presentation)
    }

    static func text(_ reader: inout MessagePackReader) throws -> String {
        try reader.arrayHeader(exactly: 2)
        let kind = try reader.integer(Int.self)
        guard (0...2).contains(kind) else { throw FoundationAnswers.unknown("kind of style") }
        let code = try reader.string()
        let parts = try reader.settings().map { try part($0.key, $0.value, isCurrency: kind == 2) }
        switch try reader.anyNumber() {
        case .signed(let value): return integer(value, kind, code, parts)
        case .unsigned(let value): return integer(value, kind, code, parts)
        case .double(let value): return floating(value, kind, code, parts)
        case .float(let value): return floating(value, kind, code, parts)
        case .decimal(let value):
            switch kind {
            case 0: return styled(Decimal.FormatStyle(), parts).format(value)
            case 1: return styled(Decimal.FormatStyle.Percent(), parts).format(value)
            default: return styled(Decimal.FormatStyle.Currency(code: code), parts).format(value)
            }
        }
    }

    private static func integer<Value: BinaryInteger>(
        _ value: Value, _ kind: Int, _ code: String, _ parts: [Part]
    ) -> String {
        switch kind {
        case 0: return styled(IntegerFormatStyle<Value>(), parts).format(value)
        case 1: return styled(IntegerFormatStyle<Value>.Percent(), parts).format(value)
        default: return styled(IntegerFormatStyle<Value>.Currency(code: code), parts).format(value)
        }
    }

    private static func floating<Value: BinaryFloatingPoint>(
        _ value: Value, _ kind: Int, _ code: String, _ parts: [Part]
    ) -> String {
        switch kind {
        case 0: return styled(FloatingPointFormatStyle<Value>(), parts).format(value)
        case 1: return styled(FloatingPointFormatStyle<Value>.Percent(), parts).format(value)
        default:
            return styled(FloatingPointFormatStyle<Value>.Currency(code: code), parts).format(value)
        }
    }

    private static func styled<Style: NumberStyle>(_ style: Style, _ parts: [Part]) -> Style {
        var style = style
        for part in parts {
            switch part {
            case .locale(let locale): style = style.locale(locale)
            case .precision(let precision): style = style.precision(precision)
            case .grouping(let grouping): style = style.grouping(grouping)
            case .separator(let strategy): style = style.decimalSeparator(strategy: strategy)
            case .scale(let factor): style = style.scale(factor)
            case .rounded(let rule, let increment): style = style.rounded(rule, by: increment)
            case .sign(let sign): style = style.signed(sign)
            case .notation(let notation): style = style.noted(notation)
            case .currencySign(let sign): style = style.signed(sign)
            case .presentation(let presentation): style = style.presented(presentation)
            }
        }
        return style
    }

    private static func part(_ key: Int, _ setting: Setting, isCurrency: Bool) throws -> Part {
        switch (key, setting) {
        case (0, .text(let name)): return .locale(Locale(named: name))
        case (1, .text(let text)): return .precision(try precision(text))
        case (2, .flag(let isOn)): return .grouping(isOn ? .automatic : .never)
        case (3, .flag(let isAlways)): return .separator(isAlways ? .always : .automatic)
        case (4, .fraction(let factor)): return .scale(factor)
        case (7, .text(let text)):
            let words = text.split(separator: " ")
            let rules: [FloatingPointRoundingRule] = [
                .toNearestOrAwayFromZero, .toNearestOrEven, .up, .down, .towardZero,
                .awayFromZero,
            ]
            guard words.count == 2, let rule = Int(words[0]) else { break }
            return .rounded(try rules.at(rule), by: words[1] == "-" ? nil : String(words[1]))
        default: break
        }
        guard let number = setting.number else {
            throw FoundationAnswers.unknown("part of a style")
        }
        switch (key, isCurrency) {
        case (5, false):
            let all: [NumberFormatStyleConfiguration.SignDisplayStrategy] = [
                .automatic, .never, .always(includingZero: false), .always(includingZero: true),
            ]
            return .sign(try all.at(number))
        case (6, false):
            return .notation(try [.automatic, .scientific, .compactName].at(number))
        case (5, true):
            let all: [CurrencyFormatStyleConfiguration.SignDisplayStrategy] = [
                .automatic, .never, .always(showZero: false), .always(showZero: true), .accounting,
                .accountingAlways(showZero: false), .accountingAlways(showZero: true),
            ]
            return .currencySign(try all.at(number))
        case (8, true):
            return .presentation(try [.standard, .isoCode, .narrow, .fullName].at(number))
        default: throw FoundationAnswers.unknown("part of a style")
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
    func signed(_ sign: NumberFormatStyleConfiguration.SignDisplayStrategy) -> Self
    func noted(_ notation: NumberFormatStyleConfiguration.Notation) -> Self
    func signed(_ sign: CurrencyFormatStyleConfiguration.SignDisplayStrategy) -> Self
    func presented(_ presentation: CurrencyFormatStyleConfiguration.Presentation) -> Self
}

extension NumberStyle {
    // What a style does not have it is never told.
    func signed(_ sign: NumberFormatStyleConfiguration.SignDisplayStrategy) -> Self { self }
    func noted(_ notation: NumberFormatStyleConfiguration.Notation) -> Self { self }
    func signed(_ sign: CurrencyFormatStyleConfiguration.SignDisplayStrategy) -> Self { self }
    func presented(_ presentation: CurrencyFormatStyleConfiguration.Presentation) -> Self { self }
}

extension IntegerFormatStyle: NumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
    func signed(_ sign: NumberFormatStyleConfiguration.SignDisplayStrategy) -> Self {
        self.sign(strategy: sign)
    }
    func noted(_ notation: NumberFormatStyleConfiguration.Notation) -> Self {
        self.notation(notation)
    }
}

extension IntegerFormatStyle.Percent: NumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
    func signed(_ sign: NumberFormatStyleConfiguration.SignDisplayStrategy) -> Self {
        self.sign(strategy: sign)
    }
    func noted(_ notation: NumberFormatStyleConfiguration.Notation) -> Self {
        self.notation(notation)
    }
}

extension IntegerFormatStyle.Currency: NumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
    func signed(_ sign: CurrencyFormatStyleConfiguration.SignDisplayStrategy) -> Self {
        self.sign(strategy: sign)
    }
    func presented(_ presentation: CurrencyFormatStyleConfiguration.Presentation) -> Self {
        self.presentation(presentation)
    }
}

extension FloatingPointFormatStyle: NumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Double($0) })
    }
    func signed(_ sign: NumberFormatStyleConfiguration.SignDisplayStrategy) -> Self {
        self.sign(strategy: sign)
    }
    func noted(_ notation: NumberFormatStyleConfiguration.Notation) -> Self {
        self.notation(notation)
    }
}

extension FloatingPointFormatStyle.Percent: NumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Double($0) })
    }
    func signed(_ sign: NumberFormatStyleConfiguration.SignDisplayStrategy) -> Self {
        self.sign(strategy: sign)
    }
    func noted(_ notation: NumberFormatStyleConfiguration.Notation) -> Self {
        self.notation(notation)
    }
}

extension FloatingPointFormatStyle.Currency: NumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Double($0) })
    }
    func signed(_ sign: CurrencyFormatStyleConfiguration.SignDisplayStrategy) -> Self {
        self.sign(strategy: sign)
    }
    func presented(_ presentation: CurrencyFormatStyleConfiguration.Presentation) -> Self {
        self.presentation(presentation)
    }
}

extension Decimal.FormatStyle: NumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
    func signed(_ sign: NumberFormatStyleConfiguration.SignDisplayStrategy) -> Self {
        self.sign(strategy: sign)
    }
    func noted(_ notation: NumberFormatStyleConfiguration.Notation) -> Self {
        self.notation(notation)
    }
}

extension Decimal.FormatStyle.Percent: NumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
    func signed(_ sign: NumberFormatStyleConfiguration.SignDisplayStrategy) -> Self {
        self.sign(strategy: sign)
    }
    func noted(_ notation: NumberFormatStyleConfiguration.Notation) -> Self {
        self.notation(notation)
    }
}

extension Decimal.FormatStyle.Currency: NumberStyle {
    func rounded(_ rule: FloatingPointRoundingRule, by increment: String?) -> Self {
        rounded(rule: rule, increment: increment.flatMap { Int($0) })
    }
    func signed(_ sign: CurrencyFormatStyleConfiguration.SignDisplayStrategy) -> Self {
        self.sign(strategy: sign)
    }
    func presented(_ presentation: CurrencyFormatStyleConfiguration.Presentation) -> Self {
        self.presentation(presentation)
    }
}
