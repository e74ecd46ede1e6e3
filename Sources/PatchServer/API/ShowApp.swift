import TUF

/// `GET /api/v1/apps/<appKey>`: what a publisher needs to begin or go on with an app.
enum ShowApp {
    static func answer(_ app: AppRecord, apps: AppStore) throws -> HTTPResponse {
        let document: JSONValue = [
            "app_key": .string(app.appKey),
            "app_id": .string(app.appID),
            "name": .string(app.name),
            "freshness_keys": [TUFKey(try apps.freshnessKey(app.appKey).publicKey).json],
        ]
        return HTTPResponse(
            status: 200,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(document.encoded() + [0x0A]))
    }
}
