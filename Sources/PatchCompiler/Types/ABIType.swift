/// A type whose values cross into a module (formats.md, "Values").
indirect enum ABIType: Hashable, Sendable {
    case bool
    case integer(Integer)
    case float
    case double
    case string
    /// `[UInt8]`, which crosses as bytes.
    case bytes
    case optional(ABIType)
    case array(ABIType)
    case set(ABIType)
    case dictionary(ABIType, ABIType)
    case tuple([Element])

    struct Element: Hashable, Sendable {
        var label: String?
        var type: ABIType
    }

    enum Integer: String, CaseIterable, Sendable {
        case Int, Int8, Int16, Int32, Int64, UInt, UInt8, UInt16, UInt32, UInt64

        /// Whether it crosses as i64 when it crosses alone.
        var isWide: Bool { [.Int, .Int64, .UInt, .UInt64].contains(self) }
        var isSigned: Bool { !rawValue.hasPrefix("U") }
    }

    /// Whether a value crosses as a wasm scalar when all that crosses with it does.
    var isScalar: Bool {
        switch self {
        case .bool, .integer, .float, .double: true
        default: false
        }
    }

    /// The text that signatures are hashed over.
    var canonical: String {
        switch self {
        case .bool: "Bool"
        case .integer(let kind): kind.rawValue
        case .float: "Float"
        case .double: "Double"
        case .string: "String"
        case .bytes: "Array<UInt8>"
        case .optional(let wrapped): "Optional<\(wrapped.canonical)>"
        case .array(let element): "Array<\(element.canonical)>"
        case .set(let element): "Set<\(element.canonical)>"
        case .dictionary(let key, let value): "Dictionary<\(key.canonical),\(value.canonical)>"
        case .tuple(let elements):
            "("
                + elements.map { ($0.label.map { $0 + ":" } ?? "") + $0.type.canonical }
                .joined(separator: ",") + ")"
        }
    }

    /// The type as generated Swift writes it.
    var swift: String {
        switch self {
        case .tuple(let elements):
            "("
                + elements.map { ($0.label.map { $0 + ": " } ?? "") + $0.type.swift }
                .joined(separator: ", ") + ")"
        case .optional(let wrapped): "Optional<\(wrapped.swift)>"
        case .array(let element): "[\(element.swift)]"
        case .set(let element): "Set<\(element.swift)>"
        case .dictionary(let key, let value): "[\(key.swift): \(value.swift)]"
        default: canonical
        }
    }

    /// Whether it can be a key of a dictionary or a member of a set.
    var isHashable: Bool {
        switch self {
        case .tuple: false
        case .optional(let wrapped), .array(let wrapped), .set(let wrapped): wrapped.isHashable
        case .dictionary(let key, let value): key.isHashable && value.isHashable
        default: true
        }
    }
}
