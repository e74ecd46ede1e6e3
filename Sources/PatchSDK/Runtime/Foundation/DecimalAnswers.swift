import Foundation

/// What modules ask about decimal numbers (`format.decimal`).
enum DecimalAnswers {
    static func answer(
        _ reader: inout MessagePackReader, _ writer: inout MessagePackWriter
    ) throws {
        let count = try reader.arrayHeader()
        switch (try reader.integer(Int.self), count) {
        case (0, 3):
            let text = try reader.string()
            let locale = try reader.optional { try $0.locale() }
            writer.optional(Decimal(string: text, locale: locale)) { $0.decimal($1) }
        case (1, 2):
            let value = try reader.double()
            guard !value.isInfinite else { throw FoundationAnswers.unknown("number") }
            writer.decimal(Decimal(value))
        case (2, 4):
            let (left, right) = (try reader.decimal(), try reader.decimal())
            writer.decimal(try result(left, right, try reader.integer(Int.self)))
        case (3, 3):
            let (left, right) = (try reader.decimal(), try reader.decimal())
            writer.int(left < right ? -1 : left == right ? 0 : 1)
        case (4, 2): writer.double(NSDecimalNumber(decimal: try reader.decimal()).doubleValue)
        case (5, 4):
            var value = try reader.decimal()
            let scale = try reader.integer(Int.self)
            guard
                let mode = NSDecimalNumber.RoundingMode(
                    rawValue: try reader.integer(UInt.self)), (-200...200).contains(scale)
            else { throw FoundationAnswers.unknown("way to round") }
            var rounded = Decimal()
            NSDecimalRound(&rounded, &value, scale, mode)
            writer.decimal(rounded)
        case (6, 3):
            let value = try reader.decimal()
            let power = try reader.integer(Int.self)
            guard (0...200).contains(power), value.exponent * power >= -100 else {
                throw FoundationAnswers.unknown("power")
            }
            writer.decimal(pow(value, power))
        case (7, 2): writer.int(Int64(NSDecimalNumber(decimal: try reader.decimal()).intValue))
        default: throw FoundationAnswers.unknown("question about a decimal number")
        }
    }

    private static func result(_ left: Decimal, _ right: Decimal, _ kind: Int) throws -> Decimal {
        // Foundation on Linux ends the process when the exponent of a product leaves 8 bits.
        if kind > 1, !(-60...60).contains(left.exponent) || !(-60...60).contains(right.exponent) {
            throw FoundationAnswers.unknown("exponent")
        }
        switch kind {
        case 0: return left + right
        case 1: return left - right
        case 2: return left * right
        case 3: return left / right
        default: throw FoundationAnswers.unknown("operation")
        }
    }
}
