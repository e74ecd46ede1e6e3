import Foundation
import PatchCompression
import PatchCrypto
import TUF
import Testing

@testable import PatchServer

@Suite struct StaticServingTests {
    private func published(_ bytes: [UInt8]) async throws -> (ServerFixture, String, String) {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        let answer = try await fixture.publish("1.0", sequence: 1, bytes: bytes)
        #expect(answer.status == 201, "\(answer.text)")
        let digest = SHA256.hash(bytes).hex
        return (fixture, "targets/modules/\(fixture.fp16)/\(digest).1.0.wasm", digest)
    }

    @Test("the timestamp is asked for conditionally, numbered files are kept for ever")
    func metadata() async throws {
        let (fixture, _, _) = try await published([1, 2, 3])
        let first = try await fixture.get("metadata/timestamp.json")
        let tag = try #require(first.headers["etag"])
        #expect(first.status == 200 && tag.hasPrefix("\"") && tag.hasSuffix("\""))
        #expect(first.headers["cache-control"] == "no-cache")
        #expect(first.headers["content-type"] == "application/json")
        let again = try await fixture.get("metadata/timestamp.json", ["If-None-Match": tag])
        #expect(again.status == 304 && again.body.isEmpty)
        #expect(again.headers["etag"] == tag)
        #expect(again.headers["content-length"] == first.headers["content-length"])
        let root = try await fixture.get("metadata/1.root.json")
        #expect(root.headers["cache-control"] == "public, max-age=31536000, immutable")
        #expect(try await fixture.get("metadata/2.root.json").status == 404)
        #expect(
            try await fixture.get("metadata/2.root.json").headers["cache-control"] == "no-store")
    }

    @Test("a new publication changes the timestamp's entity tag")
    func changedTag() async throws {
        let (fixture, _, _) = try await published([1, 2, 3])
        let tag = try await fixture.get("metadata/timestamp.json").headers["etag"] ?? ""
        #expect(try await fixture.publish("1.1", sequence: 2, bytes: [4]).status == 201)
        let after = try await fixture.get("metadata/timestamp.json", ["If-None-Match": tag])
        #expect(after.status == 200 && after.headers["etag"] != tag)
    }

    @Test("the entity tag of a target is its digest")
    func targetTag() async throws {
        let (fixture, path, digest) = try await published(Array(repeating: 7, count: 5_000))
        let answer = try await fixture.get(path)
        #expect(answer.headers["etag"] == "\"\(digest)\"")
        #expect(answer.body == Array(repeating: 7, count: 5_000))
        #expect(try await fixture.get(path, ["If-None-Match": "\"\(digest)\""]).status == 304)
    }

    @Test("ranges resume a download, and a changed file is sent whole")
    func ranges() async throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let (fixture, path, digest) = try await published(bytes)
        let part = try await fixture.get(path, ["Range": "bytes=1000-1999"])
        #expect(part.status == 206 && part.body == Array(bytes[1000..<2000]))
        #expect(part.headers["content-range"] == "bytes 1000-1999/100000")
        let rest = try await fixture.get(
            path, ["Range": "bytes=99000-", "If-Range": "\"\(digest)\""])
        #expect(rest.status == 206 && rest.body == Array(bytes[99_000...]))
        let changed = try await fixture.get(
            path, ["Range": "bytes=99000-", "If-Range": "\"other\""])
        #expect(changed.status == 200 && changed.body == bytes)
        let beyond = try await fixture.get(path, ["Range": "bytes=100000-"])
        #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */100000")
        let small = try await fixture.get("metadata/1.root.json", ["Range": "bytes=0-9"])
        #expect(small.status == 206 && small.body.count == 10)
    }

    @Test("HEAD says what GET would, without the body")
    func head() async throws {
        let (fixture, path, _) = try await published(Array(repeating: 7, count: 5_000))
        for path in [path, "metadata/timestamp.json"] {
            let get = try await fixture.get(path)
            let head = try await fixture.http.send("HEAD", fixture.path(path))
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.headers["content-length"] == String(get.body.count))
            #expect(head.headers["etag"] == get.headers["etag"])
        }
    }

    @Test("a precompressed body is sent to those who take it, under a tag of its own")
    func precompressed() async throws {
        let (fixture, _, _) = try await published([1])
        let packed = fixture.folder.file("apps/\(fixture.appKey)/tree-br/metadata/1.root.json")
        try FileManager.default.createDirectory(
            at: packed.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data([0x0B, 0x01, 0x80]).write(to: packed)
        let plain = try await fixture.get("metadata/1.root.json")
        let brotli = try await fixture.get("metadata/1.root.json", ["Accept-Encoding": "gzip, br"])
        #expect(plain.headers["content-encoding"] == nil && plain.body.count > 100)
        #expect(brotli.headers["content-encoding"] == "br" && brotli.body == [0x0B, 0x01, 0x80])
        #expect(brotli.headers["etag"] != plain.headers["etag"])
        #expect(brotli.headers["vary"] == "Accept-Encoding")
        // A range is one of the file as it is.
        let part = try await fixture.get(
            "metadata/1.root.json", ["Accept-Encoding": "br", "Range": "bytes=0-0"])
        #expect(part.status == 206 && part.headers["content-encoding"] == nil)
    }

    @Test("metadata that never changes is compressed when it is published, where that is worth it")
    func compressed() async throws {
        let (fixture, _, _) = try await published([1])
        let tree = "\(fixture.folder.path)/apps/\(fixture.appKey)"
        let names = try FileManager.default.contentsOfDirectory(atPath: tree + "/tree/metadata")
        var packed = 0
        for name in names {
            let plain = try await fixture.get("metadata/\(name)")
            let answer = try await fixture.get("metadata/\(name)", ["Accept-Encoding": "br"])
            guard answer.headers["content-encoding"] == "br" else { continue }
            packed += 1
            #expect(name.first?.isNumber == true && answer.body.count < plain.body.count)
            let text = try Brotli.decompress(answer.body, maximumSize: 1 << 20)
            #expect(text == plain.body, "\(name)")
        }
        #expect(packed > 0, "a root has more than a kibibyte: \(names)")
    }

    @Test("nothing outside the tree is served, however it is spelled")
    func traversal() async throws {
        let (fixture, path, _) = try await published([1])
        let key = fixture.appKey
        for path in [
            "metadata/../../app.json", "metadata/..%2f..%2fapp.json", "metadata/%2e%2e/app.json",
            "../\(key)/app.json", "app.json", "freshness.pem", "metadata/../../../../admin-token",
            "targets/..%5c..%5capp.json", "metadata/timestamp.json%00.x",
            "metadata//timestamp.json",
            "targets", "metadata/", "tree/metadata/timestamp.json",
        ] {
            let answer = try await fixture.get(path)
            #expect(answer.status == 404 && answer.code == "not_found", "\(path)")
        }
        // A link in the tree is not followed.
        let link = fixture.folder.file("apps/\(key)/tree/metadata/9.targets.json")
        try FileManager.default.createSymbolicLink(
            atPath: link.path, withDestinationPath: "../../freshness.pem")
        #expect(try await fixture.get("metadata/9.targets.json").status == 404)
        #expect(try await fixture.get(path).status == 200)
    }

    @Test("addresses take only their methods")
    func methods() async throws {
        let fixture = try await ServerFixture()
        #expect(try await fixture.http.send("GET", "/healthz").json["status"] as? String == "ok")
        #expect(try await fixture.http.send("DELETE", "/healthz").status == 405)
        #expect(try await fixture.http.send("PUT", fixture.path("metadata/x.json")).status == 405)
        let answer = try await fixture.http.send("DELETE", "/api/v1/apps")
        #expect(answer.status == 405 && answer.headers["allow"] == "GET, POST, HEAD")
        #expect(try await fixture.http.send("GET", "/").code == "not_found")
        #expect(try await fixture.http.send("GET", "/api/v1/appsx").code == "not_found")
    }
}
