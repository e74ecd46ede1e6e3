/// The hash functions of the SHA-2 family that the project computes (FIPS 180-4).
public enum HashAlgorithm: String, Sendable, CaseIterable {
    case sha256
    case sha384
    case sha512

    /// Length of a digest in bytes.
    public var digestSize: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The digest of `bytes`.
    ///
    /// Empty when the system has no memory left for a hash context; an empty digest equals none.
    public func hash<Bytes: Collection>(_ bytes: Bytes) -> [UInt8] where Bytes.Element == UInt8 {
        var stream = IncrementalHash(self)
        stream.update(bytes)
        return stream.finalize()
    }
}

/// SHA-256 by its usual name; the same as ``HashAlgorithm/sha256``.
public enum SHA256 {
    /// The 32-byte digest of `bytes`.
    public static func hash<Bytes: Collection>(_ bytes: Bytes) -> [UInt8]
    where Bytes.Element == UInt8 {
        HashAlgorithm.sha256.hash(bytes)
    }

    /// The digest of the UTF-8 form of `text`.
    public static func hash(_ text: String) -> [UInt8] {
        HashAlgorithm.sha256.hash(Array(text.utf8))
    }

    /// A hasher that is fed piece by piece.
    public static func incremental() -> IncrementalHash { IncrementalHash(.sha256) }
}

/// A digest computed piece by piece, for data that is never whole in memory.
///
/// A value: a copy goes on independently of the original.
public struct IncrementalHash: Sendable {
    /// The hash function in use.
    public let algorithm: HashAlgorithm
    private var state: HashState

    /// A hash of nothing yet.
    public init(_ algorithm: HashAlgorithm) {
        self.algorithm = algorithm
        state = HashState(algorithm)
    }

    /// Appends `bytes` to what is hashed.
    public mutating func update<Bytes: Collection>(_ bytes: Bytes) where Bytes.Element == UInt8 {
        let whole: Void? = bytes.withContiguousStorageIfAvailable {
            state.update(UnsafeRawBufferPointer($0))
        }
        if whole == nil {
            Array(bytes).withUnsafeBytes { state.update($0) }
        }
    }

    /// The digest of all that was appended; this value may be fed further afterwards.
    public func finalize() -> [UInt8] { state.digest() }
}
