// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What is public here is SwiftUI's, or made for generated code.

// State that outlives a module: it leaves as bytes and is found again by the place of its view, the
// name of its property and its type. What does not match begins anew.

/// State as bytes: an array of `[place, name, type, value]`, three hashes and a binary.
struct _Saved {
    struct Identity: Equatable {
        var name: UInt64
        var type: UInt64
    }

    private final class Entry: _Node {
        let path: UInt64
        let identity: Identity
        let bytes: [UInt8]

        init(_ reader: inout GuestReader) {
            reader.arrayHeader(exactly: 4)
            path = reader.integer(UInt64.self)
            identity = Identity(
                name: reader.integer(UInt64.self), type: reader.integer(UInt64.self))
            bytes = reader.binary()
        }
    }

    private var entries = _Nodes()

    init() {}

    init(_ reader: inout GuestReader) {
        var left = reader.arrayHeader()
        while left > 0 {
            entries.append(Entry(&reader))
            left -= 1
        }
    }

    /// The place of a scope with a key below another one.
    static func path(below outer: UInt64, _ key: UInt64) -> UInt64 {
        if outer == rootPath, key == 0 { return 0 }
        var mixed = (outer << 7 | outer >> 57) ^ key &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The place above that of the mounted view.
    static let rootPath: UInt64 = 1

    /// What was left for a place, at most once.
    mutating func take(_ path: UInt64, _ identity: Identity) -> _SavedReader? {
        var index = 0
        while index < entries.count {
            let entry = entries.get(index, Entry.self)
            if entry.path == path, entry.identity == identity {
                entries.remove(at: index)
                return _SavedReader(entry.bytes)
            }
            index += 1
        }
        return nil
    }

    @inline(never) static func write(_ all: _Nodes) -> Int64 {
        var writer = GuestWriter(capacity: 256)
        writer.arrayHeader(all.count)
        for index in 0..<all.count {
            let one = all.get(index, _AnyLocation.self)
            writer.arrayHeader(4)
            writer.uint(one.path)
            writer.uint(one.identity?.name ?? 0)
            writer.uint(one.identity?.type ?? 0)
            writer.embedded { one.save(to: &$0) }
        }
        return writer.finish()
    }
}

/// Bytes that a value is read from, kept for as long as that takes.
struct _SavedReader {
    private let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read<Value>(_ body: (inout GuestReader) -> Value) -> Value {
        bytes.withUnsafeBytes { raw in
            var reader = GuestReader(raw)
            let value = body(&reader)
            reader.finish()
            return value
        }
    }
}

/// A place for state whose value can leave the guest.
final class _SavedLocation<Value>: _Location<Value> {
    private let write: (inout GuestWriter, Value) -> Void

    init(
        _ value: Value, _ path: UInt64, _ identity: _Saved.Identity,
        _ write: @escaping (inout GuestWriter, Value) -> Void
    ) {
        self.write = write
        super.init(value)
        self.path = path
        self.identity = identity
    }

    override func save(to writer: inout GuestWriter) { write(&writer, value) }
}
