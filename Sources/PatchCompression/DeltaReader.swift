/// Puts a payload together from the decompressed part of a delta, which comes in pieces.
struct DeltaReader {
    private struct Step {
        let add: Int
        let copy: Int
        /// Where in the base the added bytes begin.
        let from: Int
        /// Where in the payload the step begins.
        let to: Int
    }

    private static let sizesLength = 24
    private static let stepLength = 24

    private let base: [UInt8]
    private let newSize: Int
    private var sizes: [UInt8] = []
    private var control: [UInt8] = []
    private var controlSize = 0
    private var diffSize = 0
    private var extraSize = 0
    private var steps: [Step] = []
    private var output: [UInt8] = []
    private var diff = Cursor()
    private var extra = Cursor()

    /// A place in one of the two byte streams: which step, and how much of it is done.
    private struct Cursor {
        var step = 0
        var done = 0
        var total = 0
    }

    init(base: [UInt8], newSize: Int) {
        self.base = base
        self.newSize = newSize
    }

    /// The most bytes that the decompressed part may have.
    var maximumSize: Int { Self.sizesLength + Delta.maximumControl(newSize) + newSize }

    /// Takes the next bytes, of any number.
    /// - Throws: ``DeltaError/damaged``.
    mutating func take(_ piece: UnsafeRawBufferPointer) throws {
        var rest = piece[...]
        Self.move(&rest, into: &sizes, upTo: Self.sizesLength)
        guard sizes.count == Self.sizesLength else { return }
        if control.isEmpty, output.isEmpty, steps.isEmpty { try readSizes() }
        if control.count < controlSize {
            Self.move(&rest, into: &control, upTo: controlSize)
            guard control.count == controlSize else { return }
            try readControl()
        }
        if diff.total < diffSize { addDiff(&rest) }
        if diff.total == diffSize, extra.total < extraSize { copyExtra(&rest) }
        guard rest.isEmpty else { throw DeltaError.damaged }
    }

    /// The payload, whole.
    /// - Throws: ``DeltaError/damaged`` when bytes are missing.
    func finish() throws -> [UInt8] {
        guard sizes.count == Self.sizesLength, control.count == controlSize,
            diff.total == diffSize, extra.total == extraSize
        else { throw DeltaError.damaged }
        return output
    }

    private static func move(
        _ rest: inout Slice<UnsafeRawBufferPointer>, into target: inout [UInt8], upTo size: Int
    ) {
        let count = min(rest.count, size - target.count)
        guard count > 0 else { return }
        target.append(contentsOf: rest.prefix(count))
        rest = rest.dropFirst(count)
    }

    private mutating func readSizes() throws {
        let (first, second, third) = sizes.withUnsafeBytes {
            (Delta.unsigned($0, at: 0), Delta.unsigned($0, at: 8), Delta.unsigned($0, at: 16))
        }
        guard first <= UInt64(Delta.maximumControl(newSize)),
            first % UInt64(Self.stepLength) == 0, second <= UInt64(newSize),
            third == UInt64(newSize) - second, first > 0 || newSize == 0
        else { throw DeltaError.damaged }
        controlSize = Int(first)
        diffSize = Int(second)
        extraSize = Int(third)
    }

    private mutating func readControl() throws {
        var left = (diff: diffSize, extra: extraSize)
        var from = 0
        var to = 0
        steps.reserveCapacity(controlSize / Self.stepLength)
        try control.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: controlSize, by: Self.stepLength) {
                let add = Self.signed(bytes, at: offset)
                let copy = Self.signed(bytes, at: offset + 8)
                let seek = Self.signed(bytes, at: offset + 16)
                // Each part is compared with what is left before it is added, so nothing overflows.
                guard add >= 0, add <= left.diff, copy >= 0, copy <= left.extra,
                    add <= base.count - from
                else { throw DeltaError.damaged }
                steps.append(Step(add: add, copy: copy, from: from, to: to))
                left.diff -= add
                left.extra -= copy
                to += add + copy
                let (next, isTooFar) = (from + add).addingReportingOverflow(seek)
                guard !isTooFar, (0...base.count).contains(next) else {
                    throw DeltaError.damaged
                }
                from = next
            }
        }
        guard left == (0, 0) else { throw DeltaError.damaged }
        output = [UInt8](repeating: 0, count: newSize)
    }

    /// Sign and magnitude, as BSDIFF40 writes integers.
    private static func signed(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        let raw = Delta.unsigned(bytes, at: offset)
        let magnitude = Int(raw & (1 << 63 - 1))
        return raw >> 63 == 0 ? magnitude : -magnitude
    }

    private mutating func addDiff(_ rest: inout Slice<UnsafeRawBufferPointer>) {
        base.withUnsafeBufferPointer { base in
            output.withUnsafeMutableBufferPointer { output in
                while !rest.isEmpty, diff.total < diffSize {
                    let step = steps[diff.step]
                    let count = min(rest.count, step.add - diff.done)
                    let from = step.from + diff.done
                    let to = step.to + diff.done
                    for index in 0..<count {
                        output[to + index] = base[from + index] &+ rest[rest.startIndex + index]
                    }
                    Self.advance(&diff, by: count, stepLength: step.add, &rest)
                }
            }
        }
    }

    private mutating func copyExtra(_ rest: inout Slice<UnsafeRawBufferPointer>) {
        output.withUnsafeMutableBufferPointer { output in
            while !rest.isEmpty, extra.total < extraSize {
                let step = steps[extra.step]
                let count = min(rest.count, step.copy - extra.done)
                let to = step.to + step.add + extra.done
                for index in 0..<count { output[to + index] = rest[rest.startIndex + index] }
                Self.advance(&extra, by: count, stepLength: step.copy, &rest)
            }
        }
    }

    private static func advance(
        _ cursor: inout Cursor, by count: Int, stepLength: Int,
        _ rest: inout Slice<UnsafeRawBufferPointer>
    ) {
        rest = rest.dropFirst(count)
        cursor.total += count
        cursor.done += count
        if cursor.done == stepLength {
            cursor.step += 1
            cursor.done = 0
        }
    }
}
