import Foundation

/// `String(format:)` for modules (`format.text`): the pattern, and for each value its kind and
/// itself.
///
/// C reads from memory what a pattern promises, so every promise is held against the values first.
enum TextAnswers {
    /// The widest field, and the most digits, that a pattern may ask for.
    private static let maximumWidth = 1000

    static func answer(
        _ reader: inout MessagePackReader, _ writer: inout MessagePackWriter
    ) throws {
        try reader.arrayHeader(exactly: 3)
        let isLocalized = try reader.integer(Int.self) == 1
        let pattern = try reader.string()
        let count = try reader.arrayHeader()
        guard count.isMultiple(of: 2) else { throw FoundationAnswers.unknown("values") }
        var values: [any CVarArg] = []
        var kinds: [Kind] = []
        for _ in 0..<count / 2 {
            switch try reader.integer(Int.self) {
            case 0: (values, kinds) = (values + [try reader.int()], kinds + [.integer])
            case 1:
                (values, kinds) = (values + [try reader.integer(Int32.self)], kinds + [.integer])
            case 2: (values, kinds) = (values + [try reader.uint()], kinds + [.integer])
            case 3:
                (values, kinds) = (values + [try reader.integer(UInt32.self)], kinds + [.integer])
            case 4: (values, kinds) = (values + [try reader.double()], kinds + [.float])
            case 5:
                (values, kinds) = (values + [try reader.string() as NSString], kinds + [.object])
            default: throw FoundationAnswers.unknown("kind of value")
            }
        }
        try check(pattern, kinds)
        writer.string(
            isLocalized
                ? String(format: pattern, locale: Locale.current, arguments: values)
                : String(format: pattern, arguments: values))
    }

    enum Kind { case integer, float, object }

    /// Refuses a pattern that would read what is not there.
    /// - Throws: ``PatchError`` `argument_mismatch`.
    static func check(_ pattern: String, _ kinds: [Kind]) throws {
        var next = 0
        var isNumbered: Bool?
        var rest = pattern.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" else { continue }
            if rest.first == "%" {
                rest.removeFirst()
                continue
            }
            var place: Int?
            var copy = rest
            if let number = try digits(&copy), copy.first == "$" {
                place = number - 1
                rest = copy.dropFirst()
            }
            guard isNumbered == nil || isNumbered == (place != nil) else {
                throw FoundationAnswers.unknown("pattern with and without numbers")
            }
            isNumbered = place != nil
            while let flag = rest.first, "-+ 0#'".unicodeScalars.contains(flag) {
                rest.removeFirst()
            }
            _ = try digits(&rest)
            if rest.first == "." {
                rest.removeFirst()
                _ = try digits(&rest)
            }
            var isLong = false
            while let length = rest.first, "hlqzjtL".unicodeScalars.contains(length) {
                isLong = isLong || length == "L"
                rest.removeFirst()
            }
            guard let conversion = rest.popFirst() else {
                throw FoundationAnswers.unknown("end of a pattern")
            }
            let wanted: Kind
            switch conversion {
            case "d", "i", "u", "o", "x", "X", "c", "D", "U", "O": wanted = .integer
            case "f", "F", "e", "E", "g", "G", "a", "A": wanted = .float
            case "@": wanted = .object
            default: throw FoundationAnswers.unknown("conversion '\(conversion)'")
            }
            let index = place ?? next
            next += 1
            guard !isLong, kinds.indices.contains(index), kinds[index] == wanted else {
                throw FoundationAnswers.unknown("value for '%\(conversion)'")
            }
        }
    }

    private static func digits(_ rest: inout Substring.UnicodeScalarView) throws -> Int? {
        var number: Int?
        while let digit = rest.first, (48...57).contains(digit.value) {
            rest.removeFirst()
            number = (number ?? 0) * 10 + Int(digit.value - 48)
            if let number, number > maximumWidth { throw FoundationAnswers.unknown("width") }
        }
        return number
    }
}
