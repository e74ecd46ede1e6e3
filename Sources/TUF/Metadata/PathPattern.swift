/// Shell patterns over target paths (specification §4.5, PATHPATTERN): `*`, `?` and `[…]` match
/// within one segment, never a slash.
enum PathPattern {
    static func matches(_ path: String, _ pattern: String) -> Bool {
        plainlyMatches(path, pattern) ?? matchesBySegments(path, pattern)
    }

    static func matchesBySegments(_ path: String, _ pattern: String) -> Bool {
        let segments = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
        let patterns = pattern.unicodeScalars.split(
            separator: "/", omittingEmptySubsequences: false)
        return segments.count == patterns.count
            && zip(segments, patterns).allSatisfy { segmentMatches(Array($0), Array($1)) }
    }

    /// The answer for patterns whose only wildcards are stars, byte by byte and without memory; nil
    /// for others. A repository has a role for each build, and a search asks them all.
    static func plainlyMatches(_ path: String, _ pattern: String) -> Bool? {
        path.utf8.withContiguousStorageIfAvailable { text in
            pattern.utf8.withContiguousStorageIfAvailable { pattern in
                let isPlain = !pattern.contains {
                    $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "[")
                }
                return isPlain ? starsMatch(text, pattern) : nil
            } ?? nil
        } ?? nil
    }

    private static func starsMatch(
        _ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let (slash, asterisk) = (UInt8(ascii: "/"), UInt8(ascii: "*"))
        var (at, next) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while at < text.count {
            if next < pattern.count, pattern[next] == asterisk {
                star = (next, at)
                next += 1
            } else if next < pattern.count, pattern[next] == text[at] {
                // What lies behind a slash does not depend on how a star before it matched.
                if text[at] == slash { star = nil }
                at += 1
                next += 1
            } else if let last = star, text[last.text] != slash {
                star = (last.pattern, last.text + 1)
                at = last.text + 1
                next = last.pattern + 1
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == asterisk }
    }

    /// Two indices and the place of the last star: at worst text × pattern steps, however many
    /// stars a hostile pattern has.
    private static func segmentMatches(
        _ text: [Unicode.Scalar], _ pattern: [Unicode.Scalar]
    ) -> Bool {
        var (at, next) = (0, 0)
        var star: (pattern: Int, text: Int)?
        while at < text.count {
            if next < pattern.count, pattern[next] == "*" {
                star = (next, at)
                next += 1
            } else if next < pattern.count, let end = one(pattern, next, text[at]) {
                at += 1
                next = end
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                at = last.text + 1
                next = last.pattern + 1
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == "*" }
    }

    /// The index behind the pattern's element at `index` if it matches `scalar`.
    private static func one(
        _ pattern: [Unicode.Scalar], _ index: Int, _ scalar: Unicode.Scalar
    ) -> Int? {
        switch pattern[index] {
        case "?": return index + 1
        case "[":
            var start = index + 1
            let negated = start < pattern.count && pattern[start] == "!"
            if negated { start += 1 }
            // A bracket first in the set belongs to it; a set without end is a plain bracket.
            guard start < pattern.count,
                let end = pattern[(start + 1)...].firstIndex(of: "]")
            else { return scalar == "[" ? index + 1 : nil }
            return set(pattern[start..<end], contains: scalar) != negated ? end + 1 : nil
        default: return pattern[index] == scalar ? index + 1 : nil
        }
    }

    private static func set(
        _ members: ArraySlice<Unicode.Scalar>, contains scalar: Unicode.Scalar
    ) -> Bool {
        var index = members.startIndex
        while index < members.endIndex {
            if index + 2 < members.endIndex, members[index + 1] == "-" {
                let (low, high) = (members[index], members[index + 2])
                if low <= scalar, scalar <= high { return true }
                index += 3
            } else {
                if members[index] == scalar { return true }
                index += 1
            }
        }
        return false
    }
}
