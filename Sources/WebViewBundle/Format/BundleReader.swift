import PatchCompression

/// An open archive: the index is in memory, entries are read from the file when asked for.
///
/// Opening checks header, index and layout; reading an entry checks its checksum, its size and
/// the compressed data. Nothing is allocated on the word of the file alone.
public final class BundleReader: Sendable {
    /// Size of the archive in bytes.
    public let fileSize: Int
    /// What the reader accepts.
    public let limits: BundleLimits

    private let storage: any BundleStorage
    private let index: BundleIndex
    private let indexChecksum: UInt32
    private let dataStart: Int

    /// Opens the file at `path`.
    /// - Throws: ``BundleFormatError``.
    public convenience init(path: String, limits: BundleLimits = .standard) throws {
        try self.init(FileStorage(path: path), limits: limits)
    }

    /// Reads an archive that is in memory.
    /// - Throws: ``BundleFormatError``.
    public convenience init(bytes: [UInt8], limits: BundleLimits = .standard) throws {
        try self.init(MemoryStorage(bytes: bytes), limits: limits)
    }

    init(_ storage: any BundleStorage, limits: BundleLimits) throws {
        let size = storage.size
        guard size <= limits.bundleSize else {
            throw BundleFormatError(
                .bundleTooLarge, "The bundle has \(size) bytes; \(limits.bundleSize) are allowed.")
        }
        let indexSize = try Self.readHeader(storage, limits: limits)
        let start = BundleFormat.headerSize + indexSize + BundleFormat.checksumSize
        guard start <= size else {
            throw BundleFormatError(
                .truncated, "The file ends inside its index; fetch it again.")
        }
        var bytes = try storage.read(
            at: BundleFormat.headerSize, count: indexSize + BundleFormat.checksumSize)
        let stored = bytes.withUnsafeBytes { BigEndian.read($0, at: indexSize) }
        bytes.removeLast(BundleFormat.checksumSize)
        guard XXH32.hash(bytes) == stored else {
            throw BundleFormatError(
                .indexChecksum, "The index is damaged: its checksum is wrong. Fetch it again.")
        }
        index = try BundleIndex(bytes, dataSize: size - start, limits: limits)
        self.storage = storage
        self.limits = limits
        fileSize = size
        indexChecksum = stored
        dataStart = start
    }

    private static func readHeader(_ storage: any BundleStorage, limits: BundleLimits) throws -> Int
    {
        let magic = BundleFormat.magic
        let start = try storage.read(at: 0, count: min(storage.size, BundleFormat.headerSize))
        guard start.starts(with: magic.prefix(start.count)), !start.isEmpty else {
            throw BundleFormatError(.notABundle, "The file is not a .wvb archive.")
        }
        guard start.count == BundleFormat.headerSize else {
            throw BundleFormatError(.truncated, "The file ends inside its header; fetch it again.")
        }
        guard start[magic.count] == BundleFormat.version else {
            throw BundleFormatError(
                .unsupportedVersion,
                "The archive is of format version \(start[magic.count]); version 1 is supported.")
        }
        return try start.withUnsafeBytes { raw in
            let checked = UnsafeRawBufferPointer(rebasing: raw[..<BundleFormat.checkedHeaderSize])
            guard
                XXH32.hash(checked) == BigEndian.read(raw, at: BundleFormat.checkedHeaderSize)
            else {
                throw BundleFormatError(
                    .headerChecksum, "The header is damaged: its checksum is wrong. Fetch it again."
                )
            }
            let size = BigEndian.read(raw, at: magic.count + 1)
            guard size <= UInt32(clamping: limits.indexSize) else {
                throw BundleFormatError(
                    .indexTooLarge,
                    "The index has \(size) bytes; \(limits.indexSize) are allowed.")
            }
            return Int(size)
        }
    }

    // MARK: Entries

    /// Number of entries.
    public var count: Int { index.count }
    /// Uncompressed size of all entries together, in bytes.
    public var totalSize: Int { index.totalSize }

    /// All entries in the order of their paths.
    public var entries: Entries { Entries(index: index) }

    /// The entries of an archive; each is made from the index when it is asked for.
    public struct Entries: RandomAccessCollection, Sendable {
        let index: BundleIndex

        /// Always 0.
        public var startIndex: Int { 0 }
        /// Number of entries.
        public var endIndex: Int { index.count }
        /// The entry at a place in the order of paths.
        public subscript(position: Int) -> BundleEntry { index.entry(position) }
    }

    /// The entry with exactly this path, or nil.
    public func entry(at path: String) -> BundleEntry? { index.entry(at: path) }

    /// The uncompressed bytes of an entry of this archive.
    /// - Throws: ``BundleFormatError`` when the stored data is damaged.
    public func contents(of entry: BundleEntry) throws -> [UInt8] {
        let stored = try storage.read(at: dataStart + entry.offset, count: entry.storedSize)
        return try stored.withUnsafeBytes { raw in
            let checked = UnsafeRawBufferPointer(rebasing: raw[..<entry.storedLength])
            guard XXH32.hash(checked) == BigEndian.read(raw, at: entry.storedLength) else {
                throw BundleFormatError(
                    .dataChecksum, "The entry is damaged: its checksum is wrong. Fetch it again.",
                    path: entry.path)
            }
            let size = UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self))
            guard Int(size) == entry.contentLength else {
                throw BundleFormatError(
                    .sizeMismatch,
                    "The index says \(entry.contentLength) bytes, the entry says \(size).",
                    path: entry.path)
            }
            let block = UnsafeRawBufferPointer(rebasing: checked[BundleFormat.sizePrefixSize...])
            do {
                return try LZ4Block.decompress(block, size: entry.contentLength)
            } catch {
                throw BundleFormatError(
                    .compressedData, "The compressed data of the entry is malformed.",
                    path: entry.path)
            }
        }
    }

    /// The uncompressed bytes of the entry at `path`.
    /// - Throws: ``BundleFormatError``, `bundle_no_such_entry` when there is none.
    public func contents(at path: String) throws -> [UInt8] {
        guard let entry = entry(at: path) else {
            throw BundleFormatError(.noSuchEntry, "The bundle has no such entry.", path: path)
        }
        return try contents(of: entry)
    }

    /// The checksum of an entry's stored bytes, as the archive has it; it is not checked here.
    /// - Throws: ``BundleFormatError`` when the file cannot be read.
    public func storedChecksum(of entry: BundleEntry) throws -> UInt32 {
        try storage.read(
            at: dataStart + entry.offset + entry.storedLength, count: BundleFormat.checksumSize
        ).withUnsafeBytes { BigEndian.read($0, at: 0) }
    }

    /// Reads every entry, so that an archive that passes serves all it lists.
    /// - Throws: ``BundleFormatError`` for the first entry that cannot be read.
    public func verify() throws {
        for entry in entries { _ = try contents(of: entry) }
    }
}
