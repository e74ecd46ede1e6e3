/// The `Range` header for one range of bytes (RFC 9110 §14.1.2).
enum ByteRange: Equatable {
    /// Send everything: no range, one we do not understand, or several.
    case whole
    /// Send these bytes.
    case part(Range<UInt64>)
    /// Nothing of the representation lies in the range.
    case unsatisfiable

    /// Reads the header for a representation of `size` bytes.
    static func parse(_ header: String?, size: UInt64) -> ByteRange {
        guard let header, header.lowercased().hasPrefix("bytes=") else { return .whole }
        let spec = header.dropFirst(6).filter { $0 != " " && $0 != "\t" }
        guard !spec.contains(","), let dash = spec.firstIndex(of: "-") else { return .whole }
        let first = spec[..<dash]
        let last = spec[spec.index(after: dash)...]
        if first.isEmpty {
            guard let count = number(last) else { return .whole }
            guard count > 0, size > 0 else { return .unsatisfiable }
            return .part(size - min(count, size)..<size)
        }
        guard let start = number(first) else { return .whole }
        guard let end = last.isEmpty ? UInt64.max : number(last), end >= start else {
            return .whole
        }
        guard start < size else { return .unsatisfiable }
        return .part(start..<(min(end, size - 1) + 1))
    }

    private static func number(_ digits: Substring) -> UInt64? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        // More digits than fit mean "to the end" as a last position and "beyond" as a first one.
        return UInt64(digits) ?? .max
    }
}

/// Conditions on entity tags (RFC 9110 §13.1).
enum EntityTag {
    /// Whether `If-None-Match` names the tag (weak comparison), so that 304 is the answer.
    static func matches(_ header: String?, tag: String) -> Bool {
        guard let header else { return false }
        if header == "*" || header == tag { return true }
        return header.split(separator: ",").contains { part in
            var candidate = part.drop { $0 == " " || $0 == "\t" }
            while let last = candidate.last, last == " " || last == "\t" {
                candidate.removeLast()
            }
            if candidate.hasPrefix("W/") { candidate = candidate.dropFirst(2) }
            return candidate == tag
        }
    }
}
