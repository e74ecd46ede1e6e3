import PatchGuest

/// Dates as texts and back, by the app's own Foundation.
public final class DateFormatter {
    /// How much of a date or time is written.
    public enum Style: UInt, Sendable {
        /// Nothing.
        case none
        /// Numbers.
        case short
        /// Short words.
        case medium
        /// Words.
        case long
        /// All there is.
        case full
    }

    private var settings = Settings()

    /// A formatter that writes nothing.
    public init() {}

    /// The pattern of dates.
    public var dateFormat: String! {
        get { text(0) }
        set { settings.set(0, newValue ?? "") }
    }

    /// How much of the date is written.
    public var dateStyle: Style {
        get { Style(rawValue: UInt(settings.number(1) ?? 0)) ?? .none }
        set { settings.set(1, Int(newValue.rawValue)) }
    }

    /// How much of the time is written.
    public var timeStyle: Style {
        get { Style(rawValue: UInt(settings.number(2) ?? 0)) ?? .none }
        set { settings.set(2, Int(newValue.rawValue)) }
    }

    /// Language and region.
    public var locale: Locale! {
        get { settings.text(3).map { Locale(named: $0) } ?? .current }
        set { settings.set(3, (newValue ?? .current).name) }
    }

    /// Whose time is written.
    public var timeZone: TimeZone! {
        get { settings.text(4).map { TimeZone(named: $0) } ?? .current }
        set { settings.set(4, (newValue ?? .current).name) }
    }

    /// Whether texts are read generously.
    public var isLenient: Bool {
        get { settings.flag(6) ?? false }
        set { settings.set(6, newValue) }
    }

    /// Whether near days have names, as in `today`.
    public var doesRelativeDateFormatting: Bool {
        get { settings.flag(7) ?? false }
        set { settings.set(7, newValue) }
    }

    /// What stands for the morning.
    public var amSymbol: String! {
        get { text(8) }
        set { settings.set(8, newValue ?? "") }
    }

    /// What stands for the afternoon.
    public var pmSymbol: String! {
        get { text(9) }
        set { settings.set(9, newValue ?? "") }
    }

    /// Takes the fields of a pattern in the order of the user's language.
    public func setLocalizedDateFormatFromTemplate(_ template: String) {
        settings.set(5, template)
    }

    /// The text of a date.
    public func string(from date: Date) -> String {
        var writer = op_question(0, 3)
        settings.write(to: &writer)
        writer.double(date.timeIntervalSinceReferenceDate)
        var reader = op_ask_date(writer)
        return reader.onlyText()
    }

    /// The date of a text; nil for none.
    public func date(from text: String) -> Date? {
        var writer = op_question(1, 3)
        settings.write(to: &writer)
        writer.string(text)
        var reader = op_ask_date(writer)
        return reader.onlyOptionalDate()
    }

    /// The text of a date in styles.
    public static func localizedString(
        from date: Date, dateStyle: Style, timeStyle: Style
    ) -> String {
        var writer = op_question(3, 4)
        writer.double(date.timeIntervalSinceReferenceDate)
        writer.uint(UInt64(dateStyle.rawValue))
        writer.uint(UInt64(timeStyle.rawValue))
        var reader = op_ask_date(writer)
        return reader.onlyText()
    }

    private func text(_ key: Int) -> String? {
        var writer = op_question(2, 3)
        settings.write(to: &writer)
        writer.int(Int64(key))
        var reader = op_ask_date(writer)
        return reader.onlyOptionalText()
    }
}

extension Locale {
    /// The locale of a name that the host is told.
    init(named name: String) { self = name.isEmpty ? .current : Locale(identifier: name) }
}

extension GuestReader {
    /// Reads the one date of an answer, if there is one, and gives the answer back.
    mutating func onlyOptionalDate() -> Date? {
        let seconds = optional { $0.double() }
        discard()
        return seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
    }
}

/// Dates as the Internet writes them.
public final class ISO8601DateFormatter {
    /// What is written.
    public struct Options: OptionSet, Sendable {
        /// One bit for each part.
        public let rawValue: UInt
        /// Options with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// A year of weeks.
        public static let withWeekOfYear = Options(rawValue: 1 << 2)
        /// A blank instead of `T`.
        public static let withSpaceBetweenDateAndTime = Options(rawValue: 1 << 7)
        /// Parts of seconds.
        public static let withFractionalSeconds = Options(rawValue: 1 << 11)
        /// Year, month and day.
        public static let withFullDate = Options(rawValue: 1 | 1 << 1 | 1 << 4 | 1 << 8)
        /// Time and zone.
        public static let withFullTime = Options(rawValue: 1 << 5 | 1 << 6 | 1 << 9 | 1 << 10)
        /// Date, time and zone.
        public static let withInternetDateTime: Options = [.withFullDate, .withFullTime]
    }

    /// What is written.
    public var formatOptions: Options = .withInternetDateTime
    private var zone = "GMT"

    /// Whose time is written.
    public var timeZone: TimeZone! {
        get { TimeZone(named: zone) }
        set { zone = newValue?.name ?? "GMT" }
    }

    /// A formatter for Greenwich's time.
    public init() {}

    /// The text of a date.
    public func string(from date: Date) -> String {
        var writer = question(4)
        writer.double(date.timeIntervalSinceReferenceDate)
        var reader = op_ask_date(writer)
        return reader.onlyText()
    }

    /// The date of a text; nil for none.
    public func date(from text: String) -> Date? {
        var writer = question(5)
        writer.string(text)
        var reader = op_ask_date(writer)
        return reader.onlyOptionalDate()
    }

    private func question(_ kind: Int) -> GuestWriter {
        var writer = op_question(kind, 4)
        writer.uint(UInt64(formatOptions.rawValue))
        writer.string(zone)
        return writer
    }
}
