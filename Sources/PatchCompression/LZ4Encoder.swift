/// Finds matches greedily with one hash table of the last position of each four bytes.
///
/// The table's size, the hash and the way it skips over what does not compress are part of the
/// project's promise that packing is reproducible: changing one changes the bytes of archives.
struct LZ4Encoder {
    private static let tableBits = 14
    private static let minimumMatch = 4
    /// The last five bytes are always literals, and no match starts in the last twelve.
    private static let lastLiterals = 5
    private static let noMatchZone = 12
    private static let farthest = 65_535
    /// After 2^6 misses in a row the search takes two bytes a step, and so on.
    private static let skipShift = 6

    private let input: UnsafeBufferPointer<UInt8>
    private let output: UnsafeMutableBufferPointer<UInt8>
    private var written = 0

    /// `output` must have room for the worst case, count + count/255 + 16.
    init(input: UnsafeBufferPointer<UInt8>, output: UnsafeMutableBufferPointer<UInt8>) {
        self.input = input
        self.output = output
    }

    /// Writes the whole block and returns its size.
    mutating func encode() -> Int {
        guard let base = input.baseAddress, input.count > Self.noMatchZone else {
            writeSequence(literals: 0..<input.count, distance: 0, length: 0)
            return written
        }
        let source = UnsafeRawPointer(base)
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 1 << Self.tableBits) { table in
            table.initialize(repeating: 0)
            search(source, table)
            table.deinitialize()
        }
        return written
    }

    private mutating func search(
        _ source: UnsafeRawPointer, _ table: UnsafeMutableBufferPointer<UInt32>
    ) {
        let count = input.count
        let lastStart = count - Self.noMatchZone
        let matchEnd = count - Self.lastLiterals
        var anchor = 0
        var position = 1
        table[Self.hash(source, 0)] = 0
        var misses = 1 << Self.skipShift
        while position <= lastStart {
            let slot = Self.hash(source, position)
            var candidate = Int(table[slot])
            table[slot] = UInt32(truncatingIfNeeded: position)
            guard position - candidate <= Self.farthest, candidate < position,
                Self.word(source, candidate) == Self.word(source, position)
            else {
                position += misses >> Self.skipShift
                misses += 1
                continue
            }
            misses = 1 << Self.skipShift
            var start = position
            while start > anchor, candidate > 0, input[start - 1] == input[candidate - 1] {
                start -= 1
                candidate -= 1
            }
            let end = Self.matchEnd(
                source, position + Self.minimumMatch,
                candidate + (position - start) + Self.minimumMatch, limit: matchEnd)
            writeSequence(
                literals: anchor..<start, distance: start - candidate, length: end - start)
            anchor = end
            position = end
            // What lies inside the match is found again from its last two positions.
            if position <= lastStart {
                table[Self.hash(source, position - 2)] = UInt32(truncatingIfNeeded: position - 2)
            }
        }
        writeSequence(literals: anchor..<count, distance: 0, length: 0)
    }

    @inline(__always)
    private static func word(_ source: UnsafeRawPointer, _ position: Int) -> UInt32 {
        source.loadUnaligned(fromByteOffset: position, as: UInt32.self)
    }

    @inline(__always)
    private static func hash(_ source: UnsafeRawPointer, _ position: Int) -> Int {
        let word = UInt32(littleEndian: word(source, position))
        return Int((word &* 2_654_435_761) >> UInt32(32 - tableBits))
    }

    /// The first position from `position` on, at most `limit`, where the bytes differ.
    private static func matchEnd(
        _ source: UnsafeRawPointer, _ position: Int, _ other: Int, limit: Int
    ) -> Int {
        var position = position
        var other = other
        while position + 8 <= limit {
            let difference =
                source.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                ^ source.loadUnaligned(fromByteOffset: other, as: UInt64.self)
            if difference != 0 {
                return position + UInt64(littleEndian: difference).trailingZeroBitCount / 8
            }
            position += 8
            other += 8
        }
        while position < limit,
            source.load(fromByteOffset: position, as: UInt8.self)
                == source.load(fromByteOffset: other, as: UInt8.self)
        {
            position += 1
            other += 1
        }
        return position
    }

    /// One sequence; a `length` of 0 means the last one, which has no match.
    private mutating func writeSequence(literals: Range<Int>, distance: Int, length: Int) {
        let token = written
        put(0)
        let literalCount = literals.count
        let extra = length == 0 ? 0 : length - Self.minimumMatch
        output[token] = UInt8(min(literalCount, 15) << 4 | min(extra, 15))
        if literalCount >= 15 { putLength(literalCount - 15) }
        if literalCount > 0, let from = input.baseAddress, let to = output.baseAddress {
            (to + written).initialize(from: from + literals.lowerBound, count: literalCount)
            written += literalCount
        }
        guard length > 0 else { return }
        put(UInt8(truncatingIfNeeded: distance))
        put(UInt8(truncatingIfNeeded: distance >> 8))
        if extra >= 15 { putLength(extra - 15) }
    }

    private mutating func putLength(_ length: Int) {
        var rest = length
        while rest >= 255 {
            put(255)
            rest -= 255
        }
        put(UInt8(rest))
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        output[written] = byte
        written += 1
    }
}
