/// State of views that outlives a module: an array of `[place, name, type, value]`, three hashes
/// and the encoded value (`Docs/internals/views.md`, "State").
struct ViewState {
    struct Entry {
        /// Where the view stands that has it; 0 is the mounted view itself.
        var place: UInt64
        var name: UInt64
        var type: UInt64
        var bytes: [UInt8]
    }

    /// Entries that one view may leave.
    static let maximumCount = 100_000

    var entries: [Entry] = []

    /// Reads what a module wrote.
    /// - Throws: ``MessagePackError``.
    init(reading bytes: [UInt8]) throws {
        var reader = MessagePackReader(bytes)
        let count = try reader.arrayHeader()
        guard count <= Self.maximumCount else { try reader.refuse() }
        for _ in 0..<count {
            try reader.arrayHeader(exactly: 4)
            entries.append(
                Entry(
                    place: try reader.uint(), name: try reader.uint(), type: try reader.uint(),
                    bytes: try reader.binary()))
        }
        try reader.finish()
    }

    init(entries: [Entry]) { self.entries = entries }

    /// The entries, then those of `other`: the first that fits counts.
    func before(_ other: ViewState) -> ViewState {
        ViewState(entries: entries + other.entries)
    }

    var encoded: [UInt8] {
        var writer = MessagePackWriter()
        writer.arrayHeader(entries.count)
        for entry in entries {
            writer.arrayHeader(4)
            writer.uint(entry.place)
            writer.uint(entry.name)
            writer.uint(entry.type)
            writer.binary(entry.bytes)
        }
        return writer.bytes
    }
}
