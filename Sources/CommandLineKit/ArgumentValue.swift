import Foundation

/// A type that one command-line word can be turned into.
public protocol ArgumentValue: Sendable {
    /// Reads the word, or returns nil when it is not such a value.
    init?(argument: String)
    /// How the value is written on a command line.
    var argumentText: String { get }
    /// What a valid word looks like, as in "a whole number"; used in error messages.
    static var expectation: String { get }
    /// The words that can stand here when they are few, else empty.
    static var allArgumentWords: [String] { get }
}

extension ArgumentValue {
    /// No closed list of words by default.
    public static var allArgumentWords: [String] { [] }
}

extension String: ArgumentValue {
    /// Takes the word as it is.
    public init?(argument: String) { self = argument }
    /// The word itself.
    public var argumentText: String { self }
    /// See ``ArgumentValue/expectation``.
    public static var expectation: String { "a text" }
}

extension ArgumentValue where Self: FixedWidthInteger {
    /// Reads a decimal whole number of this width.
    public init?(argument: String) { self.init(argument, radix: 10) }
    /// The number in decimal.
    public var argumentText: String { String(self) }
    /// See ``ArgumentValue/expectation``.
    public static var expectation: String { "a whole number from \(Self.min) to \(Self.max)" }
}

extension Int: ArgumentValue {}
extension Int64: ArgumentValue {}
extension UInt: ArgumentValue {}
extension UInt16: ArgumentValue {}
extension UInt32: ArgumentValue {}
extension UInt64: ArgumentValue {}

extension Double: ArgumentValue {
    /// Reads a decimal number.
    public init?(argument: String) {
        guard let value = Double(argument) else { return nil }
        self = value
    }
    /// The shortest text that reads back as the same number.
    public var argumentText: String { description }
    /// See ``ArgumentValue/expectation``.
    public static var expectation: String { "a number" }
}

extension ArgumentValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// Takes one of the raw values.
    public init?(argument: String) { self.init(rawValue: argument) }
    /// The raw value.
    public var argumentText: String { rawValue }
    /// See ``ArgumentValue/expectation``.
    public static var expectation: String {
        "one of " + allArgumentWords.map { "'\($0)'" }.joined(separator: ", ")
    }
    /// Every raw value.
    public static var allArgumentWords: [String] { allCases.map(\.rawValue) }
}
