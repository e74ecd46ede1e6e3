import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `patchcli web …` over the real executable.
@Suite("patchcli web")
struct WebCommandTests {
    private let folder: TemporaryDirectory
    private let tool = Tools.builtProducts.appendingPathComponent("patchcli").path

    init() throws {
        folder = try TemporaryDirectory("web")
        for (path, text) in [
            ("site/index.html", "<p>home"), ("site/app.js", "let x = 1"), ("site/.env", "SECRET"),
            ("site/app.js.map", "{}"),
        ] {
            try folder.write(text, to: path)
        }
    }

    @discardableResult
    private func web(_ arguments: String...) throws -> ChildProcess.Result {
        try ChildProcess.run(tool, ["web"] + arguments, in: folder.url)
    }

    private func json(_ result: ChildProcess.Result) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(result.standardOutput.utf8))
        return try #require(object as? [String: Any])
    }

    @Test("a folder is packed, checked, listed and unpacked again")
    func packAndUnpack() throws {
        let packed = try web("pack", "site", "-o", "a.wvb", "--json")
        #expect(packed.status == 0)
        let report = try json(packed)
        #expect(report["entries"] as? Int == 2)
        #expect(report["ignored"] as? [String] == [".env", "app.js.map"])
        let integrity = try #require(report["integrity"] as? String)
        #expect(try web("verify", "a.wvb", "--integrity", integrity).status == 0)
        let listing = try json(web("inspect", "a.wvb", "--json"))
        let entries = try #require(listing["entries"] as? [[String: Any]])
        #expect(entries.compactMap { $0["path"] as? String } == ["/app.js", "/index.html"])
        #expect(try web("unpack", "a.wvb", "-o", "out").status == 0)
        #expect(
            try String(contentsOf: folder.file("out/index.html"), encoding: .utf8) == "<p>home")
        #expect(try web("pack", "out", "-o", "b.wvb").status == 0)
        #expect(
            try Data(contentsOf: folder.file("a.wvb")) == Data(contentsOf: folder.file("b.wvb")))
        let diff = try json(web("diff", "a.wvb", "b.wvb", "--json"))
        #expect(diff["same"] as? Int == 2)
    }

    @Test("nothing is replaced without being told to")
    func overwriting() throws {
        #expect(try web("pack", "site", "-o", "a.wvb").status == 0)
        #expect(try web("pack", "site", "-o", "a.wvb").status == 73)
        #expect(try web("pack", "site", "-o", "a.wvb", "--overwrite").status == 0)
        #expect(try web("unpack", "a.wvb", "-o", "site").status == 65)
        #expect(try web("keygen", "k.pem").status == 0)
        #expect(try web("keygen", "k.pem").status == 73)
    }

    @Test("a signature is made and checked, and one of another archive is refused with exit 4")
    func signing() throws {
        try web("pack", "site", "-o", "a.wvb")
        try folder.write("other", to: "site/index.html")
        try web("pack", "site", "-o", "b.wvb")
        for algorithm in ["ed25519", "ecdsaSecp256r1", "ecdsaSecp384r1"] {
            let key = "\(algorithm).pem"
            #expect(try web("keygen", key, "--algorithm", algorithm).status == 0)
            let mode = try FileManager.default.attributesOfItem(atPath: folder.file(key).path)
            #expect(mode[.posixPermissions] as? Int == 0o600)
            let signed = try json(
                web("sign", "a.wvb", "--key", key, "--algorithm", algorithm, "--json"))
            let signature = try #require(signed["signature"] as? String)
            let verify = [
                "--key", key + ".pub", "--algorithm", algorithm, "--signature", signature,
            ]
            func status(_ file: String) throws -> Int32 {
                try ChildProcess.run(tool, ["web", "verify", file] + verify, in: folder.url).status
            }
            #expect(try status("a.wvb") == 0)
            #expect(try status("b.wvb") == 4)
        }
        #expect(try web("verify", "a.wvb", "--signature", "AAAA").status == 64)
    }

    @Test("a damaged archive ends with 65 and says which entry, a missing one with 66")
    func damage() throws {
        try web("pack", "site", "-o", "a.wvb")
        var bytes = try Data(contentsOf: folder.file("a.wvb"))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: folder.file("a.wvb"))
        let result = try web("verify", "a.wvb", "--json")
        #expect(result.status == 65)
        let error = try #require(try json(result)["error"] as? [String: Any])
        #expect(error["code"] as? String == "bundle_data_checksum")
        #expect((error["message"] as? String)?.contains("/index.html") == true)
        #expect(try web("inspect", "none.wvb").status == 66)
    }

    @Test("an archive is served with ranges, tags and fallback, and the server ends when told")
    func serving() async throws {
        try web("pack", "site", "-o", "a.wvb")
        let server = try ChildProcess(
            tool, ["web", "serve", "a.wvb", "--port", "0", "--spa", "/index.html"], in: folder.url)
        defer { server.kill() }
        try server.waitForOutput("\n")
        let line = server.printed.split(separator: "\n")[0]
        let base = try #require(URL(string: String(line.dropFirst("listening on ".count))))
        func get(_ path: String, _ headers: [String: String] = [:], method: String = "GET")
            async throws -> (HTTPURLResponse, String)
        {
            var request = URLRequest(url: base.appendingPathComponent(path))
            request.httpMethod = method
            request.cachePolicy = .reloadIgnoringLocalCacheData
            headers.forEach { request.setValue($1, forHTTPHeaderField: $0) }
            let (data, response) = try await URLSession.shared.data(for: request)
            return (
                try #require(response as? HTTPURLResponse), String(decoding: data, as: UTF8.self)
            )
        }
        let (page, text) = try await get("")
        #expect(page.statusCode == 200)
        #expect(text == "<p>home")
        #expect(page.value(forHTTPHeaderField: "Content-Type") == "text/html; charset=utf-8")
        let (head, nothing) = try await get("app.js", method: "HEAD")
        #expect(head.value(forHTTPHeaderField: "Content-Length") == "9")
        #expect(nothing.isEmpty)
        let etag = try #require(head.value(forHTTPHeaderField: "ETag"))
        let (part, middle) = try await get("app.js", ["Range": "bytes=4-4"])
        #expect(part.statusCode == 206)
        #expect(middle == "x")
        #expect(try await get("app.js", ["If-None-Match": etag]).0.statusCode == 304)
        #expect(try await get("some/route", ["Accept": "text/html"]).1 == "<p>home")
        #expect(try await get("missing.js").0.statusCode == 404)
        #expect(try await get("", method: "POST").0.statusCode == 405)
        server.terminate()
        #expect(try server.wait().status == 0)
    }
}
