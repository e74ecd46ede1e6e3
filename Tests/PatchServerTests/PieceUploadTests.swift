import Foundation
import PatchCrypto
import TUF
import TUFRepository
import TestSupport
import Testing

@testable import PatchServer

@Suite struct PieceUploadTests {
    private func piece(
        _ fixture: ServerFixture, _ id: String, at offset: Int, _ bytes: [UInt8]
    ) async throws -> RawHTTP.Answer {
        try await fixture.http.send(
            "PATCH", fixture.path("uploads/\(id)"),
            fixture.bearer.merging(["Upload-Offset": "\(offset)"]) { $1 }, body: bytes)
    }

    @Test("a target comes in pieces, goes on where it was cut off, and is published by its id")
    func pieces() async throws {
        var settings = APISettings()
        // It asks until the server has noticed the end of a connection.
        settings.changesPerMinute = 1_000_000
        // A client that went away is noticed at the latest when it has been silent this long.
        var limits = ServerLimits.patient
        limits.idleSeconds = 5
        let fixture = try await ServerFixture(limits: limits, settings: settings)
        try await fixture.publishBuild()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let module = try fixture.release("1.0", sequence: 1, bytes: bytes)
        let begun = try await fixture.call(
            "POST", "uploads", ["path": module.path, "size": bytes.count])
        let id = try #require(begun.json["id"] as? String, "\(begun.text)")
        let first = try await piece(fixture, id, at: 0, Array(bytes[..<100_000]))
        #expect(first.status == 204 && first.headers["upload-offset"] == "100000")
        // A client that is cut off in the middle of a piece asks how far it came.
        let connection = try RawHTTP.Connection(port: fixture.http.port)
        _ = connection.write(
            Array(
                ("PATCH \(fixture.path("uploads/\(id)")) HTTP/1.1\r\nHost: a\r\n"
                    + "Authorization: Bearer \(fixture.token)\r\nUpload-Offset: 100000\r\n"
                    + "Content-Length: 100000\r\n\r\n").utf8) + bytes[100_000..<150_000])
        _ = shutdown(connection.descriptor, Int32(SHUT_RDWR))
        var offset = 0
        for _ in 0..<20_000 {
            let answer = try await fixture.call("GET", "uploads/\(id)")
            offset = answer.json["offset"] as? Int ?? 0
            let probe = try await piece(fixture, id, at: offset, [])
            if probe.status == 204 { break }
            try await Task.sleep(nanoseconds: 50_000_000)
        }
        #expect((100_000...150_000).contains(offset))
        let wrong = try await piece(fixture, id, at: offset + 1, [1])
        #expect(wrong.code == "wrong_offset")
        let head = try fixture.head(1, stable: bytes)
        try fixture.editor.setTargets(
            [module, head.file], in: fixture.role, signers: fixture.signers, at: .now)
        var form = Form(
            metadata: fixture.editor.changes.map { ($0.name, $0.bytes) },
            targets: [(head.file.path, head.bytes)])
        form.parts.append(("uploaded", module.path, Array(id.utf8)))
        #expect(try await fixture.post(form).code == "upload_incomplete")
        #expect(try await piece(fixture, id, at: offset, Array(bytes[offset...])).status == 204)
        #expect(try await piece(fixture, id, at: bytes.count, [1]).status == 413)
        let answer = try await fixture.post(form)
        #expect(answer.status == 201, "\(answer.text)")
        let place = try module.filePath(consistentSnapshot: true)
        #expect(try await fixture.get("targets/\(place)").body == bytes)
        #expect(try await fixture.call("GET", "uploads/\(id)").status == 404)
    }

    @Test("uploads are bounded in size, number and time, and belong to their app")
    func bounds() async throws {
        let fixture = try await ServerFixture()
        let path = "modules/x/1.wasm"
        for (document, status) in [
            (["path": path, "size": -1] as [String: Any], 400),
            (["path": path, "size": 1 << 40], 413), (["path": "../x", "size": 1], 400),
            (["path": "", "size": 1], 400), (["path": path, "size": "1"], 400),
        ] {
            let answer = try await fixture.call("POST", "uploads", document)
            #expect(answer.status == status, "\(document): \(answer.text)")
        }
        let begun = try await fixture.call("POST", "uploads", ["path": path, "size": 10])
        let id = begun.json["id"] as? String ?? ""
        for header in ["x", "-1", "1", ""] {
            let answer = try await fixture.http.send(
                "PATCH", fixture.path("uploads/\(id)"),
                fixture.bearer.merging(["Upload-Offset": header]) { $1 }, body: [1])
            #expect([400, 409].contains(answer.status), "\(header): \(answer.text)")
        }
        fixture.clock.advance(by: 86_401)
        #expect(try await piece(fixture, id, at: 0, [1]).status == 404)
    }

    @Test("an app beyond its quota publishes no more until it may")
    func quota() async throws {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        let admin = AppStore.readToken(fixture.server.adminTokenFile) ?? ""
        func setQuota(_ bytes: Int) async throws -> Int {
            try await fixture.http.send(
                "PATCH", "/api/v1/apps/\(fixture.appKey)", ["Authorization": "Bearer \(admin)"],
                body: Array(#"{"quota_bytes":\#(bytes)}"#.utf8)
            ).status
        }
        #expect(try await setQuota(10) == 200)
        let refused = try await fixture.publish("1.0", sequence: 1, bytes: [1, 2, 3])
        #expect(refused.status == 413 && refused.code == "quota_exceeded", "\(refused.text)")
        #expect(try await setQuota(1 << 30) == 200)
        #expect(try await fixture.upload().status == 422)
        #expect(try await fixture.publish("1.0", sequence: 1, bytes: [1, 2, 3]).status == 201)
    }

    @Test("a publication that builds on an older state is refused under If-Match")
    func ifMatch() async throws {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        let list = try await fixture.call("GET", "releases")
        let tag = try #require(list.headers["etag"])
        let form = Form(metadata: [])
        func post(_ tag: String) async throws -> RawHTTP.Answer {
            try await fixture.http.send(
                "POST", fixture.path("releases"),
                fixture.bearer.merging(
                    [
                        "If-Match": tag,
                        "Content-Type": "multipart/form-data; boundary=\(form.boundary)",
                    ]) { $1 }, body: form.encoded())
        }
        #expect(try await post(tag).status == 200)
        #expect(try await post("\"99\"").code == "changed_meanwhile")
        #expect(try await post("nonsense").code == "bad_if_match")
    }
}
