import Foundation
import TUF
import TUFRepository
import Testing

@testable import PatchServer

@Suite struct ConnectionTests {
    @Test("one connection serves many requests, refusals and conditions among them")
    func keepAlive() async throws {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        let tag = try await fixture.get("metadata/timestamp.json").headers["etag"] ?? ""
        let key = fixture.appKey
        let port = fixture.http.port
        let statuses = try await onThread {
            let connection = try RawHTTP.Connection(port: port)
            var statuses: [Int] = []
            let base = "/api/v1/apps/\(key)"
            let requests = [
                "GET \(base)/metadata/timestamp.json HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET \(base)/metadata/timestamp.json HTTP/1.1\r\nHost: a\r\n"
                    + "If-None-Match: \(tag)\r\n\r\n",
                "GET \(base)/metadata/9.root.json HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET \(base)/metadata/1.root.json HTTP/1.1\r\nHost: a\r\n"
                    + "Range: bytes=0-3\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
            ]
            for request in requests {
                _ = connection.write(request)
                statuses.append(connection.read().status)
            }
            return statuses
        }
        #expect(statuses == [200, 304, 404, 206, 200])
    }

    @Test("an upload may come in chunks, and after 'Expect: 100-continue'")
    func chunked() async throws {
        let fixture = try await ServerFixture()
        try fixture.editor.registerBuild(
            fingerprint: ServerFixture.fingerprint, signers: fixture.signers, at: .now)
        let form = Form(metadata: fixture.editor.changes.map { ($0.name, $0.bytes) })
        var body: [UInt8] = []
        for start in stride(from: 0, to: form.encoded().count, by: 700) {
            let piece = form.encoded()[start..<min(start + 700, form.encoded().count)]
            body += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10]
        }
        body += Array("0\r\n\r\n".utf8)
        let answer = try await fixture.http.raw(
            Array(
                ("POST \(fixture.path("releases")) HTTP/1.1\r\nHost: a\r\n"
                    + "Authorization: Bearer \(fixture.token)\r\nTransfer-Encoding: chunked\r\n"
                    + "Content-Type: multipart/form-data; boundary=\(form.boundary)\r\n\r\n").utf8)
                + body)
        #expect(answer.status == 201, "\(answer.text)")
        let again = try await fixture.http.send(
            "POST", fixture.path("releases"),
            [
                "Authorization": "Bearer \(fixture.token)", "Expect": "100-continue",
                "Content-Type": "multipart/form-data; boundary=\(form.boundary)",
            ], body: form.encoded())
        #expect(again.status == 200, "\(again.text)")
    }

    @Test("of many uploads of one version at the same time, one is taken")
    func race() async throws {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        var bodies: [[UInt8]] = []
        for number in 0..<6 {
            var editor = fixture.editor
            let bytes = [UInt8(number)]
            let module = try fixture.release("1.\(number)", sequence: 1, bytes: bytes)
            try editor.setTargets(
                [module], in: fixture.role, signers: fixture.signers, at: .now)
            bodies.append(
                Form(
                    metadata: editor.changes.map { ($0.name, $0.bytes) },
                    targets: [(module.path, bytes)]
                ).encoded())
        }
        let http = fixture.http
        let path = fixture.path("releases")
        let headers = [
            "Authorization": "Bearer \(fixture.token)",
            "Content-Type": "multipart/form-data; boundary=test-boundary",
        ]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for body in bodies {
                group.addTask { try await http.send("POST", path, headers, body: body).status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 201 }.count == 1, "\(statuses)")
        #expect(statuses.filter { $0 == 409 }.count == 5, "\(statuses)")
        let whole = try await RepositoryEditor.load { name in
            let answer = try await fixture.get("metadata/\(name)")
            return answer.status == 200 ? answer.body : nil
        }
        #expect(whole.listedTargets.count == 1)
    }

    @Test("stopping answers who is waiting and then takes nobody")
    func stop() async throws {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        #expect(try await fixture.http.send("GET", "/healthz").status == 200)
        fixture.server.stop()
        await #expect(throws: (any Error).self) {
            try await fixture.http.send("GET", "/healthz")
        }
    }

    /// Blocking work on a thread of its own.
    private func onThread<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}
