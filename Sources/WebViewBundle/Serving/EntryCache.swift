import PatchPlatform

/// Recently unpacked entries, so that the many range requests of a media element, or of many
/// clients of a server, do not each unpack the whole entry again.
final class EntryCache: Sendable {
    private struct Key: Hashable {
        let reader: ObjectIdentifier
        let offset: Int
    }

    private struct Slot {
        // Keeps the reader alive, so that its identity is not given to another one.
        let reader: BundleReader
        let contents: [UInt8]
        var lastUse: UInt64
    }

    private struct State {
        var slots: [Key: Slot] = [:]
        var size = 0
        var time: UInt64 = 0
    }

    /// The most bytes kept; an entry above half of it is not kept.
    let capacity: Int
    private let state = Lock(State())

    init(capacity: Int) { self.capacity = capacity }

    /// The contents of an entry, from the cache or by `unpack`.
    func contents(
        of entry: BundleEntry, in reader: BundleReader, unpack: () throws -> [UInt8]
    ) rethrows -> [UInt8] {
        let key = Key(reader: ObjectIdentifier(reader), offset: entry.offset)
        let kept = state.withLock { state -> [UInt8]? in
            state.time += 1
            state.slots[key]?.lastUse = state.time
            return state.slots[key]?.contents
        }
        if let kept { return kept }
        let contents = try unpack()
        guard contents.count <= capacity / 2 else { return contents }
        state.withLock { state in
            guard state.slots[key] == nil else { return }
            state.slots[key] = Slot(reader: reader, contents: contents, lastUse: state.time)
            state.size += contents.count
            while state.size > capacity,
                let oldest = state.slots.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.size -= oldest.value.contents.count
                state.slots[oldest.key] = nil
            }
        }
        return contents
    }

    /// Drops what is kept of a bundle that is no longer served.
    func drop(_ reader: BundleReader) {
        state.withLock { state in
            for (key, slot) in state.slots where key.reader == ObjectIdentifier(reader) {
                state.size -= slot.contents.count
                state.slots[key] = nil
            }
        }
    }

    var size: Int { state.withLock { $0.size } }
}
