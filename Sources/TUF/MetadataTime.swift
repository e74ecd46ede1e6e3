import Foundation

/// A moment in UTC with the precision that metadata has, one second (specification §4.2.2).
public struct MetadataTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public let secondsSince1970: Int64

    /// The moment so many seconds after 1970-01-01T00:00:00Z.
    public init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

    /// The second in which `date` lies.
    public init(_ date: Date) {
        // A date may be infinite; `Int64(exactly:)` of a huge double is nil, so clamp first.
        let seconds = min(max(date.timeIntervalSince1970.rounded(.down), -1e15), 1e15)
        secondsSince1970 = Int64(exactly: seconds) ?? 0
    }

    /// The moment that this machine's clock shows.
    public static var now: MetadataTime { MetadataTime(Date()) }

    /// Reads `YYYY-MM-DDTHH:MM:SSZ`, the only form that metadata has; nil for anything else.
    public init?(iso8601 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 20 else { return nil }
        let pattern = Array("dddd-dd-ddTdd:dd:ddZ".utf8)
        for (byte, form) in zip(bytes, pattern) {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            guard form == UInt8(ascii: "d") ? isDigit : byte == form else { return nil }
        }
        func number(_ range: Range<Int>) -> Int64 {
            bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard year >= 1, (1...12).contains(month), hour < 24, minute < 60, second < 60,
            day >= 1, day <= Self.days(inMonth: month, of: year)
        else { return nil }
        secondsSince1970 =
            Self.dayNumber(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
    }

    /// `YYYY-MM-DDTHH:MM:SSZ`; years outside 1…9999 are clamped.
    public var iso8601: String {
        let clamped = min(max(secondsSince1970, -62_135_596_800), 253_402_300_799)
        let day = Int64((Double(clamped) / 86400).rounded(.down))
        let second = clamped - day * 86400
        let (year, month, dayOfMonth) = Self.civil(day)
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T"
            + "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))Z"
    }

    /// This moment so many seconds later.
    public func adding(seconds: Int64) -> MetadataTime {
        let (sum, overflow) = secondsSince1970.addingReportingOverflow(seconds)
        return MetadataTime(
            secondsSince1970: overflow ? (seconds < 0 ? .min : .max) : sum)
    }

    /// This moment so many days later.
    public func adding(days: Int) -> MetadataTime {
        adding(seconds: Int64(days).multipliedReportingOverflow(by: 86400).partialValue)
    }

    /// The earlier one is the smaller one.
    public static func < (left: MetadataTime, right: MetadataTime) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }

    /// The ISO 8601 form.
    public var description: String { iso8601 }

    // Civil calendar ↔ day number, after the usual era arithmetic (400 years = 146,097 days, and
    // a year that starts in March, so that the leap day is its last).

    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func civil(_ dayNumber: Int64) -> (Int64, Int64, Int64) {
        let shifted = dayNumber + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
