import Foundation
import PatchCrypto
import PatchPlatform
import TestSupport
import Testing

@testable import WebViewBundle

/// The client against a server of another origin, and against what a bad one can do.
@Suite("Updates from a remote")
struct UpdaterTests {
    private let server: TestRemote
    private let app: TestApp

    init() throws {
        server = try TestRemote()
        app = try TestApp(builtin: ["1.0.0": page("1.0.0")])
    }

    private func updater(
        policy: IntegrityPolicy = .strict, signature: SignatureVerifierOptions? = nil,
        channel: String? = nil, options: (inout RemoteOptions) -> Void = { _ in }
    ) throws -> Updater {
        try Updater(
            source: app.source, remote: server.remote(options), channel: channel,
            integrityPolicy: policy, signatureVerifier: signature)
    }

    // MARK: The cycle

    @Test("check, download, install: the new page is served, with the metadata of the remote")
    func cycle() async throws {
        let updater = try updater()
        try server.publish("app", "1.1.0", page("1.1.0"))
        let info = try await updater.getUpdate(bundleName: "app")
        #expect(info.isAvailable && info.version == "1.1.0" && info.localVersion == "1.0.0")
        let downloaded = try await updater.downloadUpdate(
            bundleName: "app", version: info.version)
        #expect(downloaded.version == "1.1.0")
        #expect(shown(app.source) == "version 1.0.0")
        try await updater.install(bundleName: "app", version: info.version)
        #expect(shown(app.source) == "version 1.1.0")
        #expect(app.source.metadata(.remote, "app", "1.1.0") == info.metadata)
        #expect(try await !updater.getUpdate(bundleName: "app").isAvailable)
        #expect(app.leftOvers().isEmpty)
        #expect(
            server.requests().map { $0.trimmingCharacters(in: .whitespaces) } == [
                "HEAD /bundles/app", "GET /bundles/app/1.1.0", "HEAD /bundles/app",
            ])
    }

    @Test("the list of a remote and its channels are those of the contract")
    func channels() async throws {
        try server.publish("app", "1.1.0", page("1.1.0"))
        try server.publish("app", "2.0.0-beta", page("2.0.0-beta"), channel: "be ta&x=1")
        let beta = try updater(channel: "be ta&x=1")
        #expect(
            try await beta.listRemotes()
                == [RemoteBundleListing(name: "app", version: "2.0.0-beta")])
        #expect(try await beta.getUpdate(bundleName: "app").version == "2.0.0-beta")
        #expect(try await updater().listRemotes()[0].version == "1.1.0")
        #expect(server.requests().first?.hasPrefix("GET /bundles?channel=be%20ta%26x%3D1") == true)
        let info = try await beta.downloadUpdate(bundleName: "app")
        #expect(info.version == "2.0.0-beta")
    }

    @Test("a remote that gives out deployed versions only still updates")
    func deployedOnly() async throws {
        try server.publish("app", "1.1.0", page("1.1.0"))
        server.fault = ["forbidExact": true]
        try server.save()
        let info = try await updater().downloadUpdate(bundleName: "app", version: "1.1.0")
        #expect(info.version == "1.1.0")
        #expect(
            await failure {
                _ = try await updater().downloadUpdate(bundleName: "app", version: "1.2.0")
            } == "remote_forbidden")
    }

    @Test("a version taken back here is not offered again, a later one is")
    func rejected() async throws {
        let updater = try updater()
        try server.publish("app", "1.1.0", page("1.1.0"))
        _ = try await updater.downloadUpdate(bundleName: "app")
        try await updater.install(bundleName: "app", version: "1.1.0")
        try app.source.revert("app")
        #expect(shown(app.source) == "version 1.0.0")
        #expect(try await !updater.getUpdate(bundleName: "app").isAvailable)
        try server.publish("app", "1.1.1", page("1.1.1"))
        #expect(try await updater.getUpdate(bundleName: "app").isAvailable)
    }

    // MARK: A server that lies

    @Test(
        "an answer for another bundle or version than asked for is refused",
        arguments: [
            (["Webview-Bundle-Name": "other"], "remote_answered_for_another_bundle"),
            (["Webview-Bundle-Version": "9.9.9"], "remote_answered_for_another_bundle"),
            (["Webview-Bundle-Version": ""], "remote_answer_malformed"),
            (["Webview-Bundle-Name": ""], "remote_answer_malformed"),
            (["Webview-Bundle-Integrity": "sha256:AAAA"], "integrity_malformed"),
        ] as [([String: String], String)])
    func wrongHeaders(headers: [String: String], code: String) async throws {
        try server.publish("app", "1.1.0", page("1.1.0"))
        server.fault = ["headers": headers]
        try server.save()
        let updater = try updater()
        #expect(
            await failure {
                _ = try await updater.downloadUpdate(bundleName: "app", version: "1.1.0")
            } == code)
        #expect(app.remoteFiles().isEmpty && app.leftOvers().isEmpty)
    }

    @Test("a version that would climb out of the folder is refused")
    func climbingVersion() async throws {
        try server.publish("app", "1.1.0", page("1.1.0"))
        server.fault = ["headers": ["Webview-Bundle-Version": "../../x"]]
        try server.save()
        let updater = try updater()
        #expect(
            await failure { _ = try await updater.downloadUpdate(bundleName: "app") }
                == "bundle_version_refused")
    }

    @Test("a stripped integrity header is refused unless the app allows it")
    func strippedIntegrity() async throws {
        try server.publish("app", "1.1.0", page("1.1.0"), integrity: nil)
        let strict = try updater()
        #expect(
            await failure { _ = try await strict.downloadUpdate(bundleName: "app") }
                == "integrity_missing")
        let optional = try updater(policy: .optional)
        #expect(await failure { _ = try await optional.downloadUpdate(bundleName: "app") } == nil)
    }

    @Test("bytes that differ from their integrity string are refused and not kept")
    func flippedByte() async throws {
        try server.publish("app", "1.1.0", page("1.1.0"))
        for position in [0, 20, -1] {
            server.fault = ["flip": position]
            try server.save()
            let updater = try updater()
            #expect(
                await failure { _ = try await updater.downloadUpdate(bundleName: "app") }
                    == "integrity_mismatch")
        }
        #expect(app.remoteFiles().isEmpty && app.leftOvers().isEmpty)
    }

    @Test("bytes that are right by their digest but no bundle are refused")
    func noBundle() async throws {
        let garbage = Array("garbage".utf8)
        try server.publish("app", "1.1.0", garbage)
        let updater = try updater()
        #expect(
            await failure { _ = try await updater.downloadUpdate(bundleName: "app") }
                == "remote_bundle_malformed")
        #expect(app.remoteFiles().isEmpty && app.leftOvers().isEmpty)
    }

    @Test("signatures: right, missing, of another bundle, and checked before the bytes are fetched")
    func signatures() async throws {
        let key = try SigningKey.generate(.p256)
        let signer = try BundleSigner(.ecdsaSecp256r1, key: key)
        let options = SignatureVerifierOptions(
            algorithm: .ecdsaSecp256r1,
            key: .init(format: .spkiPem, pem: key.publicKey.pemRepresentation))
        let bytes = try page("1.1.0")
        let right = try signer.sign(integrity: Integrity(of: bytes))
        let other = try signer.sign(integrity: Integrity(of: page("1.0.9")))
        let updater = try updater(policy: .none, signature: options)
        for (signature, code) in [
            (nil, "signature_missing"), (other, "signature_invalid"), (right, nil),
        ] as [(String?, String?)] {
            try server.publish("app", "1.1.0", bytes, signature: signature)
            #expect(
                await failure { _ = try await updater.downloadUpdate(bundleName: "app") } == code)
        }
        try server.publish("app", "1.1.0", bytes, integrity: nil, signature: right)
        #expect(
            await failure { _ = try await updater.downloadUpdate(bundleName: "app") }
                == "integrity_missing", "no policy turns the digest check of a signature off")
        do {
            try server.publish("app", "1.1.0", bytes, signature: other)
            _ = try await updater.downloadUpdate(bundleName: "app")
            Issue.record("accepted")
        } catch WebViewBundle.Error.Signature(let message) {
            #expect(message.contains("signature_invalid"))
        }
    }

    @Test("a lower version is refused, however well it is signed")
    func downgrade() async throws {
        try server.publish("app", "0.9.0", page("0.9.0"))
        let updater = try updater()
        #expect(try await !updater.getUpdate(bundleName: "app").isAvailable)
        for version in ["0.9.0", nil] {
            #expect(
                await failure {
                    _ = try await updater.downloadUpdate(bundleName: "app", version: version)
                } == "downgrade_refused")
        }
        try app.source.writeRemoteBundle(
            "app", "0.9.0", data: page("0.9.0"),
            metadata: BundleMetadata(integrity: Integrity(of: page("0.9.0")).description))
        #expect(
            await failure { try await updater.install(bundleName: "app", version: "0.9.0") }
                == "downgrade_refused")
    }

    @Test("what was changed on disk after the download is not installed")
    func changedOnDisk() async throws {
        try server.publish("app", "1.1.0", page("1.1.0"))
        let updater = try updater()
        _ = try await updater.downloadUpdate(bundleName: "app")
        try Data(page("evil")).write(to: app.folder.file("remote/app/app_1.1.0.wvb"))
        #expect(
            await failure { try await updater.install(bundleName: "app", version: "1.1.0") }
                == "integrity_mismatch")
        #expect(shown(app.source) == "version 1.0.0")
        #expect(
            await failure { try await updater.install(bundleName: "app", version: "1.2.0") }
                == "bundle_version_not_found")
    }

    @Test("a redirect to another host is not followed")
    func redirect() async throws {
        let other = try TestRemote()
        try other.publish("app", "1.1.0", page("1.1.0"))
        try server.publish("app", "1.1.0", page("1.1.0"))
        server.fault = ["redirect": other.endpoint]
        try server.save()
        let updater = try updater()
        #expect(
            await failure { _ = try await updater.downloadUpdate(bundleName: "app") }
                == "remote_unreachable")
        #expect(other.requests().isEmpty)
    }

    @Test(
        "every status says what it means",
        arguments: [
            (403, "remote_forbidden"), (404, "remote_bundle_not_found"), (500, "remote_refused"),
            (401, "remote_refused"), (204, "remote_answer_malformed"),
        ])
    func statuses(status: Int, code: String) async throws {
        server.fault = ["status": status, "message": "maintenance"]
        try server.save()
        let updater = try updater()
        do {
            _ = try await updater.downloadUpdate(bundleName: "app")
            Issue.record("accepted")
        } catch let error as WebViewBundle.Error {
            #expect(error.code == code)
            if status >= 500 { #expect(error.message.contains("maintenance")) }
        }
    }

    @Test("a list that is none, and a server that is not there, are errors with words")
    func badLists() async throws {
        server.fault = ["list": "{"]
        try server.save()
        let updater = try updater()
        #expect(
            await failure { _ = try await updater.listRemotes() } == "remote_answer_malformed")
        let nowhere = try Updater(
            source: app.source, remote: Remote(endpoint: "http://127.0.0.1:\(Tools.freePort())"))
        #expect(await failure { _ = try await nowhere.listRemotes() } == "remote_unreachable")
    }

    // MARK: Bad lines

    @Test("a download cut at every tenth goes on where it ended")
    func resume() async throws {
        let bytes = try page("1.1.0", padding: 200_000)
        try server.publish("app", "1.1.0", bytes)
        let updater = try updater()
        for tenth in 1...9 {
            server.fault = ["cut": bytes.count * tenth / 10]
            try server.save()
            #expect(
                await failure { _ = try await updater.downloadUpdate(bundleName: "app") }
                    == "remote_unreachable")
            #expect(app.remoteFiles().isEmpty)
            #expect(app.leftOvers() == ["app.json", "app.part"])
        }
        // A process that was killed while it wrote down what the part is.
        try app.folder.write("{", to: "remote/.incoming/app.json.4000000-2.tmp")
        server.fault = [:]
        try server.save()
        server.forgetRequests()
        _ = try await updater.downloadUpdate(bundleName: "app")
        let line = try #require(server.requests().first)
        let start = try #require(Int(line.split(separator: "=").last?.dropLast() ?? ""))
        #expect(start >= bytes.count * 8 / 10, "\(line)")
        try await updater.install(bundleName: "app", version: "1.1.0")
        #expect(try app.source.fetchBundle("app").contents(at: "/noise.bin").count == 200_000)
        #expect(app.leftOvers().isEmpty)
    }

    @Test("a part of another version, or of a server without ranges, is not gone on with")
    func staleParts() async throws {
        let updater = try updater()
        let bytes = try page("1.1.0", padding: 100_000)
        try server.publish("app", "1.1.0", bytes)
        server.fault = ["cut": 50_000]
        try server.save()
        _ = await failure { _ = try await updater.downloadUpdate(bundleName: "app") }
        #expect(!app.leftOvers().isEmpty)
        server.fault = ["noRanges": true]
        try server.publish("app", "1.2.0", page("1.2.0", padding: 90_000))
        let info = try await updater.downloadUpdate(bundleName: "app")
        #expect(info.version == "1.2.0")
        try await updater.install(bundleName: "app", version: "1.2.0")
        #expect(shown(app.source) == "version 1.2.0")
    }

    @Test("a part whose bytes were changed on disk is found out and fetched anew")
    func damagedPart() async throws {
        let updater = try updater()
        let bytes = try page("1.1.0", padding: 100_000)
        try server.publish("app", "1.1.0", bytes)
        server.fault = ["cut": 50_000]
        try server.save()
        _ = await failure { _ = try await updater.downloadUpdate(bundleName: "app") }
        let part = app.folder.file("remote/.incoming/app.part")
        var left = try Data(contentsOf: part)
        left[left.count / 2] ^= 1
        try left.write(to: part)
        server.fault = [:]
        try server.save()
        #expect(
            await failure { _ = try await updater.downloadUpdate(bundleName: "app") }
                == "integrity_mismatch")
        #expect(await failure { _ = try await updater.downloadUpdate(bundleName: "app") } == nil)
    }

    @Test("a server that sends a byte now and then runs into the deadline")
    func slowServer() async throws {
        try server.publish("app", "1.1.0", page("1.1.0"))
        server.fault = ["slow": 0.2]
        try server.save()
        let updater = try updater { $0.deadline = 1 }
        #expect(
            await failure { _ = try await updater.downloadUpdate(bundleName: "app") }
                == "remote_unreachable")
    }

    @Test(
        "a bundle above the limit is refused by what is announced, or else by what comes",
        arguments: [true, false])
    func tooLarge(isAnnounced: Bool) async throws {
        try server.publish("app", "1.1.0", page("1.1.0", padding: 50_000))
        if !isAnnounced {
            server.fault = ["noLength": true]
            try server.save()
        }
        let small = try updater { $0.maximumBundleSize = 10_000 }
        #expect(
            await failure { _ = try await small.downloadUpdate(bundleName: "app") }
                == "remote_unreachable")
        #expect(app.remoteFiles().isEmpty)
        let kept = app.leftOvers().compactMap {
            try? Data(contentsOf: app.folder.file("remote/.incoming/" + $0)).count
        }
        #expect(kept.allSatisfy { $0 <= 10_000 })
        let large = try updater()
        #expect(await failure { _ = try await large.downloadUpdate(bundleName: "app") } == nil)
    }

    @Test("one download of a bundle at a time")
    func oneAtATime() async throws {
        try server.publish("app", "1.1.0", page("1.1.0", padding: 50_000))
        let files = LocalFileStore(folder: app.folder.file("remote"))
        let held = try files.lock(".incoming/app.lock", wait: false)
        let updater = try updater()
        #expect(
            await failure { _ = try await updater.downloadUpdate(bundleName: "app") }
                == "download_running")
        held?.release()
        #expect(await failure { _ = try await updater.downloadUpdate(bundleName: "app") } == nil)
    }

    @Test("progress is told up to the last byte")
    func progress() async throws {
        let bytes = try page("1.1.0", padding: 150_000)
        try server.publish("app", "1.1.0", bytes)
        let seen = Lock<[DownloadProgress]>([])
        let updater = try Updater(
            source: app.source, remote: server.remote(),
            onProgress: { progress in seen.withLock { $0.append(progress) } })
        _ = try await updater.downloadUpdate(bundleName: "app")
        let all = seen.withLock { $0 }
        #expect(all.last?.receivedBytes == bytes.count)
        #expect(all.allSatisfy { $0.totalBytes == bytes.count && $0.bundleName == "app" })
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.receivedBytes < $1.receivedBytes })
    }

    // MARK: Addresses

    @Test(
        "an endpoint is https, or http to this machine",
        arguments: [
            ("https://bundles.example.com", true), ("https://example.com/a/b/", true),
            ("http://localhost:8080", true), ("http://127.0.0.1", true), ("http://[::1]:1", true),
            ("http://example.com", false), ("ftp://example.com", false), ("", false),
            ("example.com", false), ("https://", false), ("https://example.com?x=1", false),
            ("http://127.0.0.evil", false), ("http://127.0.0.1.evil.example", false),
        ])
    func endpoints(endpoint: String, isAllowed: Bool) {
        #expect(((try? Remote(endpoint: endpoint)) != nil) == isAllowed)
    }

    @Test("plain http to another machine must be allowed by name")
    func insecure() throws {
        var options = RemoteOptions()
        options.allowsInsecureEndpoint = true
        #expect(
            try Remote(endpoint: "http://example.com/x/", options: options).endpoint
                == "http://example.com/x")
    }
}
