import PatchCrypto

/// What targets metadata says about one file (specification §4.5).
public struct TargetFile: Equatable, Sendable {
    /// The path relative to the base URL of targets, without digest.
    public let path: String
    /// Its length in bytes.
    public var length: Int
    /// Its digests in hexadecimal by algorithm; never empty.
    public var hashes: [String: String]
    /// What the application says about it; integers only.
    public var custom: [String: JSONValue]?
    /// Members that this library does not know.
    public var unrecognized: [String: JSONValue] = [:]

    /// A target of known length and digests.
    public init(
        path: String, length: Int, hashes: [String: String], custom: [String: JSONValue]? = nil
    ) {
        self.path = path
        self.length = length
        self.hashes = hashes
        self.custom = custom
    }

    /// The target that the file `bytes` makes, with its SHA-256.
    public init(path: String, contents bytes: [UInt8], custom: [String: JSONValue]? = nil) {
        self.init(
            path: path, length: bytes.count, hashes: ["sha256": SHA256.hash(bytes).hex],
            custom: custom)
    }

    init(path: String, json: JSONValue) throws {
        let place = "target '\(path.prefix(120))'"
        var fields = try FieldReader(json, place)
        self.path = path
        length = try fields.integer("length", in: .lengths)
        hashes = try FileHashes.read(try fields.object("hashes"), place)
        custom = try fields.optionalObject("custom")
        unrecognized = fields.rest
    }

    var json: JSONValue {
        var members = unrecognized
        members["length"] = .integer(Int64(length))
        members["hashes"] = .object(hashes.mapValues { .string($0) })
        if let custom { members["custom"] = .object(custom) }
        return .object(members)
    }

    /// The SHA-256 in lower-case hexadecimal, when the metadata states it.
    public var sha256: String? { hashes["sha256"]?.lowercased() }

    /// Where the file lies below the base URL of targets (§6.2: `dir/<digest>.name`).
    /// - Throws: ``TUFError`` `target_path_refused` for a path that leaves the base.
    public func filePath(consistentSnapshot: Bool) throws -> String {
        try TargetPath.check(path)
        guard consistentSnapshot else { return path }
        // Copies exist for every digest that is listed; the strongest common one is asked for.
        guard let digest = hashes["sha256"] ?? hashes["sha512"] ?? hashes.values.min(),
            Hex.decode(digest) != nil
        else {
            throw TUFError(.metadataMalformed, "The target '\(path)' has no usable digest.")
        }
        var parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        parts[parts.count - 1] = "\(digest).\(parts[parts.count - 1])"
        return parts.joined(separator: "/")
    }

    /// Checks a whole file against the metadata (§5.7.3).
    /// - Throws: ``TUFError`` `target_length_mismatch`, `target_hash_mismatch`,
    ///   `hash_unsupported`.
    public func verify(_ bytes: [UInt8]) throws {
        var check = TargetCheck(self)
        try check.update(bytes)
        try check.finish()
    }
}

/// Checks a target against its metadata while it arrives, piece by piece.
public struct TargetCheck: Sendable {
    private let target: TargetFile
    private var streams: [IncrementalHash]

    /// Number of bytes seen so far.
    public private(set) var size = 0

    /// Begins to check a file that should be `target`.
    public init(_ target: TargetFile) {
        self.target = target
        streams = target.hashes.keys.compactMap { HashAlgorithm(rawValue: $0) }
            .map { IncrementalHash($0) }
    }

    /// Takes the next bytes.
    /// - Throws: ``TUFError`` `target_too_large` as soon as the file is longer than its metadata
    ///   says (the endless data attack); stop the download then.
    public mutating func update(_ bytes: [UInt8]) throws {
        guard bytes.count <= target.length - size else {
            throw TUFError(
                .targetTooLarge,
                "The file '\(target.path)' goes on beyond the \(target.length) bytes that are "
                    + "signed for it.")
        }
        size += bytes.count
        for index in streams.indices { streams[index].update(bytes) }
    }

    /// Says that the file has ended.
    /// - Throws: ``TUFError`` `target_length_mismatch`, `target_hash_mismatch`,
    ///   `hash_unsupported`.
    public func finish() throws {
        guard size == target.length else {
            throw TUFError(
                .targetLengthMismatch,
                "The file '\(target.path)' ended after \(size) of \(target.length) bytes; fetch it "
                    + "again.")
        }
        let matches = try FileHashes.match(
            target.hashes,
            { algorithm in streams.first { $0.algorithm == algorithm }?.finalize() ?? [] },
            role: nil)
        guard matches else {
            throw TUFError(
                .targetHashMismatch,
                "The file '\(target.path)' is not the one that is signed for: its digest differs.")
        }
    }
}

/// Which paths may be turned into URLs and file names.
public enum TargetPath {
    /// Refuses paths that could leave a folder or mean two things.
    /// - Throws: ``TUFError`` `target_path_refused`.
    public static func check(_ path: String) throws {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let bad =
            path.isEmpty || path.utf8.count > 1024
            || parts.contains { $0.isEmpty || $0 == "." || $0 == ".." }
            || path.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }
        if bad {
            throw TUFError(
                .targetPathRefused,
                "The target path '\(path.prefix(120))' is refused: it must be relative, with no "
                    + "empty, '.' or '..' part, backslash or control character.")
        }
    }
}
