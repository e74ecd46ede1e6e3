import WebAssembly

/// A typed value of a script: an argument, or a result wanted.
///
/// Numbers are written as unsigned decimals of their bit patterns, NaN results as the patterns
/// `nan:canonical` and `nan:arithmetic`, references as `null` or a host number.
public struct SpecConstant: Decodable, Equatable, Sendable, CustomStringConvertible {
    /// `i32`, `i64`, `f32`, `f64`, `funcref` or `externref`.
    public var type: String
    /// Absent where any reference of the type will do.
    public var value: String?

    /// Makes a constant.
    public init(type: String, value: String?) {
        self.type = type
        self.value = value
    }

    /// Type and value as in the script.
    public var description: String { "\(type):\(value ?? "any")" }

    /// The value to pass as an argument, or nil when it is not one.
    var argument: Value? {
        guard let value else { return nil }
        switch type {
        case "i32": return UInt32(value).map { .i32($0) }
        case "i64": return UInt64(value).map { .i64($0) }
        case "f32": return UInt32(value).map { .f32($0) }
        case "f64": return UInt64(value).map { .f64($0) }
        case "externref":
            if value == "null" { return .ref(.nullExtern) }
            return UInt32(value).map { .ref(.extern($0)) }
        case "funcref":
            return value == "null" ? .ref(.nullFunction) : nil
        default: return nil
        }
    }

    /// Whether a result is what the script wants.
    func matches(_ result: Value) -> Bool {
        switch (type, value, result) {
        case ("f32", "nan:canonical", .f32(let bits)):
            return bits & 0x7fff_ffff == 0x7fc0_0000
        case ("f32", "nan:arithmetic", .f32(let bits)):
            return bits & 0x7fc0_0000 == 0x7fc0_0000
        case ("f64", "nan:canonical", .f64(let bits)):
            return bits & 0x7fff_ffff_ffff_ffff == 0x7ff8_0000_0000_0000
        case ("f64", "nan:arithmetic", .f64(let bits)):
            return bits & 0x7ff8_0000_0000_0000 == 0x7ff8_0000_0000_0000
        case ("funcref", nil, .ref(.function)), ("externref", nil, .ref(.extern)):
            return true
        default:
            return argument == result
        }
    }
}
