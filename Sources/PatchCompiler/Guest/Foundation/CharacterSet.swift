/// A set of Unicode scalars: those of Foundation's sets that need no tables. There is no `inverted`:
/// versions of Foundation treat scalars beyond 16 bits in it differently.
public struct CharacterSet: Sendable {
    private var ranges: [ClosedRange<UInt32>]

    private init(_ ranges: [ClosedRange<UInt32>]) { self.ranges = ranges }

    /// Nothing.
    public init() { ranges = [] }

    /// The scalars of `text`.
    public init(charactersIn text: String) {
        ranges = text.unicodeScalars.map { $0.value...$0.value }
    }

    /// The scalars in `range`.
    public init(charactersIn range: ClosedRange<Unicode.Scalar>) {
        ranges = [range.lowerBound.value...range.upperBound.value]
    }

    /// Tab, and what Unicode calls a space separator, with the zero-width space as in Foundation.
    public static var whitespaces: CharacterSet {
        CharacterSet([
            0x09...0x09, 0x20...0x20, 0xa0...0xa0, 0x1680...0x1680, 0x2000...0x200b,
            0x202f...0x202f, 0x205f...0x205f, 0x3000...0x3000,
        ])
    }

    /// Line and paragraph ends.
    public static var newlines: CharacterSet {
        CharacterSet([0x0a...0x0d, 0x85...0x85, 0x2028...0x2029])
    }

    /// ``whitespaces`` and ``newlines``.
    public static var whitespacesAndNewlines: CharacterSet { whitespaces.union(newlines) }

    /// Whether the scalar is a member.
    public func contains(_ member: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(member.value) }
    }

    /// The members of either set.
    public func union(_ other: CharacterSet) -> CharacterSet { CharacterSet(ranges + other.ranges) }

    /// Adds the members of `other`.
    public mutating func formUnion(_ other: CharacterSet) { self = union(other) }

    /// Adds one scalar.
    public mutating func insert(_ member: Unicode.Scalar) {
        formUnion(CharacterSet([member.value...member.value]))
    }

    /// Takes one scalar away.
    public mutating func remove(_ member: Unicode.Scalar) {
        ranges = ranges.flatMap { range -> [ClosedRange<UInt32>] in
            guard range.contains(member.value) else { return [range] }
            var rest: [ClosedRange<UInt32>] = []
            if range.lowerBound < member.value {
                rest.append(range.lowerBound...member.value - 1)
            }
            if member.value < range.upperBound {
                rest.append(member.value + 1...range.upperBound)
            }
            return rest
        }
    }

    /// Takes the scalars of `text` away.
    public mutating func remove(charactersIn text: String) {
        for scalar in text.unicodeScalars { remove(scalar) }
    }

    /// Adds the scalars of `text`.
    public mutating func insert(charactersIn text: String) {
        formUnion(CharacterSet(charactersIn: text))
    }
}
