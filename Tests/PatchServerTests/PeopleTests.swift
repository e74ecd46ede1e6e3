import Foundation
import TestSupport
import Testing

@testable import PatchServer

@Suite struct PeopleTests {
    private func admin(_ fixture: ServerFixture) -> [String: String] {
        ["Authorization": "Bearer \(AppStore.readToken(fixture.server.adminTokenFile) ?? "")"]
    }

    private func token(
        _ fixture: ServerFixture, _ document: [String: Any]
    ) async throws -> (id: String, secret: String) {
        let answer = try await fixture.call(
            "POST", "tokens", ["name": "t"].merging(document) { $1 })
        #expect(answer.status == 201, "\(answer.text)")
        return (answer.json["id"] as? String ?? "", answer.json["token"] as? String ?? "")
    }

    private func bearer(_ secret: String) -> [String: String] {
        ["Authorization": "Bearer \(secret)"]
    }

    @Test("P59: a token does what it was made for, until it is revoked or expires")
    func scopes() async throws {
        let fixture = try await BrakeTests.rolledOut()
        let reader = try await token(fixture, ["actions": ["read"], "expires_in": 600])
        #expect(try await fixture.get("insights", bearer(reader.secret)).status == 200)
        let refused = try await fixture.http.send(
            "POST", fixture.path("brakes"), bearer(reader.secret),
            body: Array(#"{"channel":"production"}"#.utf8))
        #expect(refused.status == 403 && refused.code == "not_allowed")
        #expect(try await fixture.upload(metadata: [], token: reader.secret).status == 403)
        let whoami = try await fixture.http.send("GET", "/api/v1/whoami", bearer(reader.secret))
        #expect(whoami.json["actions"] as? [String] == ["read"])
        #expect(whoami.json["expires"] as? Int == Int(fixture.clock.now()) + 600)
        fixture.clock.advance(by: 601)
        #expect(try await fixture.get("insights", bearer(reader.secret)).status == 401)
        #expect(
            try await fixture.http.send("GET", "/api/v1/whoami", bearer(reader.secret)).status
                == 401)
        let other = try await token(fixture, ["actions": ["read"]])
        #expect(try await fixture.call("DELETE", "tokens/\(other.id)").status == 204)
        #expect(try await fixture.get("insights", bearer(other.secret)).status == 401)
        #expect(try await fixture.call("DELETE", "tokens/\(other.id)").status == 404)
        let list = try await fixture.call("GET", "tokens")
        #expect(!list.text.contains(reader.secret) && !list.text.contains("sha256"))
    }

    @Test("a token of one channel changes no other, by upload, brake or rollout")
    func channels() async throws {
        let fixture = try await BrakeTests.rolledOut()
        let staging = try await token(
            fixture, ["actions": ["release", "rollout"], "channel": "staging"])
        let brake = try await fixture.http.send(
            "POST", fixture.path("brakes"), bearer(staging.secret),
            body: Array(#"{"channel":"production","halted":true}"#.utf8))
        #expect(brake.status == 403 && brake.code == "wrong_channel")
        let halt = try await fixture.http.send(
            "POST", fixture.path("\(BrakeTests.rollout)/halt"), bearer(staging.secret))
        #expect(halt.status == 403)
        let head = try fixture.head(3, stable: BrakeTests.stable)
        try fixture.editor.setTargets(
            [head.file], in: fixture.role, signers: fixture.signers, at: .now)
        let upload = try await fixture.upload(
            targets: [(head.file.path, head.bytes)], token: staging.secret)
        #expect(upload.status == 403 && upload.code == "wrong_channel", "\(upload.text)")
    }

    @Test("nobody hands on more than they have")
    func handingOn() async throws {
        let fixture = try await ServerFixture()
        let limited = try await token(fixture, ["actions": ["admin", "read"]])
        let answer = try await fixture.http.send(
            "POST", fixture.path("tokens"), bearer(limited.secret),
            body: Array(#"{"name":"x","actions":["release"]}"#.utf8))
        #expect(answer.status == 403)
        // The server's admin token makes one when all of an app's were lost, which the log shows.
        let made = try await fixture.http.send(
            "POST", fixture.path("tokens"), admin(fixture),
            body: Array(#"{"name":"new","actions":["release"]}"#.utf8))
        #expect(made.status == 201)
        let audit = try await fixture.call("GET", "audit")
        #expect(audit.text.contains(#""actor":"admin-token""#))
    }

    @Test("a person's token does what the person may, as of now")
    func roles() async throws {
        let fixture = try await ServerFixture()
        let admin = admin(fixture)
        func server(_ method: String, _ path: String, _ body: String) async throws -> Int {
            try await fixture.http.send(method, path, admin, body: Array(body.utf8)).status
        }
        #expect(
            try await server("POST", "/api/v1/users", #"{"login":"kim","name":"Kim"}"#) == 201)
        #expect(
            try await server("POST", "/api/v1/users", #"{"login":"kim","name":"Kim"}"#) == 409)
        let early = try await fixture.call(
            "POST", "tokens", ["name": "t", "actions": ["read"], "login": "kim"])
        #expect(early.code == "unknown_user")
        #expect(try await fixture.call("PUT", "members/kim", ["role": "releaser"]).status == 200)
        let kim = try await token(
            fixture, ["actions": ["read", "release", "admin"], "login": "kim"])
        let whoami = try await fixture.http.send("GET", "/api/v1/whoami", bearer(kim.secret))
        #expect(whoami.json["actions"] as? [String] == ["read", "release"])
        #expect(try await fixture.get("tokens", bearer(kim.secret)).status == 403)
        #expect(try await fixture.call("PUT", "members/kim", ["role": "viewer"]).status == 200)
        #expect(try await fixture.upload(metadata: [], token: kim.secret).status == 403)
        #expect(try await fixture.call("DELETE", "members/kim").status == 204)
        #expect(try await fixture.get("insights", bearer(kim.secret)).status == 401)
        #expect(try await fixture.http.send("DELETE", "/api/v1/users/kim", admin).status == 204)
        let tokens = try await fixture.call("GET", "tokens")
        #expect(!tokens.text.contains(kim.id))
        #expect(
            try await server("POST", "/api/v1/organisations", #"{"id":"acme","name":"Acme"}"#)
                == 201)
        #expect(
            try await server(
                "POST", "/api/v1/users",
                #"{"login":"lee","name":"Lee","organisation":"acme"}"#) == 201)
        // A user of another organisation has no business here.
        #expect(
            try await fixture.call("PUT", "members/lee", ["role": "admin"]).code == "unknown_user")
    }

    @Test("the same request under the same idempotency key is done once, and tells no secret twice")
    func idempotency() async throws {
        let fixture = try await ServerFixture()
        let key = ["Idempotency-Key": "deploy-7"]
        let body: [String: Any] = ["name": "ci", "actions": ["release"]]
        let first = try await fixture.call("POST", "tokens", body, key)
        let second = try await fixture.call("POST", "tokens", body, key)
        #expect(first.status == 201 && second.status == 201)
        #expect(first.json["id"] as? String == second.json["id"] as? String)
        #expect(first.json["token"] != nil && second.json["token"] == nil)
        #expect(second.headers["idempotency-replayed"] == "true")
        let other = try await fixture.call(
            "POST", "tokens", ["name": "other", "actions": ["read"]], key)
        #expect(other.code == "idempotency_key_reused")
        let again = try await fixture.call("GET", "tokens")
        #expect((again.json["tokens"] as? [Any])?.count == 2)
        fixture.clock.advance(by: 90_000)
        let later = try await fixture.call("POST", "tokens", body, key)
        #expect(later.json["token"] != nil)
    }

    @Test("every change is in the audit log of its app, and in no other's")
    func audit() async throws {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        _ = try await token(fixture, ["actions": ["read"]])
        let lines = try await fixture.call("GET", "audit").json["audit"] as? [[String: Any]] ?? []
        #expect(
            lines.compactMap { $0["action"] as? String }
                == ["token.created", "release.published", "app.created"])
        let page = try await fixture.call("GET", "audit?limit=1&before=\(lines[0]["id"] ?? 0)")
        #expect(
            (page.json["audit"] as? [[String: Any]])?.first?["id"] as? Int == lines[1]["id"] as? Int
        )
        for query in ["limit=0", "limit=x", "before=-1", "limit=%00"] {
            #expect(try await fixture.call("GET", "audit?\(query)").code == "bad_query")
        }
    }
}
