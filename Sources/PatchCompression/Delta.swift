/// The difference between two payloads, format `OPD1` (formats.md, decision record 0068):
///
///     "OPD1" · new size, u64le · SHA-256 of the base, 32 bytes · brotli of
///         control size, diff size, extra size, u64le each · control · diff · extra
///
/// Control is a list of triples (add, copy, seek) of 64-bit integers in sign and magnitude, as in
/// BSDIFF40: take `add` bytes of the base and add the next of diff to them, take the next `copy`
/// bytes of extra, move in the base by `seek`.
public enum Delta {
    /// The first four bytes.
    public static let magic = Array("OPD1".utf8)
    /// Bytes before the compressed part.
    public static let headerSize = 44

    /// The most bytes of control that a payload of `size` bytes may take; it keeps the memory that a
    /// delta can ask for near that of the payload.
    public static func maximumControl(_ size: Int) -> Int { size + 4096 }

    /// What a delta says of itself, unverified.
    public struct Header: Equatable, Sendable {
        /// Size of the payload that it leads to, in bytes.
        public let newSize: UInt64
        /// SHA-256 of the payload that it starts from.
        public let baseDigest: [UInt8]

        /// Reads it.
        /// - Throws: ``DeltaError/damaged``.
        public init(_ delta: [UInt8]) throws {
            guard delta.count > Delta.headerSize, delta.starts(with: Delta.magic) else {
                throw DeltaError.damaged
            }
            newSize = delta.withUnsafeBytes { Delta.unsigned($0, at: 4) }
            baseDigest = Array(delta[12..<Delta.headerSize])
        }
    }

    /// The payload that `delta` makes of `base`. Its digest is the caller's to check.
    ///
    /// Nothing is allocated on the word of the delta: memory is bounded by `maximumSize`, whatever
    /// it announces and however far its compressed part would go.
    /// - Parameters:
    ///   - digest: the SHA-256 of `base`, 32 bytes.
    ///   - maximumSize: the most bytes that the result may have.
    /// - Throws: ``DeltaError``, ``CompressionError``.
    public static func apply(
        _ delta: [UInt8], to base: [UInt8], digest: [UInt8], maximumSize: Int
    ) throws -> [UInt8] {
        let header = try Header(delta)
        guard header.baseDigest == digest else { throw DeltaError.otherBase }
        guard header.newSize <= UInt64(max(0, maximumSize)) else {
            throw DeltaError.tooLarge(maximum: maximumSize)
        }
        var reader = DeltaReader(base: base, newSize: Int(header.newSize))
        var decoder = try BrotliDecoder(maximumSize: reader.maximumSize)
        try decoder.feed(Array(delta[headerSize...])) { try reader.take($0) }
        try decoder.finish()
        return try reader.finish()
    }

    static func unsigned(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
