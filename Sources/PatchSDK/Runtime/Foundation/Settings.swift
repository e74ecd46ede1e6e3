import Foundation

/// A setting of a formatter, as a module sends it.
enum Setting {
    case text(String)
    case number(Int)
    case flag(Bool)
    case fraction(Double)

    var text: String? { if case .text(let value) = self { value } else { nil } }
    var number: Int? { if case .number(let value) = self { value } else { nil } }
    var flag: Bool? { if case .flag(let value) = self { value } else { nil } }
    /// A number of digits or the like, which is never large.
    var count: Int? { number.flatMap { (0...500).contains($0) ? $0 : nil } }
}

/// A number of any kind, as a module sends it.
enum AnyNumber {
    case signed(Int64)
    case unsigned(UInt64)
    case double(Double)
    case float(Float)
    case decimal(Decimal)

    /// The number in a box.
    var boxed: NSNumber {
        switch self {
        case .signed(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .float(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        }
    }
}

extension MessagePackReader {
    /// Dates beyond these many seconds from 2001 are not asked about: calendars count in `Int`.
    private static let farthest = 1e12

    /// Reads what a formatter was told, in order: numbers of properties and values.
    mutating func settings() throws -> [(key: Int, value: Setting)] {
        try array { reader in
            try reader.arrayHeader(exactly: 3)
            let key = try reader.integer(Int.self)
            switch try reader.integer(Int.self) {
            case 0: return (key, .text(try reader.string()))
            case 1: return (key, .number(try reader.integer()))
            case 2: return (key, .flag(try reader.bool()))
            case 3: return (key, .fraction(try reader.double()))
            default: throw FoundationAnswers.unknown("setting")
            }
        }
    }

    /// Reads a number: its kind and itself.
    mutating func anyNumber() throws -> AnyNumber {
        try arrayHeader(exactly: 2)
        switch try integer(Int.self) {
        case 0: return .signed(try int())
        case 1: return .unsigned(try uint())
        case 2: return .double(try double())
        case 3: return .float(try float())
        case 4: return .decimal(try decimal())
        default: throw FoundationAnswers.unknown("kind of number")
        }
    }

    /// Reads a locale; no name means the user's.
    mutating func locale() throws -> Locale { Locale(named: try string()) }

    /// Reads a time zone; no name means the user's.
    mutating func timeZone() throws -> TimeZone {
        guard let zone = TimeZone(named: try string()) else {
            throw FoundationAnswers.unknown("time zone")
        }
        return zone
    }

    /// Reads a date.
    mutating func date() throws -> Date {
        let seconds = try double()
        guard abs(seconds) <= Self.farthest else { throw FoundationAnswers.unknown("date") }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}

extension Locale {
    /// The user's locale for no name, else the one of that name.
    init(named name: String) { self = name.isEmpty ? .current : Locale(identifier: name) }
}

extension TimeZone {
    /// The user's time zone for no name, else the one of that name.
    init?(named name: String) {
        if name.isEmpty {
            self = .current
        } else {
            self.init(identifier: name)
        }
    }
}
