/// Names and numbers of the `.wvb` format, version 1 (Docs/web-bundles.md, "The format").
public enum BundleFormat {
    /// The first eight bytes of every archive: the UTF-8 of 🌐🎁.
    public static let magic: [UInt8] = [0xF0, 0x9F, 0x8C, 0x90, 0xF0, 0x9F, 0x8E, 0x81]
    /// The version that is read and written.
    public static let version: UInt8 = 1
    /// The media type of an archive.
    public static let mediaType = "application/webview-bundle"
    /// How archive files end.
    public static let fileExtension = "wvb"

    /// Magic, version and index size: the bytes that the header checksum covers.
    static let checkedHeaderSize = 13
    static let headerSize = 17
    static let checksumSize = 4
    /// The little-endian uncompressed size before every LZ4 block.
    static let sizePrefixSize = 4
}

/// What a reader accepts before it allocates or decompresses anything. All in bytes or counts.
public struct BundleLimits: Sendable, Equatable {
    /// Size of the archive file.
    public var bundleSize = 2 << 30
    /// Size of the index.
    public var indexSize = 16 << 20
    /// Number of entries.
    public var entryCount = 100_000
    /// Length of a path.
    public var pathLength = 4096
    /// Length of a content type, a header name or a header value.
    public var textLength = 16 << 10
    /// Number of headers of one entry.
    public var headerCount = 64
    /// Uncompressed size of one entry.
    public var entrySize = 256 << 20
    /// Uncompressed size of all entries together.
    public var totalSize = 4 << 30
    /// Uncompressed bytes per compressed byte; LZ4 itself cannot exceed 255.
    public var ratio = 256

    /// The usual limits.
    public init() {}

    /// The usual limits.
    public static let standard = BundleLimits()
}
