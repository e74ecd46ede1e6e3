/// A type whose values cross into a module (formats.md, "Values").
indirect enum ABIType: Hashable, Sendable {
    case bool
    case integer(Integer)
    case float
    case double
    case string
    /// `[UInt8]`, which crosses as bytes.
    case bytes
    case foundation(Foundation)
    /// What the standard library makes of strings; crosses as a string.
    case text(Text)
    /// A position in the text that the same struct holds; only ever a stored property.
    case position
    case optional(ABIType)
    case array(ABIType)
    case set(ABIType)
    case dictionary(ABIType, ABIType)
    case tuple([Element])
    /// A struct, enum or class of the app.
    case named(NamedType)
    /// A function of the app, which a module may call during the call that it is given to.
    case function(Function)

    struct Function: Hashable, Sendable {
        var parameters: [ABIType]
        /// Nil when it returns nothing.
        var result: ABIType?
        var isThrowing: Bool

        /// The type as generated Swift writes it; `error` is what it throws, if that is written.
        func swift(throwing error: String = "") -> String {
            "(" + parameters.map(\.swift).joined(separator: ", ") + ") "
                + (isThrowing ? "throws\(error) " : "") + "-> " + (result?.swift ?? "Void")
        }
    }

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

    /// Types of Foundation that a module has a counterpart of.
    enum Foundation: String, CaseIterable, Sendable {
        case Data, Date, UUID, URL, Decimal
    }

    /// Parts and views of strings.
    enum Text: String, CaseIterable, Sendable {
        case character = "Character"
        case substring = "Substring"
        case scalar = "Unicode.Scalar"
        case scalars = "String.UnicodeScalarView"
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
        case .foundation(let kind): "Foundation.\(kind.rawValue)"
        case .text(let kind): kind.rawValue
        case .position: "String.Index"
        case .optional(let wrapped): "Optional<\(wrapped.canonical)>"
        case .array(let element): "Array<\(element.canonical)>"
        case .set(let element): "Set<\(element.canonical)>"
        case .dictionary(let key, let value): "Dictionary<\(key.canonical),\(value.canonical)>"
        case .tuple(let elements):
            "("
                + elements.map { ($0.label.map { $0 + ":" } ?? "") + $0.type.canonical }
                .joined(separator: ",") + ")"
        case .named(let type): type.canonical
        case .function(let function):
            "(" + function.parameters.map(\.canonical).joined(separator: ",") + ")"
                + (function.isThrowing ? "throws" : "") + "->"
                + (function.result?.canonical ?? "()")
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
        case .foundation(let kind): kind.rawValue
        case .named(let type): type.path
        case .function(let function): function.swift()
        default: canonical
        }
    }

    /// Whether it can be a key of a dictionary or a member of a set. Of the app's own types the
    /// app's compiler knows it.
    var isHashable: Bool {
        switch self {
        case .tuple, .text(.scalars), .function: false
        case .optional(let wrapped), .array(let wrapped), .set(let wrapped): wrapped.isHashable
        case .dictionary(let key, let value): key.isHashable && value.isHashable
        default: true
        }
    }

    /// The parts that it is made of, itself included, not looking into the app's types.
    var parts: [ABIType] {
        switch self {
        case .optional(let inner), .array(let inner), .set(let inner): [self] + inner.parts
        case .dictionary(let key, let value): [self] + key.parts + value.parts
        case .tuple(let elements): [self] + elements.flatMap(\.type.parts)
        case .function(let function):
            [self] + function.parameters.flatMap(\.parts) + (function.result?.parts ?? [])
        default: [self]
        }
    }

    /// The app's types that it mentions.
    var named: [NamedType] {
        parts.compactMap { if case .named(let type) = $0 { type } else { nil } }
    }

    /// Whether it is or mentions a function.
    var mentionsFunction: Bool {
        parts.contains { if case .function = $0 { true } else { false } }
    }

    /// Whether it mentions a type of Foundation.
    var needsFoundation: Bool {
        parts.contains { if case .foundation = $0 { true } else { false } }
    }
}

/// A mention of a struct or enum of the app.
struct NamedType: Hashable, Sendable {
    var module: String
    /// Type path, as in `Cart.Line`.
    var path: String
    /// The type whose extension holds the functions that encode and decode it.
    var owner: String
    /// Hash over the shape of the type and of all that it holds; empty inside that shape itself.
    var layout = ""

    var key: String { "\(module).\(path)" }
    var canonical: String { layout.isEmpty ? key : "\(key)#\(layout)" }
}
