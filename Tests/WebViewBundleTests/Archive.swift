@testable import WebViewBundle

/// An archive in its three parts, to be changed and put together again with right checksums.
struct Archive {
    var index: [UInt8]
    var data: [UInt8]

    init(_ bytes: [UInt8]) {
        let size = bytes.withUnsafeBytes { Int(BigEndian.read($0, at: 9)) }
        index = Array(bytes[17..<17 + size])
        data = Array(bytes[(21 + size)...])
    }

    init(index: [UInt8], data: [UInt8]) {
        self.index = index
        self.data = data
    }

    var bytes: [UInt8] {
        var bytes = BundleFormat.magic + [1] + BigEndian.bytes(UInt32(index.count))
        bytes += BigEndian.bytes(XXH32.hash(bytes))
        return bytes + index + BigEndian.bytes(XXH32.hash(index)) + data
    }

    /// A few random changes of the index or of stored data, whose checksums are made right.
    func mutated(_ random: inout SplitMix) -> [UInt8] {
        var copy = self
        for _ in 0...Int(random.next() % 3) {
            switch random.next() % 4 {
            case 0 where !copy.index.isEmpty:
                copy.index[random.place(copy.index.count)] = UInt8(
                    truncatingIfNeeded: random.next())
            case 1:
                copy.index.insert(
                    UInt8(truncatingIfNeeded: random.next()),
                    at: random.place(copy.index.count + 1))
            case 2 where !copy.index.isEmpty:
                copy.index.remove(at: random.place(copy.index.count))
            default:
                copy.damageData(&random)
            }
        }
        return copy.bytes
    }

    private mutating func damageData(_ random: inout SplitMix) {
        guard let reader = try? BundleReader(bytes: bytes), reader.count > 0 else { return }
        let entry = reader.entries[random.place(reader.count)]
        let place = entry.offset + random.place(entry.storedLength)
        data[place] = UInt8(truncatingIfNeeded: random.next())
        let stored = Array(data[entry.offset..<entry.offset + entry.storedLength])
        let start = entry.offset + entry.storedLength
        data.replaceSubrange(start..<start + 4, with: BigEndian.bytes(XXH32.hash(stored)))
    }
}

/// Random numbers that repeat for the same seed.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func place(_ count: Int) -> Int { Int(next() % UInt64(max(count, 1))) }
}
