import PatchPlatform
import Testing

@testable import WebViewBundle

@Suite("Serving a bundle")
struct ServingTests {
    private let bundle: BundleReader
    private let app = String(repeating: "let x = 1;\n", count: 100)

    init() throws {
        bundle = try BundleReader(
            bytes: makeBundle(
                [
                    "/index.html": "<!doctype html>home", "/about/index.html": "about",
                    "/about.html": "about.html", "/LICENSE": "licence", "/app.js": app,
                    "/docs/spaced name.txt": "spaced", "/한글.txt": "hangul", "/empty.txt": "",
                    "/404.html": "nothing here", "/digits.bin": "0123456789", "/logo.svg": "<svg/>",
                ],
                headers: [
                    "/app.js": [
                        HeaderField("Cache-Control", "max-age=60"),
                        HeaderField("Content-Length", "1"), HeaderField("ETag", "\"mine\""),
                        HeaderField("Set-Cookie", "a=1"), HeaderField("Set-Cookie", "b=2"),
                    ]
                ]))
    }

    private func get(
        _ path: String, _ headers: [String: String] = [:], method: String = "GET",
        options: BundleServingOptions = BundleServingOptions()
    ) throws -> BundleResponse {
        let bundle = bundle
        let handler = BundleRequestHandler(options: options) { $0 == "app" ? bundle : nil }
        let request = try #require(
            BundleRequest(
                method: method, url: "app://app.wvb" + path,
                headers: headers.map { HeaderField($0.key, $0.value) }))
        return handler.respond(to: request)
    }

    private func text(_ response: BundleResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    // MARK: Where a request goes

    @Test(
        "a URL is taken apart as the web does",
        arguments: [
            ("app://app.wvb", "app", "app.wvb", "", nil),
            ("APP://App.WVB./a%20b?q=1#f", "app", "app.wvb", "/a%20b", "q=1"),
            ("app://user:pw@app.wvb:80/x", "app", "app.wvb", "/x", nil),
            ("app://a?x/y", "app", "a", "", "x/y"), ("app://a#x?y", "app", "a", "", nil),
        ] as [(String, String, String, String, String?)])
    func urls(url: String, scheme: String, host: String, path: String, query: String?) throws {
        let request = try #require(BundleRequest(url: url))
        #expect(request.scheme == scheme)
        #expect(request.host == host)
        #expect(request.path == path)
        #expect(request.query == query)
    }

    @Test(
        "a URL without scheme or host is none", arguments: ["", "app:", "app://", "/x", "://h/x"])
    func badURLs(url: String) { #expect(BundleRequest(url: url) == nil) }

    @Test("the first label of the host, in any case, names the bundle")
    func bundleNames() throws {
        #expect(BundleRequest(url: "app://Shop.eu.wvb/")?.bundleName == "shop")
        #expect(BundleRequest(url: "app://shop")?.bundleName == "shop")
        #expect(BundleRequest(url: "app://shop./")?.bundleName == "shop")
    }

    @Test("a bundle that does not exist is 404, not a failed load")
    func unknownBundle() throws {
        let bundle = bundle
        let handler = BundleRequestHandler { $0 == "app" ? bundle : nil }
        let request = try #require(BundleRequest(url: "app://other.wvb/"))
        #expect(handler.respond(to: request).status == 404)
    }

    // MARK: Paths

    @Test(
        "folders, names without extension and escapes find their entry",
        arguments: [
            ("", "<!doctype html>home"), ("/", "<!doctype html>home"), ("/about", "about"),
            ("/about/", "about"), ("/about/index.html", "about"), ("/about.html", "about.html"),
            ("/LICENSE", "licence"), ("/docs/spaced%20name.txt", "spaced"),
            ("/%ED%95%9C%EA%B8%80.txt", "hangul"), ("/index.html?v=2#top", "<!doctype html>home"),
            ("/%69ndex.html", "<!doctype html>home"),
        ])
    func directoryIndex(path: String, contents: String) throws {
        let response = try get(path)
        #expect(response.status == 200)
        #expect(text(response) == contents)
    }

    @Test("the exact style takes paths as they are")
    func exactStyle() throws {
        var options = BundleServingOptions()
        options.pathStyle = .exact
        #expect(try get("/about", options: options).status == 404)
        #expect(try get("/LICENSE", options: options).status == 200)
    }

    @Test("the extension style prefers about.html over about/index.html")
    func htmlExtensionStyle() throws {
        var options = BundleServingOptions()
        options.pathStyle = .htmlExtension
        #expect(try text(get("/about", options: options)) == "about.html")
        #expect(try text(get("/about/", options: options)) == "about")
        #expect(try text(get("/LICENSE", options: options)) == "licence")
    }

    @Test(
        "nothing outside the bundle is reachable, and nothing crashes",
        arguments: [
            "/../index.html", "/%2e%2e/index.html", "/about/../index.html", "//index.html",
            "/index.html%00", "/%", "/%zz", "/%ff%fe", "/\\index.html", "/about/index.html/",
        ])
    func strangePaths(path: String) throws {
        #expect(try get(path).status == 404)
    }

    // MARK: Headers

    @Test("text gets a charset, everything gets nosniff, length and a tag")
    func headers() throws {
        let response = try get("/")
        #expect(response.headers.first("content-type") == "text/html; charset=utf-8")
        #expect(response.headers.first("content-length") == "19")
        #expect(response.headers.first("x-content-type-options") == "nosniff")
        #expect(response.headers.first("cache-control") == "no-cache")
        #expect(response.headers.first("accept-ranges") == "bytes")
        #expect(response.headers.first("etag")?.hasPrefix("\"") == true)
        #expect(
            try get("/logo.svg").headers.first("content-type") == "image/svg+xml; charset=utf-8")
        #expect(
            try get("/digits.bin").headers.first("content-type") == "application/octet-stream")
    }

    @Test("stored headers are kept, also repeated ones, but not those that frame the answer")
    func storedHeaders() throws {
        let response = try get("/app.js")
        #expect(response.headers.filter { $0.name == "set-cookie" }.map(\.value) == ["a=1", "b=2"])
        #expect(response.headers.first("Cache-Control") == "max-age=60")
        #expect(
            response.headers.filter { $0.name.lowercased() == "content-length" }.map(\.value)
                == ["\(app.utf8.count)"])
        #expect(response.headers.filter { $0.name.lowercased() == "etag" }.count == 1)
        #expect(response.headers.first("etag") != "\"mine\"")
        #expect(response.headers.filter { $0.name.lowercased() == "cache-control" }.count == 1)
    }

    @Test("HEAD has the headers of GET and no body", arguments: ["/", "/app.js", "/nothing.js"])
    func head(path: String) throws {
        let head = try get(path, method: "HEAD")
        let whole = try get(path)
        #expect(head.status == whole.status)
        #expect(head.headers == whole.headers)
        #expect(head.body.isEmpty)
    }

    @Test("other methods are refused with what is allowed", arguments: ["POST", "PUT", "get", ""])
    func methods(method: String) throws {
        let response = try get("/", method: method)
        #expect(response.status == 405)
        #expect(response.headers.first("allow") == "GET, HEAD")
    }

    @Test("an entry that the client has is not sent again")
    func notModified() throws {
        let etag = try #require(try get("/app.js").headers.first("etag"))
        for header in [etag, "W/" + etag, "\"other\", " + etag, "*"] {
            let response = try get("/app.js", ["If-None-Match": header])
            #expect(response.status == 304)
            #expect(response.body.isEmpty)
            #expect(response.headers.first("etag") == etag)
            #expect(response.headers.first("cache-control") == "max-age=60")
            #expect(response.headers.first("content-length") == nil)
        }
        #expect(try get("/app.js", ["If-None-Match": "\"other\""]).status == 200)
        #expect(try get("/index.html", ["If-None-Match": etag]).status == 200)
    }

    @Test("equal content has an equal tag in two bundles, other content another one")
    func tags() throws {
        func etag(_ text: String) throws -> String? {
            let bundle = try BundleReader(
                bytes: makeBundle(["/a.txt": text, "/b.txt": "b\(text)"]))
            let request = try #require(BundleRequest(url: "app://x/a.txt"))
            return BundleRequestHandler { _ in bundle }.respond(to: request).headers.first("etag")
        }
        #expect(try etag("one") == etag("one"))
        #expect(try etag("one") != etag("two"))
    }

    // MARK: What is not found

    @Test("a page that routes by itself answers navigations, but not missing scripts")
    func spaFallback() throws {
        var options = BundleServingOptions()
        options.spaFallback = "/index.html"
        let page = try get("/some/route", ["Accept": "text/html,*/*"], options: options)
        #expect(page.status == 200)
        #expect(text(page).contains("home"))
        #expect(try get("/some/route", options: options).status == 200)
        #expect(try get("/missing.js", options: options).status == 404)
        #expect(try get("/api/x", ["Accept": "application/json"], options: options).status == 404)
        #expect(try get("/api/x", ["Sec-Fetch-Dest": "empty"], options: options).status == 404)
        #expect(
            try get("/v1.2/x.y", ["Sec-Fetch-Dest": "document"], options: options).status == 200)
        #expect(try get("/some/route").status == 404)
    }

    @Test("the bundle's own page for what is not found comes with status 404 and no tag")
    func notFoundPage() throws {
        var options = BundleServingOptions()
        options.notFoundPage = "/404.html"
        let response = try get("/nowhere", ["Range": "bytes=0-1"], options: options)
        #expect(response.status == 404)
        #expect(text(response) == "nothing here")
        #expect(response.headers.first("etag") == nil)
        #expect(response.headers.first("content-type") == "text/html; charset=utf-8")
    }

    @Test("an entry that cannot be read is 500 and reported")
    func damagedEntry() throws {
        var bytes = try makeBundle(["/index.html": "hello hello hello"])
        bytes[bytes.count - 1] ^= 1
        let bundle = try BundleReader(bytes: bytes)
        let errors = Lock<[String]>([])
        let handler = BundleRequestHandler(
            onError: { error in errors.withLock { $0.append("\(error)") } }, lookup: { _ in bundle }
        )
        let request = try #require(BundleRequest(url: "app://x/"))
        #expect(handler.respond(to: request).status == 500)
        #expect(errors.withLock { $0.first?.contains("bundle_data_checksum") } == true)
    }

    @Test("a lookup that fails is 500 and reported")
    func failingLookup() throws {
        let handler = BundleRequestHandler { _ in throw FailureCode.storage.core("gone") }
        let request = try #require(BundleRequest(url: "app://x/"))
        #expect(handler.respond(to: request).status == 500)
    }

    // MARK: Cache

    @Test("unpacked entries are kept up to the cache's size, and the oldest go first")
    func cache() throws {
        let cache = EntryCache(capacity: 2_000)
        var unpacked = 0
        func read(_ path: String) throws {
            let entry = try #require(bundle.entry(at: path))
            _ = cache.contents(of: entry, in: bundle) {
                unpacked += 1
                return [UInt8](repeating: 0, count: path == "/app.js" ? 1_500 : 900)
            }
        }
        try read("/index.html")
        try read("/index.html")
        #expect(unpacked == 1)
        try read("/app.js")
        try read("/app.js")
        #expect(unpacked == 3, "an entry above half of the cache is not kept")
        try read("/about.html")
        try read("/index.html")
        try read("/LICENSE")
        #expect(cache.size == 1_800)
        try read("/index.html")
        #expect(unpacked == 5, "the one used last stayed")
        try read("/about.html")
        #expect(unpacked == 6, "the one used longest ago went")
        cache.drop(bundle)
        #expect(cache.size == 0)
    }
}
