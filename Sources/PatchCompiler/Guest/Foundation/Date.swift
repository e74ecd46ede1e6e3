/// A point in time. A guest has no clock of its own, so there is no `Date()`: pass one in.
public struct Date: Sendable, Hashable, Comparable {
    /// Seconds from 1970-01-01 00:00 UTC to the reference date, 2001-01-01 00:00 UTC.
    public static let timeIntervalBetween1970AndReferenceDate: TimeInterval = 978_307_200

    /// Seconds since the reference date.
    public var timeIntervalSinceReferenceDate: TimeInterval

    /// A number of seconds after the reference date.
    public init(timeIntervalSinceReferenceDate seconds: TimeInterval) {
        timeIntervalSinceReferenceDate = seconds
    }

    /// A number of seconds after 1970.
    public init(timeIntervalSince1970 seconds: TimeInterval) {
        timeIntervalSinceReferenceDate = seconds - Self.timeIntervalBetween1970AndReferenceDate
    }

    /// A number of seconds after another date.
    public init(timeInterval seconds: TimeInterval, since date: Date) {
        timeIntervalSinceReferenceDate = date.timeIntervalSinceReferenceDate + seconds
    }

    /// Seconds since 1970.
    public var timeIntervalSince1970: TimeInterval {
        timeIntervalSinceReferenceDate + Self.timeIntervalBetween1970AndReferenceDate
    }

    /// Seconds since `date`.
    public func timeIntervalSince(_ date: Date) -> TimeInterval {
        timeIntervalSinceReferenceDate - date.timeIntervalSinceReferenceDate
    }

    /// The date so many seconds later.
    public func addingTimeInterval(_ seconds: TimeInterval) -> Date { self + seconds }

    /// Moves the date by so many seconds.
    public mutating func addTimeInterval(_ seconds: TimeInterval) { self += seconds }

    /// Seconds from `date` to this one.
    public func distance(to date: Date) -> TimeInterval { date.timeIntervalSince(self) }

    /// The date so many seconds later.
    public func advanced(by seconds: TimeInterval) -> Date { self + seconds }

    /// Later than all other dates in practice.
    public static let distantFuture = Date(timeIntervalSinceReferenceDate: 63_113_904_000)
    /// Earlier than all other dates in practice.
    public static let distantPast = Date(timeIntervalSinceReferenceDate: -63_114_076_800)

    /// Whether the left date is earlier.
    public static func < (left: Date, right: Date) -> Bool {
        left.timeIntervalSinceReferenceDate < right.timeIntervalSinceReferenceDate
    }

    /// The date so many seconds later.
    public static func + (date: Date, seconds: TimeInterval) -> Date {
        Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate + seconds)
    }

    /// The date so many seconds earlier.
    public static func - (date: Date, seconds: TimeInterval) -> Date {
        Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate - seconds)
    }

    /// Moves the date by so many seconds.
    public static func += (date: inout Date, seconds: TimeInterval) { date = date + seconds }

    /// Moves the date back by so many seconds.
    public static func -= (date: inout Date, seconds: TimeInterval) { date = date - seconds }
}
