import Foundation
import PatchCrypto
import TUF
import TestSupport
import Testing

@testable import PatchServer

@Suite struct PruneTests {
    /// Five releases, each of which takes the place of the one before.
    private func released() async throws -> ServerFixture {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        for number in 1...5 {
            let bytes = [UInt8](repeating: UInt8(number), count: 100 + number)
            let module = try fixture.release("1.\(number)", sequence: number, bytes: bytes)
            let head = try fixture.head(number, stable: bytes)
            try fixture.editor.setTargets(
                [module, head.file], removing: number > 1 ? [Self.path(number - 1, fixture)] : [],
                in: fixture.role, signers: fixture.signers, at: .now)
            let answer = try await fixture.upload(
                targets: [(module.path, bytes), (head.file.path, head.bytes)])
            #expect(answer.status == 201, "\(answer.text)")
            fixture.editor.clearChanges()
        }
        return fixture
    }

    private static func path(_ number: Int, _ fixture: ServerFixture) -> String {
        "modules/\(fixture.fp16)/1.\(number).wasm"
    }

    private func files(_ fixture: ServerFixture) throws -> Set<String> {
        let tree = "\(fixture.folder.path)/apps/\(fixture.appKey)/tree"
        return Set(try FileManager.default.subpathsOfDirectory(atPath: tree))
    }

    @Test("prune removes what no metadata in use leads to, once clients can no longer go by it")
    func prune() async throws {
        let fixture = try await released()
        let before = try files(fixture)
        let young = try await fixture.call("POST", "prune", [:])
        #expect(young.status == 200 && young.json["count"] as? Int == 0, "\(young.text)")
        fixture.clock.advance(by: 8 * 86_400)
        let planned = try await fixture.call("POST", "prune", ["dry_run": true])
        // Four modules, four heads; of snapshot and role all but the last.
        let count = try #require(planned.json["count"] as? Int)
        let named = try #require(planned.json["files"] as? [String])
        #expect(count == named.count && named.count(where: { $0.hasSuffix(".wasm") }) == 4)
        #expect(try files(fixture) == before, "it was only asked")
        let done = try await fixture.call("POST", "prune", [:])
        #expect(done.json["count"] as? Int == count && done.json["files"] as? [String] == named)
        #expect(try files(fixture) == before.subtracting(named))
        #expect(try await fixture.call("POST", "prune", [:]).json["count"] as? Int == 0)
        #expect(try await fixture.call("GET", "audit").text.contains("tree.pruned"))

        // A device that begins at root 1 finds all that it needs, and releases go on.
        let client = try await fixture.client()
        let target = try #require(try await client.target(Self.path(5, fixture)))
        let place = try target.filePath(consistentSnapshot: true)
        #expect(try await fixture.get("targets/\(place)").status == 200)
        for name in named {
            #expect(try await fixture.get(name).status == 404, "\(name)")
        }
        let bytes: [UInt8] = [9, 9, 9]
        #expect(try await fixture.publish("1.6", sequence: 6, bytes: bytes).status == 201)
    }

    @Test("what was replaced a moment ago stays, however long ago it was published")
    func replacedLately() async throws {
        let fixture = try await released()
        let tree = "\(fixture.folder.path)/apps/\(fixture.appKey)/tree"
        let old = Date(timeIntervalSinceNow: -30 * 86_400)
        for name in try files(fixture) {
            try FileManager.default.setAttributes(
                [.modificationDate: old], ofItemAtPath: "\(tree)/\(name)")
        }
        // The sixth release takes the place of files that are a month old; a client that has the
        // timestamp of a second ago still asks for them.
        #expect(try await fixture.publish("1.6", sequence: 6, bytes: [6]).status == 201)
        let planned = try await fixture.call("POST", "prune", ["dry_run": true])
        let named = try #require(planned.json["files"] as? [String])
        let version = fixture.editor.delegated[fixture.role]?.signed.version ?? 0
        #expect(!named.contains("metadata/\(version - 1).\(fixture.role).json"), "\(named)")
        #expect(named.contains("metadata/\(version - 2).\(fixture.role).json"), "\(named)")
        #expect(!named.contains { $0.hasSuffix("1.5.wasm") })
        #expect(named.contains { $0.hasSuffix("1.4.wasm") })
    }

    @Test("only a token that may release prunes, and a damaged tree loses nothing")
    func refusals() async throws {
        let fixture = try await released()
        let made = try await fixture.call(
            "POST", "tokens", ["name": "reader", "actions": ["read"]])
        let token = try #require(made.json["token"] as? String)
        let refused = try await fixture.http.send(
            "POST", fixture.path("prune"), ["Authorization": "Bearer \(token)"])
        #expect(refused.status == 403, "\(refused.text)")
        fixture.clock.advance(by: 8 * 86_400)
        let tree = "\(fixture.folder.path)/apps/\(fixture.appKey)/tree"
        let role = fixture.editor.delegated[fixture.role]?.signed.version ?? 0
        try FileManager.default.removeItem(
            atPath: "\(tree)/metadata/\(role).\(fixture.role).json")
        let before = try files(fixture)
        #expect(try await fixture.call("POST", "prune", [:]).status == 500)
        #expect(try files(fixture) == before)
    }
}
