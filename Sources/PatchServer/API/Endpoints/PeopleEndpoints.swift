import Foundation
import PatchCrypto

/// Organisations, users, members of apps, tokens, and the log of what all of them did.
struct PeopleEndpoints: Sendable {
    private static let app = "/api/v1/apps/{app_key}"

    let services: Services
    private var control: ControlStore { services.control }

    var routes: [Route] {
        [
            Route("GET", "/api/v1/organisations", .server, .body(0, organisations)),
            Route("POST", "/api/v1/organisations", .server, .body(JSONBody.usual, addOrganisation)),
            Route("GET", "/api/v1/users", .server, .body(0, users)),
            Route("POST", "/api/v1/users", .server, .body(JSONBody.usual, addUser)),
            Route("DELETE", "/api/v1/users/{login}", .server, .body(0, removeUser)),
            Route("GET", "\(Self.app)/members", .app(.admin), .body(0, members)),
            Route(
                "PUT", "\(Self.app)/members/{login}", .app(.admin),
                .body(JSONBody.usual, setMember)),
            Route("DELETE", "\(Self.app)/members/{login}", .app(.admin), .body(0, removeMember)),
            Route("GET", "\(Self.app)/tokens", .app(.admin), .body(0, tokens)),
            Route("POST", "\(Self.app)/tokens", .app(.admin), .body(JSONBody.usual, addToken)),
            Route("DELETE", "\(Self.app)/tokens/{id}", .app(.admin), .body(0, revokeToken)),
            Route("GET", "\(Self.app)/audit", .app(.read), .body(0, audit)),
        ]
    }

    // MARK: Organisations and users

    private struct Organisation: Codable {
        let id: String
        let name: String
    }

    @Sendable private func organisations(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let found = try control.database.read { connection in
            try connection.rows("SELECT id, name FROM organisations ORDER BY id LIMIT 1000") {
                Organisation(id: $0.text(0), name: $0.text(1))
            }
        }
        return .json(200, ["organisations": found])
    }

    @Sendable private func addOrganisation(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let new = try JSONBody.read(Organisation.self, body)
        try JSONBody.checkIdentifier(new.id, "id")
        try JSONBody.checkName(new.name)
        return try control.answer(call, body) { connection in
            try Self.unique("organisation_exists", "There is such an organisation already.") {
                try connection.run(
                    "INSERT INTO organisations (id, name, created) VALUES (?, ?, ?)", new.id,
                    new.name, control.now)
            }
            return ChangeResult(
                .init(action: "organisation.created", appKey: nil, subject: new.id), status: 201,
                new)
        }
    }

    private struct User: Codable {
        let login: String
        let name: String
        let organisation: String?
    }

    @Sendable private func users(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let found = try control.database.read { connection in
            try connection.rows(
                "SELECT login, name, organisation FROM users ORDER BY login LIMIT 10000"
            ) { User(login: $0.text(0), name: $0.text(1), organisation: $0.text(2)) }
        }
        return .json(200, ["users": found])
    }

    @Sendable private func addUser(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let new = try JSONBody.read(User.self, body)
        try JSONBody.checkIdentifier(new.login, "login")
        try JSONBody.checkName(new.name)
        let organisation = new.organisation ?? "default"
        return try control.answer(call, body) { connection in
            guard
                try connection.integer(
                    "SELECT count(*) FROM organisations WHERE id = ?", organisation) == 1
            else {
                throw APIError.refused("unknown_organisation", "There is no such organisation.")
            }
            try Self.unique("user_exists", "There is a user of that login already.") {
                try connection.run(
                    "INSERT INTO users (login, organisation, name, created) VALUES (?, ?, ?, ?)",
                    new.login, organisation, new.name, control.now)
            }
            return ChangeResult(
                .init(action: "user.created", appKey: nil, subject: new.login), status: 201,
                User(login: new.login, name: new.name, organisation: organisation))
        }
    }

    @Sendable private func removeUser(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let login = call.parameter("login")
        try control.change(
            by: call.actor, .init(action: "user.removed", appKey: nil, subject: login)
        ) { connection in
            // Tokens and memberships go with the user.
            guard try connection.run("DELETE FROM users WHERE login = ?", login) > 0 else {
                throw APIError.notFound
            }
        }
        return .noContent
    }

    // MARK: Members

    private struct Member: Codable {
        let login: String
        let role: Role
    }

    @Sendable private func members(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let found = try control.database.read { connection in
            try connection.rows(
                "SELECT login, role FROM members WHERE app_key = ? ORDER BY login LIMIT 10000",
                app.appKey
            ) { Member(login: $0.text(0), role: Role(rawValue: $0.text(1)) ?? .viewer) }
        }
        return .json(200, ["members": found])
    }

    private struct NewRole: Decodable { let role: Role }

    @Sendable private func setMember(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let role = try JSONBody.read(NewRole.self, body).role
        let login = call.parameter("login")
        return try control.answer(call, body) { connection in
            guard
                try connection.integer(
                    "SELECT count(*) FROM users WHERE login = ? AND organisation = ?", login,
                    app.organisation) == 1
            else {
                throw APIError.refused(
                    "unknown_user", "The app's organisation has no user of that login.")
            }
            try connection.run(
                """
                INSERT INTO members (app_key, login, role) VALUES (?, ?, ?)
                ON CONFLICT (app_key, login) DO UPDATE SET role = excluded.role
                """, app.appKey, login, role.rawValue)
            return ChangeResult(
                .init(
                    action: "member.changed", appKey: app.appKey, subject: login,
                    detail: ["role": role.rawValue]), status: 200, Member(login: login, role: role))
        }
    }

    @Sendable private func removeMember(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let login = call.parameter("login")
        try control.change(
            by: call.actor, .init(action: "member.removed", appKey: app.appKey, subject: login)
        ) { connection in
            guard
                try connection.run(
                    "DELETE FROM members WHERE app_key = ? AND login = ?", app.appKey, login) > 0
            else { throw APIError.notFound }
        }
        return .noContent
    }

    // MARK: Tokens

    private struct NewToken: Decodable {
        let name: String
        let actions: [Action]
        let channel: String?
        let expires_in: Int?
        let login: String?
    }

    private struct TokenDocument: Encodable {
        let id: String
        let name: String
        let actions: [String]
        let channel: String?
        let login: String?
        let created: Int
        let created_by: String
        let expires: Int?
        let revoked: Int?
        /// Shown once.
        var token: String?

        init(_ record: TokenRecord, token: String? = nil) {
            id = record.id
            name = record.name
            actions = Action.allCases.filter { record.actions.contains($0) }.map(\.rawValue)
            channel = record.channel
            login = record.login
            created = record.created
            created_by = record.createdBy
            expires = record.expires
            revoked = record.revoked
            self.token = token
        }
    }

    @Sendable private func tokens(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let found = try control.database.read { connection in
            try connection.rows(
                """
                SELECT \(TokenRecord.columns) FROM tokens WHERE app_key = ?
                ORDER BY created DESC, id LIMIT 1000
                """, app.appKey, read: TokenRecord.init(row:))
        }
        return .json(200, ["tokens": found.map { TokenDocument($0) }])
    }

    @Sendable private func addToken(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let new = try JSONBody.read(NewToken.self, body)
        try JSONBody.checkName(new.name)
        if let channel = new.channel { try JSONBody.checkIdentifier(channel, "channel") }
        guard !new.actions.isEmpty else {
            throw APIError.malformed("no_actions", "A token must be good for one action at least.")
        }
        if let seconds = new.expires_in, !(60...10 * 366 * 86_400).contains(seconds) {
            throw APIError.malformed("bad_expiry", "'expires_in' is 60 seconds to ten years.")
        }
        // Nobody can hand on more than they have.
        if let principal = call.principal, !principal.isServer {
            for action in new.actions { try principal.require(action) }
            if let channel = principal.channel, channel != new.channel {
                throw APIError(
                    status: 403, code: "wrong_channel",
                    message: "This token is for the channel '\(channel)' only.")
            }
        }
        let secret = Token.make(prefix: "opt")
        let record = TokenRecord(
            id: "tok_" + SecureRandom.bytes(8).hex, sha256: Token.hash(secret), name: new.name,
            appKey: app.appKey, channel: new.channel, actions: Set(new.actions), login: new.login,
            created: control.now, createdBy: call.actor,
            expires: new.expires_in.map { control.now + $0 }, revoked: nil)
        return try control.answer(call, body) { connection in
            try Self.insert(record, connection)
            return ChangeResult(
                .init(
                    action: "token.created", appKey: app.appKey, subject: record.id,
                    detail: ["name": record.name]), status: 201,
                TokenDocument(record, token: secret), repetition: TokenDocument(record))
        }
    }

    private static func insert(_ record: TokenRecord, _ connection: SQLiteConnection) throws {
        if let login = record.login,
            try connection.integer(
                "SELECT count(*) FROM members WHERE app_key = ? AND login = ?", record.appKey, login
            )
                == 0
        {
            throw APIError.refused("unknown_user", "The app has no member of that login.")
        }
        try connection.run(
            "INSERT INTO tokens (\(TokenRecord.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,NULL)",
            record.id, record.sha256, record.name, record.appKey, record.channel,
            record.actions.map(\.rawValue).sorted().joined(separator: " "), record.login,
            record.created, record.createdBy, record.expires)
    }

    @Sendable private func revokeToken(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let id = call.parameter("id")
        try control.change(
            by: call.actor, .init(action: "token.revoked", appKey: app.appKey, subject: id)
        ) { connection in
            guard
                try connection.run(
                    "UPDATE tokens SET revoked = ? WHERE app_key = ? AND id = ? AND revoked IS NULL",
                    control.now, app.appKey, id) > 0
            else { throw APIError.notFound }
        }
        return .noContent
    }

    // MARK: Audit

    private struct AuditLine: Encodable {
        let id: Int
        let at: Int
        let actor: String
        let action: String
        let subject: String
        let detail: [String: String]
    }

    @Sendable private func audit(_ call: Call, _ body: [UInt8]) throws -> HTTPResponse {
        let app = try call.requireApp()
        let before = try call.number("before", default: .max, in: 1...Int.max)
        let limit = try call.number("limit", default: 100, in: 1...1_000)
        let rows = try control.database.read { connection in
            try connection.rows(
                """
                SELECT id, at, actor, action, subject, detail FROM audit
                WHERE app_key = ? AND id < ? ORDER BY id DESC LIMIT ?
                """, app.appKey, before, limit
            ) { row in
                let detail = try JSONDecoder().decode(
                    [String: String].self, from: Data(row.text(5).utf8))
                return AuditLine(
                    id: row.int(0), at: row.int(1), actor: row.text(2), action: row.text(3),
                    subject: row.text(4), detail: detail)
            }
        }
        return .json(200, ["audit": rows])
    }

    // MARK: Parts

    private static func unique(
        _ code: String, _ message: String, _ body: () throws -> Void
    ) throws {
        do {
            try body()
        } catch let error as DatabaseError where error.isConflict {
            throw APIError.conflict(code, message)
        }
    }
}
