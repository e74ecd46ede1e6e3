import Foundation

/// The index of an archive: checked as a whole when it is opened, turned into values entry by
/// entry when one is asked for.
struct BundleIndex: Sendable {
    /// Where the parts of one entry lie in the index, and its numbers.
    private struct Record {
        var path: Range<UInt32>
        var contentType: Range<UInt32>
        var headers: UInt32
        var headerCount: UInt32
        var offset: Int
        var storedLength: Int
        var contentLength: Int

        var end: Int { offset + storedLength + BundleFormat.checksumSize }
    }

    private let bytes: [UInt8]
    /// In the order of their paths' bytes.
    private let records: [Record]
    private let limits: BundleLimits
    /// Uncompressed size of all entries together.
    let totalSize: Int

    /// - Parameter dataSize: bytes of the file after the index checksum.
    /// - Throws: ``BundleFormatError``.
    init(_ bytes: [UInt8], dataSize: Int, limits: BundleLimits) throws {
        var (records, total) = try bytes.withUnsafeBytes { raw in
            try Self.parse(raw, dataSize: dataSize, limits: limits)
        }
        try bytes.withUnsafeBytes { raw in try Self.sort(&records, raw) }
        try Self.checkLayout(records, dataSize: dataSize)
        self.bytes = bytes
        self.records = records
        self.limits = limits
        totalSize = total
    }

    var count: Int { records.count }

    /// The entry at a place in the order of paths.
    func entry(_ index: Int) -> BundleEntry {
        let record = records[index]
        return bytes.withUnsafeBytes { raw in
            BundleEntry(
                path: Self.text(raw, record.path), contentType: Self.text(raw, record.contentType),
                contentLength: record.contentLength, headers: headers(record, raw),
                offset: record.offset, storedLength: record.storedLength)
        }
    }

    /// The entry with exactly this path.
    func entry(at path: String) -> BundleEntry? {
        var path = path
        let found: Int? = path.withUTF8 { wanted in
            let wanted = UnsafeRawBufferPointer(wanted)
            return bytes.withUnsafeBytes { raw in
                var low = 0
                var high = records.count
                while low < high {
                    let middle = (low + high) / 2
                    let order = Self.compare(Self.slice(raw, records[middle].path), wanted)
                    if order == 0 { return middle }
                    if order < 0 { low = middle + 1 } else { high = middle }
                }
                return nil
            }
        }
        return found.map(entry)
    }

    private func headers(_ record: Record, _ raw: UnsafeRawBufferPointer) -> [HeaderField] {
        guard record.headerCount > 0 else { return [] }
        var reader = IndexReader(UnsafeRawBufferPointer(rebasing: raw[Int(record.headers)...]))
        let rest = UnsafeRawBufferPointer(rebasing: raw[Int(record.headers)...])
        var fields: [HeaderField] = []
        for _ in 0..<record.headerCount {
            // Parsed once already when the archive was opened, so neither can fail here.
            guard let name = try? reader.text(most: limits.textLength),
                let value = try? reader.text(most: limits.textLength)
            else { break }
            fields.append(
                HeaderField(Self.text(rest, name).lowercased(), Self.text(rest, value)))
        }
        return fields
    }

    // MARK: Opening

    private static func parse(
        _ raw: UnsafeRawBufferPointer, dataSize: Int, limits: BundleLimits
    ) throws -> ([Record], total: Int) {
        var reader = IndexReader(raw)
        let count = try reader.integer()
        // An entry takes seven bytes at least: a path of one byte and six integers.
        guard count <= UInt64(reader.remaining / 7), count <= UInt64(limits.entryCount) else {
            throw BundleFormatError(
                .entryCount, "The index declares \(count) entries, more than it can hold.")
        }
        var records: [Record] = []
        records.reserveCapacity(Int(count))
        var total = 0
        for _ in 0..<count {
            let record = try parseEntry(&reader, raw, dataSize: dataSize, limits: limits)
            total += record.contentLength
            guard total <= limits.totalSize else {
                throw BundleFormatError(
                    .contentTooLarge,
                    "The bundle unpacks to more than \(limits.totalSize) bytes.")
            }
            records.append(record)
        }
        guard reader.remaining == 0 else {
            throw BundleFormatError(
                .trailingIndexBytes,
                "\(reader.remaining) bytes follow the last entry of the index.")
        }
        return (records, total)
    }

    private static func parseEntry(
        _ reader: inout IndexReader, _ raw: UnsafeRawBufferPointer, dataSize: Int,
        limits: BundleLimits
    ) throws -> Record {
        let path = try reader.text(most: limits.pathLength)
        let name = try checkedPath(slice(raw, path))
        let offset = try reader.integer()
        let storedLength = try reader.integer()
        let contentType = try reader.text(most: limits.textLength)
        guard EntryRules.isPrintable(slice(raw, contentType)) else {
            throw BundleFormatError(
                .badContentType, "The content type contains a control character.", path: name)
        }
        guard isUTF8(slice(raw, contentType)) else {
            throw BundleFormatError(.notUTF8, "The content type is not UTF-8.", path: name)
        }
        let contentLength = try reader.integer()
        let place = try checkedPlace(
            offset, storedLength, contentLength, path: name, dataSize: dataSize, limits: limits)
        let headerCount = try reader.integer()
        guard headerCount <= UInt64(limits.headerCount) else {
            throw BundleFormatError(
                .badHeader, "The entry has \(headerCount) headers, more than are allowed.",
                path: name)
        }
        let headers = UInt32(reader.position)
        for _ in 0..<headerCount {
            try checkHeader(&reader, raw, path: name, limits: limits)
        }
        return Record(
            path: path, contentType: contentType, headers: headers,
            headerCount: UInt32(headerCount), offset: place.offset,
            storedLength: place.storedLength, contentLength: place.contentLength)
    }

    private static func checkedPath(_ bytes: UnsafeRawBufferPointer) throws -> String {
        guard isUTF8(bytes) else {
            throw BundleFormatError(.notUTF8, "A path in the index is not UTF-8.")
        }
        let name = String(decoding: bytes, as: UTF8.self)
        if let problem = EntryRules.problem(inPath: bytes) {
            throw BundleFormatError(.badPath, "The path \(problem), so it is refused.", path: name)
        }
        return name
    }

    private static func checkedPlace(
        _ offset: UInt64, _ storedLength: UInt64, _ contentLength: UInt64, path: String,
        dataSize: Int, limits: BundleLimits
    ) throws -> (offset: Int, storedLength: Int, contentLength: Int) {
        guard offset < UInt64(max(dataSize, 1)) else {
            throw BundleFormatError(
                .entryOutOfRange, "The entry starts after the end of the file.", path: path)
        }
        let overhead = UInt64(BundleFormat.checksumSize)
        guard storedLength <= UInt64(dataSize), offset + storedLength + overhead <= UInt64(dataSize)
        else {
            throw BundleFormatError(
                .truncated, "The entry reaches past the end of the file; fetch it again.",
                path: path)
        }
        // The size prefix and one token are the least that an entry can be.
        guard storedLength > UInt64(BundleFormat.sizePrefixSize) else {
            throw BundleFormatError(
                .compressedData, "The entry is too short to hold a compressed block.", path: path)
        }
        guard contentLength <= UInt64(limits.entrySize) else {
            throw BundleFormatError(
                .entryTooLarge,
                "The entry unpacks to \(contentLength) bytes; \(limits.entrySize) are allowed.",
                path: path)
        }
        let block = Int(storedLength) - BundleFormat.sizePrefixSize
        guard contentLength <= UInt64(block * limits.ratio + 64) else {
            throw BundleFormatError(
                .impossibleRatio,
                "The entry says that \(block) bytes unpack to \(contentLength), which they cannot.",
                path: path)
        }
        return (Int(offset), Int(storedLength), Int(contentLength))
    }

    private static func checkHeader(
        _ reader: inout IndexReader, _ raw: UnsafeRawBufferPointer, path: String,
        limits: BundleLimits
    ) throws {
        let name = slice(raw, try reader.text(most: limits.textLength))
        let value = slice(raw, try reader.text(most: limits.textLength))
        guard EntryRules.isToken(name), EntryRules.isPrintable(value) else {
            throw BundleFormatError(
                .badHeader, "A stored header has a name or value that HTTP does not allow.",
                path: path)
        }
    }

    private static func sort(_ records: inout [Record], _ raw: UnsafeRawBufferPointer) throws {
        func order(_ a: Record, _ b: Record) -> Int {
            compare(slice(raw, a.path), slice(raw, b.path))
        }
        // Archives of this writer are in order already; sorting them again would cost.
        let isSorted = zip(records, records.dropFirst()).allSatisfy { order($0, $1) < 0 }
        if isSorted { return }
        records.sort { order($0, $1) < 0 }
        for (a, b) in zip(records, records.dropFirst()) where order(a, b) == 0 {
            throw BundleFormatError(
                .duplicatePath, "Two entries have this path.", path: text(raw, a.path))
        }
    }

    /// Every byte of the data section belongs to exactly one entry.
    private static func checkLayout(_ records: [Record], dataSize: Int) throws {
        var places = records.map { (start: $0.offset, end: $0.end) }
        let isSorted = zip(places, places.dropFirst()).allSatisfy { $0.start <= $1.start }
        if !isSorted { places.sort { $0.start < $1.start } }
        var end = 0
        for place in places {
            guard place.start >= end else {
                throw BundleFormatError(
                    .entriesOverlap, "Two entries claim the same bytes of the file.")
            }
            guard place.start == end else { throw unclaimed(place.start - end) }
            end = place.end
        }
        guard end == dataSize else { throw unclaimed(dataSize - end) }
    }

    private static func unclaimed(_ count: Int) -> BundleFormatError {
        BundleFormatError(
            .unclaimedBytes, "\(count) bytes of the file belong to no entry; pack it again.")
    }

    // MARK: Bytes

    @inline(__always)
    private static func slice(
        _ raw: UnsafeRawBufferPointer, _ range: Range<UInt32>
    ) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: raw[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    private static func text(_ raw: UnsafeRawBufferPointer, _ range: Range<UInt32>) -> String {
        String(decoding: slice(raw, range), as: UTF8.self)
    }

    private static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let common = min(a.count, b.count)
        if common > 0, let left = a.baseAddress, let right = b.baseAddress {
            let order = memcmp(left, right, common)
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }

    private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.allSatisfy({ $0 < 0x80 }) { return true }
        // Decoding repairs what is not UTF-8, so only valid text comes back as the same bytes.
        return String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
    }
}
