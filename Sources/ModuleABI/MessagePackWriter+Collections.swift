// What generated code writes for types that hold other values (formats.md, "Values").
extension MessagePackWriter {
    /// Appends nil, or an array of the one value that `encode` writes.
    public mutating func optional<Value>(
        _ value: Value?, _ encode: (inout MessagePackWriter, Value) -> Void
    ) {
        guard let value else { return self.nil() }
        arrayHeader(1)
        encode(&self, value)
    }

    /// Appends an array of what `encode` writes for each element.
    public mutating func array<Element>(
        _ values: [Element], _ encode: (inout MessagePackWriter, Element) -> Void
    ) {
        arrayHeader(values.count)
        for value in values { encode(&self, value) }
    }

    /// Appends an array of the members, sorted by their encodings.
    public mutating func set<Element>(
        _ values: Set<Element>, _ encode: (inout MessagePackWriter, Element) -> Void
    ) {
        let members = values.map { value in Self.bytes { encode(&$0, value) } }
        arrayHeader(members.count)
        for member in members.sorted(by: { $0.lexicographicallyPrecedes($1) }) { encoded(member) }
    }

    /// Appends a map, sorted by the encodings of the keys.
    public mutating func dictionary<Key, Value>(
        _ pairs: [Key: Value], key: (inout MessagePackWriter, Key) -> Void,
        value: (inout MessagePackWriter, Value) -> Void
    ) {
        let sorted = pairs.map { pair in (Self.bytes { key(&$0, pair.key) }, pair.value) }
            .sorted { $0.0.lexicographicallyPrecedes($1.0) }
        mapHeader(sorted.count)
        for pair in sorted {
            encoded(pair.0)
            value(&self, pair.1)
        }
    }

    private static func bytes(_ body: (inout MessagePackWriter) -> Void) -> [UInt8] {
        var writer = MessagePackWriter()
        body(&writer)
        return writer.bytes
    }
}
