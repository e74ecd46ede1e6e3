/// The ranges that a `Range` header asks for (RFC 9110 §14).
enum ByteRanges: Equatable {
    /// No range, or one that a server may ignore: send everything.
    case everything
    /// These parts, in the order asked for, none empty and none overlapping another.
    case parts([Range<Int>])
    /// Nothing that was asked for exists.
    case unsatisfiable

    /// More parts than a page has reason to ask for are answered with everything.
    static let mostParts = 32

    /// - Parameter header: the value of the `Range` header.
    /// - Parameter size: size of the whole in bytes.
    init(_ header: String?, size: Int) {
        guard let header, let parts = Self.parse(header, size: size) else {
            self = .everything
            return
        }
        let existing = parts.compactMap { $0 }
        if existing.isEmpty {
            self = .unsatisfiable
        } else if parts.count > Self.mostParts || Self.overlap(existing) {
            self = .everything
        } else {
            self = .parts(existing)
        }
    }

    /// One element per range, nil where it lies outside; nil as a whole for bad syntax, which
    /// means that the header is to be ignored.
    private static func parse(_ header: String, size: Int) -> [Range<Int>?]? {
        let halves = header.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, halves[0].trimmingBlanks.lowercased() == "bytes" else {
            return nil
        }
        var ranges: [Range<Int>?] = []
        for item in halves[1].split(separator: ",", omittingEmptySubsequences: false) {
            let text = item.trimmingBlanks
            if text.isEmpty { continue }
            guard let range = parseOne(text, size: size) else { return nil }
            ranges.append(range)
        }
        return ranges.isEmpty ? nil : ranges
    }

    private static func parseOne(_ text: String, size: Int) -> Range<Int>?? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = number(ends[1]) else { return nil }
            return .some(count == 0 || size == 0 ? nil : max(0, size - count)..<size)
        }
        guard let first = number(ends[0]) else { return nil }
        var last = size - 1
        if !ends[1].isEmpty {
            guard let given = number(ends[1]), given >= first else { return nil }
            last = min(last, given)
        }
        return .some(first <= last ? first..<last + 1 : nil)
    }

    /// Digits only; a number too large for the machine is as good as the largest.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return min(Int(text) ?? Int.max, Int.max - 1)
    }

    private static func overlap(_ ranges: [Range<Int>]) -> Bool {
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        return zip(sorted, sorted.dropFirst()).contains { $0.upperBound > $1.lowerBound }
    }
}
