import Foundation

/// Targets in pieces.
struct UploadEndpoints: Sendable {
    private static let app = "/api/v1/apps/{app_key}"

    let services: Services
    private var uploads: PieceUploads { services.releases.uploads }

    var routes: [Route] {
        [
            Route("POST", "\(Self.app)/uploads", .app(.release), .body(JSONBody.usual, begin)),
            Route("GET", "\(Self.app)/uploads/{id}", .app(.release), .body(0, show)),
            Route("PATCH", "\(Self.app)/uploads/{id}", .app(.release), .stream(receive)),
            Route("DELETE", "\(Self.app)/uploads/{id}", .app(.release), .body(0, remove)),
        ]
    }

    private struct New: Decodable {
        let path: String
        let size: Int
    }

    @Sendable private func begin(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let new = try JSONBody.read(New.self, body)
        try UploadReceiver.checkTargetPath(new.path)
        let limit = UploadLimits().targetBytes
        guard new.size >= 0 else { throw APIError.malformed("bad_size", "'size' is negative.") }
        guard new.size <= limit else { throw APIError.tooLarge("A target", limit: limit) }
        try services.releases.requireRoom(for: new.size, of: app)
        return try uploads.begin(new.path, size: new.size, app: app.appKey, call, body)
    }

    private func find(_ call: Call) throws -> PieceUploads.Piecewise {
        try uploads.find(call.parameter("id"), app: try call.requireApp().appKey)
    }

    @Sendable private func show(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let upload = try find(call)
        let offset = try uploads.offset(upload)
        return .json(
            200, UploadDocument(upload, offset: offset), [("Upload-Offset", "\(offset)")])
    }

    @Sendable private func receive(_ call: Call) throws -> any BodyReceiver {
        guard let offset = call.request.headers["upload-offset"].flatMap({ Int($0) }) else {
            throw APIError.malformed(
                "bad_offset", "Say in 'Upload-Offset' at which byte the piece begins.")
        }
        return try uploads.receiver(try find(call), at: offset)
    }

    @Sendable private func remove(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        try uploads.remove(try find(call))
        return .noContent
    }
}
