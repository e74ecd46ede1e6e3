extension PatchAPI {
    /// Every operation of the API; ``OpenAPI`` describes the same ones, which a test holds.
    static func routes(_ services: Services) -> [Route] {
        let routes: [[Route]] = [
            ServerEndpoints(services: services).routes,
            AppEndpoints(services: services).routes,
            TelemetryEndpoints(services: services).routes,
            ReleaseEndpoints(services: services).routes,
            RolloutEndpoints(services: services).routes,
            BuildEndpoints(services: services).routes,
            BundleEndpoints(services: services).routes,
            PeopleEndpoints(services: services).routes,
            WebhookEndpoints(services: services).routes,
            UploadEndpoints(services: services).routes,
        ]
        return routes.flatMap { $0 }
    }
}
