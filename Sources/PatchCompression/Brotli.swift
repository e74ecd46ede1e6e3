/// The brotli format (RFC 7932).
public enum Brotli {
    /// The best and slowest quality.
    public static let maximumQuality = 11

    /// Compresses `bytes`.
    /// - Parameter quality: 0 (fast) to 11 (small); Apple's library has one quality and ignores it.
    /// - Throws: ``CompressionError/backendFailure``.
    public static func compress(_ bytes: [UInt8], quality: Int = maximumQuality) throws -> [UInt8] {
        try BrotliBackend.compress(bytes, quality: min(max(quality, 0), maximumQuality))
    }

    /// Decompresses a whole stream.
    ///
    /// Memory grows with what is really produced, never with a size that the data declares.
    /// - Parameter maximumSize: the most bytes that the result may have.
    /// - Throws: ``CompressionError``.
    public static func decompress(_ bytes: [UInt8], maximumSize: Int) throws -> [UInt8] {
        var decoder = try BrotliDecoder(maximumSize: maximumSize)
        var output: [UInt8] = []
        try decoder.feed(bytes) { output.append(contentsOf: $0) }
        try decoder.finish()
        return output
    }
}

/// Decompresses brotli piece by piece, for data that is never whole in memory.
///
/// After an error every further call throws the same error.
public struct BrotliDecoder: ~Copyable {
    private let backend: BrotliDecoderBackend
    private let maximumSize: Int
    private var failure: CompressionError?

    /// Number of bytes produced so far.
    public private(set) var producedSize = 0

    /// - Parameter maximumSize: the most bytes that the whole output may have.
    /// - Throws: ``CompressionError/backendFailure``.
    public init(maximumSize: Int) throws {
        backend = try BrotliDecoderBackend()
        self.maximumSize = max(0, maximumSize)
    }

    /// Decompresses the next bytes of the stream.
    ///
    /// - Parameters:
    ///   - input: any part of the stream, of any size.
    ///   - output: called with each piece produced (at most 64 KiB), valid during the call only.
    /// - Throws: ``CompressionError``, or what `output` throws.
    public mutating func feed(
        _ input: [UInt8], _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        if let failure { throw failure }
        do {
            var produced = producedSize
            let maximum = maximumSize
            defer { producedSize = produced }
            try backend.feed(input) { piece in
                guard piece.count <= maximum - produced else {
                    throw CompressionError.tooLarge(maximum: maximum)
                }
                produced += piece.count
                try output(piece)
            }
        } catch let error as CompressionError {
            failure = error
            throw error
        }
    }

    /// Says that the input has ended.
    /// - Throws: ``CompressionError/damaged`` when the stream has not.
    public mutating func finish() throws {
        if let failure { throw failure }
        guard try backend.finish() else {
            failure = .damaged
            throw CompressionError.damaged
        }
    }
}
