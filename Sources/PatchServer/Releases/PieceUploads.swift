import Foundation
import PatchCrypto
import PatchPlatform

/// Targets that come in pieces: each piece is on disk before it is acknowledged, and whoever was cut
/// off asks how far it came and goes on there.
struct PieceUploads: Sendable {
    /// Seconds after which an upload that nobody used is removed.
    static let keptSeconds = 86_400
    /// Uploads of one app that may be under way.
    static let mostOpen = 64

    /// An upload under way.
    struct Piecewise: Sendable {
        let id: String
        let appKey: String
        /// The target path, without digest.
        let path: String
        let size: Int
        let created: Int
    }

    let apps: AppStore
    private let busy = Busy()

    init(apps: AppStore) { self.apps = apps }

    private final class Busy: Sendable {
        let ids = Lock<Set<String>>([])
    }

    private var control: ControlStore { apps.control }

    func file(_ upload: Piecewise) -> String { "apps/\(upload.appKey)/uploads/\(upload.id)" }

    /// The bytes that are here.
    func offset(_ upload: Piecewise) throws -> Int { try apps.files.size(of: file(upload)) ?? 0 }

    func find(_ id: String, app: String) throws -> Piecewise {
        let found = try control.database.read { connection in
            try connection.first(
                """
                SELECT id, app_key, path, size, created FROM uploads
                WHERE id = ? AND app_key = ? AND created > ?
                """, id, app, control.now - Self.keptSeconds
            ) {
                Piecewise(
                    id: $0.text(0), appKey: $0.text(1), path: $0.text(2), size: $0.int(3),
                    created: $0.int(4))
            }
        }
        guard let found else { throw APIError.notFound }
        return found
    }

    /// Begins an upload.
    func begin(_ path: String, size: Int, app: String, _ call: Call, _ body: [UInt8]) throws
        -> HTTPResponse
    {
        let upload = Piecewise(
            id: "upl_" + SecureRandom.bytes(16).hex, appKey: app, path: path, size: size,
            created: control.now)
        return try control.answer(call, body) { connection in
            let open = try connection.integer(
                "SELECT count(*) FROM uploads WHERE app_key = ?", app)
            guard open < Self.mostOpen else {
                throw APIError.conflict(
                    "too_many_uploads",
                    "\(Self.mostOpen) uploads are under way; use or remove some.")
            }
            try connection.run(
                "INSERT INTO uploads (id, app_key, path, size, created) VALUES (?, ?, ?, ?, ?)",
                upload.id, app, path, size, upload.created)
            return ChangeResult(
                .init(action: "upload.begun", appKey: app, subject: path), status: 201,
                UploadDocument(upload, offset: 0))
        }
    }

    /// Takes the body of a request as the next piece.
    func receiver(_ upload: Piecewise, at offset: Int) throws -> any BodyReceiver {
        // One piece at a time: two writers would mix their bytes.
        guard busy.ids.withLock({ $0.insert(upload.id).inserted }) else {
            throw APIError.conflict("upload_busy", "Another piece of this upload is on its way.")
        }
        do {
            let here = try self.offset(upload)
            guard here == offset else { throw Self.wrongOffset(here) }
            return try PieceReceiver(
                upload, files: apps.files, file: file(upload), offset: offset,
                done: { [busy] in busy.ids.withLock { _ = $0.remove(upload.id) } })
        } catch {
            busy.ids.withLock { _ = $0.remove(upload.id) }
            throw error
        }
    }

    static func wrongOffset(_ here: Int) -> APIError {
        .conflict("wrong_offset", "The upload is at byte \(here); go on there.")
    }

    /// The whole upload as a target of a release.
    /// - Throws: ``APIError`` 422 `upload_incomplete`, `unknown_upload`.
    func target(_ id: String, path: String, app: String) throws -> Upload.Target {
        let upload: Piecewise
        do {
            upload = try find(id, app: app)
        } catch let error as APIError where error.status == 404 {
            throw APIError.refused("unknown_upload", "There is no such upload; begin it again.")
        }
        guard upload.path == path, try offset(upload) == upload.size else {
            throw APIError.refused(
                "upload_incomplete", "The upload of '\(path)' is not complete, or of another path.")
        }
        var hash = SHA256.incremental()
        guard let reader = try apps.files.openForReading(file(upload)) else {
            throw APIError.refused("unknown_upload", "There is no such upload; begin it again.")
        }
        while true {
            let bytes = try reader.read(upTo: 1 << 20)
            if bytes.isEmpty { break }
            hash.update(bytes)
        }
        return Upload.Target(
            path: path, file: file(upload), size: upload.size, sha256: hash.finalize().hex)
    }

    /// Forgets an upload and its bytes.
    func remove(_ upload: Piecewise) throws {
        try control.database.write {
            try $0.run("DELETE FROM uploads WHERE id = ?", upload.id)
        }
        try apps.files.remove(file(upload))
    }

    /// Forgets the uploads whose bytes a publication took.
    func forgetPublished(_ upload: Upload, of app: String) throws {
        let prefix = "apps/\(app)/uploads/"
        let ids = upload.targets.values.map(\.file).filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
        guard !ids.isEmpty else { return }
        try control.database.write { connection in
            for id in ids { try connection.run("DELETE FROM uploads WHERE id = ?", id) }
        }
    }

    /// Forgets uploads that nobody used in time.
    func sweep() throws {
        let rows = try control.database.read { connection in
            try connection.rows("SELECT id, app_key, path, size, created FROM uploads") {
                Piecewise(
                    id: $0.text(0), appKey: $0.text(1), path: $0.text(2), size: $0.int(3),
                    created: $0.int(4))
            }
        }
        for upload in rows where upload.created <= control.now - Self.keptSeconds {
            try remove(upload)
        }
    }
}

/// An upload as the API tells of it.
struct UploadDocument: Encodable {
    let id: String
    let path: String
    let size: Int
    let offset: Int
    let expires: Int

    init(_ upload: PieceUploads.Piecewise, offset: Int) {
        id = upload.id
        path = upload.path
        size = upload.size
        self.offset = offset
        expires = upload.created + PieceUploads.keptSeconds
    }
}

/// Appends one piece to a file.
private final class PieceReceiver: BodyReceiver {
    private struct State {
        var writer: (any FileWriter)?
        var offset: Int
        /// Lets the next piece in; called once, since another piece may hold the upload after.
        var done: (@Sendable () -> Void)?
    }

    let maximumSize: Int
    private let state: Lock<State>

    init(
        _ upload: PieceUploads.Piecewise, files: LocalFileStore, file: String, offset: Int,
        done: @escaping @Sendable () -> Void
    ) throws {
        maximumSize = upload.size - offset
        state = Lock(
            State(
                writer: try files.openForWriting(file, appending: true), offset: offset,
                done: done))
    }

    deinit { close() }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPResponse? {
        do {
            try state.withLock { state in
                try state.writer?.write(bytes)
                state.offset += bytes.count
            }
            return nil
        } catch {
            close()
            return APIError(error).response
        }
    }

    func finish() async -> HTTPResponse {
        defer { close() }
        do {
            let offset = try state.withLock { state in
                try state.writer?.finish()
                state.writer = nil
                return state.offset
            }
            return HTTPResponse(
                status: 204,
                headers: [("Cache-Control", "no-store"), ("Upload-Offset", "\(offset)")])
        } catch {
            return APIError(error).response
        }
    }

    /// What came before the client went away is kept: it goes on from there.
    func abandon() { close() }

    private func close() {
        let done = state.withLock { state in
            state.writer = nil
            defer { state.done = nil }
            return state.done
        }
        done?()
    }
}
