// Searches compare characters as Swift does: by canonical equivalence, never inside a character.
// Foundation splits texts (`components`) like that too, but finds and replaces inside of some
// characters, such as one person of a family emoji, depending on its version. Where that could
// make a difference, finding traps, and the app serves the call with its own Foundation.

extension StringProtocol {
    /// The text without the scalars of `set` at both ends.
    public func trimmingCharacters(in set: CharacterSet) -> String {
        let scalars = unicodeScalars
        var start = scalars.startIndex
        var end = scalars.endIndex
        while start != end, set.contains(scalars[start]) { start = scalars.index(after: start) }
        while start != end {
            let last = scalars.index(before: end)
            guard set.contains(scalars[last]) else { break }
            end = last
        }
        return String(String.UnicodeScalarView(scalars[start..<end]))
    }

    /// The parts between scalars of `set`.
    public func components(separatedBy set: CharacterSet) -> [String] {
        unicodeScalars.split(omittingEmptySubsequences: false) { set.contains($0) }
            .map { String(String.UnicodeScalarView($0)) }
    }

    /// The parts between occurrences of `separator`; the whole text when that is empty.
    public func components<Separator: StringProtocol>(
        separatedBy separator: Separator
    ) -> [String] {
        var parts: [String] = []
        var start = startIndex
        while let found = firstRange(of: separator, from: start) {
            parts.append(String(self[start..<found.lowerBound]))
            start = found.upperBound
        }
        parts.append(String(self[start...]))
        return parts
    }

    /// The text with every occurrence of `target` replaced, from the left.
    public func replacingOccurrences<Target: StringProtocol, Replacement: StringProtocol>(
        of target: Target, with replacement: Replacement
    ) -> String {
        var result = ""
        var start = startIndex
        refuseInnerMatches(of: target)
        while let found = firstRange(of: target, from: start) {
            result += self[start..<found.lowerBound]
            result += replacement
            start = found.upperBound
        }
        result += self[start...]
        return result
    }

    /// Where `text` occurs first; nil when it is empty.
    public func range<Text: StringProtocol>(of text: Text) -> Range<Index>? {
        refuseInnerMatches(of: text)
        return firstRange(of: text, from: startIndex)
    }

    /// Whether `other` occurs in this text; as in Foundation, the empty text does not.
    public func contains<Other: StringProtocol>(_ other: Other) -> Bool {
        refuseInnerMatches(of: other)
        return firstRange(of: other, from: startIndex) != nil
    }

    /// Traps when `text` occurs, scalar by scalar, so that it begins or ends inside a character.
    private func refuseInnerMatches<Text: StringProtocol>(of text: Text) {
        let wanted = text.unicodeScalars
        guard !wanted.isEmpty else { return }
        var start = startIndex
        while start != endIndex {
            let next = index(after: start)
            if let end = occurrence(of: wanted, at: start) {
                var boundary = next
                while boundary < end { boundary = index(after: boundary) }
                precondition(boundary == end, "a match ends inside a character")
            }
            var inner = unicodeScalars.index(after: start)
            while inner < next {
                precondition(
                    occurrence(of: wanted, at: inner) == nil, "a match begins inside a character")
                inner = unicodeScalars.index(after: inner)
            }
            start = next
        }
    }

    private func occurrence<Scalars: Collection>(
        of wanted: Scalars, at start: Index
    ) -> Index? where Scalars.Element == Unicode.Scalar {
        var here = start
        for scalar in wanted {
            guard here != endIndex, unicodeScalars[here] == scalar else { return nil }
            here = unicodeScalars.index(after: here)
        }
        return here
    }

    private func firstRange<Text: StringProtocol>(
        of text: Text, from start: Index
    ) -> Range<Index>? {
        guard let first = text.first else { return nil }
        var candidate = start
        while candidate != endIndex {
            if self[candidate] == first {
                var here = candidate
                var there = text.startIndex
                while there != text.endIndex, here != endIndex, self[here] == text[there] {
                    here = index(after: here)
                    there = text.index(after: there)
                }
                if there == text.endIndex { return candidate..<here }
            }
            candidate = index(after: candidate)
        }
        return nil
    }
}
