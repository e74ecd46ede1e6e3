import PatchCompression

/// Makes archives. The same entries give the same bytes, in whatever order they are added and
/// on whatever machine: paths and headers are sorted, integers shortest, the compressor is fixed.
public struct BundleBuilder: Sendable {
    private struct Entry: Sendable {
        var contentType: String
        var contentLength: Int
        var headers: [HeaderField]
        /// Size prefix and LZ4 block.
        var stored: [UInt8]
    }

    private var entries: [String: Entry] = [:]
    private let limits: BundleLimits

    /// A builder of an empty archive.
    public init(limits: BundleLimits = .standard) { self.limits = limits }

    /// The paths added so far, in the order that the archive will have.
    public var entryPaths: [String] {
        entries.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Whether there is an entry at `path`.
    public func containsEntry(_ path: String) -> Bool { entries[path] != nil }

    /// Adds an entry, or replaces the one at its path.
    /// - Parameters:
    ///   - contentType: nil to tell it from the path's extension and the first bytes.
    ///   - headers: stored in the order of their names; values of one name keep their order.
    /// - Returns: whether an entry was replaced.
    /// - Throws: ``BundleFormatError`` for what a reader would refuse.
    @discardableResult
    public mutating func insertEntry(
        _ path: String, data: [UInt8], contentType: String? = nil, headers: [HeaderField] = []
    ) throws -> Bool {
        let contentType = contentType ?? ContentType.infer(path: path, contents: data)
        let headers = try checked(path, contentType, headers)
        guard data.count <= limits.entrySize else {
            throw BundleFormatError(
                .entryTooLarge,
                "The file has \(data.count) bytes; an entry may have \(limits.entrySize).",
                path: path)
        }
        let size = UInt32(data.count)
        var stored = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
        do {
            stored += try LZ4Block.compress(data)
        } catch {
            throw BundleFormatError(.entryTooLarge, "The file is too large.", path: path)
        }
        let entry = Entry(
            contentType: contentType, contentLength: data.count, headers: headers, stored: stored)
        return entries.updateValue(entry, forKey: path) != nil
    }

    /// Takes an entry out.
    /// - Returns: whether there was one.
    @discardableResult
    public mutating func removeEntry(_ path: String) -> Bool {
        entries.removeValue(forKey: path) != nil
    }

    /// The archive.
    /// - Throws: ``BundleFormatError`` `bundle_entry_count`, `bundle_index_too_large`,
    ///   `bundle_too_large`.
    public func build() throws -> [UInt8] {
        guard entries.count <= limits.entryCount else {
            throw BundleFormatError(
                .entryCount,
                "The bundle would have \(entries.count) entries; \(limits.entryCount) are allowed.")
        }
        let paths = entryPaths
        let index = index(of: paths)
        guard index.count <= limits.indexSize else {
            throw BundleFormatError(
                .indexTooLarge,
                "The index would have \(index.count) bytes; \(limits.indexSize) are allowed.")
        }
        let dataSize = entries.values.reduce(0) {
            $0 + $1.stored.count + BundleFormat.checksumSize
        }
        var bytes = BundleFormat.magic + [BundleFormat.version]
        let total = BundleFormat.headerSize + index.count + BundleFormat.checksumSize + dataSize
        guard total <= limits.bundleSize else {
            throw BundleFormatError(
                .bundleTooLarge,
                "The bundle would have \(total) bytes; \(limits.bundleSize) are allowed.")
        }
        bytes.reserveCapacity(total)
        bytes += BigEndian.bytes(UInt32(index.count))
        bytes += BigEndian.bytes(XXH32.hash(bytes))
        bytes += index
        bytes += BigEndian.bytes(XXH32.hash(index))
        for path in paths {
            guard let entry = entries[path] else { continue }
            bytes += entry.stored
            bytes += BigEndian.bytes(XXH32.hash(entry.stored))
        }
        return bytes
    }

    private func index(of paths: [String]) -> [UInt8] {
        var index = IndexWriter()
        index.integer(UInt64(paths.count))
        var offset = 0
        for path in paths {
            guard let entry = entries[path] else { continue }
            index.text(path)
            index.integer(UInt64(offset))
            index.integer(UInt64(entry.stored.count))
            index.text(entry.contentType)
            index.integer(UInt64(entry.contentLength))
            index.integer(UInt64(entry.headers.count))
            for header in entry.headers {
                index.text(header.name)
                index.text(header.value)
            }
            offset += entry.stored.count + BundleFormat.checksumSize
        }
        return index.bytes
    }

    private func checked(
        _ path: String, _ contentType: String, _ headers: [HeaderField]
    ) throws -> [HeaderField] {
        if let problem = EntryRules.problem(inPath: path) {
            throw BundleFormatError(.badPath, "The path \(problem); rename the file.", path: path)
        }
        guard path.utf8.count <= limits.pathLength, contentType.utf8.count <= limits.textLength
        else {
            throw BundleFormatError(
                .textTooLong, "The path or content type is too long.", path: path)
        }
        guard Array(contentType.utf8).withUnsafeBytes(EntryRules.isPrintable) else {
            throw BundleFormatError(
                .badContentType, "The content type contains a control character.", path: path)
        }
        guard headers.count <= limits.headerCount else {
            throw BundleFormatError(
                .badHeader, "An entry may have \(limits.headerCount) headers.", path: path)
        }
        for header in headers {
            guard Array(header.name.utf8).withUnsafeBytes(EntryRules.isToken),
                Array(header.value.utf8).withUnsafeBytes(EntryRules.isPrintable),
                max(header.name.utf8.count, header.value.utf8.count) <= limits.textLength
            else {
                throw BundleFormatError(
                    .badHeader,
                    "The header '\(header.name.printable)' has a name or value that HTTP does not "
                        + "allow.", path: path)
            }
        }
        let named = headers.enumerated().map {
            ($0.offset, $0.element.name.lowercased(), $0.element)
        }
        return named.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map { HeaderField($0.1, $0.2.value) }
    }
}
