import PatchCompression

/// How to make one payload out of another: pieces of the base with small differences added, and
/// bytes that are new. The method is that of bsdiff (Percival 2003): approximate matches grow out of
/// exact ones as long as at least half of their bytes agree.
struct EditScript {
    /// The triples, encoded.
    private(set) var control: [UInt8] = []
    /// What is added to the pieces of the base, byte by byte.
    private(set) var diff: [UInt8] = []
    /// The new bytes.
    private(set) var extra: [UInt8] = []

    /// A piece of the payload that resembles one of the base.
    private struct Match {
        var position = 0
        var scan = 0
    }

    /// How many places in a row may find the same match before it is taken.
    private static let mostIdle = 100

    /// - Parameter threshold: how many bytes more than the running match a new one must explain.
    init(_ suffixes: SuffixArray, _ payload: [UInt8], threshold: Int) {
        suffixes.bytes.withUnsafeBufferPointer { base in
            payload.withUnsafeBufferPointer { payload in
                build(suffixes, base, payload, threshold)
            }
        }
    }

    private mutating func build(
        _ suffixes: SuffixArray, _ base: UnsafeBufferPointer<UInt8>,
        _ payload: UnsafeBufferPointer<UInt8>, _ threshold: Int
    ) {
        // Where the last piece began, in the payload and in the base.
        var last = Match()
        // What base position minus payload position is in the running match.
        var offset = 0
        var scan = 0
        var length = 0
        var pending: (add: Int, copy: Int, seek: Int)?
        while scan < payload.count {
            var agreeing = 0
            scan += length
            var counted = scan
            var position = 0
            var before = (length: 0, agreeing: 0)
            var idle = 0
            while scan < payload.count {
                (position, length) = suffixes.longestMatch(of: payload, at: scan)
                while counted < scan + length {
                    if Self.agree(base, payload, counted, offset) { agreeing += 1 }
                    counted += 1
                }
                if length == agreeing && length != 0 || length > agreeing + threshold { break }
                // Within one long run of like bytes every next place finds nearly the same match, at
                // the price of comparing all of it: quadratic. Whichever is taken will do.
                let isSame =
                    (before.length - 8...before.length).contains(length)
                    && (before.agreeing - 8...before.agreeing).contains(agreeing)
                idle = isSame && length > threshold ? idle + 1 : 0
                if idle > Self.mostIdle { break }
                before = (length, agreeing)
                if Self.agree(base, payload, scan, offset) { agreeing -= 1 }
                scan += 1
            }
            guard length != agreeing || scan == payload.count else { continue }
            let next = Match(position: position, scan: scan)
            var forward = Self.forward(base, payload, last, until: scan)
            var backward =
                scan < payload.count ? Self.backward(base, payload, next, from: last.scan) : 0
            let overlap = last.scan + forward - (scan - backward)
            if overlap > 0 {
                let kept = Self.split(
                    base, payload, last, next, forward: forward, backward: backward,
                    overlap: overlap)
                forward += kept - overlap
                backward -= kept
            }
            emit(base, payload, last, forward: forward, until: scan - backward)
            Self.note(
                &pending, &control,
                (
                    forward, scan - backward - (last.scan + forward),
                    position - backward - (last.position + forward)
                ))
            last = Match(position: position - backward, scan: scan - backward)
            offset = position - scan
        }
        if var step = pending {
            // Where the base ends up does not matter any more.
            step.seek = 0
            Self.append(step, to: &control)
        }
    }

    private static func agree(
        _ base: UnsafeBufferPointer<UInt8>, _ payload: UnsafeBufferPointer<UInt8>, _ scan: Int,
        _ offset: Int
    ) -> Bool {
        let position = scan + offset
        return position >= 0 && position < base.count && base[position] == payload[scan]
    }

    /// How far the last match goes on while at least half of the bytes agree.
    private static func forward(
        _ base: UnsafeBufferPointer<UInt8>, _ payload: UnsafeBufferPointer<UInt8>, _ match: Match,
        until end: Int
    ) -> Int {
        var (agreeing, best, length) = (0, 0, 0)
        let most = min(end - match.scan, base.count - match.position)
        for index in 0..<max(0, most) {
            if base[match.position + index] == payload[match.scan + index] { agreeing += 1 }
            if agreeing * 2 - (index + 1) > best * 2 - length {
                best = agreeing
                length = index + 1
            }
        }
        return length
    }

    /// The same for the next match, backwards.
    private static func backward(
        _ base: UnsafeBufferPointer<UInt8>, _ payload: UnsafeBufferPointer<UInt8>, _ match: Match,
        from start: Int
    ) -> Int {
        var (agreeing, best, length) = (0, 0, 0)
        let most = min(match.scan - start, match.position)
        for index in stride(from: 1, through: most, by: 1) {
            if base[match.position - index] == payload[match.scan - index] { agreeing += 1 }
            if agreeing * 2 - index > best * 2 - length {
                best = agreeing
                length = index
            }
        }
        return length
    }

    /// How much of what both matches claim goes to the last one.
    private static func split(
        _ base: UnsafeBufferPointer<UInt8>, _ payload: UnsafeBufferPointer<UInt8>, _ last: Match,
        _ next: Match, forward: Int, backward: Int, overlap: Int
    ) -> Int {
        var (score, best, kept) = (0, 0, 0)
        for index in 0..<overlap {
            let ahead = forward - overlap + index
            let behind = index - backward
            if payload[last.scan + ahead] == base[last.position + ahead] { score += 1 }
            if payload[next.scan + behind] == base[next.position + behind] { score -= 1 }
            if score > best {
                best = score
                kept = index + 1
            }
        }
        return kept
    }

    private mutating func emit(
        _ base: UnsafeBufferPointer<UInt8>, _ payload: UnsafeBufferPointer<UInt8>, _ last: Match,
        forward: Int, until end: Int
    ) {
        for index in 0..<forward {
            diff.append(payload[last.scan + index] &- base[last.position + index])
        }
        extra.append(contentsOf: payload[(last.scan + forward)..<end])
    }

    /// Writes the step before; a step of nothing but a move is made part of it.
    private static func note(
        _ pending: inout (add: Int, copy: Int, seek: Int)?, _ control: inout [UInt8],
        _ step: (add: Int, copy: Int, seek: Int)
    ) {
        if step.add == 0, step.copy == 0, let before = pending {
            pending = (before.add, before.copy, before.seek + step.seek)
            return
        }
        if let before = pending { append(before, to: &control) }
        pending = step
    }

    private static func append(
        _ step: (add: Int, copy: Int, seek: Int), to control: inout [UInt8]
    ) {
        for number in [step.add, step.copy, step.seek] {
            let magnitude = UInt64(number.magnitude)
            Delta.append(number < 0 ? magnitude | 1 << 63 : magnitude, to: &control)
        }
    }
}
