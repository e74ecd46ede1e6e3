import PatchGuest

extension Date {
    /// How `formatted(_:)` writes a date.
    public struct FormatStyle: Foundation.FormatStyle, Sendable, Hashable {
        /// How much of the date is written.
        public struct DateStyle: Sendable, Hashable {
            let number: Int
            /// Nothing.
            public static let omitted = Self(number: 0)
            /// Numbers.
            public static let numeric = Self(number: 1)
            /// Short words.
            public static let abbreviated = Self(number: 2)
            /// Words.
            public static let long = Self(number: 3)
            /// All there is.
            public static let complete = Self(number: 4)
        }

        /// How much of the time is written.
        public struct TimeStyle: Sendable, Hashable {
            let number: Int
            /// Nothing.
            public static let omitted = Self(number: 0)
            /// Hours and minutes.
            public static let shortened = Self(number: 1)
            /// Seconds, too.
            public static let standard = Self(number: 2)
            /// All there is.
            public static let complete = Self(number: 3)
        }

        /// Fields of dates.
        public enum Symbol {}

        private var settings = Settings()

        /// Fields are to be added.
        public init() {}

        /// Dates and times in styles.
        public init(date: DateStyle?, time: TimeStyle?) {
            settings.set(
                0,
                "d " + (date?.number.description ?? "-") + " "
                    + (time?.number.description ?? "-"))
        }

        /// In another language and region.
        public func locale(_ locale: Locale) -> Self {
            var copy = self
            copy.settings.set(1, locale.name)
            return copy
        }

        /// In another time zone.
        public var timeZone: TimeZone {
            get { TimeZone(named: settings.text(2) ?? "") }
            set { settings.set(2, newValue.name) }
        }

        fileprivate func with(_ field: String) -> Self {
            var copy = self
            copy.settings.set(3, field)
            return copy
        }

        /// The text of a date.
        public func format(_ value: Date) -> String {
            var writer = op_question(6, 3)
            settings.write(to: &writer)
            writer.double(value.timeIntervalSinceReferenceDate)
            var reader = op_ask_date(writer)
            return reader.onlyText()
        }
    }

    /// How `formatted(.iso8601)` writes a date.
    public struct ISO8601FormatStyle: Foundation.FormatStyle, Sendable, Hashable {
        /// Date and time in Greenwich.
        public init() {}

        /// The text of a date.
        public func format(_ value: Date) -> String {
            var writer = op_question(13, 2)
            writer.double(value.timeIntervalSinceReferenceDate)
            var reader = op_ask_date(writer)
            return reader.onlyText()
        }
    }

    /// How `formatted(.relative(presentation:))` writes a date.
    public struct RelativeFormatStyle: Foundation.FormatStyle, Sendable, Hashable {
        /// Whether near days have names.
        public struct Presentation: Sendable, Hashable {
            let number: Int
            /// No.
            public static let numeric = Self(number: 0)
            /// Yes.
            public static let named = Self(number: 1)
        }

        /// How units look.
        public struct UnitsStyle: Sendable, Hashable {
            let number: Int
            /// Words.
            public static let wide = Self(number: 0)
            /// Words for numbers, too.
            public static let spellOut = Self(number: 1)
            /// Short words.
            public static let abbreviated = Self(number: 2)
            /// Letters.
            public static let narrow = Self(number: 3)
        }

        let presentation: Presentation
        let unitsStyle: UnitsStyle

        /// The text of a date, as seen from now.
        public func format(_ value: Date) -> String {
            var writer = op_question(7, 4)
            writer.double(value.timeIntervalSinceReferenceDate)
            writer.int(Int64(presentation.number))
            writer.int(Int64(unitsStyle.number))
            var reader = op_ask_date(writer)
            return reader.onlyText()
        }
    }

    /// The date and time as the user reads them.
    public func formatted() -> String { FormatStyle(date: .numeric, time: .shortened).format(self) }

    /// The date and time in styles.
    public func formatted(date: FormatStyle.DateStyle, time: FormatStyle.TimeStyle) -> String {
        FormatStyle(date: date, time: time).format(self)
    }

    /// The date in a style.
    public func formatted<Style: Foundation.FormatStyle>(_ style: Style) -> Style.FormatOutput
    where Style.FormatInput == Date { style.format(self) }
}

extension TimeZone {
    /// The zone of a name that the host is told.
    init(named name: String) {
        self = name.isEmpty ? .current : TimeZone(known: name)
    }
}

extension Date.FormatStyle.Symbol {
    /// How this field looks.
    public struct Year: Sendable, Hashable {
        let name: String
        /// As named.
        public static var defaultDigits: Self { Self(name: ".defaultDigits") }
        /// As named.
        public static var twoDigits: Self { Self(name: ".twoDigits") }
    }

    /// How this field looks.
    public struct Month: Sendable, Hashable {
        let name: String
        /// As named.
        public static var defaultDigits: Self { Self(name: ".defaultDigits") }
        /// As named.
        public static var twoDigits: Self { Self(name: ".twoDigits") }
        /// As named.
        public static var abbreviated: Self { Self(name: ".abbreviated") }
        /// As named.
        public static var wide: Self { Self(name: ".wide") }
        /// As named.
        public static var narrow: Self { Self(name: ".narrow") }
    }

    /// How this field looks.
    public struct Day: Sendable, Hashable {
        let name: String
        /// As named.
        public static var defaultDigits: Self { Self(name: ".defaultDigits") }
        /// As named.
        public static var twoDigits: Self { Self(name: ".twoDigits") }
    }

    /// How this field looks.
    public struct Weekday: Sendable, Hashable {
        let name: String
        /// As named.
        public static var abbreviated: Self { Self(name: ".abbreviated") }
        /// As named.
        public static var wide: Self { Self(name: ".wide") }
        /// As named.
        public static var narrow: Self { Self(name: ".narrow") }
    }

    /// How this field looks.
    public struct Minute: Sendable, Hashable {
        let name: String
        /// As named.
        public static var defaultDigits: Self { Self(name: ".defaultDigits") }
        /// As named.
        public static var twoDigits: Self { Self(name: ".twoDigits") }
    }

    /// How this field looks.
    public struct Second: Sendable, Hashable {
        let name: String
        /// As named.
        public static var defaultDigits: Self { Self(name: ".defaultDigits") }
        /// As named.
        public static var twoDigits: Self { Self(name: ".twoDigits") }
    }

    /// How hours look.
    public struct Hour: Sendable, Hashable {
        let name: String

        /// Whether a name of the half of the day follows.
        public struct AMPMStyle: Sendable, Hashable {
            /// A short one, where the language has one.
            public static let abbreviated = Self()
        }
        /// As short as it goes.
        public static func defaultDigits(amPM: AMPMStyle) -> Self { Self(name: ".defaultDigits") }
        /// Two digits.
        public static func twoDigits(amPM: AMPMStyle) -> Self { Self(name: ".twoDigits") }
    }
}

extension Date.FormatStyle {
    /// Adds this field.
    public func era() -> Self { with("era") }
    /// Adds this field.
    public func year(_ format: Symbol.Year? = nil) -> Self { with("year" + (format?.name ?? "")) }
    /// Adds this field.
    public func quarter() -> Self { with("quarter") }
    /// Adds this field.
    public func month(_ format: Symbol.Month? = nil) -> Self {
        with("month" + (format?.name ?? ""))
    }
    /// Adds this field.
    public func week() -> Self { with("week") }
    /// Adds this field.
    public func day(_ format: Symbol.Day? = nil) -> Self { with("day" + (format?.name ?? "")) }
    /// Adds this field.
    public func dayOfYear() -> Self { with("dayOfYear") }
    /// Adds this field.
    public func weekday(_ format: Symbol.Weekday? = nil) -> Self {
        with("weekday" + (format?.name ?? ""))
    }
    /// Adds this field.
    public func minute(_ format: Symbol.Minute? = nil) -> Self {
        with("minute" + (format?.name ?? ""))
    }
    /// Adds this field.
    public func second(_ format: Symbol.Second? = nil) -> Self {
        with("second" + (format?.name ?? ""))
    }
    /// Adds this field.
    public func hour(_ format: Symbol.Hour? = nil) -> Self { with("hour" + (format?.name ?? "")) }
}

extension FormatStyle where Self == Date.FormatStyle {
    /// Fields of dates.
    public static var dateTime: Self { Self() }
}

extension FormatStyle where Self == Date.ISO8601FormatStyle {
    /// Date and time in Greenwich, as the Internet writes them.
    public static var iso8601: Self { Self() }
}

extension FormatStyle where Self == Date.RelativeFormatStyle {
    /// As seen from now.
    public static func relative(
        presentation: Date.RelativeFormatStyle.Presentation,
        unitsStyle: Date.RelativeFormatStyle.UnitsStyle = .wide
    ) -> Self { Self(presentation: presentation, unitsStyle: unitsStyle) }
}

/// How `formatted(.list(type:))` writes a list of texts.
public struct TextListFormatStyle: FormatStyle, Sendable, Hashable {
    /// What stands before the last text.
    public enum ListType: Int, Sendable {
        /// And.
        case and
        /// Or.
        case or
    }

    /// How much stands between texts.
    public enum Width: Int, Sendable {
        /// As usual.
        case standard
        /// Less.
        case short
        /// Least.
        case narrow
    }

    let type: ListType
    let width: Width
    var name = ""

    /// In another language and region.
    public func locale(_ locale: Locale) -> Self {
        var copy = self
        copy.name = locale.name
        return copy
    }

    /// The text of a list.
    public func format(_ value: [String]) -> String {
        var writer = op_question(8, 5)
        writer.array(value) { $0.string($1) }
        writer.int(Int64(type.rawValue))
        writer.int(Int64(width.rawValue))
        writer.string(name)
        var reader = op_ask_date(writer)
        return reader.onlyText()
    }
}

extension FormatStyle where Self == TextListFormatStyle {
    /// Lists of texts.
    public static func list(
        type: TextListFormatStyle.ListType, width: TextListFormatStyle.Width = .standard
    ) -> Self { Self(type: type, width: width) }
}

extension Sequence where Element == String {
    /// The texts as the user reads a list.
    public func formatted() -> String {
        TextListFormatStyle(type: .and, width: .standard).format(Array(self))
    }
}

extension Array where Element == String {
    /// The texts in a style.
    public func formatted<Style: FormatStyle>(_ style: Style) -> Style.FormatOutput
    where Style.FormatInput == [String] { style.format(self) }
}
