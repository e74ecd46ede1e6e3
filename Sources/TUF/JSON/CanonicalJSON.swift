/// Canonical JSON in the form that TUF signs (OLPC): no white space, keys in the order of their
/// UTF-8 bytes, only `"` and `\` escaped, integers only.
///
/// Specification §4.1 leaves the form open; python-tuf and go-tuf sign this one. It is not always
/// valid JSON (control characters stand for themselves), so files are written by
/// ``JSONValue/encoded()``.
public enum CanonicalJSON {
    /// The bytes of `value` that are signed and hashed.
    public static func encode(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter(escapesControls: false)
        writer.write(value)
        return writer.bytes
    }
}

extension JSONValue {
    /// This value as compact JSON (RFC 8259) with keys in order.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(escapesControls: true)
        writer.write(self)
        return writer.bytes
    }
}

private struct JSONWriter {
    let escapesControls: Bool
    var bytes: [UInt8] = []

    init(escapesControls: Bool) { self.escapesControls = escapesControls }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .string(let value): write(text: value)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(element)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            // Swift orders strings by their normal form; the format orders code points, which is
            // the order of UTF-8 bytes.
            for (index, name) in Self.inOrder(Array(members.keys)).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(text: name)
                bytes.append(UInt8(ascii: ":"))
                write(members[name] ?? .null)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func inOrder(_ names: [String]) -> [String] {
        // The first sort of a process makes types at run time; what a start writes is small.
        guard names.count <= 16 else {
            return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
        var ordered: [String] = []
        ordered.reserveCapacity(names.count)
        for name in names {
            var place = ordered.count
            while place > 0, name.utf8.lexicographicallyPrecedes(ordered[place - 1].utf8) {
                place -= 1
            }
            ordered.insert(name, at: place)
        }
        return ordered
    }

    private mutating func write(text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20 where escapesControls:
                let digits = Array("0123456789abcdef".utf8)
                bytes += "\\u00".utf8
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
