import Foundation

/// Decodes JSON into a type that only a module has, by the same calls of the decoder that Swift
/// writes for a type of the app, so that values and errors are the same.
struct JSONDecoding: Decodable {
    static let contextKey = CodingUserInfoKey(rawValue: "openpatch.shape")

    /// What the next value is. One decoding uses it, on one thread.
    final class Context: @unchecked Sendable {
        let shapes: JSONShapes
        var next: JSONShape
        var depth = 0

        init(_ shapes: JSONShapes, _ next: JSONShape) {
            self.shapes = shapes
            self.next = next
        }
    }

    /// The value as modules read it.
    let bytes: [UInt8]

    init(from decoder: any Decoder) throws {
        guard let key = Self.contextKey, let context = decoder.userInfo[key] as? Context else {
            throw FoundationAnswers.unknown("decoder")
        }
        // Elements of a dictionary follow each other without a word in between.
        let shape = context.next
        guard context.depth < MessagePackReader.maximumDepth else {
            throw FoundationAnswers.unknown("depth")
        }
        context.depth += 1
        defer {
            context.next = shape
            context.depth -= 1
        }
        var writer = MessagePackWriter()
        try Self.value(shape, decoder, context, &writer)
        bytes = writer.bytes
    }

    private static func value(
        _ shape: JSONShape, _ decoder: any Decoder, _ context: Context,
        _ writer: inout MessagePackWriter
    ) throws {
        switch shape {
        case .bool: writer.bool(try decoder.singleValueContainer().decode(Bool.self))
        case .string: writer.string(try decoder.singleValueContainer().decode(String.self))
        case .double: writer.double(try decoder.singleValueContainer().decode(Double.self))
        case .float: writer.float(try decoder.singleValueContainer().decode(Float.self))
        case .date: writer.date(try decoder.singleValueContainer().decode(Date.self))
        case .data: writer.binary(Array(try decoder.singleValueContainer().decode(Data.self)))
        case .url: writer.url(try decoder.singleValueContainer().decode(URL.self))
        case .uuid:
            writer.string(try decoder.singleValueContainer().decode(UUID.self).uuidString)
        case .decimal: writer.decimal(try decoder.singleValueContainer().decode(Decimal.self))
        case .integer(let type):
            try integer(type, decoder, &writer)
        case .optional(let wrapped):
            if try decoder.singleValueContainer().decodeNil() {
                writer.nil()
            } else {
                writer.arrayHeader(1)
                try value(wrapped, decoder, context, &writer)
            }
        case .array(let element):
            var container = try decoder.unkeyedContainer()
            var values: [[UInt8]] = []
            while !container.isAtEnd { values.append(try next(element, &container, context)) }
            writer.arrayHeader(values.count)
            for value in values { writer.encoded(value) }
        case .texts(let element):
            context.next = element
            let pairs = try decoder.singleValueContainer().decode([String: JSONDecoding].self)
            writer.dictionary(pairs, key: { $0.string($1) }, value: { $0.encoded($1.bytes) })
        case .numbers(let element):
            context.next = element
            let pairs = try decoder.singleValueContainer().decode([Int: JSONDecoding].self)
            writer.dictionary(pairs, key: { $0.int(Int64($1)) }, value: { $0.encoded($1.bytes) })
        case .named(let id): try named(id, decoder, context, &writer)
        }
    }

    private static func integer<Number: FixedWidthInteger & Decodable>(
        _ type: Number.Type, _ decoder: any Decoder, _ writer: inout MessagePackWriter
    ) throws { writer.integer(try decoder.singleValueContainer().decode(type)) }

    private static func named(
        _ id: UInt64, _ decoder: any Decoder, _ context: Context,
        _ writer: inout MessagePackWriter
    ) throws {
        guard let type = context.shapes.types[id] else {
            throw FoundationAnswers.unknown("type")
        }
        switch type.content {
        case .structure(let fields):
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var values = [[UInt8]](repeating: [], count: fields.count)
            for field in fields {
                values[field.position] = try value(of: field, container, context)
            }
            writer.arrayHeader(values.count)
            for value in values { writer.encoded(value) }
        case .texts(let raws):
            let raw = try decoder.singleValueContainer().decode(String.self)
            try enumeration(type, raw, String.self, raws.firstIndex(of: raw), decoder, &writer)
        case .numbers(let raws):
            let raw = try decoder.singleValueContainer().decode(Int.self)
            try enumeration(type, raw, Int.self, raws.firstIndex(of: raw), decoder, &writer)
        }
    }

    private static func enumeration<Raw>(
        _ type: JSONType, _ raw: Raw, _ rawType: Raw.Type, _ index: Int?,
        _ decoder: any Decoder, _ writer: inout MessagePackWriter
    ) throws {
        guard let index else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription:
                        "Cannot initialize \(type.name) from invalid \(rawType) value \(raw)"))
        }
        writer.arrayHeader(1)
        writer.uint(UInt64(index))
    }

    private static func value(
        of field: JSONType.Field, _ container: KeyedDecodingContainer<CodingKeys>,
        _ context: Context
    ) throws -> [UInt8] {
        let key = CodingKeys(field.key)
        guard case .optional(let wrapped) = field.shape else {
            context.next = field.shape
            return try container.decode(JSONDecoding.self, forKey: key).bytes
        }
        context.next = wrapped
        var writer = MessagePackWriter()
        if let value = try container.decodeIfPresent(JSONDecoding.self, forKey: key) {
            writer.arrayHeader(1)
            writer.encoded(value.bytes)
        } else {
            writer.nil()
        }
        return writer.bytes
    }

    private static func next(
        _ shape: JSONShape, _ container: inout any UnkeyedDecodingContainer, _ context: Context
    ) throws -> [UInt8] {
        context.next = shape
        return try container.decode(JSONDecoding.self).bytes
    }
}
