import Foundation
import PatchCrypto

/// Whom an app tells of its changes.
struct WebhookEndpoints: Sendable {
    private static let app = "/api/v1/apps/{app_key}"
    private static let mostWebhooks = 20

    let services: Services
    private var control: ControlStore { services.control }

    var routes: [Route] {
        [
            Route("GET", "\(Self.app)/webhooks", .app(.admin), .body(0, list)),
            Route("POST", "\(Self.app)/webhooks", .app(.admin), .body(JSONBody.usual, add)),
            Route("DELETE", "\(Self.app)/webhooks/{id}", .app(.admin), .body(0, remove)),
            Route(
                "GET", "\(Self.app)/webhooks/{id}/deliveries", .app(.admin), .body(0, deliveries)),
        ]
    }

    private struct Webhook: Encodable {
        let id: String
        let url: String
        let events: [String]
        let created: Int
        /// Shown once.
        var secret: String?
    }

    @Sendable private func list(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let found = try control.database.read { connection in
            try connection.rows(
                "SELECT id, url, events, created FROM webhooks WHERE app_key = ? ORDER BY id",
                app.appKey
            ) {
                Webhook(
                    id: $0.text(0), url: $0.text(1),
                    events: $0.text(2).split(separator: " ").map(String.init), created: $0.int(3))
            }
        }
        return .json(200, ["webhooks": found])
    }

    private struct NewWebhook: Decodable {
        let url: String
        let events: [String]
    }

    @Sendable private func add(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let new = try JSONBody.read(NewWebhook.self, body)
        try WebhookAddress.check(new.url, privateAllowed: services.settings.privateWebhooks)
        guard (1...50).contains(new.events.count) else {
            throw APIError.malformed("bad_events", "Name 1 to 50 events, or \"*\" for all.")
        }
        for event in new.events where event != "*" { try JSONBody.checkIdentifier(event, "events") }
        let secret = "whs_" + SecureRandom.bytes(24).hex
        let id = "whk_" + SecureRandom.bytes(8).hex
        return try control.answer(call, body) { connection in
            let count = try connection.integer(
                "SELECT count(*) FROM webhooks WHERE app_key = ?", app.appKey)
            guard count < Self.mostWebhooks else {
                throw APIError.conflict(
                    "too_many_webhooks", "An app has \(Self.mostWebhooks) webhooks at most.")
            }
            try connection.run(
                "INSERT INTO webhooks (id, app_key, url, secret, events, created) VALUES (?,?,?,?,?,?)",
                id, app.appKey, new.url, secret, new.events.joined(separator: " "), control.now)
            var document = Webhook(
                id: id, url: new.url, events: new.events, created: control.now)
            let repetition = document
            document.secret = secret
            return ChangeResult(
                .init(action: "webhook.created", appKey: app.appKey, subject: id), status: 201,
                document, repetition: repetition)
        }
    }

    @Sendable private func remove(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let id = call.parameter("id")
        try control.change(
            by: call.actor, .init(action: "webhook.removed", appKey: app.appKey, subject: id)
        ) { connection in
            guard
                try connection.run(
                    "DELETE FROM webhooks WHERE app_key = ? AND id = ?", app.appKey, id) > 0
            else { throw APIError.notFound }
        }
        return .noContent
    }

    private struct Delivery: Encodable {
        let id: String
        let event: String
        let created: Int
        let attempts: Int
        let due: Int?
        let delivered: Int?
        let status: Int?
        let problem: String?
    }

    @Sendable private func deliveries(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let found = try control.database.read { connection -> [Delivery]? in
            guard
                try connection.integer(
                    "SELECT count(*) FROM webhooks WHERE app_key = ? AND id = ?", app.appKey,
                    call.parameter("id")) == 1
            else { return nil }
            return try connection.rows(
                """
                SELECT id, event, created, attempts, due, delivered, status, problem
                FROM deliveries WHERE webhook = ? ORDER BY created DESC, rowid DESC LIMIT 100
                """, call.parameter("id")
            ) {
                Delivery(
                    id: $0.text(0), event: $0.text(1), created: $0.int(2), attempts: $0.int(3),
                    due: $0.optionalInt(4), delivered: $0.optionalInt(5),
                    status: $0.optionalInt(6), problem: $0.optionalText(7))
            }
        }
        guard let found else { throw APIError.notFound }
        return .json(200, ["deliveries": found])
    }
}

/// Where a webhook may point. Whoever manages one app shall not make the server knock at doors that
/// only the server's own network can reach.
enum WebhookAddress {
    static func check(_ address: String, privateAllowed: Bool) throws {
        guard address.utf8.count <= 1_000, let url = URL(string: address),
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host?.lowercased(), !host.isEmpty, url.user == nil, url.fragment == nil
        else {
            throw APIError.malformed("bad_url", "'url' must be an http or https address.")
        }
        if privateAllowed { return }
        guard scheme == "https", !isPrivate(host) else {
            throw APIError.refused(
                "private_address",
                "Webhooks go to https addresses outside of the server's own network; an operator "
                    + "may start patchd with --private-webhooks.")
        }
    }

    /// Whether a host names this machine or its network. A name that resolves to such an address is
    /// not noticed (Docs/threat-model.md).
    static func isPrivate(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        if name == "localhost" || !name.contains(".") && !name.contains(":") { return true }
        if [".localhost", ".local", ".internal", ".lan"].contains(where: name.hasSuffix) {
            return true
        }
        // Whole numbers and hexadecimal spellings of addresses too: no public name looks like one.
        if name.contains(":") || name.hasPrefix("[") { return true }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.last?.utf8.first.map({ (0x30...0x39).contains($0) }) == true else {
            return false
        }
        let numbers = labels.compactMap { UInt8($0) }
        guard numbers.count == 4, labels.count == 4 else { return true }
        switch (numbers[0], numbers[1]) {
        case (0, _), (10, _), (127, _), (224..., _), (169, 254), (192, 168), (172, 16...31),
            (100, 64...127):
            return true
        default: return false
        }
    }
}
