import Foundation
import TUF

/// `POST /api/v1/apps`: makes an app and its freshness key.
enum CreateApp {
    struct Request: Decodable {
        let name: String
        let app_id: String?
    }

    static func answer(_ body: [UInt8], apps: AppStore, log: ServerLog) throws -> HTTPResponse {
        let request: Request
        do {
            request = try JSONDecoder().decode(Request.self, from: Data(body))
        } catch {
            throw APIError.malformed(
                "malformed_request", "Send {\"name\": \"…\"}, with \"app_id\" if there is one.")
        }
        // Scalars, not characters: one character may hold any number of them.
        let scalars = request.name.unicodeScalars
        guard (1...100).contains(scalars.count),
            !scalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw APIError.malformed(
                "bad_name",
                "The app's name must have 1 to 100 characters and no control characters.")
        }
        if let id = request.app_id, UUID(uuidString: id) == nil || id != id.lowercased() {
            throw APIError.malformed("bad_app_id", "'app_id' must be a lower-case UUID.")
        }
        let made = try apps.create(name: request.name, appID: request.app_id)
        let key = TUFKey(made.freshness.publicKey)
        log.info(
            "app_created", ["app_key": made.record.appKey, "app_id": made.record.appID])
        let document: JSONValue = [
            "app_key": .string(made.record.appKey),
            "app_id": .string(made.record.appID),
            "freshness_keys": [key.json],
            "token": .string(made.token),
        ]
        return HTTPResponse(
            status: 201,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(document.encoded() + [0x0A]))
    }
}
