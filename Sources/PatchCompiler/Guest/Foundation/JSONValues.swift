import PatchGuest

// The types of the standard library and of Foundation that JSON is made of.

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

/// Whole numbers: all cross in one form, and the host holds them to the type's own bounds.
public protocol JSONInteger: FixedWidthInteger, Codable {
    /// The type's number in shapes.
    static var op_number: UInt64 { get }
}

extension JSONInteger {
    /// Describes the type.
    public static func op_shape(_ shape: inout JSONShape) { shape.integer(op_number) }
    /// Reads a value.
    public static func op_decode(_ reader: inout GuestReader) -> Self { reader.integer(Self.self) }
    /// Writes a value.
    public func op_encode(_ writer: inout GuestWriter) {
        if Self.isSigned { writer.int(Int64(self)) } else { writer.uint(UInt64(self)) }
    }
}

extension Int: JSONInteger {
    /// The type's number in shapes.
    public static var op_number: UInt64 { 0 }
}

extension Int8: JSONInteger {
    /// The type's number in shapes.
    public static var op_number: UInt64 { 1 }
}

extension Int16: JSONInteger {
    /// The type's number in shapes.
    public static var op_number: UInt64 { 2 }
}

extension Int32: JSONInteger {
    /// The type's number in shapes.
    public static var op_number: UInt64 { 3 }
}

extension Int64: JSONInteger {
    /// The type's number in shapes.
    public static var op_number: UInt64 { 4 }
}

extension UInt: JSONInteger {
    /// The type's number in shapes.
    public static var op_number: UInt64 { 5 }
}

extension UInt8: JSONInteger {
    /// The type's number in shapes.
    public static var op_number: UInt64 { 6 }
}

extension UInt16: JSONInteger {
    /// The type's number in shapes.
    public static var op_number: UInt64 { 7 }
}

extension UInt32: JSONInteger {
    /// The type's number in shapes.
    public static var op_number: UInt64 { 8 }
}

extension UInt64: JSONInteger {
    /// The type's number in shapes.
    public static var op_number: UInt64 { 9 }
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
