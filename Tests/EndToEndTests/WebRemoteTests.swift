import Foundation
import TestSupport
import Testing

/// The remote that `patchcli web serve-remote` is, against a client of another origin and against
/// our own.
@Suite("patchcli web serve-remote")
struct WebRemoteTests {
    private let folder: TemporaryDirectory
    private let tool = Tools.builtProducts.appendingPathComponent("patchcli").path

    init() throws {
        folder = try TemporaryDirectory("web-remote")
        for version in ["1.0.0", "1.1.0"] {
            try folder.write("version \(version)", to: "site/index.html")
            try check(web("pack", "site", "-o", "\(version).wvb"))
        }
    }

    private func web(_ arguments: String...) throws -> ChildProcess.Result {
        try ChildProcess.run(tool, ["web"] + arguments, in: folder.url)
    }

    private func check(_ result: ChildProcess.Result) throws {
        try #require(result.status == 0, "\(result.standardError)")
    }

    /// Publishes both versions, signed; 1.0.0 is deployed, 1.1.0 in the channel beta.
    private func publish() throws {
        try check(web("keygen", "key.pem"))
        try check(
            web(
                "upload", "1.0.0.wvb", "--remote", "remote", "--name", "app", "--bundle-version",
                "1.0.0", "--key", "key.pem", "--deploy"))
        try check(
            web(
                "upload", "1.1.0.wvb", "--remote", "remote", "--name", "app", "--bundle-version",
                "1.1.0", "--key", "key.pem", "--deploy", "--channel", "be ta"))
    }

    private func serve(_ arguments: String...) throws -> (ChildProcess, String) {
        let server = try ChildProcess(
            tool, ["web", "serve-remote", "remote", "--port", "0"] + arguments, in: folder.url)
        try server.waitForOutput("\n")
        let line = server.printed.split(separator: "\n")[0]
        return (server, String(line.dropFirst("listening on ".count)))
    }

    // The contract from the other side: requests, statuses and headers as documented.
    private static let client = """
        import base64, hashlib, json, sys, urllib.error, urllib.request
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
        base, key = sys.argv[1], load_pem_public_key(open(sys.argv[2], "rb").read())

        def get(path, method="GET", **headers):
            request = urllib.request.Request(base + path, method=method, headers=headers)
            try:
                answer = urllib.request.urlopen(request)
            except urllib.error.HTTPError as error:
                answer = error
            return answer.status, answer.headers, answer.read()

        status, headers, body = get("/bundles")
        assert (status, json.loads(body)) == (200, [{"name": "app", "version": "1.0.0"}])
        assert json.loads(get("/bundles?channel=be%20ta")[2])[0]["version"] == "1.1.0"
        assert json.loads(get("/bundles?channel=other")[2])[0]["version"] == "1.0.0"
        status, headers, body = get("/bundles/app")
        assert status == 200 and headers["Content-Type"] == "application/webview-bundle"
        assert headers["Webview-Bundle-Name"] == "app"
        assert headers["Webview-Bundle-Version"] == "1.0.0"
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        assert headers["Webview-Bundle-Integrity"] == "sha256:" + digest
        key.verify(base64.b64decode(headers["Webview-Bundle-Signature"]), ("sha256:" + digest).encode())
        etag = headers["ETag"]
        status, head, nothing = get("/bundles/app", method="HEAD")
        assert status == 200 and nothing == b"" and head["ETag"] == etag
        assert int(head["Content-Length"]) == len(body)
        assert get("/bundles/app", **{"If-None-Match": etag})[0] == 304
        status, part, rest = get("/bundles/app", Range="bytes=10-", **{"If-Range": etag})
        assert status == 206 and rest == body[10:]
        assert part["Content-Range"] == f"bytes 10-{len(body) - 1}/{len(body)}"
        assert get("/bundles/app", Range="bytes=10-", **{"If-Range": '"old"'})[2] == body
        assert get("/bundles/app", Range="bytes=999999-")[0] == 416
        assert get("/bundles/app?channel=be%20ta")[1]["Webview-Bundle-Version"] == "1.1.0"
        assert get("/bundles/app/1.0.0")[2] == body
        assert get("/bundles/app/1.1.0")[0] == 200
        assert get("/bundles/app/0.9.0")[0] == 403
        for path in ["/", "/bundle", "/bundles/nope", "/bundles/..%2f", "/bundles/app/1.0.0/x",
                     "/bundles//", "/bundles/app/../../key.pem"]:
            status, headers, body = get(path)
            assert status in (403, 404), (path, status)
            assert json.loads(body), path
        assert get("/bundles/app", method="POST")[0] == 405
        print("ok")
        """

    @Test("a client of another origin finds the contract as documented")
    func contract() throws {
        try publish()
        let (server, url) = try serve()
        defer { server.kill() }
        let result = try ChildProcess.run(
            Tools.python, ["-c", Self.client, url, folder.file("key.pem.pub").path])
        #expect(result.standardOutput == "ok\n", "\(result.standardError)")
        server.terminate()
        #expect(try server.wait().status == 0)
    }

    @Test("our own client downloads, and fills the folder that an app ships")
    func ownClient() throws {
        try publish()
        let (server, url) = try serve()
        defer { server.kill() }
        try check(web("download", "app", "--endpoint", url, "-o", "got.wvb"))
        #expect(
            try Data(contentsOf: folder.file("got.wvb"))
                == Data(contentsOf: folder.file("1.0.0.wvb")))
        #expect(try web("download", "app", "--endpoint", url, "-o", "got.wvb").status == 73)
        try check(web("download", "app", "--endpoint", url, "-o", "got.wvb", "--overwrite"))
        try check(web("download", "app", "--endpoint", url, "--channel", "be ta"))
        #expect(try web("download", "app", "--endpoint", url, "--channel", "be ta").status == 73)
        #expect(FileManager.default.fileExists(atPath: folder.file("app_1.1.0.wvb").path))
        #expect(try web("download", "nope", "--endpoint", url).status == 69)
        try check(web("builtin", "--endpoint", url, "-o", "bundles"))
        let shipped = try FileManager.default.contentsOfDirectory(
            atPath: folder.file("bundles").path)
        #expect(shipped.sorted() == ["app", "manifest.json"])
        let manifest = try JSONSerialization.jsonObject(
            with: Data(contentsOf: folder.file("bundles/manifest.json")))
        let entries = (manifest as? [String: Any])?["entries"] as? [String: Any]
        let app = entries?["app"] as? [String: Any]
        #expect(app?["currentVersion"] as? String == "1.0.0")
    }

    @Test("deploying moves the pointer; what is not published cannot be deployed")
    func deploying() throws {
        try publish()
        let (server, url) = try serve()
        defer { server.kill() }
        #expect(try web("deploy", "app", "9.9.9", "--remote", "remote").status == 65)
        try check(web("deploy", "app", "1.1.0", "--remote", "remote"))
        try check(web("download", "app", "--endpoint", url, "-o", "got.wvb"))
        #expect(
            try Data(contentsOf: folder.file("got.wvb"))
                == Data(contentsOf: folder.file("1.1.0.wvb")))
    }

    @Test("a published version is not replaced, and bad names and archives are not published")
    func refusals() throws {
        try publish()
        let again = try web(
            "upload", "1.1.0.wvb", "--remote", "remote", "--name", "app", "--bundle-version",
            "1.0.0", "--json")
        #expect(again.status == 65)
        #expect(again.standardOutput.contains("bundle_exists"))
        #expect(
            try web(
                "upload", "1.1.0.wvb", "--remote", "remote", "--name", "../x", "--bundle-version",
                "1.0.0"
            ).status == 65)
        try folder.write("no archive", to: "bad.wvb")
        #expect(
            try web(
                "upload", "bad.wvb", "--remote", "remote", "--name", "app", "--bundle-version",
                "2.0.0"
            ).status == 65)
    }
}
