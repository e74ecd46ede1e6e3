import Foundation

/// A value that crosses into a module by ``Patch/call(_:_:returning:)``: numbers and truth values as
/// wasm scalars, everything else as MessagePack (formats.md, "Values").
public protocol PatchValue {
    /// Whether it crosses as a wasm scalar.
    static var isScalar: Bool { get }
    /// Adds it as a scalar argument.
    func add(to arguments: inout PatchArguments)
    /// Reads it from a scalar result.
    init(scalar: PatchResult) throws
    /// Appends it in encoded form.
    func write(to writer: inout MessagePackWriter)
    /// Reads its encoded form.
    init(from reader: inout MessagePackReader) throws
}

extension PatchValue where Self: FixedWidthInteger {
    /// Integers are scalars.
    public static var isScalar: Bool { true }

    /// As i32 up to 32 bits, else as i64.
    public func add(to arguments: inout PatchArguments) {
        if Self.bitWidth <= 32 && Self.self != Int.self && Self.self != UInt.self {
            arguments.i32(UInt32(truncatingIfNeeded: self))
        } else {
            arguments.i64(UInt64(truncatingIfNeeded: self))
        }
    }

    /// From i32 up to 32 bits, else from i64.
    /// - Throws: ``PatchError`` `result_mismatch`, or `result_malformed` for a value that does not
    ///   fit.
    public init(scalar: PatchResult) throws {
        let wide: Int64
        if Self.bitWidth <= 32 && Self.self != Int.self && Self.self != UInt.self {
            let raw = try scalar.i32()
            wide = Self.isSigned ? Int64(Int32(bitPattern: raw)) : Int64(raw)
        } else {
            let raw = try scalar.i64()
            if !Self.isSigned {
                guard let value = Self(exactly: raw) else {
                    throw PatchError(.resultMalformed, "\(raw) is no \(Self.self)")
                }
                self = value
                return
            }
            wide = Int64(bitPattern: raw)
        }
        guard let value = Self(exactly: wide) else {
            throw PatchError(.resultMalformed, "\(wide) is no \(Self.self)")
        }
        self = value
    }

    /// As short as it goes.
    public func write(to writer: inout MessagePackWriter) {
        if Self.isSigned {
            writer.int(Int64(truncatingIfNeeded: self))
        } else {
            writer.uint(UInt64(truncatingIfNeeded: self))
        }
    }

    /// From an integer of any width that fits.
    public init(from reader: inout MessagePackReader) throws {
        self = try reader.integer(Self.self)
    }
}

extension Int: PatchValue {}
extension Int8: PatchValue {}
extension Int16: PatchValue {}
extension Int32: PatchValue {}
extension Int64: PatchValue {}
extension UInt: PatchValue {}
extension UInt8: PatchValue {}
extension UInt16: PatchValue {}
extension UInt32: PatchValue {}
extension UInt64: PatchValue {}

extension Bool: PatchValue {
    /// Truth values are scalars.
    public static var isScalar: Bool { true }
    /// As i32.
    public func add(to arguments: inout PatchArguments) { arguments.i32(self ? 1 : 0) }
    /// From i32; anything but zero is true.
    public init(scalar: PatchResult) throws { self = try scalar.i32() != 0 }
    /// As a truth value.
    public func write(to writer: inout MessagePackWriter) { writer.bool(self) }
    /// From a truth value.
    public init(from reader: inout MessagePackReader) throws { self = try reader.bool() }
}

extension Float: PatchValue {
    /// Floating-point numbers are scalars.
    public static var isScalar: Bool { true }
    /// As f32.
    public func add(to arguments: inout PatchArguments) { arguments.f32(self) }
    /// From f32.
    public init(scalar: PatchResult) throws { self = try scalar.f32() }
    /// As 32 bits.
    public func write(to writer: inout MessagePackWriter) { writer.float(self) }
    /// From 32 bits.
    public init(from reader: inout MessagePackReader) throws { self = try reader.float() }
}

extension Double: PatchValue {
    /// Floating-point numbers are scalars.
    public static var isScalar: Bool { true }
    /// As f64.
    public func add(to arguments: inout PatchArguments) { arguments.f64(self) }
    /// From f64.
    public init(scalar: PatchResult) throws { self = try scalar.f64() }
    /// As 64 bits.
    public func write(to writer: inout MessagePackWriter) { writer.double(self) }
    /// From 64 bits.
    public init(from reader: inout MessagePackReader) throws { self = try reader.double() }
}

/// A value that crosses in encoded form only.
public protocol PatchEncodedValue: PatchValue {}

extension PatchEncodedValue {
    /// It crosses in encoded form.
    public static var isScalar: Bool { false }

    /// As the one encoded argument.
    public func add(to arguments: inout PatchArguments) {
        arguments.encoded { write(to: &$0) }
    }

    /// From the bytes that a packed result names.
    public init(scalar: PatchResult) throws {
        var result = scalar
        self = try result.decoded { try Self(from: &$0) }
    }
}

extension String: PatchEncodedValue {
    /// As text.
    public func write(to writer: inout MessagePackWriter) { writer.string(self) }
    /// From text.
    public init(from reader: inout MessagePackReader) throws { self = try reader.string() }
}

extension Data: PatchEncodedValue {
    /// As bytes.
    public func write(to writer: inout MessagePackWriter) { writer.binary(self) }
    /// From bytes.
    public init(from reader: inout MessagePackReader) throws {
        self = Data(try reader.binary())
    }
}

extension Array: PatchValue, PatchEncodedValue where Element: PatchValue {
    /// As an array.
    public func write(to writer: inout MessagePackWriter) {
        writer.arrayHeader(count)
        for element in self { element.write(to: &writer) }
    }

    /// From an array.
    public init(from reader: inout MessagePackReader) throws {
        let count = try reader.arrayHeader()
        self = []
        for _ in 0..<count { append(try Element(from: &reader)) }
    }
}

extension Optional: PatchValue, PatchEncodedValue where Wrapped: PatchValue {
    /// As nil or an array of one.
    public func write(to writer: inout MessagePackWriter) {
        guard let self else { return writer.nil() }
        writer.arrayHeader(1)
        self.write(to: &writer)
    }

    /// From nil or an array of one.
    public init(from reader: inout MessagePackReader) throws {
        if try reader.nextIsNil() {
            self = nil
            return
        }
        guard try reader.arrayHeader() == 1 else {
            throw PatchError(.resultMalformed, "an optional has one element")
        }
        self = try Wrapped(from: &reader)
    }
}
