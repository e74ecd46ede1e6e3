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
            newSize = Delta.unsigned(delta[4..<12])
            baseDigest = Array(delta[12..<Delta.headerSize])
        }
    }

    static func unsigned(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
