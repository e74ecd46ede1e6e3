import Foundation

/// What devices tell, and what can be asked of it.
struct TelemetryEndpoints: Sendable {
    private static let app = "/api/v1/apps/{app_key}"

    let services: Services
    private let requests: RateLimiter
    private let installs: RateLimiter

    init(services: Services) {
        self.services = services
        let settings = services.settings
        requests = RateLimiter(
            capacity: settings.telemetryPerMinute * 2, perMinute: settings.telemetryPerMinute,
            now: services.monotonicNow)
        installs = RateLimiter(
            capacity: settings.installsPerMinute * 10, perMinute: settings.installsPerMinute,
            now: services.monotonicNow)
    }

    var routes: [Route] {
        [
            Route("POST", "\(Self.app)/events", .anybody, .stream(receiver)),
            Route("GET", "\(Self.app)/devices/{install_id}", .app(.read), .body(0, device)),
            Route("DELETE", "\(Self.app)/devices/{install_id}", .app(.admin), .body(0, erase)),
            Route("GET", "\(Self.app)/insights", .app(.read), .body(0, insights)),
        ]
    }

    // MARK: Devices tell

    @Sendable private func receiver(_ call: Call) throws -> any BodyReceiver {
        guard let app = call.app else { throw APIError.notFound }
        // Before the body: whoever sends too much shall not cost us the reading of it.
        if let seconds = requests.delay(for: call.request.address) {
            throw PatchAPI.tooMany(seconds)
        }
        let address = call.request.address
        return SmallBodyReceiver(maximumSize: EventBatch.largestBody) { [self] body in
            do {
                return try await take(body, app.appKey, address)
            } catch {
                let refusal = APIError(error)
                if refusal.status >= 500 {
                    services.log.error("events_failed", ["error": "\(error)"])
                }
                return refusal.response
            }
        }
    }

    private struct Taken: Encodable {
        let accepted: Int
        let known: Int
    }

    private func take(
        _ body: [UInt8], _ appKey: String, _ address: String
    ) async throws -> HTTPResponse {
        let batch = try EventBatch(body)
        let delivery = TelemetryStore.Delivery(
            app: appKey, batch: batch, newInstall: { [installs] in installs.delay(for: address) })
        switch try await services.telemetry.take(delivery) {
        case .taken(let new, let known):
            services.metrics.told(new: new, known: known)
            return .json(200, Taken(accepted: new, known: known))
        case .tooManyInstalls(let seconds): throw PatchAPI.tooMany(seconds)
        case .overLimit(let seconds):
            throw APIError(
                status: 429, code: "install_limit",
                message: "This install has told as much today as one may.", retryAfter: seconds)
        }
    }

    // MARK: People ask

    private func install(_ call: Call) throws -> [UInt8] {
        guard let install = UUIDBytes.parse(call.parameter("install_id")) else {
            throw APIError.malformed("bad_install_id", "'install_id' is no UUID.")
        }
        return install
    }

    @Sendable private func device(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        guard
            let device = try services.telemetry.device(
                try install(call), app: try call.requireApp().appKey)
        else { throw APIError.notFound }
        return .json(200, device)
    }

    @Sendable private func erase(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        guard try services.telemetry.erase(install: try install(call), app: app.appKey) else {
            throw APIError.notFound
        }
        // Which install it was is not written down: that is what was to be forgotten.
        try services.control.record(
            .init(action: "install.erased", appKey: app.appKey, subject: "an install"),
            by: call.actor)
        return .noContent
    }

    @Sendable private func insights(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let days = try call.number("days", default: 7, in: 1...90)
        let subject =
            call.query("bundle").map { RolloutSubject.bundle($0) }
            ?? call.query("fingerprint").map { RolloutSubject.build($0) }
        return .json(
            200,
            try services.telemetry.insights(
                app: try call.requireApp().appKey, release: call.query("release"),
                build: subject?.name, days: days))
    }
}
