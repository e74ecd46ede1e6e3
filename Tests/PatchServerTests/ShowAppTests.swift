import Foundation
import TUF
import Testing

@testable import PatchServer

@Suite struct ShowAppTests {
    @Test("the app's token reads the app's id and the keys that its first root must list")
    func shown() async throws {
        let fixture = try await ServerFixture()
        let answer = try await fixture.http.send(
            "GET", "/api/v1/apps/\(fixture.appKey)", ["Authorization": "Bearer \(fixture.token)"])
        #expect(answer.status == 200)
        #expect(answer.json["app_id"] as? String == fixture.appID)
        #expect(answer.json["app_key"] as? String == fixture.appKey)
        #expect(answer.json["token"] == nil)
        #expect(answer.headers["cache-control"] == "no-store")
        let document = try JSONValue(parsing: answer.body)
        let keys = try (document["freshness_keys"]?.array ?? []).map { try TUFKey(json: $0) }
        #expect(keys.map(\.keyID) == fixture.freshnessKeys.map(\.keyID))
    }

    @Test("without its token nothing is told of an app, not even that it is there")
    func refused() async throws {
        let fixture = try await ServerFixture()
        let own = "/api/v1/apps/\(fixture.appKey)"
        let without = try await fixture.http.send("GET", own)
        let wrong = try await fixture.http.send("GET", own, ["Authorization": "Bearer opt_wrong"])
        let unknown = try await fixture.http.send(
            "GET", "/api/v1/apps/pak_000000000000", ["Authorization": "Bearer \(fixture.token)"])
        for answer in [without, wrong, unknown] {
            #expect(answer.status == 401 && answer.code == "wrong_token")
        }
        #expect(wrong.body == unknown.body)
    }

    @Test("a name with a control character, or of one character made of thousands, is refused")
    func names() async throws {
        let fixture = try await ServerFixture()
        let admin = AppStore.readToken(fixture.server.adminTokenFile) ?? ""
        let long = "e" + String(repeating: "\\u0301", count: 2000)
        for name in ["", "a\\u0000b", "a\\nb", long] {
            let answer = try await fixture.http.send(
                "POST", "/api/v1/apps", ["Authorization": "Bearer \(admin)"],
                body: Array(#"{"name":"\#(name)"}"#.utf8))
            #expect(answer.status == 400, "\(name.prefix(20))")
        }
        let good = try await fixture.http.send(
            "POST", "/api/v1/apps", ["Authorization": "Bearer \(admin)"],
            body: Array(#"{"name":"Größe 👩‍👩‍👧"}"#.utf8))
        #expect(good.status == 201)
    }
}
