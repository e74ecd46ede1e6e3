import PatchGuest

/// What the host is told of types: each once, where it is first met.
public struct JSONShape {
    private var writer: GuestWriter
    private var known: [UInt64] = []

    init(_ writer: GuestWriter) { self.writer = writer }

    /// A type of Foundation or of texts, by its number.
    mutating func leaf(_ number: UInt64) { pair(0, number) }
    /// A type of whole numbers, by its number.
    mutating func integer(_ number: UInt64) { pair(1, number) }
    /// What holds one other type.
    mutating func holder(_ kind: UInt64) {
        writer.arrayHeader(2)
        writer.uint(kind)
    }

    /// Begins a type of the app; false when it is known already.
    private mutating func begins(_ kind: UInt64, _ id: UInt64, _ name: String) -> Bool {
        for other in known where other == id {
            pair(9, id)
            return false
        }
        known.append(id)
        writer.arrayHeader(4)
        writer.uint(kind)
        writer.uint(id)
        writer.string(name)
        return true
    }

    /// A struct; its fields follow when this is true.
    public mutating func structure(_ id: UInt64, _ name: String, _ count: Int) -> Bool {
        guard begins(6, id, name) else { return false }
        writer.arrayHeader(count)
        return true
    }

    /// A field of a struct, whose type follows.
    public mutating func field(_ key: String, _ position: Int) {
        writer.arrayHeader(3)
        writer.string(key)
        writer.uint(UInt64(position))
    }

    /// An enum over texts.
    public mutating func cases(_ id: UInt64, _ name: String, _ values: [String]) {
        if begins(7, id, name) { writer.array(values) { $0.string($1) } }
    }

    /// An enum over whole numbers.
    public mutating func cases(_ id: UInt64, _ name: String, _ values: [Int]) {
        if begins(8, id, name) { writer.array(values) { $0.int(Int64($1)) } }
    }

    private mutating func pair(_ kind: UInt64, _ value: UInt64) {
        writer.arrayHeader(2)
        writer.uint(kind)
        writer.uint(value)
    }

    /// The question so far.
    var question: GuestWriter { writer }
}

/// A type with a shape.
public protocol JSONShaped {
    /// Describes the type.
    static func op_shape(_ shape: inout JSONShape)
}

/// A type that JSON is decoded into.
public protocol Decodable: JSONShaped {
    /// Reads a value in the form in which values cross.
    static func op_decode(_ reader: inout GuestReader) -> Self
}

/// A type that is encoded as JSON.
public protocol Encodable: JSONShaped {
    /// Writes a value in the form in which values cross.
    func op_encode(_ writer: inout GuestWriter)
}

/// Both.
public typealias Codable = Decodable & Encodable
