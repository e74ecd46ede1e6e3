import PatchGuest

@_extern(wasm, module: "openpatch", name: "format.json") @_extern(c)
func op_host_format_json(_ pointer: Int32, _ length: Int32) -> Int32

// The app's own Foundation reads and writes JSON. A module tells it what the type looks like and
// gives or takes the value in the form in which values cross. What `decode` and `encode` throw is
// declared with the module's errors, beside this.

/// What the host is told of types: each once, where it is first met.
public struct JSONShape {
    private var writer: GuestWriter
    private var known: [UInt64] = []

    init(_ writer: GuestWriter) { self.writer = writer }

    /// A type of Foundation or of texts, by its number.
    mutating func leaf(_ number: UInt64) { pair(0, number) }
    /// A type of whole numbers, by its number.
    mutating func integer(_ number: UInt64) { pair(1, number) }
    /// What holds one other type.
    mutating func holder(_ kind: UInt64) {
        writer.arrayHeader(2)
        writer.uint(kind)
    }

    /// Begins a type of the app; false when it is known already.
    private mutating func begins(_ kind: UInt64, _ id: UInt64, _ name: String) -> Bool {
        for other in known where other == id {
            pair(9, id)
            return false
        }
        known.append(id)
        writer.arrayHeader(4)
        writer.uint(kind)
        writer.uint(id)
        writer.string(name)
        return true
    }

    /// A struct; its fields follow when this is true.
    public mutating func structure(_ id: UInt64, _ name: String, _ count: Int) -> Bool {
        guard begins(6, id, name) else { return false }
        writer.arrayHeader(count)
        return true
    }

    /// A field of a struct, whose type follows.
    public mutating func field(_ key: String, _ position: Int) {
        writer.arrayHeader(3)
        writer.string(key)
        writer.uint(UInt64(position))
    }

    /// An enum over texts.
    public mutating func cases(_ id: UInt64, _ name: String, _ values: [String]) {
        if begins(7, id, name) { writer.array(values) { $0.string($1) } }
    }

    /// An enum over whole numbers.
    public mutating func cases(_ id: UInt64, _ name: String, _ values: [Int]) {
        if begins(8, id, name) { writer.array(values) { $0.int(Int64($1)) } }
    }

    private mutating func pair(_ kind: UInt64, _ value: UInt64) {
        writer.arrayHeader(2)
        writer.uint(kind)
        writer.uint(value)
    }

    /// The question so far.
    var question: GuestWriter { writer }
}

/// A type with a shape.
public protocol JSONShaped {
    /// Describes the type.
    static func op_shape(_ shape: inout JSONShape)
}

/// A type that JSON is decoded into.
public protocol Decodable: JSONShaped {
    /// Reads a value in the form in which values cross.
    static func op_decode(_ reader: inout GuestReader) -> Self
}

/// A type that is encoded as JSON.
public protocol Encodable: JSONShaped {
    /// Writes a value in the form in which values cross.
    func op_encode(_ writer: inout GuestWriter)
}

/// Both.
public typealias Codable = Decodable & Encodable

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

extension Bool: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.leaf(0) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Bool { reader.bool() }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.bool(self) }
}

extension String: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.leaf(1) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> String { reader.string() }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.string(self) }
}

extension Double: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.leaf(2) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Double { reader.double() }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.double(self) }
}

extension Float: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.leaf(3) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Float { reader.float() }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.float(self) }
}

extension Date: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.leaf(4) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Date {
        Date(timeIntervalSinceReferenceDate: reader.double())
    }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) {
        writer.double(timeIntervalSinceReferenceDate)
    }
}

extension Data: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.leaf(5) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Data { Data(reader.binary()) }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.binary([UInt8](self)) }
}

extension URL: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.leaf(6) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> URL { reader.url() }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.url(self) }
}

extension UUID: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.leaf(7) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> UUID {
        reader.parsed { UUID(uuidString: $0) }
    }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.string(uuidString) }
}

extension Decimal: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.leaf(8) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Decimal { reader.decimal() }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.decimal(self) }
}

extension Int: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.integer(0) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Int { reader.integer(Int.self) }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.int(Int64(self)) }
}

extension Int8: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.integer(1) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Int8 { reader.integer(Int8.self) }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.int(Int64(self)) }
}

extension Int16: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.integer(2) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Int16 {
        reader.integer(Int16.self)
    }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.int(Int64(self)) }
}

extension Int32: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.integer(3) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Int32 {
        reader.integer(Int32.self)
    }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.int(Int64(self)) }
}

extension Int64: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.integer(4) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Int64 {
        reader.integer(Int64.self)
    }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.int(Int64(self)) }
}

extension UInt: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.integer(5) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> UInt { reader.integer(UInt.self) }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.uint(UInt64(self)) }
}

extension UInt8: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.integer(6) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> UInt8 {
        reader.integer(UInt8.self)
    }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.uint(UInt64(self)) }
}

extension UInt16: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.integer(7) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> UInt16 {
        reader.integer(UInt16.self)
    }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.uint(UInt64(self)) }
}

extension UInt32: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.integer(8) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> UInt32 {
        reader.integer(UInt32.self)
    }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.uint(UInt64(self)) }
}

extension UInt64: Codable {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.integer(9) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> UInt64 {
        reader.integer(UInt64.self)
    }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) { writer.uint(UInt64(self)) }
}

extension Optional: JSONShaped where Wrapped: JSONShaped {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) {
        shape.holder(2)
        Wrapped.op_shape(&shape)
    }
}

extension Optional: Decodable where Wrapped: Decodable {
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Self {
        reader.optional { Wrapped.op_decode(&$0) }
    }
}

extension Optional: Encodable where Wrapped: Encodable {
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) {
        writer.optional(self) { $1.op_encode(&$0) }
    }
}

extension Array: JSONShaped where Element: JSONShaped {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) {
        shape.holder(3)
        Element.op_shape(&shape)
    }
}

extension Array: Decodable where Element: Decodable {
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Self {
        reader.array { Element.op_decode(&$0) }
    }
}

extension Array: Encodable where Element: Encodable {
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) {
        writer.array(self) { $1.op_encode(&$0) }
    }
}

extension Set: JSONShaped where Element: JSONShaped {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) {
        shape.holder(3)
        Element.op_shape(&shape)
    }
}

extension Set: Decodable where Element: Decodable {
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Self {
        reader.set { Element.op_decode(&$0) }
    }
}

extension Set: Encodable where Element: Encodable {
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) {
        writer.set(self) { $1.op_encode(&$0) }
    }
}

/// Keys of dictionaries that JSON has keys for.
public protocol JSONKey: Hashable {
    /// The kind of dictionary.
    static var op_holder: UInt64 { get }
    /// Reads a key.
    static func op_readKey(_ reader: inout GuestReader) -> Self
    /// Writes a key.
    func op_writeKey(_ writer: inout GuestWriter)
}

extension String: JSONKey {
    /// Texts.
    public static var op_holder: UInt64 { 4 }
    /// Reads a key.
    public static func op_readKey(_ reader: inout GuestReader) -> String { reader.string() }
    /// Writes a key.
    public func op_writeKey(_ writer: inout GuestWriter) { writer.string(self) }
}

extension Int: JSONKey {
    /// Whole numbers.
    public static var op_holder: UInt64 { 5 }
    /// Reads a key.
    public static func op_readKey(_ reader: inout GuestReader) -> Int { reader.integer(Int.self) }
    /// Writes a key.
    public func op_writeKey(_ writer: inout GuestWriter) { writer.int(Int64(self)) }
}

extension Dictionary: JSONShaped where Key: JSONKey, Value: JSONShaped {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) {
        shape.holder(Key.op_holder)
        Value.op_shape(&shape)
    }
}

extension Dictionary: Decodable where Key: JSONKey, Value: Decodable {
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Self {
        reader.dictionary(
            key: { Key.op_readKey(&$0) }, value: { Value.op_decode(&$0) })
    }
}

extension Dictionary: Encodable where Key: JSONKey, Value: Encodable {
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) {
        writer.dictionary(
            self, key: { $1.op_writeKey(&$0) }, value: { $1.op_encode(&$0) })
    }
}
