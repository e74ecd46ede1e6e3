/// Gets metadata files from the repository.
public protocol MetadataFetcher: Sendable {
    /// Gets the file `name` below the base URL of metadata.
    ///
    /// - Parameters:
    ///   - name: such as `timestamp.json` or `3.build-0123456789abcdef.json`, already
    ///     percent-encoded.
    ///   - maximumLength: stop after so many bytes and throw ``FetchError/tooLarge``.
    ///   - validator: an ETag of an earlier answer; when the file still has it, answer
    ///     ``FetchResult/notModified``.
    /// - Throws: ``FetchError`` or any error of the transport. An absent file is not an error.
    func fetch(
        _ name: String, maximumLength: Int, ifNoneMatch validator: String?
    ) async throws -> FetchResult
}

/// What a fetcher found.
public enum FetchResult: Sendable, Equatable {
    /// The file, and its ETag when the server gave one.
    case found([UInt8], validator: String?)
    /// The file still has the validator that was sent.
    case notModified
    /// The server says that there is no such file (404, 403, 410).
    case missing
}

/// A failure that the client tells apart from others.
public enum FetchError: Error, Sendable, Equatable {
    /// The file is longer than allowed.
    case tooLarge
}

/// Gets target files from the repository, whole and into memory.
public protocol TargetFetcher: Sendable {
    /// Gets the file at `path` below the base URL of targets; nil when there is none.
    /// - Parameter maximumLength: stop after so many bytes and throw ``FetchError/tooLarge``.
    func fetchTarget(_ path: String, maximumLength: Int) async throws -> [UInt8]?
}

/// Keeps what the client trusts between runs. Untrusted when read back: every document is verified
/// again.
public protocol MetadataCache: Sendable {
    /// The stored file, or nil when there is none.
    ///
    /// Names are flat file names: `root.json`, `root.2` (a root on the way, kept for the next start),
    /// `timestamp.json`, `timestamp.validator`, `<percent-encoded role>.json`.
    func load(_ name: String) async throws -> [UInt8]?
    /// Replaces the file atomically; after a crash the old or the new bytes are there.
    func store(_ name: String, _ bytes: [UInt8]) async throws
    /// Forgets the file, if there is one.
    func remove(_ name: String) async throws
}

/// A cache in memory, for tools that start afresh each time.
public actor MemoryMetadataCache: MetadataCache {
    private var files: [String: [UInt8]]

    /// A cache with some files.
    public init(_ files: [String: [UInt8]] = [:]) { self.files = files }

    /// See ``MetadataCache``.
    public func load(_ name: String) -> [UInt8]? { files[name] }
    /// See ``MetadataCache``.
    public func store(_ name: String, _ bytes: [UInt8]) { files[name] = bytes }
    /// See ``MetadataCache``.
    public func remove(_ name: String) { files[name] = nil }
    /// The names of all files.
    public var names: [String] { files.keys.sorted() }
}
