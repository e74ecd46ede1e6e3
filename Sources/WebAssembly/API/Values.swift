/// The type of a WebAssembly value (core specification 2.0, section 2.3).
public enum ValueType: UInt8, Hashable, Sendable {
    /// A 32-bit integer.
    case i32 = 0x7f
    /// A 64-bit integer.
    case i64 = 0x7e
    /// A 32-bit IEEE 754 number.
    case f32 = 0x7d
    /// A 64-bit IEEE 754 number.
    case f64 = 0x7c
    /// A reference to a function, or null.
    case funcRef = 0x70
    /// A reference to something of the host, or null.
    case externRef = 0x6f
}

/// A WebAssembly value. Floating-point numbers are held as bit patterns, so that a NaN keeps its
/// payload.
public enum Value: Hashable, Sendable {
    /// A 32-bit integer; wasm does not distinguish signedness.
    case i32(UInt32)
    /// A 64-bit integer; wasm does not distinguish signedness.
    case i64(UInt64)
    /// The bit pattern of a `Float`.
    case f32(UInt32)
    /// The bit pattern of a `Double`.
    case f64(UInt64)
    /// A reference.
    case ref(Reference)

    /// The type of the value.
    public var type: ValueType {
        switch self {
        case .i32: return .i32
        case .i64: return .i64
        case .f32: return .f32
        case .f64: return .f64
        case .ref(.nullFunction), .ref(.function): return .funcRef
        case .ref(.nullExtern), .ref(.extern): return .externRef
        }
    }

    /// Zero, or the null reference, of `type`.
    public static func zero(_ type: ValueType) -> Value {
        switch type {
        case .i32: return .i32(0)
        case .i64: return .i64(0)
        case .f32: return .f32(0)
        case .f64: return .f64(0)
        case .funcRef: return .ref(.nullFunction)
        case .externRef: return .ref(.nullExtern)
        }
    }
}

/// A reference value (core specification 2.0, section 2.3.3).
public enum Reference: Hashable, Sendable {
    /// The null `funcref`.
    case nullFunction
    /// The null `externref`.
    case nullExtern
    /// A function of a store; ``Function/init(reference:store:)`` makes it callable.
    case function(FunctionReference)
    /// A number that the host chose, for instance an index into a table of its own.
    case extern(UInt32)
}

/// Names a function inside one store.
public struct FunctionReference: Hashable, Sendable {
    let address: UInt
}

/// The parameters and results of a function (core specification 2.0, section 2.3.6).
public struct FunctionType: Hashable, Sendable {
    /// The types of the parameters, in order.
    public var parameters: [ValueType]
    /// The types of the results, in order.
    public var results: [ValueType]

    /// Describes a function from `parameters` to `results`.
    public init(parameters: [ValueType], results: [ValueType] = []) {
        self.parameters = parameters
        self.results = results
    }
}

extension FunctionType: CustomStringConvertible {
    /// The type as text, for example `(i32, i64) -> (f64)`.
    public var description: String {
        func list(_ types: [ValueType]) -> String {
            "(" + types.map { "\($0)" }.joined(separator: ", ") + ")"
        }
        return list(parameters) + " -> " + list(results)
    }
}
