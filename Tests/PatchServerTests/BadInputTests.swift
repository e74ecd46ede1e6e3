import Foundation
import TestSupport
import Testing

@testable import PatchServer

/// Every operation of the API, under what nobody should send it.
@Suite struct BadInputTests {
    /// A fixture whose limits let a test send all that it has to send.
    private static func patientFixture() async throws -> ServerFixture {
        var settings = APISettings()
        settings.changesPerMinute = 1_000_000
        settings.wrongTokensPerMinute = 1_000_000
        settings.telemetryPerMinute = 1_000_000
        settings.installsPerMinute = 1_000_000
        return try await BrakeTests.rolledOut(settings: settings)
    }

    private static func path(_ route: Route, _ fixture: ServerFixture, _ value: String) -> String {
        route.path.split(separator: "/").map { part in
            guard part.first == "{" else { return String(part) }
            return part == "{app_key}" ? fixture.appKey : value
        }.reduce("") { $0 + "/" + $1 }
    }

    private static func admin(_ fixture: ServerFixture) -> String {
        AppStore.readToken(fixture.server.adminTokenFile) ?? ""
    }

    @Test("no operation does anything without a token, with a wrong one, or with another app's")
    func tokens() async throws {
        let fixture = try await Self.patientFixture()
        let made = try await fixture.http.send(
            "POST", "/api/v1/apps", ["Authorization": "Bearer \(Self.admin(fixture))"],
            body: Array(#"{"name":"Other"}"#.utf8))
        let other = made.json["token"] as? String ?? ""
        let headers = [
            nil, "", "Bearer", "Bearer ", "Bearer x", "Basic \(fixture.token)",
            "Bearer \(other)", "Bearer " + String(repeating: "a", count: 600),
            "Bearer \(fixture.token)x", "bearer\t\(fixture.token)", "Bearer ' OR 1=1 --",
        ]
        for route in fixture.server.routes where route.access != .anybody {
            for header in headers {
                if route.access == .anyToken, header == "Bearer \(other)" { continue }
                let answer = try await fixture.http.send(
                    route.method, Self.path(route, fixture, "production"),
                    header.map { ["Authorization": $0] } ?? [:])
                #expect(
                    answer.code == "wrong_token" && answer.status == 401,
                    "\(route.method) \(route.path) \(header ?? "-"): \(answer.text)")
            }
        }
    }

    @Test("no body, value or query makes an operation fail on the server's side")
    func bodies() async throws {
        let fixture = try await Self.patientFixture()
        let sql = "x' OR '1'='1'; DROP TABLE tokens; --"
        let texts = [
            "", "null", "0", "[]", "\"x\"", "{", "{}", "{\"name\":1}", "\u{0}", "\u{FEFF}{}",
            "{\"name\":\"\u{202E}\",\"actions\":[\"all\"],\"channel\":null,\"plan\":{}}",
            String(repeating: "[", count: 5_000), String(repeating: "{\"a\":", count: 2_000),
            "{\"name\":\"\(sql)\",\"login\":\"\(sql)\",\"id\":\"\(sql)\",\"url\":\"\(sql)\","
                + "\"channel\":\"\(sql)\",\"path\":\"\(sql)\",\"role\":\"\(sql)\",\"size\":1,"
                + "\"events\":[\"\(sql)\"],\"actions\":[\"read\"],\"reason\":\"\(sql)\"}",
            "{\"size\":1e400,\"quota_bytes\":99999999999999999999,\"expires_in\":-1}",
            "{\"path\":\"a\",\"size\":9223372036854775807,\"name\":\"a\",\"actions\":[]}",
        ]
        var bodies = texts.map { Array($0.utf8) }
        bodies.append([0xFF, 0xFE, 0x00, 0xD8])
        bodies.append(Array("{\"name\":\"\u{1F600}".utf8) + [0xC3, 0x28] + Array("\"}".utf8))
        let values = ["production", ServerFixture.fingerprint, "x", "0", "-1", "a.b"]
        for route in fixture.server.routes {
            let token = route.access == .server ? Self.admin(fixture) : fixture.token
            let headers = ["Authorization": "Bearer \(token)", "Upload-Offset": "0"]
            // A form is another story, which UploadTests tell.
            for body in bodies {
                let answer = try await fixture.http.send(
                    route.method, Self.path(route, fixture, "production"), headers, body: body)
                #expect(
                    answer.status < 500 && answer.status > 0,
                    "\(route.method) \(route.path) \(body.prefix(60)): \(answer.text)")
            }
            for value in values {
                let query = "?limit=\(value)&before=\(value)&days=\(value)&release=%27%3B--"
                let answer = try await fixture.http.send(
                    route.method, Self.path(route, fixture, value) + query, headers)
                #expect(
                    answer.status < 500 && answer.status > 0,
                    "\(route.method) \(route.path) \(value): \(answer.text)")
            }
        }
        // All tables are still there, and the tokens in them.
        let counts = try fixture.server.databases.control.read {
            try $0.integer("SELECT count(*) FROM tokens")
        }
        #expect(counts >= 1)
        #expect(try await fixture.call("GET", "insights").status == 200)
    }

    @Test("methods that an address does not take are refused with those that it takes")
    func methods() async throws {
        let fixture = try await Self.patientFixture()
        for path in Set(fixture.server.routes.map(\.path)) {
            let route = try #require(fixture.server.routes.first { $0.path == path })
            let taken = Set(fixture.server.routes.filter { $0.path == path }.map(\.method))
            for method in ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO"]
            where !taken.contains(method) {
                let answer = try await fixture.http.send(
                    method, Self.path(route, fixture, "production"), fixture.bearer)
                #expect(answer.status == 405, "\(method) \(path): \(answer.status)")
                for method in taken { #expect(answer.headers["allow"]?.contains(method) == true) }
            }
        }
    }

    @Test("names that climb, hide or are encoded lead nowhere")
    func paths() async throws {
        let fixture = try await Self.patientFixture()
        let names = [
            "..", ".", "%2e%2e", "..%2f..", "a%00b", ".hidden", "a b", "a\\b", "é",
            String(repeating: "a", count: 201), "a;b", "a'b",
        ]
        for name in names {
            for rest in [
                "brakes/\(name)", "rollouts/\(name)/x", "devices/\(name)", "tokens/\(name)",
            ] {
                let answer = try await fixture.http.raw(
                    Array(
                        ("GET \(fixture.path(rest)) HTTP/1.1\r\nHost: a\r\n"
                            + "Authorization: Bearer \(fixture.token)\r\n\r\n").utf8))
                // What is no request line at all has its connection closed without an answer.
                #expect([0, 400, 404, 405].contains(answer.status), "\(rest): \(answer.status)")
            }
        }
    }
}
