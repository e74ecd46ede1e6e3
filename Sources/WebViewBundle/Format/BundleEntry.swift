/// One file in an archive, as its index describes it.
public struct BundleEntry: Sendable, Equatable {
    /// The path, starting with `/`.
    public let path: String
    /// The media type, as stored (without a charset as a rule).
    public let contentType: String
    /// Uncompressed size in bytes.
    public let contentLength: Int
    /// Headers stored with the entry, in their order; a name may repeat.
    public let headers: [HeaderField]

    /// Position of the block after the start of the data section.
    let offset: Int
    /// Stored bytes, size prefix included, checksum excluded.
    let storedLength: Int

    /// Bytes that the entry takes in the archive, apart from its place in the index.
    public var storedSize: Int { storedLength + BundleFormat.checksumSize }
}

/// A header's name and value.
public struct HeaderField: Sendable, Hashable, Codable {
    /// The name, in lower case where it comes from an archive.
    public var name: String
    /// The value.
    public var value: String

    /// Makes one of its parts.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension [HeaderField] {
    /// The first value of a header, whatever the case of its name.
    public func first(_ name: String) -> String? {
        let wanted = name.lowercased()
        return first { $0.name.lowercased() == wanted }?.value
    }
}
