/// Publishing.
struct ReleaseEndpoints: Sendable {
    let services: Services

    var routes: [Route] {
        [Route("POST", "/api/v1/apps/{app_key}/releases", .app(.release), .stream(publish))]
    }

    @Sendable private func publish(_ call: Call) throws -> any BodyReceiver {
        guard let app = call.app else { throw APIError.notFound }
        return try services.releases.receiver(
            app, by: call.principal, contentType: call.request.headers["content-type"])
    }
}
