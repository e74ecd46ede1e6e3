import Foundation
import PatchCrypto
import PatchPlatform

/// What one upload may hold.
struct UploadLimits: Sendable {
    var parts = 64
    var metadataBytes = 1 << 20
    var targetBytes = 64 << 20
    var totalBytes = 96 << 20
}

/// A release as it came in: metadata in memory, targets in files that nobody serves.
struct Upload: Sendable {
    struct Target: Sendable {
        /// The target path, without digest.
        let path: String
        /// The file with its bytes, relative to the server's folder.
        let file: String
        let size: Int
        let sha256: String
    }

    /// Metadata by file name, such as `3.targets.json`.
    var metadata: [String: [UInt8]] = [:]
    /// Targets by target path.
    var targets: [String: Target] = [:]

    /// Whether it has more than words about what is published already.
    var bringsPayload: Bool { targets.keys.contains { !$0.hasPrefix("heads/") } }
}

/// Takes a multipart upload apart as it arrives.
///
/// Parts are named `metadata` (file name `3.targets.json`), `target` (file name = target path), and
/// `uploaded` (the same, but the bytes came in pieces before and the part says under which id).
final class UploadReceiver: BodyReceiver {
    private struct Open {
        let head: MultipartHead
        var size = 0
        var bytes: [UInt8] = []
        var hash = SHA256.incremental()
        var file = ""
        var writer: (any FileWriter)?
    }

    private struct State {
        var parser: MultipartParser
        var upload = Upload()
        /// Ids of uploads by target path.
        var pieces: [String: String] = [:]
        var open: Open?
        var isOver = false
    }

    let maximumSize: Int
    private let limits: UploadLimits
    private let files: LocalFileStore
    private let folder: String
    private let state: Lock<State>
    private let uploaded: @Sendable (_ id: String, _ path: String) throws -> Upload.Target
    private let complete: @Sendable (Upload) async throws -> HTTPResponse

    /// - Parameter folder: where targets are kept until `complete` has moved them; removed after.
    init(
        contentType: String?, limits: UploadLimits, files: LocalFileStore, folder: String,
        uploaded: @escaping @Sendable (_ id: String, _ path: String) throws -> Upload.Target,
        complete: @escaping @Sendable (Upload) async throws -> HTTPResponse
    ) throws {
        self.limits = limits
        maximumSize = limits.totalBytes
        self.files = files
        self.folder = folder
        self.uploaded = uploaded
        self.complete = complete
        state = Lock(
            State(parser: try MultipartParser(contentType: contentType, maximumParts: limits.parts))
        )
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPResponse? {
        state.withLock { state in
            do {
                var parser = state.parser
                try parser.feed(bytes) { try take($0, &state) }
                state.parser = parser
                return nil
            } catch {
                state.open = nil
                state.isOver = true
                removeFiles()
                return Self.response(for: error)
            }
        }
    }

    func finish() async -> HTTPResponse {
        defer { removeFiles() }
        do {
            var (upload, pieces) = try state.withLock { state in
                guard state.parser.isComplete, state.open == nil else {
                    throw APIError.malformed(
                        "truncated_multipart",
                        "The body ended before the closing boundary; send it again.")
                }
                return (state.upload, state.pieces)
            }
            // Here and not while the form comes in: reading them takes its time.
            for (path, id) in pieces { upload.targets[path] = try uploaded(id, path) }
            return try await complete(upload)
        } catch {
            return Self.response(for: error)
        }
    }

    func abandon() {
        state.withLock { $0.open = nil }
        removeFiles()
    }

    private func removeFiles() { try? files.remove(folder) }

    private func take(_ event: MultipartEvent, _ state: inout State) throws {
        switch event {
        case .began(let head): state.open = try begin(head, state)
        case .data(let bytes): try append(bytes, &state)
        case .ended: try end(&state)
        }
    }

    private func begin(_ head: MultipartHead, _ state: State) throws -> Open {
        var open = Open(head: head)
        guard let filename = head.filename else {
            throw APIError.malformed(
                "malformed_multipart", "Every part of the form must have a file name.")
        }
        switch head.name {
        case "metadata":
            guard SafeName.isFileName(filename), filename.hasSuffix(".json"),
                state.upload.metadata[filename] == nil
            else {
                throw APIError.malformed(
                    "bad_metadata_name", "A metadata part has no usable or a repeated file name.")
            }
        case "target", "uploaded":
            try Self.checkTargetPath(filename)
            guard state.upload.targets[filename] == nil, state.pieces[filename] == nil else {
                throw Self.badTargetPath
            }
            if head.name == "uploaded" { break }
            open.file = "\(folder)/\(state.upload.targets.count)"
            open.writer = try files.openForWriting(open.file, appending: false)
        default:
            throw APIError.malformed(
                "unknown_part", "Parts are named 'metadata', 'target' or 'uploaded', nothing else.")
        }
        return open
    }

    private static let badTargetPath = APIError.malformed(
        "bad_target_path", "A target part has no usable or a repeated target path.")

    static func checkTargetPath(_ path: String) throws {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 8, parts.allSatisfy(SafeName.isFileName) else { throw badTargetPath }
    }

    private func append(_ bytes: [UInt8], _ state: inout State) throws {
        guard var open = state.open else { throw MultipartParser.malformed }
        state.open = nil
        open.size += bytes.count
        if let writer = open.writer {
            guard open.size <= limits.targetBytes else {
                throw APIError.tooLarge("A target", limit: limits.targetBytes)
            }
            open.hash.update(bytes)
            try bytes.withUnsafeBytes { try writer.write($0) }
        } else {
            guard open.size <= limits.metadataBytes else {
                throw APIError.tooLarge("A metadata file", limit: limits.metadataBytes)
            }
            open.bytes += bytes
        }
        state.open = open
    }

    private func end(_ state: inout State) throws {
        guard let open = state.open, let filename = open.head.filename else {
            throw MultipartParser.malformed
        }
        state.open = nil
        if let writer = open.writer {
            try writer.finish()
            state.upload.targets[filename] = Upload.Target(
                path: filename, file: open.file, size: open.size,
                sha256: open.hash.finalize().hex)
        } else if open.head.name == "uploaded" {
            let id = String(decoding: open.bytes.prefix(64), as: UTF8.self)
            guard SafeName.isFileName(id) else {
                throw APIError.refused("unknown_upload", "An 'uploaded' part holds no upload's id.")
            }
            state.pieces[filename] = id
        } else {
            state.upload.metadata[filename] = open.bytes
        }
    }

    private static func response(for error: any Error) -> HTTPResponse {
        APIError(error).response
    }
}
