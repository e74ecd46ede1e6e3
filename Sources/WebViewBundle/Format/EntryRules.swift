/// What may stand in an entry, the same for reader and writer.
enum EntryRules {
    /// Why `path` may not be an entry's path, or nil when it may.
    ///
    /// It starts with `/` and consists of segments that are neither empty nor `.` or `..` and
    /// have no backslash or control character. So no path climbs out of a folder that an archive
    /// is unpacked to, and no two paths name one file there.
    static func problem(inPath path: UnsafeRawBufferPointer) -> String? {
        guard path.first == UInt8(ascii: "/") else { return "does not start with '/'" }
        var segment = 1
        for index in 1...path.count {
            let byte = index < path.count ? path[index] : UInt8(ascii: "/")
            if byte == UInt8(ascii: "\\") { return "contains a backslash" }
            if byte < 0x20 || byte == 0x7F { return "contains a control character" }
            guard byte == UInt8(ascii: "/") else { continue }
            switch index - segment {
            case 0: return "has an empty segment"
            case 1 where path[segment] == UInt8(ascii: "."): return "has a segment '.'"
            case 2
            where path[segment] == UInt8(ascii: ".") && path[segment + 1] == UInt8(ascii: "."):
                return "has a segment '..'"
            default: break
            }
            segment = index + 1
        }
        return nil
    }

    static func problem(inPath path: String) -> String? {
        Array(path.utf8).withUnsafeBytes { problem(inPath: $0) }
    }

    /// Whether a content type or header value could break out of its line.
    static func isPrintable(_ text: UnsafeRawBufferPointer) -> Bool {
        text.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    /// Whether `name` is a field name (RFC 9110 §5.1: a token).
    static func isToken(_ name: UnsafeRawBufferPointer) -> Bool {
        !name.isEmpty && name.allSatisfy(isTokenByte)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            return true
        default: return "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
