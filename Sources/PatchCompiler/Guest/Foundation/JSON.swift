import PatchGuest
import PatchHost

@_extern(wasm, module: "openpatch", name: "format.json") @_extern(c)
func op_host_format_json(_ pointer: Int32, _ length: Int32) -> Int32

// The app's own Foundation reads and writes JSON. A module tells it what the type looks like and
// gives or takes the value in the form in which values cross. What `decode` and `encode` throw is
// declared with the module's errors, beside this.

/// Makes values of JSON.
public final class JSONDecoder {
    private var settings = Settings()

    /// A decoder with the usual strategies.
    public init() {}

    /// How dates are written.
    public struct DateDecodingStrategy: Sendable {
        let number: Int
        /// As numbers since 2001.
        public static let deferredToDate = Self(number: 0)
        /// As seconds since 1970.
        public static let secondsSince1970 = Self(number: 1)
        /// As milliseconds since 1970.
        public static let millisecondsSince1970 = Self(number: 2)
        /// As the Internet writes them.
        public static let iso8601 = Self(number: 3)
    }

    /// How bytes are written.
    public struct DataDecodingStrategy: Sendable {
        let number: Int
        /// As numbers.
        public static let deferredToData = Self(number: 0)
        /// As base 64.
        public static let base64 = Self(number: 1)
    }

    /// How keys are written.
    public struct KeyDecodingStrategy: Sendable {
        let number: Int
        /// As properties.
        public static let useDefaultKeys = Self(number: 0)
        /// With underscores.
        public static let convertFromSnakeCase = Self(number: 1)
    }

    /// How dates are written.
    public var dateDecodingStrategy = DateDecodingStrategy.deferredToDate {
        didSet { settings.set(0, dateDecodingStrategy.number) }
    }

    /// How bytes are written.
    public var dataDecodingStrategy = DataDecodingStrategy.base64 {
        didSet { settings.set(1, dataDecodingStrategy.number) }
    }

    /// How keys are written.
    public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys {
        didSet { settings.set(2, keyDecodingStrategy.number) }
    }

    /// Asks the host: false and the value follow, or true and the number of an error.
    public func op_answer<Value: Decodable>(_ type: Value.Type, _ data: Data) -> GuestReader {
        var writer = op_question(0, 4)
        settings.write(to: &writer)
        var shape = JSONShape(writer)
        Value.op_shape(&shape)
        var question = shape.question
        question.binary([UInt8](data))
        var reader = HostAnswer.ask(question) { op_host_format_json($0, $1) }
        reader.arrayHeader(exactly: 2)
        return reader
    }
}

/// Makes JSON of values.
public final class JSONEncoder {
    private var settings = Settings()

    /// An encoder with the usual strategies.
    public init() {}

    /// How dates are written.
    public struct DateEncodingStrategy: Sendable {
        let number: Int
        /// As numbers since 2001.
        public static let deferredToDate = Self(number: 0)
        /// As seconds since 1970.
        public static let secondsSince1970 = Self(number: 1)
        /// As milliseconds since 1970.
        public static let millisecondsSince1970 = Self(number: 2)
        /// As the Internet writes them.
        public static let iso8601 = Self(number: 3)
    }

    /// How bytes are written.
    public struct DataEncodingStrategy: Sendable {
        let number: Int
        /// As numbers.
        public static let deferredToData = Self(number: 0)
        /// As base 64.
        public static let base64 = Self(number: 1)
    }

    /// How keys are written.
    public struct KeyEncodingStrategy: Sendable {
        let number: Int
        /// As properties.
        public static let useDefaultKeys = Self(number: 0)
        /// With underscores.
        public static let convertToSnakeCase = Self(number: 1)
    }

    /// What the text looks like.
    public struct OutputFormatting: OptionSet, Sendable {
        /// One bit for each.
        public let rawValue: UInt
        /// A look with these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// With lines and blanks.
        public static let prettyPrinted = Self(rawValue: 1)
        /// With keys in order.
        public static let sortedKeys = Self(rawValue: 2)
        /// With bare slashes.
        public static let withoutEscapingSlashes = Self(rawValue: 8)
    }

    /// How dates are written.
    public var dateEncodingStrategy = DateEncodingStrategy.deferredToDate {
        didSet { settings.set(0, dateEncodingStrategy.number) }
    }

    /// How bytes are written.
    public var dataEncodingStrategy = DataEncodingStrategy.base64 {
        didSet { settings.set(1, dataEncodingStrategy.number) }
    }

    /// How keys are written.
    public var keyEncodingStrategy = KeyEncodingStrategy.useDefaultKeys {
        didSet { settings.set(2, keyEncodingStrategy.number) }
    }

    /// What the text looks like.
    public var outputFormatting: OutputFormatting = [] {
        didSet { settings.set(3, Int(outputFormatting.rawValue)) }
    }

    /// Asks the host: false and the bytes follow, or true and the number of an error.
    public func op_answer<Value: Encodable>(_ value: Value) -> GuestReader {
        var writer = op_question(1, 4)
        settings.write(to: &writer)
        var shape = JSONShape(writer)
        Value.op_shape(&shape)
        var question = shape.question
        value.op_encode(&question)
        var reader = HostAnswer.ask(question) { op_host_format_json($0, $1) }
        reader.arrayHeader(exactly: 2)
        return reader
    }
}
