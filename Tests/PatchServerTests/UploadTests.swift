import Foundation
import PatchCrypto
import PatchPlatform
import Rollout
import TUF
import TUFRepository
import Testing

@testable import PatchServer

@Suite struct UploadTests {
    private func ready() async throws -> ServerFixture {
        let fixture = try await ServerFixture()
        try await fixture.publishBuild()
        return fixture
    }

    /// The versions that are published; must not change when an upload is refused.
    private func state(_ fixture: ServerFixture) async throws -> [UInt8] {
        try await fixture.get("metadata/timestamp.json").body
    }

    @Test("a signed release becomes visible to a client that trusts root 1")
    func release() async throws {
        let fixture = try await ready()
        let bytes = Array("module".utf8)
        let answer = try await fixture.publish("1.0", sequence: 1, bytes: bytes)
        #expect(answer.status == 201 && answer.json["created"] as? Bool == true)
        let release = answer.json["release"] as? [String: Any]
        #expect(release?["version"] as? String == "1.0")
        #expect(release?["digest"] as? String == SHA256.hash(bytes).hex)
        let client = try await fixture.client()
        let found = try await client.target("modules/\(fixture.fp16)/1.0.wasm")
        let target = try #require(found)
        let place = try target.filePath(consistentSnapshot: true)
        #expect(try await fixture.get("targets/\(place)").body == bytes)
        let head = try await client.target("heads/production/module/\(fixture.fp16).json")
        #expect(head != nil)
    }

    @Test("I8: sending the same release again changes nothing and says so")
    func idempotent() async throws {
        let fixture = try await ready()
        let bytes: [UInt8] = [1, 2, 3]
        let module = try fixture.release("1.0", sequence: 1, bytes: bytes)
        let head = try fixture.head(1, stable: bytes)
        try fixture.editor.setTargets(
            [module, head.file], in: fixture.role, signers: fixture.signers, at: .now)
        let targets = [(module.path, bytes), (head.file.path, head.bytes)]
        #expect(try await fixture.upload(targets: targets).status == 201)
        let before = try await state(fixture)
        let again = try await fixture.upload(targets: targets)
        #expect(again.status == 200 && again.json["created"] as? Bool == false)
        #expect((again.json["release"] as? [String: Any])?["version"] as? String == "1.0")
        #expect(try await state(fixture) == before)
    }

    @Test("a rollback is a head alone")
    func rollback() async throws {
        let fixture = try await ready()
        #expect(try await fixture.publish("1.0", sequence: 1, bytes: [1]).status == 201)
        #expect(try await fixture.publish("1.1", sequence: 2, bytes: [2]).status == 201)
        let head = try fixture.head(3, stable: [1])
        try fixture.editor.setTargets(
            [head.file], in: fixture.role, signers: fixture.signers, at: .now)
        let answer = try await fixture.upload(targets: [(head.file.path, head.bytes)])
        #expect(answer.status == 201 && answer.json["release"] == nil)
    }

    // MARK: Refusals

    @Test("no token, another app's token and the admin's token publish nothing")
    func tokens() async throws {
        let fixture = try await ready()
        let other = try await ServerFixture()
        let admin = AppStore.readToken(fixture.server.adminTokenFile)
        let before = try await state(fixture)
        for token in ["", "opt_wrong", other.token, admin ?? ""] {
            #expect(try await fixture.upload(token: token).code == "wrong_token")
        }
        let unknown = try await fixture.http.send(
            "POST", "/api/v1/apps/pak_000000000000/releases",
            ["Authorization": "Bearer \(fixture.token)"])
        #expect(unknown.code == "wrong_token")
        #expect(try await state(fixture) == before)
    }

    @Test("guessing at tokens is slowed down")
    func guessing() async throws {
        let time = Lock<UInt64>(0)
        let fixture = try await ServerFixture(monotonicNow: { time.withLock { $0 } })
        try await fixture.publishBuild()
        func guess() async throws -> Int {
            try await fixture.upload(metadata: [], token: "opt_x").status
        }
        for _ in 0..<20 { #expect(try await guess() == 401) }
        #expect(try await guess() == 429)
        // One more every three seconds.
        time.withLock { $0 += 3_000_000_000 }
        #expect(try await guess() == 401)
        #expect(try await guess() == 429)
    }

    @Test("a token is kept as a hash only")
    func hashed() async throws {
        let fixture = try await ready()
        var isKept = false
        for name in ["server.sqlite", "server.sqlite-wal"] {
            let record = try Data(contentsOf: fixture.folder.file(name))
            #expect(record.range(of: Data(fixture.token.utf8)) == nil)
            if record.range(of: Data(SHA256.hash(fixture.token).hex.utf8)) != nil { isKept = true }
        }
        #expect(isKept)
        for secret in [
            "admin-token", "server.sqlite", "server.sqlite-wal", "telemetry.sqlite",
            "apps/\(fixture.appKey)/freshness.pem", "apps/\(fixture.appKey)/ops.pem",
        ] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: fixture.folder.file(secret).path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(secret)")
        }
    }

    private func refused(
        _ fixture: ServerFixture, _ code: String, status: Int = 422,
        _ upload: () async throws -> RawHTTP.Answer
    ) async throws {
        let before = try await state(fixture)
        let answer = try await upload()
        #expect(answer.status == status && answer.code == code, "\(answer.text)")
        #expect(try await state(fixture) == before)
        let folder = fixture.folder.file("apps/\(fixture.appKey)/incoming")
        let left = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left?.isEmpty ?? true, "temporary files stay behind")
    }

    @Test("P63, S18: metadata signed with a key that no shipped build trusts is refused")
    func wrongSignature() async throws {
        let fixture = try await ready()
        let module = try fixture.release("1.0", sequence: 1, bytes: [1])
        try fixture.editor.setTargets(
            [module], in: fixture.role, signers: fixture.signers, at: .now)
        let signed = try #require(fixture.editor.delegated[fixture.role]).signed
        let thief = TUFSigner(try SigningKey.generate())
        let forged = try SignedMetadata(signed, signers: [thief])
        try await refused(fixture, "signatures_insufficient") {
            try await fixture.upload(
                targets: [(module.path, [1])],
                metadata: [("2.\(fixture.role).json", forged.encoded())])
        }
        let name = "2.\(fixture.role).json"
        let real = fixture.editor.changes.first { $0.name == name }?.bytes ?? []
        let tampered = String(decoding: real, as: UTF8.self)
            .replacingOccurrences(of: "\"1.0\"", with: "\"9.9\"")
        #expect(tampered != String(decoding: real, as: UTF8.self))
        try await refused(fixture, "signatures_insufficient") {
            try await fixture.upload(
                targets: [(module.path, [1])], metadata: [(name, Array(tampered.utf8))])
        }
    }

    @Test("a target of another size or digest, a missing and an unlisted one are refused")
    func targets() async throws {
        let fixture = try await ready()
        let module = try fixture.release("1.0", sequence: 1, bytes: [1, 2, 3])
        try fixture.editor.setTargets(
            [module], in: fixture.role, signers: fixture.signers, at: .now)
        try await refused(fixture, "target_length_mismatch") {
            try await fixture.upload(targets: [(module.path, [1, 2])])
        }
        try await refused(fixture, "target_hash_mismatch") {
            try await fixture.upload(targets: [(module.path, [1, 2, 4])])
        }
        try await refused(fixture, "target_missing") { try await fixture.upload() }
        try await refused(fixture, "target_unlisted") {
            try await fixture.upload(targets: [
                (module.path, [1, 2, 3]), ("modules/x/y.wasm", [1]),
            ])
        }
    }

    @Test("versions go up by one; an older or a leaping one is a conflict")
    func versions() async throws {
        let fixture = try await ready()
        let stale = fixture.editor
        #expect(try await fixture.publish("1.0", sequence: 1, bytes: [1]).status == 201)
        let current = fixture.editor
        fixture.editor = stale
        try await refused(fixture, "version_conflict", status: 409) {
            try await fixture.publish("1.1", sequence: 2, bytes: [2])
        }
        fixture.editor = current
        try fixture.editor.setTargets([], in: fixture.role, signers: fixture.signers, at: .now)
        fixture.editor.clearChanges()
        try fixture.editor.setTargets([], in: fixture.role, signers: fixture.signers, at: .now)
        try await refused(fixture, "version_conflict", status: 409) { try await fixture.upload() }
    }

    @Test("P32: a sequence is taken once, a head's number only grows")
    func sequences() async throws {
        let fixture = try await ready()
        #expect(try await fixture.publish("1.0", sequence: 5, bytes: [1]).status == 201)
        let current = fixture.editor
        for sequence in [4, 5] {
            try await refused(fixture, "sequence_taken", status: 409) {
                try await fixture.publish(
                    "1.1", sequence: sequence, bytes: [2], headSequence: 6)
            }
            fixture.editor = current
        }
        for number in [4, 5] {
            try await refused(fixture, "head_conflict", status: 409) {
                try await fixture.publish("1.1", sequence: 6, bytes: [2], headSequence: number)
            }
            fixture.editor = current
        }
        #expect(try await fixture.publish("1.1", sequence: 6, bytes: [2]).status == 201)
    }

    @Test(
        "what devices would refuse is refused",
        arguments: [
            ("wrong_app", "app"), ("fingerprint_mismatch", "fp"), ("version_mismatch", "version"),
            ("bad_release", "raw"), ("bad_release", "custom"),
        ])
    func releaseRules(code: String, what: String) async throws {
        let fixture = try await ready()
        var module = try fixture.release("1.0", sequence: 1, bytes: [1]) { release in
            switch what {
            case "app": release.appID = "00000000-0000-4000-8000-000000000001"
            case "fp": release.fingerprint = String(repeating: "cd", count: 32)
            case "version": release.version = "2.0"
            case "raw": release.raw.sha256 = "xyz"
            default: break
            }
        }
        if what == "version" {
            module = TargetFile(
                path: "modules/\(fixture.fp16)/1.0.wasm", length: module.length,
                hashes: module.hashes, custom: module.custom)
        }
        if what == "custom" { module.custom = ["v": 1] }
        try fixture.editor.setTargets(
            [module], in: fixture.role, signers: fixture.signers, at: .now)
        try await refused(fixture, code) { try await fixture.upload(targets: [(module.path, [1])]) }
    }

    @Test(
        "a delta that is misnamed, leads nowhere or saves nothing is refused",
        arguments: [
            ("bad_delta_path", "name"), ("delta_without_release", "unlisted"),
            ("bad_delta", "large"), ("", "good"),
        ])
    func deltaRules(code: String, what: String) async throws {
        let fixture = try await ready()
        let bytes = [UInt8](repeating: 7, count: 100)
        let digest = SHA256.hash(bytes).hex
        let path =
            "deltas/\(fixture.fp16)/0123abcd-\(what == "name" ? "x" : String(digest.prefix(8)))"
        let delta = [UInt8](repeating: 1, count: what == "large" ? 100 : 20)
        let module = try fixture.release("1.0", sequence: 1, bytes: bytes) { release in
            if what == "unlisted" { return }
            release.deltas = [DeltaReference(from: String(repeating: "0", count: 64), path: path)]
        }
        try fixture.editor.setTargets(
            [module, TargetFile(path: path, contents: delta)], in: fixture.role,
            signers: fixture.signers, at: .now)
        func upload() async throws -> RawHTTP.Answer {
            try await fixture.upload(targets: [(module.path, bytes), (path, delta)])
        }
        if what == "good" {
            #expect(try await upload().status == 201)
        } else {
            try await refused(fixture, code) { try await upload() }
        }
    }

    @Test(
        "S12: heads of another app, channel or build, or without their release, are refused",
        arguments: [
            ("wrong_app", "app"), ("head_mismatch", "channel"), ("head_mismatch", "fp"),
            ("head_without_release", "stable"), ("head_without_release", "candidate"),
            ("bad_head", "json"),
        ])
    func headRules(code: String, what: String) async throws {
        let fixture = try await ready()
        var head = try fixture.head(1, stable: what == "stable" ? [9] : nil) { head in
            switch what {
            case "app": head.appID = "00000000-0000-4000-8000-000000000001"
            case "channel": head.channel = "beta"
            case "fp": head.fingerprint = String(repeating: "cd", count: 32)
            case "candidate":
                head.candidate = Candidate(digest: SHA256.hash([9]).hex, grant: 100, salt: "00")
            default: break
            }
        }
        if what == "json" {
            head.bytes = Array("{}".utf8)
            head.file = TargetFile(path: head.file.path, contents: head.bytes)
        }
        try fixture.editor.setTargets(
            [head.file], in: fixture.role, signers: fixture.signers, at: .now)
        let upload = [(head.file.path, head.bytes)]
        try await refused(fixture, code) { try await fixture.upload(targets: upload) }
    }

    @Test("a root for another app or without the server's freshness key is refused")
    func roots() async throws {
        let stranger = try await ServerFixture(appID: "00000000-0000-4000-8000-000000000001")
        #expect(try await stranger.upload().code == "wrong_app")
        let fixture = try await ServerFixture()
        let other = TUFKey(try SigningKey.generate().publicKey)
        var editor = try RepositoryEditor(
            .init(
                rootKeys: [TUFKey(fixture.rootKey.publicKey)],
                targetsKeys: [TUFKey(fixture.releaseKey.publicKey)], freshnessKeys: [other],
                openPatch: .init(appID: fixture.appID)),
            signers: [TUFSigner(fixture.rootKey)], at: .now)
        try editor.editTargets(signers: fixture.signers, at: .now)
        fixture.editor = editor
        #expect(try await fixture.upload().code == "freshness_key_missing")
        #expect(try await fixture.get("metadata/1.root.json").status == 404)
        let none = try await fixture.upload(metadata: [("1.targets.json", [1])])
        #expect(none.code == "no_root")
    }

    @Test("a next root may rotate the release key, with the roles signed anew")
    func rotation() async throws {
        let fixture = try await ready()
        let next = try SigningKey.generate()
        try fixture.editor.editRoot(signers: [TUFSigner(fixture.rootKey)], at: .now) { root in
            root.setKeys([TUFKey(next.publicKey)], of: .targets)
        }
        try await refused(fixture, "upload_refused") { try await fixture.upload() }
        let signers = [TUFSigner(next)]
        try fixture.editor.registerBuild(
            fingerprint: ServerFixture.fingerprint, signers: signers, at: .now)
        try fixture.editor.editRole(fixture.role, signers: signers, at: .now) { _ in }
        let answer = try await fixture.upload()
        #expect(answer.status == 201, "\(answer.text)")
        let client = try await fixture.client()
        #expect(await client.trusted?.root.signed.version == 2)
    }

    @Test("S06: a later root may not lower its floors")
    func floors() async throws {
        let fixture = try await ready()
        let signer = TUFSigner(fixture.rootKey)
        try fixture.editor.editRoot(signers: [signer], at: .now) {
            $0.openPatch?.minSequence = 5
        }
        #expect(try await fixture.upload().status == 201)
        fixture.editor.clearChanges()
        try fixture.editor.editRoot(signers: [signer], at: .now) {
            $0.openPatch?.minSequence = 4
        }
        try await refused(fixture, "floor_lowered") { try await fixture.upload() }
    }

    @Test(
        "names that are no metadata, repeated or out of place are refused",
        arguments: ["snapshot", "timestamp", "dots", "twice", "slash", "part", "nameless"])
    func names(what: String) async throws {
        let fixture = try await ready()
        var form = Form(metadata: [("2.targets.json", Array("{}".utf8))])
        let expected: String
        switch what {
        case "snapshot":
            (form, expected) = (Form(metadata: [("9.snapshot.json", [1])]), "upload_refused")
        case "timestamp":
            (form, expected) = (Form(metadata: [("timestamp.json", [1])]), "upload_refused")
        case "dots": (form, expected) = (Form(metadata: [("../x.json", [1])]), "bad_metadata_name")
        case "twice":
            form.parts += form.parts
            expected = "bad_metadata_name"
        case "slash":
            (form, expected) = (Form(targets: [("modules/../../x", [1])]), "bad_target_path")
        case "part":
            form.parts = [("other", "x", [1])]
            expected = "unknown_part"
        default:
            form.parts = [("metadata", nil, [1])]
            expected = "malformed_multipart"
        }
        let before = try await state(fixture)
        #expect(try await fixture.post(form).code == expected)
        #expect(try await state(fixture) == before)
    }

    @Test("an upload that is cut off is refused, and nothing of it stays")
    func truncated() async throws {
        let fixture = try await ready()
        let module = try fixture.release("1.0", sequence: 1, bytes: [1, 2, 3])
        try fixture.editor.setTargets(
            [module], in: fixture.role, signers: fixture.signers, at: .now)
        let form = Form(
            metadata: fixture.editor.changes.map { ($0.name, $0.bytes) },
            targets: [(module.path, [1, 2, 3])])
        try await refused(fixture, "truncated_multipart", status: 400) {
            try await fixture.http.send(
                "POST", fixture.path("releases"),
                [
                    "Authorization": "Bearer \(fixture.token)",
                    "Content-Type": "multipart/form-data; boundary=\(form.boundary)",
                ], body: form.encoded(isClosed: false))
        }
        // A client that goes away in the middle.
        let before = try await state(fixture)
        do {
            let connection = try RawHTTP.Connection(port: fixture.http.port)
            _ = connection.write(
                "POST \(fixture.path("releases")) HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n"
                    + "Authorization: Bearer \(fixture.token)\r\n"
                    + "Content-Type: multipart/form-data; boundary=\(form.boundary)\r\n\r\n")
            connection.write(form.encoded(isClosed: false))
        }
        #expect(try await state(fixture) == before)
        #expect(try await fixture.upload(targets: [(module.path, [1, 2, 3])]).status == 201)
    }
}
