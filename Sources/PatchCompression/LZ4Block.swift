/// The LZ4 block format: a raw block, without a frame.
///
/// Written here rather than taken from a system library for two reasons (decision 0080): the
/// encoder gives the same bytes on every machine, and the decoder refuses the same damage on
/// every machine.
public enum LZ4Block {
    /// The largest input of one block (the format's own limit), in bytes.
    public static let maximumInputSize = 0x7E00_0000

    /// No block of `count` bytes can stand for more bytes than this: every byte of a match
    /// length adds at most 255.
    public static func mostOutput(ofBlock count: Int) -> Int {
        count > Int.max / 512 ? Int.max : count * 255 + 64
    }

    /// Compresses `bytes`; the same input always gives the same block.
    /// - Throws: ``CompressionError/tooLarge(maximum:)`` above ``maximumInputSize``.
    public static func compress(_ bytes: [UInt8]) throws -> [UInt8] {
        guard bytes.count <= maximumInputSize else {
            throw CompressionError.tooLarge(maximum: maximumInputSize)
        }
        let room = bytes.count + bytes.count / 255 + 16
        return [UInt8](unsafeUninitializedCapacity: room) { output, used in
            bytes.withUnsafeBufferPointer { input in
                var encoder = LZ4Encoder(input: input, output: output)
                used = encoder.encode()
            }
        }
    }

    /// Decompresses a block into exactly `size` bytes.
    ///
    /// `size` is allocated at once: bound it first, for instance by ``mostOutput(ofBlock:)``.
    /// - Throws: ``CompressionError/damaged`` for a block that is cut short, goes on after its
    ///   end, refers to bytes before its start, or stands for another number of bytes.
    public static func decompress(_ block: UnsafeRawBufferPointer, size: Int) throws -> [UInt8] {
        guard size >= 0, size <= mostOutput(ofBlock: block.count) else {
            throw CompressionError.damaged
        }
        return try [UInt8](unsafeUninitializedCapacity: size) { output, used in
            guard decode(block, into: UnsafeMutableRawBufferPointer(output), size: size) else {
                throw CompressionError.damaged
            }
            used = size
        }
    }

    /// Decompresses a block into exactly `size` bytes. See the form that takes a buffer.
    public static func decompress(_ block: [UInt8], size: Int) throws -> [UInt8] {
        try block.withUnsafeBytes { try decompress($0, size: size) }
    }

    private static func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, size: Int
    ) -> Bool {
        guard let source = input.baseAddress else { return false }
        // An empty array has no storage; nothing is ever written to this stand-in.
        var nothing: UInt8 = 0
        return withUnsafeMutableBytes(of: &nothing) { standIn -> Bool in
            guard let target = size == 0 ? standIn.baseAddress : output.baseAddress else {
                return false
            }
            return decode(source, input.count, target, size)
        }
    }

    /// Bytes that the fast way may read and write beyond what it needs: it copies whole words, and
    /// what is written too far is written again.
    private static let margin = 32

    private static func decode(
        _ source: UnsafeRawPointer, _ end: Int, _ target: UnsafeMutableRawPointer, _ size: Int
    ) -> Bool {
        var position = 0
        var produced = 0
        while position < end {
            let token = source.load(fromByteOffset: position, as: UInt8.self)
            position += 1
            var literals = Int(token >> 4)
            let hasRoom = end - position >= margin && size - produced >= 2 * margin
            if literals < 15, hasRoom {
                copyWords(target + produced, source + position, 16)
            } else {
                if literals == 15 {
                    guard extend(&literals, source, &position, end, most: size - produced) else {
                        return false
                    }
                }
                guard literals <= end - position, literals <= size - produced else {
                    return false
                }
                (target + produced).copyMemory(from: source + position, byteCount: literals)
            }
            position += literals
            produced += literals
            // A block ends after the literals of its last sequence.
            if position == end { return produced == size }

            guard end - position >= 2 else { return false }
            let distance = Int(
                UInt16(
                    littleEndian: source.loadUnaligned(fromByteOffset: position, as: UInt16.self))
            )
            position += 2
            guard distance >= 1, distance <= produced else { return false }
            var length = Int(token & 15)
            if length == 15 {
                guard extend(&length, source, &position, end, most: size - produced) else {
                    return false
                }
            }
            length += 4
            guard length <= size - produced else { return false }
            if distance >= 8, size - produced - length >= 8 {
                // Eight bytes at a time read only what was written before.
                copyWords(target + produced, target + (produced - distance), length)
            } else {
                repeatBytes(target + produced, distance: distance, count: length)
            }
            produced += length
        }
        return false
    }

    /// Copies `count` bytes and up to seven more, in words from the first to the last.
    @inline(__always)
    private static func copyWords(
        _ target: UnsafeMutableRawPointer, _ source: UnsafeRawPointer, _ count: Int
    ) {
        var done = 0
        repeat {
            target.storeBytes(
                of: source.loadUnaligned(fromByteOffset: done, as: UInt64.self),
                toByteOffset: done, as: UInt64.self)
            done += 8
        } while done < count
    }

    /// Adds the bytes of a long length; false at the end of input or above `most`.
    @inline(__always)
    private static func extend(
        _ length: inout Int, _ source: UnsafeRawPointer, _ position: inout Int, _ end: Int,
        most: Int
    ) -> Bool {
        while position < end {
            let byte = source.load(fromByteOffset: position, as: UInt8.self)
            position += 1
            length += Int(byte)
            if length > most { return false }
            if byte != 255 { return true }
        }
        return false
    }

    /// Copies `count` bytes from `distance` before `target`; the two may overlap, and then what
    /// was just written is read again.
    @inline(__always)
    private static func repeatBytes(
        _ target: UnsafeMutableRawPointer, distance: Int, count: Int
    ) {
        if distance >= count {
            target.copyMemory(from: target - distance, byteCount: count)
            return
        }
        // Each round doubles what can be copied without overlap.
        var done = 0
        var step = distance
        while done < count {
            let part = min(step, count - done)
            (target + done).copyMemory(from: target - distance, byteCount: part)
            done += part
            step = done + distance
        }
    }
}
