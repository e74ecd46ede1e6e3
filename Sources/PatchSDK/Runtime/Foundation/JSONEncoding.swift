import Foundation

/// Encodes a value of a type that only a module has, by the same calls of the encoder that Swift
/// writes for a type of the app.
struct JSONEncoding: Encodable {
    private indirect enum Content {
        case leaf(any Encodable & Sendable)
        case none
        case some(Content)
        case list([Content])
        case texts([String: Content])
        case numbers([Int: Content])
        case structure([(key: String, value: Content)])
    }

    private let content: Content

    private init(_ content: Content) { self.content = content }

    /// Reads a value as modules write it.
    init(
        _ shape: JSONShape, _ shapes: JSONShapes, from reader: inout MessagePackReader
    ) throws {
        content = try Self.read(shape, shapes, &reader)
    }

    private static func read(
        _ shape: JSONShape, _ shapes: JSONShapes, _ reader: inout MessagePackReader
    ) throws -> Content {
        switch shape {
        case .bool: return .leaf(try reader.bool())
        case .string: return .leaf(try reader.string())
        case .double: return .leaf(try reader.double())
        case .float: return .leaf(try reader.float())
        case .date:
            return .leaf(Date(timeIntervalSinceReferenceDate: try reader.double()))
        case .data: return .leaf(Data(try reader.binary()))
        case .url: return .leaf(try reader.url())
        case .uuid:
            let id: UUID = try reader.parsed { UUID(uuidString: $0) }
            return .leaf(id)
        case .decimal: return .leaf(try reader.decimal())
        case .integer(let type): return .leaf(try integer(type, &reader))
        case .optional(let wrapped):
            let value = try reader.optional { try read(wrapped, shapes, &$0) }
            return value.map { .some($0) } ?? .none
        case .array(let element):
            return .list(try reader.array { try read(element, shapes, &$0) })
        case .texts(let element):
            return .texts(
                try reader.dictionary(
                    key: { try $0.string() }, value: { try read(element, shapes, &$0) }))
        case .numbers(let element):
            return .numbers(
                try reader.dictionary(
                    key: { try $0.integer(Int.self) },
                    value: { try read(element, shapes, &$0) }))
        case .named(let id):
            guard let type = shapes.types[id] else { throw FoundationAnswers.unknown("type") }
            return try reader.nested { try read(type, shapes, &$0) }
        }
    }

    private static func integer<Number: FixedWidthInteger & Codable & Sendable>(
        _ type: Number.Type, _ reader: inout MessagePackReader
    ) throws -> any Encodable & Sendable { try reader.integer(type) }

    private static func read(
        _ type: JSONType, _ shapes: JSONShapes, _ reader: inout MessagePackReader
    ) throws -> Content {
        switch type.content {
        case .structure(let fields):
            try reader.arrayHeader(exactly: fields.count)
            var values = [Content](repeating: .none, count: fields.count)
            for field in fields.sorted(by: { $0.position < $1.position }) {
                values[field.position] = try read(field.shape, shapes, &reader)
            }
            return .structure(fields.map { ($0.key, values[$0.position]) })
        case .texts(let raws): return .leaf(try raws.at(&reader))
        case .numbers(let raws): return .leaf(try raws.at(&reader))
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch content {
        case .leaf(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .none:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .some(let value):
            var container = encoder.singleValueContainer()
            try container.encode(JSONEncoding(value))
        case .list(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(JSONEncoding(value)) }
        case .texts(let pairs):
            var container = encoder.singleValueContainer()
            try container.encode(pairs.mapValues { JSONEncoding($0) })
        case .numbers(let pairs):
            var container = encoder.singleValueContainer()
            try container.encode(pairs.mapValues { JSONEncoding($0) })
        case .structure(let fields):
            var container = encoder.container(keyedBy: CodingKeys.self)
            for (key, value) in fields {
                switch value {
                case .none: continue
                case .some(let wrapped):
                    try container.encode(JSONEncoding(wrapped), forKey: CodingKeys(key))
                case .leaf(let leaf): try container.encode(leaf, forKey: CodingKeys(key))
                default: try container.encode(JSONEncoding(value), forKey: CodingKeys(key))
                }
            }
        }
    }
}

extension Array {
    /// The raw value of the case whose number stands next, without anything in it.
    fileprivate func at(_ reader: inout MessagePackReader) throws -> Element {
        try reader.arrayHeader(exactly: 1)
        let index = try reader.integer(Int.self)
        guard indices.contains(index) else { throw FoundationAnswers.unknown("case") }
        return self[index]
    }
}
