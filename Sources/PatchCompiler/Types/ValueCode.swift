/// Swift text that encodes and decodes values, the same for app and guest: both sides have a
/// writer and a reader with these methods, and only the app's reader throws.
enum ValueCode {
    enum Side { case app, guest }

    /// A statement that appends `value` to `writer`.
    static func encode(
        _ type: ABIType, _ value: String, to writer: String, on side: Side = .app
    ) -> String {
        func encoder(_ type: ABIType) -> String {
            "{ \(encode(type, "$1", to: "$0", on: side)) }"
        }
        return switch type {
        // No module gives a function back.
        case .function where side == .guest: "_ = \(value); \(writer).nil()"
        case .function(let function):
            "\(writer).uint(PatchCall.number(of: PatchCall.function(\(value)) { op_f in "
                + "\(FunctionCode.body(of: function, named: "op_f")) }))"
        case .bool: "\(writer).bool(\(value))"
        case .integer(let kind):
            kind.isSigned ? "\(writer).int(Int64(\(value)))" : "\(writer).uint(UInt64(\(value)))"
        case .float: "\(writer).float(\(value))"
        case .double: "\(writer).double(\(value))"
        case .string: "\(writer).string(\(value))"
        case .bytes: "\(writer).binary(\(value))"
        case .foundation(.Data): "\(writer).binary(Array(\(value)))"
        case .foundation(.Date): "\(writer).double(\(value).timeIntervalSinceReferenceDate)"
        case .foundation(.UUID): "\(writer).string(\(value).uuidString)"
        case .foundation(.URL): "\(writer).url(\(value))"
        case .foundation(.Decimal): "\(writer).decimal(\(value))"
        case .text: "\(writer).string(String(\(value)))"
        // Of the struct that holds it; see ``TypeCode``.
        case .position: "\(writer).nil()"
        case .named(let type): "\(TypeCode.encoder(type))(\(value), &\(writer))"
        case .optional(let wrapped): "\(writer).optional(\(value)) \(encoder(wrapped))"
        case .array(let element): "\(writer).array(\(value)) \(encoder(element))"
        case .set(let element): "\(writer).set(\(value)) \(encoder(element))"
        case .dictionary(let key, let element):
            "\(writer).dictionary(\(value), key: \(encoder(key)), value: \(encoder(element)))"
        case .tuple(let elements):
            (["\(writer).arrayHeader(\(elements.count))"]
                + elements.enumerated().map {
                    encode($0.element.type, "\(value).\($0.offset)", to: writer, on: side)
                }).joined(separator: "; ")
        }
    }

    /// The whole of a text, as positions in it are counted.
    static func wholeText(_ type: ABIType, _ value: String) -> String {
        switch type {
        case .text(.scalars): "Substring(String(\(value)))"
        default: "Substring(\(value))"
        }
    }

    /// An expression that reads a value from `reader`.
    static func decode(_ type: ABIType, from reader: String, on side: Side) -> String {
        let attempt = side == .app ? "try " : ""
        func decoder(_ type: ABIType) -> String { "{ \(decode(type, from: "$0", on: side)) }" }
        switch type {
        case .bool: return "\(attempt)\(reader).bool()"
        case .integer(let kind): return "\(attempt)\(reader).integer(\(kind.rawValue).self)"
        case .float: return "\(attempt)\(reader).float()"
        case .double: return "\(attempt)\(reader).double()"
        case .string: return "\(attempt)\(reader).string()"
        case .bytes: return "\(attempt)\(reader).binary()"
        case .foundation(.Data): return "Data(\(attempt)\(reader).binary())"
        case .foundation(.Date):
            return "Date(timeIntervalSinceReferenceDate: \(attempt)\(reader).double())"
        case .foundation(.UUID):
            return "\(attempt)\(reader).parsed { UUID(uuidString: $0) }"
        case .foundation(.URL): return "\(attempt)\(reader).url()"
        case .foundation(.Decimal): return "\(attempt)\(reader).decimal()"
        case .text(.character):
            return "\(attempt)\(reader).parsed { $0.count == 1 ? $0.first : nil }"
        case .text(.scalar):
            return "\(attempt)\(reader).parsed "
                + "{ $0.unicodeScalars.count == 1 ? $0.unicodeScalars.first : nil }"
        case .text(.substring): return "Substring(\(attempt)\(reader).string())"
        case .text(.scalars): return "(\(attempt)\(reader).string()).unicodeScalars"
        case .position: return "\(attempt)\(reader).refuse()"
        case .function(let function):
            return side == .app
                ? "try \(reader).function((\(function.swift())).self)"
                : FunctionCode.stub(of: function, from: reader)
        case .named(let type): return "\(attempt)\(TypeCode.decoder(type))(&\(reader))"
        case .optional(let wrapped): return "\(attempt)\(reader).optional \(decoder(wrapped))"
        case .array(let element): return "\(attempt)\(reader).array \(decoder(element))"
        case .set(let element): return "\(attempt)\(reader).set \(decoder(element))"
        case .dictionary(let key, let value):
            return "\(attempt)\(reader).dictionary(key: \(decoder(key)), value: \(decoder(value)))"
        case .tuple(let elements):
            let values = elements.map {
                ($0.label.map { $0 + ": " } ?? "") + decode($0.type, from: "reader", on: side)
            }
            return "\(attempt)\(reader).nested { reader -> \(type.swift) in "
                + "\(attempt)reader.arrayHeader(exactly: \(elements.count)); "
                + "return (\(values.joined(separator: ", "))) }"
        }
    }
}
