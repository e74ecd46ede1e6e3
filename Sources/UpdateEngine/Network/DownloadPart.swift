import Foundation
import PatchCrypto
import PatchPlatform
import TUF

/// A download in progress on disk: the bytes so far and, beside them, what they are of.
struct DownloadPart: Sendable {
    static let folder = "incoming"

    /// What the bytes so far are of.
    struct Sidecar: Equatable {
        /// Where they came from.
        var url: String
        /// The digest that the whole file will have.
        var digest: String
        /// The size that the whole file will have.
        var size: Int
        /// The tag of the entity, as the server named it.
        var etag: String?
    }

    let files: any FileStore
    /// The digest that the whole file will have; it names the files.
    let digest: String
    let size: Int

    var name: String { "\(Self.folder)/\(digest).part" }
    private var sidecarName: String { "\(Self.folder)/\(digest).json" }

    init(files: any FileStore, target: TargetFile) {
        self.files = files
        digest = target.sha256 ?? SHA256.hash(target.path).hex
        size = target.length
    }

    /// What an earlier attempt left, when it can be continued.
    func leftOver() -> (count: Int, sidecar: Sidecar)? {
        guard let count = try? files.size(of: name), count > 0, count <= size,
            let bytes = try? files.read(sidecarName, maximumSize: 16 << 10),
            let sidecar = try? Sidecar(parsing: bytes),
            sidecar.digest == digest, sidecar.size == size
        else { return nil }
        return (count, sidecar)
    }

    /// Notes where the bytes come from. Not made durable: a lost note only means that the download
    /// begins again.
    func note(url: URL, etag: String?) throws {
        let sidecar = Sidecar(
            url: url.absoluteString, digest: digest, size: size,
            etag: etag.flatMap { $0.utf8.count <= 1024 ? $0 : nil })
        let bytes = sidecar.encoded()
        let writer = try files.openForWriting(sidecarName, appending: false)
        try bytes.withUnsafeBytes { try writer.write($0) }
    }

    func remove() {
        try? files.remove(name)
        try? files.remove(sidecarName)
    }

    /// Removes what any download left. A failure only costs disk space.
    static func removeAll(files: any FileStore) {
        for file in (try? files.list(folder)) ?? [] { try? files.remove("\(folder)/\(file)") }
    }

    /// Removes what other downloads left: one is in flight at a time.
    func removeOthers() {
        for file in (try? files.list(Self.folder)) ?? [] where !file.hasPrefix(digest) {
            try? files.remove("\(Self.folder)/\(file)")
        }
    }
}

extension DownloadPart.Sidecar {
    fileprivate init(parsing bytes: [UInt8]) throws {
        let fields = try DocumentFields(
            try JSONValue(parsing: bytes, limits: JSONLimits(maximumSize: 16 << 10)), "part")
        self.init(
            url: try fields.string("url"), digest: try fields.string("digest"),
            size: try fields.integer("size"), etag: try fields.optionalString("etag"))
    }

    fileprivate func encoded() -> [UInt8] {
        DocumentFields.object([
            ("url", .string(url)), ("digest", .string(digest)), ("size", .integer(Int64(size))),
            ("etag", etag.map { .string($0) }),
        ]).encoded()
    }
}
