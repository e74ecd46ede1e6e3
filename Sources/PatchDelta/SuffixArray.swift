import CDivSufSort

/// All suffixes of a payload in order, which finds where in it any bytes occur.
struct SuffixArray {
    let bytes: [UInt8]
    private let order: [Int32]

    /// Sorts the suffixes (libdivsufsort: linearithmic whatever the bytes).
    init(of bytes: [UInt8]) throws {
        guard bytes.count <= Int(Int32.max) else { throw DeltaMakerError.baseTooLarge }
        self.bytes = bytes
        var order = [Int32](repeating: 0, count: bytes.count)
        if !bytes.isEmpty {
            guard divsufsort(bytes, &order, Int32(bytes.count)) == 0 else {
                throw DeltaMakerError.outOfMemory
            }
        }
        self.order = order
    }

    /// The longest piece of the payload that `text` has at `start`.
    func longestMatch(
        of text: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> (position: Int, length: Int) {
        bytes.withUnsafeBufferPointer { bytes in
            order.withUnsafeBufferPointer { order in
                Self.search(bytes, order, text, start)
            }
        }
    }

    // Binary search by suffix; what both ends share with the text need not be compared again.
    private static func search(
        _ bytes: UnsafeBufferPointer<UInt8>, _ order: UnsafeBufferPointer<Int32>,
        _ text: UnsafeBufferPointer<UInt8>, _ start: Int
    ) -> (position: Int, length: Int) {
        guard !order.isEmpty else { return (0, 0) }
        var (low, high) = (0, order.count)
        var (lowShared, highShared) = (0, 0)
        var best = (position: 0, length: 0)
        while low < high {
            let middle = low + (high - low) / 2
            let suffix = Int(order[middle])
            var shared = min(lowShared, highShared)
            let limit = min(bytes.count - suffix, text.count - start)
            while shared < limit, bytes[suffix + shared] == text[start + shared] { shared += 1 }
            if shared > best.length { best = (suffix, shared) }
            if start + shared == text.count { break }
            if suffix + shared == bytes.count || bytes[suffix + shared] < text[start + shared] {
                low = middle + 1
                lowShared = shared
            } else {
                high = middle
                highShared = shared
            }
        }
        return best
    }
}
