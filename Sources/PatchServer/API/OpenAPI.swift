/// The description of the API (OpenAPI 3.1), served at `/api/v1/openapi.json`.
enum OpenAPI {
    static let response = HTTPResponse.json(200, Array("{}\n".utf8))
}
