import Foundation

/// What modules ask a `NumberFormatter` (`format.number`). What it was told is told again to a new
/// one, in the same order.
enum NumberAnswers {
    static func answer(
        _ reader: inout MessagePackReader, _ writer: inout MessagePackWriter
    ) throws {
        let count = try reader.arrayHeader()
        switch (try reader.integer(Int.self), count) {
        case (0, 3):
            let formatter = try formatter(try reader.settings())
            let text = formatter.string(from: try reader.anyNumber().boxed)
            writer.optional(text) { $0.string($1) }
        case (1, 3):
            let formatter = try formatter(try reader.settings())
            writer.optional(formatter.number(from: try reader.string())) { $0.number($1) }
        case (2, 3):
            let formatter = try formatter(try reader.settings())
            try property(try reader.integer(), of: formatter, to: &writer)
        case (3, 3):
            guard let style = NumberFormatter.Style(rawValue: try reader.integer()) else {
                throw FoundationAnswers.unknown("style")
            }
            writer.string(
                NumberFormatter.localizedString(
                    from: try reader.anyNumber().boxed, number: style))
        case (4, 4): writer.string(try NumberStyles.text(&reader))
        case (5, 4): writer.string(try ByteCounts.text(&reader))
        default: throw FoundationAnswers.unknown("question about numbers")
        }
    }

    private static func formatter(
        _ settings: [(key: Int, value: Setting)]
    ) throws -> NumberFormatter {
        let formatter = NumberFormatter()
        for (key, value) in settings {
            guard set(key, value, of: formatter) else {
                throw FoundationAnswers.unknown("property \(key)")
            }
        }
        return formatter
    }

    private static func set(_ key: Int, _ value: Setting, of formatter: NumberFormatter) -> Bool {
        if let text = value.text {
            switch key {
            case 1: formatter.locale = Locale(named: text)
            case 6: formatter.currencyCode = text
            case 7: formatter.currencySymbol = text
            case 9: formatter.groupingSeparator = text
            case 10: formatter.decimalSeparator = text
            case 11: formatter.positivePrefix = text
            case 12: formatter.positiveSuffix = text
            case 13: formatter.negativePrefix = text
            case 14: formatter.negativeSuffix = text
            case 17: formatter.percentSymbol = text
            case 21: formatter.positiveFormat = text
            case 22: formatter.negativeFormat = text
            case 23: formatter.zeroSymbol = text
            case 25: formatter.plusSign = text
            case 26: formatter.minusSign = text
            case 28: formatter.currencyGroupingSeparator = text
            case 29: formatter.currencyDecimalSeparator = text
            default: return false
            }
            return true
        }
        if let flag = value.flag {
            switch key {
            case 8: formatter.usesGroupingSeparator = flag
            case 18: formatter.usesSignificantDigits = flag
            case 30: formatter.alwaysShowsDecimalSeparator = flag
            case 32: formatter.isLenient = flag
            default: return false
            }
            return true
        }
        if key == 16, case .fraction(let factor) = value {
            formatter.multiplier = NSNumber(value: factor)
            return true
        }
        if key == 0, let style = value.number.flatMap({ UInt(exactly: $0) }) {
            guard let style = NumberFormatter.Style(rawValue: style) else { return false }
            formatter.numberStyle = style
            return true
        }
        if key == 15, let mode = value.number.flatMap({ UInt(exactly: $0) }) {
            guard let mode = NumberFormatter.RoundingMode(rawValue: mode) else { return false }
            formatter.roundingMode = mode
            return true
        }
        guard let count = value.count else { return false }
        switch key {
        case 2: formatter.minimumFractionDigits = count
        case 3: formatter.maximumFractionDigits = count
        case 4: formatter.minimumIntegerDigits = count
        case 5: formatter.maximumIntegerDigits = count
        case 16: formatter.multiplier = NSNumber(value: count)
        case 19: formatter.minimumSignificantDigits = count
        case 20: formatter.maximumSignificantDigits = count
        case 24: formatter.groupingSize = count
        case 33: formatter.formatWidth = count
        default: return false
        }
        return true
    }

    private static func property(
        _ key: Int, of formatter: NumberFormatter, to writer: inout MessagePackWriter
    ) throws {
        let text: String? =
            switch key {
            case 6: formatter.currencyCode
            case 7: formatter.currencySymbol
            case 9: formatter.groupingSeparator
            case 10: formatter.decimalSeparator
            case 17: formatter.percentSymbol
            case 25: formatter.plusSign
            case 26: formatter.minusSign
            default: throw FoundationAnswers.unknown("property \(key)")
            }
        writer.optional(text) { $0.string($1) }
    }
}

extension MessagePackWriter {
    /// Appends a number that was read from a text: its kind and itself.
    fileprivate mutating func number(_ value: NSNumber) {
        arrayHeader(2)
        if let decimal = value as? NSDecimalNumber {
            uint(4)
            return self.decimal(decimal.decimalValue)
        }
        switch String(cString: value.objCType) {
        case "d":
            uint(2)
            double(value.doubleValue)
        case "f":
            uint(3)
            float(value.floatValue)
        case "Q", "L":
            uint(1)
            uint(value.uint64Value)
        default:
            uint(0)
            int(value.int64Value)
        }
    }
}

/// `formatted(.byteCount(…))` and `ByteCountFormatter`.
enum ByteCounts {
    static func text(_ reader: inout MessagePackReader) throws -> String {
        let isFormatter = try reader.integer(Int.self) == 1
        let kind = try reader.integer(Int.self)
        let bytes = try reader.int()
        if isFormatter {
            guard let style = ByteCountFormatter.CountStyle(rawValue: kind) else {
                throw FoundationAnswers.unknown("style")
            }
            return ByteCountFormatter.string(fromByteCount: bytes, countStyle: style)
        }
        let styles: [ByteCountFormatStyle.Style] = [.file, .memory, .decimal, .binary]
        guard styles.indices.contains(kind) else { throw FoundationAnswers.unknown("style") }
        return bytes.formatted(.byteCount(style: styles[kind]))
    }
}
