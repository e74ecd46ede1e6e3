import Foundation

/// What a type of a module holds, as far as JSON is concerned.
indirect enum JSONShape: Sendable {
    case bool, string, double, float, date, data, url, uuid, decimal
    case integer(any (FixedWidthInteger & Codable & Sendable).Type)
    case optional(JSONShape)
    case array(JSONShape)
    /// A dictionary under texts.
    case texts(JSONShape)
    /// A dictionary under whole numbers.
    case numbers(JSONShape)
    case named(UInt64)
}

/// A type of the app in a module.
struct JSONType {
    struct Field {
        var key: String
        /// Where it stands among the values of the struct.
        var position: Int
        var shape: JSONShape
    }

    enum Content {
        case structure([Field])
        case texts([String])
        case numbers([Int])
    }

    var name: String
    var content: Content
}

/// The types that one value is made of.
struct JSONShapes {
    private(set) var types: [UInt64: JSONType] = [:]

    private static let integers: [any (FixedWidthInteger & Codable & Sendable).Type] = [
        Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self,
        UInt16.self, UInt32.self, UInt64.self,
    ]
    private static let leaves: [JSONShape] = [
        .bool, .string, .double, .float, .date, .data, .url, .uuid, .decimal,
    ]

    /// Reads a shape; a type is described where it is first met.
    mutating func read(_ reader: inout MessagePackReader) throws -> JSONShape {
        try reader.enter()
        defer { reader.leave() }
        let count = try reader.arrayHeader()
        switch (try reader.integer(Int.self), count) {
        case (0, 2):
            let number = try reader.integer(Int.self)
            guard Self.leaves.indices.contains(number) else { throw unknown }
            return Self.leaves[number]
        case (1, 2):
            let number = try reader.integer(Int.self)
            guard Self.integers.indices.contains(number) else { throw unknown }
            return .integer(Self.integers[number])
        case (2, 2): return .optional(try read(&reader))
        case (3, 2): return .array(try read(&reader))
        case (4, 2): return .texts(try read(&reader))
        case (5, 2): return .numbers(try read(&reader))
        case (6, 4):
            let (id, name) = (try reader.uint(), try reader.string())
            types[id] = JSONType(name: name, content: .structure([]))
            let fields = try fields(&reader)
            types[id] = JSONType(name: name, content: .structure(fields))
            return .named(id)
        case (7, 4):
            let (id, name) = (try reader.uint(), try reader.string())
            let values = try reader.array { try $0.string() }
            types[id] = JSONType(name: name, content: .texts(values))
            return .named(id)
        case (8, 4):
            let (id, name) = (try reader.uint(), try reader.string())
            let values = try reader.array { try $0.integer(Int.self) }
            types[id] = JSONType(name: name, content: .numbers(values))
            return .named(id)
        case (9, 2):
            let id = try reader.uint()
            guard types[id] != nil else { throw unknown }
            return .named(id)
        default: throw unknown
        }
    }

    private mutating func fields(_ reader: inout MessagePackReader) throws -> [JSONType.Field] {
        var fields: [JSONType.Field] = []
        let count = try reader.arrayHeader()
        for _ in 0..<count {
            try reader.arrayHeader(exactly: 3)
            let key = try reader.string()
            let position = try reader.integer(Int.self)
            guard (0..<count).contains(position),
                !fields.contains(where: { $0.position == position })
            else { throw unknown }
            fields.append(JSONType.Field(key: key, position: position, shape: try read(&reader)))
        }
        return fields
    }

    private var unknown: PatchError { FoundationAnswers.unknown("shape of a type") }
}

/// A key of a type of the app; errors name the type of keys.
struct CodingKeys: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ key: String) { stringValue = key }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
