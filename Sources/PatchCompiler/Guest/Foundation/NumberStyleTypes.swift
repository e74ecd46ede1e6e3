/// Numbers.
public struct IntegerFormatStyle<Value: BinaryInteger & Sendable>: PlainNumberFormatStyle, Sendable,
    Hashable
{
    /// What rounding counts in.
    public typealias Increment = Int
    /// What it was told.
    public var op_settings: NumberStyleSettings
    /// In a language and region.
    public init(locale: Locale = .autoupdatingCurrent) {
        op_settings = NumberStyleSettings(.plain, locale)
    }

    /// The text of a number.
    public func format(_ value: Value) -> String {
        op_settings.text(NSNumber.Value(integer: value))
    }

    /// Hundredths.
    public struct Percent: PlainNumberFormatStyle, Sendable, Hashable {
        /// What rounding counts in.
        public typealias Increment = Int
        /// What it was told.
        public var op_settings: NumberStyleSettings
        /// In a language and region.
        public init(locale: Locale = .autoupdatingCurrent) {
            op_settings = NumberStyleSettings(.percent, locale)
        }

        /// The text of a number.
        public func format(_ value: Value) -> String {
            op_settings.text(NSNumber.Value(integer: value))
        }
    }

    /// Amounts of money.
    public struct Currency: CurrencyNumberFormatStyle, Sendable, Hashable {
        /// What rounding counts in.
        public typealias Increment = Int
        /// What it was told.
        public var op_settings: NumberStyleSettings
        /// Amounts in a currency.
        public init(code: String, locale: Locale = .autoupdatingCurrent) {
            op_settings = NumberStyleSettings(.currency, code, locale)
        }

        /// The text of a number.
        public func format(_ value: Value) -> String {
            op_settings.text(NSNumber.Value(integer: value))
        }
    }
}

/// Numbers.
public struct FloatingPointFormatStyle<Value: BinaryFloatingPoint & Sendable>:
    PlainNumberFormatStyle, Sendable, Hashable
{
    /// What rounding counts in.
    public typealias Increment = Double
    /// What it was told.
    public var op_settings: NumberStyleSettings
    /// In a language and region.
    public init(locale: Locale = .autoupdatingCurrent) {
        op_settings = NumberStyleSettings(.plain, locale)
    }

    /// The text of a number.
    public func format(_ value: Value) -> String {
        op_settings.text(NSNumber.Value(fraction: value))
    }

    /// Hundredths.
    public struct Percent: PlainNumberFormatStyle, Sendable, Hashable {
        /// What rounding counts in.
        public typealias Increment = Double
        /// What it was told.
        public var op_settings: NumberStyleSettings
        /// In a language and region.
        public init(locale: Locale = .autoupdatingCurrent) {
            op_settings = NumberStyleSettings(.percent, locale)
        }

        /// The text of a number.
        public func format(_ value: Value) -> String {
            op_settings.text(NSNumber.Value(fraction: value))
        }
    }

    /// Amounts of money.
    public struct Currency: CurrencyNumberFormatStyle, Sendable, Hashable {
        /// What rounding counts in.
        public typealias Increment = Double
        /// What it was told.
        public var op_settings: NumberStyleSettings
        /// Amounts in a currency.
        public init(code: String, locale: Locale = .autoupdatingCurrent) {
            op_settings = NumberStyleSettings(.currency, code, locale)
        }

        /// The text of a number.
        public func format(_ value: Value) -> String {
            op_settings.text(NSNumber.Value(fraction: value))
        }
    }
}

extension Decimal {
    /// Numbers.
    public struct FormatStyle: PlainNumberFormatStyle, Sendable, Hashable {
        /// What rounding counts in.
        public typealias Increment = Int
        /// What it was told.
        public var op_settings: NumberStyleSettings
        /// In a language and region.
        public init(locale: Locale = .autoupdatingCurrent) {
            op_settings = NumberStyleSettings(.plain, locale)
        }

        /// The text of a number.
        public func format(_ value: Decimal) -> String {
            op_settings.text(.decimal(value))
        }

        /// Hundredths.
        public struct Percent: PlainNumberFormatStyle, Sendable, Hashable {
            /// What rounding counts in.
            public typealias Increment = Int
            /// What it was told.
            public var op_settings: NumberStyleSettings
            /// In a language and region.
            public init(locale: Locale = .autoupdatingCurrent) {
                op_settings = NumberStyleSettings(.percent, locale)
            }

            /// The text of a number.
            public func format(_ value: Decimal) -> String {
                op_settings.text(.decimal(value))
            }
        }

        /// Amounts of money.
        public struct Currency: CurrencyNumberFormatStyle, Sendable, Hashable {
            /// What rounding counts in.
            public typealias Increment = Int
            /// What it was told.
            public var op_settings: NumberStyleSettings
            /// Amounts in a currency.
            public init(code: String, locale: Locale = .autoupdatingCurrent) {
                op_settings = NumberStyleSettings(.currency, code, locale)
            }

            /// The text of a number.
            public func format(_ value: Decimal) -> String {
                op_settings.text(.decimal(value))
            }
        }
    }
}

extension NSNumber.Value {
    /// A number of any type with fractions.
    init<Value: BinaryFloatingPoint>(fraction value: Value) {
        if let float = value as? Float {
            self = .float(float)
        } else {
            self = .double(Double(value))
        }
    }
}
