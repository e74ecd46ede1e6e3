import Foundation
import Testing
import WebViewBundle

@testable import PatchServer

/// An archive behind the HTTP server. Entries are sent from a temporary file; nothing of that may be
/// seen in the answers.
@Suite("An archive over HTTP")
struct BundleServerTests {
    private let bundle: BundleReader
    private let handler: BundleRequestHandler

    init() throws {
        var builder = BundleBuilder()
        for (path, text) in [
            ("/index.html", "<p>home"), ("/app.js", "let x = 1"), ("/empty.txt", ""),
            ("/grüße.txt", "hello"),
        ] {
            try builder.insertEntry(path, data: Array(text.utf8))
        }
        let bundle = try BundleReader(bytes: try builder.build())
        self.bundle = bundle
        var options = BundleServingOptions()
        options.spaFallback = "/index.html"
        handler = BundleRequestHandler(options: options, lookup: { _ in bundle })
    }

    private struct Answer: Equatable {
        let status: Int
        let headers: [String]
        let body: [UInt8]
    }

    private func ask(_ server: BundleServer, _ request: HTTPRequest) throws -> Answer {
        guard case .respond(let response) = server.plan(for: request) else {
            throw CancellationError()
        }
        var body: [UInt8] = []
        switch response.body {
        case .empty: break
        case .bytes(let bytes): body = bytes
        case .file(let descriptor, let offset, let count):
            defer { close(descriptor) }
            body = [UInt8](repeating: 0, count: Int(count))
            #expect(pread(descriptor, &body, body.count, off_t(offset)) == body.count)
        case .prepared: Issue.record("made before")
        }
        return Answer(
            status: response.status, headers: response.headers.map { "\($0.name): \($0.value)" },
            body: body)
    }

    /// What the handler itself says, as the web views get it.
    private func expected(_ request: HTTPRequest) throws -> Answer {
        let inner = try #require(
            BundleRequest(
                method: request.method, url: "http://bundle" + request.path,
                headers: request.headers.fields.map { HeaderField($0.name, $0.value) }))
        let answer = handler.respond(to: inner, from: bundle)
        return Answer(
            status: answer.status,
            headers: answer.headers.filter { $0.name != "Content-Length" }
                .map { "\($0.name): \($0.value)" }, body: answer.body)
    }

    @Test(
        "answers are those of web views, the first time and later, whatever is kept",
        arguments: [0, 10, 1 << 20])
    func same(keeping: Int) throws {
        let server = BundleServer(bundle, handler, keeping: keeping)
        let plain = try #require(BundleRequest(url: "http://bundle/app.js"))
        let answer = handler.respond(to: plain, from: bundle)
        let tag = try #require(answer.headers.first("ETag"))
        for headers in [
            [:], ["range": "bytes=4-4"], ["range": "bytes=-3"], ["range": "bytes=99-"],
            ["range": "bytes=0-0,2-3"], ["if-none-match": tag], ["if-none-match": "\"other\""],
            ["range": "bytes=1-", "if-range": "\"other\""],
        ] as [[String: String]] {
            var fields = HTTPHeaders()
            for (name, value) in headers { fields.add(name, value) }
            for path in [
                "/", "/app.js", "/%61pp.js", "/empty.txt", "/gr%C3%BC%C3%9Fe.txt", "/a/route",
                "/missing.js", "/index.html",
            ] {
                let request = HTTPRequest(method: "GET", path: path, headers: fields)
                let expected = try expected(request)
                for _ in 0..<3 {
                    #expect(try ask(server, request) == expected, "\(path) \(headers)")
                }
            }
        }
        let post = HTTPRequest(method: "POST", path: "/app.js")
        #expect(try ask(server, post) == expected(post))
    }

    @Test("an entry that is damaged is 500 each time, and others are served")
    func damaged() throws {
        var builder = BundleBuilder()
        try builder.insertEntry("/a.txt", data: Array("aaaa".utf8))
        try builder.insertEntry("/b.txt", data: Array("bbbb".utf8))
        var bytes = try builder.build()
        // The last byte belongs to the checksum of the last entry.
        bytes[bytes.count - 1] ^= 1
        let bundle = try BundleReader(bytes: bytes)
        let server = BundleServer(bundle, BundleRequestHandler(lookup: { _ in bundle }))
        for _ in 0..<2 {
            let bad = try ask(server, HTTPRequest(method: "GET", path: "/b.txt"))
            #expect(bad.status == 500)
            let good = try ask(server, HTTPRequest(method: "GET", path: "/a.txt"))
            #expect(good.status == 200 && good.body == Array("aaaa".utf8))
        }
    }
}
