/// Parts of styles of numbers.
public enum NumberFormatStyleConfiguration {
    /// How many digits there are.
    public struct Precision: Sendable, Hashable {
        let text: String

        private init(_ kind: String, _ low: Int?, _ high: Int?) {
            text = kind + " " + (low?.description ?? "-") + " " + (high?.description ?? "-")
        }

        private init<Limit: DigitRange>(_ kind: String, _ limit: Limit) {
            self.init(kind, limit.op_least, limit.op_most)
        }

        /// So many digits after the separator.
        public static func fractionLength(_ limit: Int) -> Precision {
            Precision("f", limit, limit)
        }
        /// So many digits after the separator.
        public static func fractionLength<Limit: DigitRange>(_ limit: Limit) -> Precision {
            Precision("f", limit)
        }
        /// So many digits in all.
        public static func significantDigits(_ limit: Int) -> Precision {
            Precision("s", limit, limit)
        }
        /// So many digits in all.
        public static func significantDigits<Limit: DigitRange>(_ limit: Limit) -> Precision {
            Precision("s", limit)
        }
        /// So many digits before the separator.
        public static func integerLength(_ limit: Int) -> Precision { Precision("i", limit, limit) }
        /// So many digits before the separator.
        public static func integerLength<Limit: DigitRange>(_ limit: Limit) -> Precision {
            Precision("i", limit)
        }
        /// So many digits before and after the separator.
        public static func integerAndFractionLength(integer: Int, fraction: Int) -> Precision {
            Precision("b", integer, fraction)
        }
    }

    /// Whether digits stand in groups.
    public enum Grouping: Sendable {
        /// As usual.
        case automatic
        /// Not.
        case never
    }

    /// Whether whole numbers have a separator.
    public enum DecimalSeparatorDisplayStrategy: Sendable {
        /// As usual.
        case automatic
        /// Yes.
        case always
    }

    /// Which numbers have signs.
    public struct SignDisplayStrategy: Sendable, Hashable {
        let number: Int
        /// Negative ones.
        public static var automatic: Self { Self(number: 0) }
        /// None.
        public static var never: Self { Self(number: 1) }
        /// All, zero too or not.
        public static func always(includingZero: Bool = true) -> Self {
            Self(number: includingZero ? 3 : 2)
        }
    }

    /// How large numbers look.
    public enum Notation: Int, Sendable {
        /// As usual.
        case automatic
        /// With an exponent.
        case scientific
        /// In short.
        case compactName
    }
}

/// Parts of styles of amounts of money.
public enum CurrencyFormatStyleConfiguration {
    /// How many digits there are.
    public typealias Precision = NumberFormatStyleConfiguration.Precision
    /// Whether digits stand in groups.
    public typealias Grouping = NumberFormatStyleConfiguration.Grouping

    /// What names the currency.
    public enum Presentation: Int, Sendable {
        /// Its sign.
        case standard
        /// Its code.
        case isoCode
        /// Its shortest sign.
        case narrow
        /// Its name.
        case fullName
    }

    /// Which amounts have signs.
    public struct SignDisplayStrategy: Sendable, Hashable {
        let number: Int
        /// Negative ones.
        public static var automatic: Self { Self(number: 0) }
        /// None.
        public static var never: Self { Self(number: 1) }
        /// All, zero too or not.
        public static func always(showZero: Bool = true) -> Self { Self(number: showZero ? 3 : 2) }
        /// Negative ones have parentheses.
        public static var accounting: Self { Self(number: 4) }
        /// Negative ones have parentheses, others signs.
        public static func accountingAlways(showZero: Bool = false) -> Self {
            Self(number: showZero ? 6 : 5)
        }
    }
}

/// Ranges of numbers of digits.
public protocol DigitRange {
    /// The least number, if there is one.
    var op_least: Int? { get }
    /// The greatest number, if there is one.
    var op_most: Int? { get }
}

extension ClosedRange: DigitRange where Bound == Int {
    /// The least number.
    public var op_least: Int? { lowerBound }
    /// The greatest number.
    public var op_most: Int? { upperBound }
}

extension Range: DigitRange where Bound == Int {
    /// The least number.
    public var op_least: Int? { lowerBound }
    /// The greatest number.
    public var op_most: Int? { upperBound - 1 }
}

extension PartialRangeFrom: DigitRange where Bound == Int {
    /// The least number.
    public var op_least: Int? { lowerBound }
    /// None.
    public var op_most: Int? { nil }
}

extension PartialRangeThrough: DigitRange where Bound == Int {
    /// None.
    public var op_least: Int? { nil }
    /// The greatest number.
    public var op_most: Int? { upperBound }
}

extension PartialRangeUpTo: DigitRange where Bound == Int {
    /// None.
    public var op_least: Int? { nil }
    /// The greatest number.
    public var op_most: Int? { upperBound - 1 }
}
