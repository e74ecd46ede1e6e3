import Foundation
import TUF
import TUFRepository
import Testing

@testable import PatchServer

@Suite struct LimitTests {
    @Test("duplicate framing fields are refused and the connection is closed")
    func smuggling() async throws {
        let fixture = try await ServerFixture()
        let cases = [
            ("Content-Length: 5\r\nContent-Length: 6\r\n", "duplicate_content_length"),
            ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "ambiguous_framing"),
            ("Content-Length: 5\r\nHost: other\r\n", "duplicate_host"),
            ("Content-Length : 5\r\n", "bad_header"),
            ("Content-Length: 0x5\r\n", "bad_content_length"),
        ]
        for (fields, code) in cases {
            let answer = try await fixture.http.raw(
                Array(
                    ("POST /api/v1/apps HTTP/1.1\r\nHost: a\r\n\(fields)\r\nhello"
                        + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n").utf8))
            // The library itself refuses some spellings, without a document.
            #expect(answer.status == 400, "\(fields)")
            #expect(answer.code == code || answer.code == nil, "\(fields): \(answer.text)")
            #expect(answer.headers["connection"]?.lowercased() == "close", "\(fields)")
        }
    }

    @Test("a header beyond the limit is refused")
    func longHeader() async throws {
        let fixture = try await ServerFixture()
        let long = String(repeating: "a", count: 64 << 10)
        #expect(try await fixture.http.send("GET", "/healthz", ["X": long]).status == 431)
        let path = "/" + String(repeating: "a", count: 64 << 10)
        #expect([413, 414, 431].contains(try await fixture.http.send("GET", path).status))
    }

    @Test("a body beyond the limit is refused by its announced size, before it is sent")
    func announcedSize() async throws {
        let fixture = try await ServerFixture()
        let answer = try await fixture.http.raw(
            Array(
                ("POST \(fixture.path("releases")) HTTP/1.1\r\nHost: a\r\n"
                    + "Authorization: Bearer \(fixture.token)\r\nContent-Length: 999999999\r\n"
                    + "Content-Type: multipart/form-data; boundary=b\r\n\r\n").utf8))
        #expect(answer.status == 413 && answer.code == "too_large")
    }

    @Test("a chunked body beyond the limit is cut off while it comes in")
    func chunkedSize() async throws {
        let fixture = try await ServerFixture()
        let admin = AppStore.readToken(fixture.server.adminTokenFile) ?? ""
        let connection = try RawHTTP.Connection(port: fixture.http.port)
        _ = connection.write(
            "POST /api/v1/apps HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(admin)\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n")
        let chunk =
            Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x10000)
            + Array("\r\n".utf8)
        var sent = 0
        while sent < 64 << 20, connection.write(chunk) { sent += chunk.count }
        #expect(sent < 64 << 20, "the server read on without end")
    }

    @Test("metadata and heads beyond their limits are refused")
    func partSizes() async throws {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        let large = [UInt8](repeating: 0x20, count: (1 << 20) + 1)
        #expect(
            try await fixture.post(Form(metadata: [("2.targets.json", large)])).code == "too_large")
        let path = "heads/production/module/\(fixture.fp16).json"
        let head = [UInt8](repeating: 0x20, count: ReleaseRules.largestHead + 1)
        try fixture.editor.setTargets(
            [TargetFile(path: path, contents: head)], in: fixture.role, signers: fixture.signers,
            at: .now)
        #expect(try await fixture.upload(targets: [(path, head)]).code == "too_large")
    }

    @Test("a client that sends its header byte by byte is cut off, and others are served")
    func slowHeader() async throws {
        var limits = ServerLimits.patient
        limits.headerSeconds = 2
        let fixture = try await ServerFixture(limits: limits)
        let slow = try (0..<20).map { _ in try RawHTTP.Connection(port: fixture.http.port) }
        let deadline = Date().addingTimeInterval(1_200)
        var open = Set(slow.indices)
        var served = 0
        while !open.isEmpty, Date() < deadline {
            for index in open where !slow[index].write("x") { open.remove(index) }
            if await isServed(fixture) { served += 1 }
            try await Task.sleep(nanoseconds: 100_000_000)
        }
        #expect(open.isEmpty, "\(open.count) slow connections are still held")
        while served == 0, Date() < deadline { if await isServed(fixture) { served += 1 } }
        #expect(served > 0)
    }

    /// On a busy machine this client too may be slower than the limit, and is cut off.
    private func isServed(_ fixture: ServerFixture) async -> Bool {
        (try? await fixture.http.send("GET", "/healthz"))?.status == 200
    }

    @Test("a client that sends its body slower than the slowest rate is cut off")
    func slowBody() async throws {
        var limits = ServerLimits.patient
        limits.transferSeconds = 1
        let fixture = try await ServerFixture(limits: limits)
        let slow = try RawHTTP.Connection(port: fixture.http.port)
        _ = slow.write(
            "POST \(fixture.path("releases")) HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n"
                + "Authorization: Bearer \(fixture.token)\r\n"
                + "Content-Type: multipart/form-data; boundary=b\r\n\r\n")
        let deadline = Date().addingTimeInterval(1_200)
        while slow.write("x"), Date() < deadline { try await Task.sleep(nanoseconds: 100_000_000) }
        #expect(Date() < deadline)
    }

    @Test("a bucket lets a burst through, then one at a time")
    func bucket() {
        let time = Clock()
        let limiter = RateLimiter(capacity: 3, perMinute: 60, now: { time.now })
        for _ in 0..<3 { #expect(limiter.delay(for: "a") == nil) }
        #expect(limiter.delay(for: "a") == 1)
        #expect(limiter.delay(for: "b") == nil)
        time.now += 1_000_000_000
        #expect(limiter.delay(for: "a") == nil && limiter.delay(for: "a") != nil)
        for address in 0..<20_000 { _ = limiter.delay(for: "\(address)") }
    }

    private final class Clock: @unchecked Sendable {
        // Unchecked: used by one test on one thread.
        var now: UInt64 = 0
    }
}

@Suite struct LifeTests {
    @Test("two servers over one folder: the second one is refused")
    func exclusive() async throws {
        let fixture = try await ServerFixture()
        #expect(throws: APIError.self) {
            try PatchServer(
                configuration: .init(dataFolder: fixture.folder.path),
                log: ServerLog(write: { _ in }))
        }
    }

    @Test("S04: freshness is signed anew at half of its life, and only then")
    func renewal() async throws {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        fixture.server.stop()
        func timestamp(after days: Double) async throws -> (version: Int, expires: MetadataTime) {
            let now: @Sendable () -> Date = { Date().addingTimeInterval(days * 86_400) }
            let apps = try AppStore(
                layout: DataLayout(root: fixture.folder.path), clock: now)
            let service = ReleaseService(
                apps: apps, log: ServerLog(write: { _ in }), clock: now, checkpoint: { _ in })
            await service.refreshAll()
            let file = fixture.folder.file("apps/\(fixture.appKey)/tree/metadata/timestamp.json")
            let document = try SignedMetadata<Timestamp>(
                parsing: [UInt8](try Data(contentsOf: file)))
            return (document.signed.version, document.signed.expires)
        }
        let first = try await timestamp(after: 0)
        #expect(try await timestamp(after: 3).version == first.version)
        let renewed = try await timestamp(after: 4)
        #expect(renewed.version == first.version + 1 && renewed.expires > first.expires)
    }

    @Test("an interrupted publication is finished by the next start, an uncommitted one forgotten")
    func recovery() async throws {
        for step in PublishStep.allCases {
            let fixture = try await ServerFixture()
            try await fixture.publishBuild()
            let before = try await fixture.get("metadata/timestamp.json").body
            fixture.server.stop()
            let layout = DataLayout(root: fixture.folder.path)
            let apps = try AppStore(layout: layout)
            let record = try #require(try apps.app(fixture.appKey))
            let publication = Publication(
                files: apps.files, app: "apps/\(fixture.appKey)", checkpoint: { _ in })
            let stopped = StoppedPublication(publication: publication, at: step)
            let module = try fixture.release("1.0", sequence: 1, bytes: [1])
            let key = try apps.freshnessKey(record.appKey)
            var editor = try await RepositoryEditor.load { name in
                try apps.files.read(
                    "apps/\(record.appKey)/tree/metadata/\(name)", maximumSize: 1 << 20)
            }
            try editor.setTargets([module], in: fixture.role, signers: fixture.signers, at: .now)
            try editor.signFreshness(signers: [TUFSigner(key)], at: .now)
            try apps.files.writeAtomically([1], to: "apps/\(record.appKey)/incoming/x/0")
            try stopped.run(
                targets: [
                    (
                        "apps/\(record.appKey)/incoming/x/0",
                        try module.filePath(consistentSnapshot: true)
                    )
                ],
                metadata: editor.changes.map { .init(name: $0.name, bytes: $0.bytes) })
            let again = try PatchServer(
                configuration: .init(dataFolder: fixture.folder.path),
                log: ServerLog(write: { _ in }))
            let http = RawHTTP(port: UInt16(try again.start().split(separator: ":")[2]) ?? 0)
            defer { again.stop() }
            let after = try await http.send("GET", fixture.path("metadata/timestamp.json")).body
            let place = try module.filePath(consistentSnapshot: true)
            let target = try await http.send("GET", fixture.path("targets/\(place)")).status
            if step == .staged {
                #expect(after == before && target == 404, "\(step)")
            } else {
                #expect(after != before && target == 200, "\(step)")
            }
            // Either way the tree verifies as a whole.
            let whole = try await RepositoryEditor.load { name in
                let answer = try await http.send("GET", fixture.path("metadata/\(name)"))
                return answer.status == 200 ? answer.body : nil
            }
            #expect(whole.timestamp != nil, "\(step)")
        }
    }
}

/// A publication that ends at a step as if the process had died there.
private struct StoppedPublication {
    let publication: Publication
    let at: PublishStep

    private struct Died: Error {}

    func run(
        targets: [(file: String, place: String)], metadata: [Publication.File]
    ) throws {
        let step = at
        let stopping = Publication(
            files: publication.files, app: publication.app,
            checkpoint: { if $0 == step { throw Died() } })
        do {
            try stopping.run(targets: targets, metadata: metadata)
        } catch is Died {}
    }
}
