import Foundation
import ViewTree

/// Turns keys with arguments into text: translates by a table, then fills in the formats.
struct TextFormatter {
    /// Translations by key.
    var table: [String: String]
    private let grouping: String
    private let decimal: String

    /// - Parameter locale: whose numbers are written; nil for English.
    init(table: [String: String], locale: String? = nil) {
        self.table = table
        let locale = locale.map { Locale(identifier: $0) }
        grouping = locale?.groupingSeparator ?? ","
        decimal = locale?.decimalSeparator ?? "."
    }

    func text(_ content: Tree.TextContent) -> String {
        if content.isVerbatim { return content.key }
        let format = table[content.key] ?? content.key
        guard format.utf8.contains(UInt8(ascii: "%")) else { return format }
        return fill(format, content.arguments)
    }

    private func fill(_ format: String, _ arguments: [Tree.TextContent.Argument]) -> String {
        var result = ""
        var next = 0
        var rest = Substring(format)
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            if rest.first == "%" {
                result += "%"
                rest = rest.dropFirst()
                continue
            }
            let specifier = Specifier(&rest)
            let index = specifier.position ?? next
            if specifier.position == nil { next += 1 }
            guard index >= 0, index < arguments.count else { continue }
            result += specifier.text(arguments[index], in: self)
        }
        return result + rest
    }

    /// `%` up to its letter, as printf has it.
    private struct Specifier {
        var position: Int?
        var flags = ""
        var width: Int?
        var precision: Int?
        var letter: Character = "@"

        init(_ rest: inout Substring) {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            if rest.dropFirst(digits.count).first == "$", let number = Int(digits) {
                position = number - 1
                rest = rest.dropFirst(digits.count + 1)
            }
            flags = String(rest.prefix { "+- 0#'".contains($0) })
            rest = rest.dropFirst(flags.count)
            width = Self.number(&rest)
            if rest.first == "." {
                rest = rest.dropFirst()
                precision = Self.number(&rest) ?? 0
            }
            rest = rest.drop { "lhqzt".contains($0) }
            if let last = rest.popFirst() { letter = last }
        }

        private static func number(_ rest: inout Substring) -> Int? {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }.prefix(3)
            rest = rest.dropFirst(digits.count)
            return Int(digits)
        }

        func text(_ argument: Tree.TextContent.Argument, in formatter: TextFormatter) -> String {
            switch argument {
            case .string(let text): return padded(text)
            case .key(let key): return padded(formatter.table[key] ?? key)
            case .int(let value): return integer(value < 0, value.magnitude, formatter)
            case .uint(let value): return integer(false, value, formatter)
            case .double(let value):
                // The format is made of checked parts, so that no text of a guest reaches printf.
                let digits = "%.\(min(precision ?? 6, 40))"
                switch letter {
                case "e", "E", "g", "G", "a", "A":
                    return padded(String(format: digits + String(letter), value))
                default:
                    let text = String(format: digits + "f", value)
                    return padded(
                        text.split(separator: ".", omittingEmptySubsequences: false)
                            .joined(separator: formatter.decimal))
                }
            }
        }

        private func integer(
            _ isNegative: Bool, _ magnitude: UInt64, _ formatter: TextFormatter
        ) -> String {
            switch letter {
            case "x": return padded(String(magnitude, radix: 16))
            case "X": return padded(String(magnitude, radix: 16, uppercase: true))
            default: break
            }
            var digits = String(magnitude)
            if width == nil && flags.isEmpty { digits = grouped(digits, formatter.grouping) }
            return padded((isNegative ? "-" : flags.contains("+") ? "+" : "") + digits)
        }

        private func grouped(_ digits: String, _ separator: String) -> String {
            var result = ""
            for (index, digit) in digits.enumerated() {
                if index > 0, (digits.count - index) % 3 == 0 { result += separator }
                result.append(digit)
            }
            return result
        }

        private func padded(_ text: String) -> String {
            guard let width, text.count < width else { return text }
            let padding = String(
                repeating: flags.contains("0") ? "0" : " ", count: width - text.count)
            return flags.contains("-") ? text + padding : padding + text
        }
    }
}
