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
}

/// Takes a multipart upload apart as it arrives.
///
/// Parts are named `metadata` (file name `3.targets.json`) and `target` (file name = target path).
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
        var open: Open?
        var isOver = false
    }

    let maximumSize: Int
    private let limits: UploadLimits
    private let files: LocalFileStore
    private let folder: String
    private let state: Lock<State>
    private let complete: @Sendable (Upload) async throws -> HTTPResponse

    /// - Parameter folder: where targets are kept until `complete` has moved them; removed after.
    init(
        contentType: String?, limits: UploadLimits, files: LocalFileStore, folder: String,
        complete: @escaping @Sendable (Upload) async throws -> HTTPResponse
    ) throws {
        self.limits = limits
        maximumSize = limits.totalBytes
        self.files = files
        self.folder = folder
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
            let upload = try state.withLock { state in
                guard state.parser.isComplete, state.open == nil else {
                    throw APIError.malformed(
                        "truncated_multipart",
                        "The body ended before the closing boundary; send it again.")
                }
                return state.upload
            }
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
        case "target":
            let parts = filename.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 8, parts.allSatisfy(SafeName.isFileName),
                state.upload.targets[filename] == nil
            else {
                throw APIError.malformed(
                    "bad_target_path", "A target part has no usable or a repeated target path.")
            }
            open.file = "\(folder)/\(state.upload.targets.count)"
            open.writer = try files.openForWriting(open.file, appending: false)
        default:
            throw APIError.malformed(
                "unknown_part", "Parts are named 'metadata' or 'target', nothing else.")
        }
        return open
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
        } else {
            state.upload.metadata[filename] = open.bytes
        }
    }

    private static func response(for error: any Error) -> HTTPResponse {
        if let error = error as? APIError { return error.response }
        if let error = error as? FileError, error.reason == .diskFull {
            return APIError(
                status: 507, code: "disk_full",
                message: "The server's disk is full; the operator has to free some space."
            ).response
        }
        return APIError.internalFailure("The upload could not be stored: \(error)").response
    }
}
