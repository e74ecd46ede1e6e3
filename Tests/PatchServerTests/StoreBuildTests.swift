import TestSupport
import Testing

@testable import PatchServer

@Suite struct StoreBuildTests {
    private let first = String(repeating: "1", count: 64)
    private let second = String(repeating: "2", count: 64)

    @Test("P29: a version and build number belong to one fingerprint, unless somebody insists")
    func P29_oneFingerprint() async throws {
        let fixture = try await ServerFixture()
        let path = "builds/2.4/310"
        let made = try await fixture.call("PUT", path, ["fingerprint": first])
        #expect(made.status == 201, "\(made.text)")
        let again = try await fixture.call("PUT", path, ["fingerprint": first])
        #expect(again.status == 200 && again.json["fingerprint"] as? String == first)
        let refused = try await fixture.call("PUT", path, ["fingerprint": second])
        #expect(refused.status == 409 && refused.code == "build_taken", "\(refused.text)")
        #expect(refused.text.contains("1111111111111111"), "it names who has it")
        // Another number of the same version, and the same number of another version, are free.
        for other in ["builds/2.4/311", "builds/2.5/310"] {
            #expect(try await fixture.call("PUT", other, ["fingerprint": second]).status == 201)
        }
        let forced = try await fixture.call(
            "PUT", path, ["fingerprint": second, "replace": true])
        #expect(forced.status == 201, "\(forced.text)")
        let listed = try await fixture.call("GET", "builds").json["builds"] as? [[String: Any]]
        #expect(listed?.count == 3)
        #expect(listed?.allSatisfy { $0["fingerprint"] as? String == second } == true)
        let audit = try await fixture.call("GET", "audit")
        #expect(audit.text.contains("build.replaced") && audit.text.contains("2.4 (310)"))
    }

    @Test("of two machines that register at once one wins")
    func race() async throws {
        let fixture = try await ServerFixture()
        let (http, token, path) = (fixture.http, fixture.token, fixture.path("builds/1.0/1"))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for digit in "01234567" {
                group.addTask {
                    let fingerprint = String(repeating: digit, count: 64)
                    return try await http.send(
                        "PUT", path, ["Authorization": "Bearer \(token)"],
                        body: Array(#"{"fingerprint":"\#(fingerprint)"}"#.utf8)
                    ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 201 }.count == 1, "\(statuses)")
        #expect(statuses.filter { $0 == 409 }.count == 7, "\(statuses)")
    }

    @Test("what is no fingerprint is refused")
    func refusals() async throws {
        let fixture = try await ServerFixture()
        for fingerprint in ["", "x", String(repeating: "G", count: 64)] {
            let answer = try await fixture.call(
                "PUT", "builds/1.0/1", ["fingerprint": fingerprint])
            #expect(answer.status == 400 && answer.code == "bad_fingerprint", "\(answer.text)")
        }
        #expect(try await fixture.call("PUT", "builds/1.0/1", [:]).code == "malformed_request")
    }
}
