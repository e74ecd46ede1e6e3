import Foundation
import TestSupport
import Testing

@testable import WebViewBundle

@Suite("Packing and unpacking folders")
struct PackingTests {
    @Test(
        "patterns fit as in ignore files",
        arguments: [
            ("*.map", "a/b/c.map", true), ("*.map", "c.mapx", false), ("a/*.js", "a/b.js", true),
            ("a/*.js", "a/b/c.js", false), ("a/**", "a/b/c.js", true), ("a/", "a/b/c.js", true),
            ("**/x.js", "x.js", true), ("**/x.js", "a/b/x.js", true), ("**/x.js", "a/yx.js", false),
            ("/a.txt", "a.txt", true), ("a?.txt", "ab.txt", true), ("a/?", "a//", false),
            ("a/**/z", "a/z", true), ("a/**/z", "a/b/c/z", true), ("*", "anything/at.all", true),
            ("/assets/**", "/assets/x.png", true), ("", "a", false), ("**", "", true),
        ] as [(String, String, Bool)])
    func globs(pattern: String, path: String, fits: Bool) {
        #expect(Glob(pattern).matches(path) == fits)
    }

    @Test("a pattern made to be slow is not slow")
    func slowPattern() {
        let pattern = Glob(String(repeating: "*a", count: 200) + "/x")
        #expect(!pattern.matches(String(repeating: "a", count: 2_000) + "/y"))
    }

    private func makeSite() throws -> TemporaryDirectory {
        let site = try TemporaryDirectory("site")
        for (path, text) in [
            ("index.html", "<p>home"), ("assets/app.js", "1"), ("assets/app.js.map", "{}"),
            (".env", "SECRET=1"), (".git/config", "x"), ("assets/.DS_Store", "x"),
            (".well-known/security.txt", "mail"), ("Thumbs.db", "x"), ("docs/한글.txt", "h"),
        ] {
            try site.write(text, to: path)
        }
        return site
    }

    @Test("secrets, hidden files, source maps and leftovers of the system stay out")
    func defaultRules() throws {
        let site = try makeSite()
        let result = try BundlePacker().pack(folder: site.path)
        #expect(
            result.paths == [
                "/.well-known/security.txt", "/assets/app.js", "/docs/한글.txt", "/index.html",
            ])
        #expect(
            result.ignored == [
                ".env", ".git/", "Thumbs.db", "assets/.DS_Store", "assets/app.js.map",
            ])
        let reader = try BundleReader(bytes: result.bytes)
        #expect(try reader.contents(at: "/index.html") == Array("<p>home".utf8))
        #expect(reader.entry(at: "/assets/app.js")?.contentType == "text/javascript")
    }

    @Test("what is left out can be asked for, and more can be left out")
    func ownRules() throws {
        let site = try makeSite()
        var packer = BundlePacker()
        packer.includesHidden = true
        packer.includesSourceMaps = true
        packer.ignored = [Glob(".git/"), Glob("docs")]
        let paths = try packer.pack(folder: site.path).paths
        #expect(
            paths == [
                "/.env", "/.well-known/security.txt", "/assets/app.js", "/assets/app.js.map",
                "/index.html",
            ])
    }

    @Test("headers are stored by pattern, and a later rule replaces an earlier one")
    func headerRules() throws {
        let site = try makeSite()
        var packer = BundlePacker()
        packer.headers = try [
            #require(BundlePacker.HeaderRule("**=Cache-Control: no-cache")),
            #require(BundlePacker.HeaderRule("/assets/**=cache-control: max-age=9, public")),
        ]
        let reader = try BundleReader(bytes: packer.pack(folder: site.path).bytes)
        #expect(
            reader.entry(at: "/assets/app.js")?.headers
                == [HeaderField("cache-control", "max-age=9, public")])
        #expect(
            reader.entry(at: "/index.html")?.headers
                == [HeaderField("cache-control", "no-cache")])
        for bad in ["", "x", "=a: b", "x=a", "x=: b"] {
            #expect(BundlePacker.HeaderRule(bad) == nil)
        }
    }

    @Test("a link is followed to a file inside the folder, and left out otherwise")
    func links() throws {
        let site = try makeSite()
        let manager = FileManager.default
        for (link, target) in [
            ("inside.js", "assets/app.js"), ("outside.txt", "/etc/hostname"), ("circle", "."),
            ("dangling", "nowhere"),
        ] {
            try manager.createSymbolicLink(
                atPath: site.path + "/" + link, withDestinationPath: target)
        }
        let result = try BundlePacker().pack(folder: site.path)
        #expect(result.paths.contains("/inside.js"))
        #expect(result.ignored.filter { !$0.contains(".") } == ["circle/", "dangling"])
        #expect(result.ignored.contains("outside.txt"))
    }

    @Test("a folder without files, or none at all, is refused with words")
    func emptyFolder() throws {
        let folder = try TemporaryDirectory("empty")
        for (path, code) in [
            (folder.path, "bundle_not_found"), (folder.path + "/x", "bundle_storage_failed"),
        ] {
            do {
                _ = try BundlePacker().pack(folder: path)
                Issue.record("packed \(path)")
            } catch let error as WebViewBundle.Error {
                #expect(error.code == code)
            }
        }
    }

    @Test("what was packed is unpacked as it was")
    func roundTrip() throws {
        let site = try makeSite()
        let bytes = try BundlePacker().pack(folder: site.path).bytes
        let out = site.path + "-out"
        defer { try? FileManager.default.removeItem(atPath: out) }
        #expect(try BundleUnpacker().unpack(BundleReader(bytes: bytes), to: out) == 4)
        #expect(try BundlePacker().pack(folder: out).bytes == bytes)
    }

    @Test("a folder that is not empty is left alone unless it may be overwritten")
    func notEmpty() throws {
        let folder = try TemporaryDirectory("out")
        try folder.write("mine", to: "index.html")
        let bundle = try BundleReader(bytes: makeBundle(["/index.html": "theirs"]))
        #expect(throws: WebViewBundle.Error.self) {
            try BundleUnpacker().unpack(bundle, to: folder.path)
        }
        #expect(try String(contentsOf: folder.file("index.html"), encoding: .utf8) == "mine")
        var unpacker = BundleUnpacker()
        unpacker.overwrites = true
        try unpacker.unpack(bundle, to: folder.path)
        #expect(try String(contentsOf: folder.file("index.html"), encoding: .utf8) == "theirs")
    }

    @Test("links that lie in the folder do not lead a file out of it")
    func linkInTheWay() throws {
        let folder = try TemporaryDirectory("out")
        let victim = try TemporaryDirectory("victim")
        try victim.write("untouched", to: "file.txt")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/dir", withDestinationPath: victim.path)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/file.txt", withDestinationPath: victim.path + "/file.txt")
        var unpacker = BundleUnpacker()
        unpacker.overwrites = true
        #expect(throws: WebViewBundle.Error.self) {
            try unpacker.unpack(
                BundleReader(bytes: makeBundle(["/dir/new.txt": "x"])), to: folder.path)
        }
        try unpacker.unpack(BundleReader(bytes: makeBundle(["/file.txt": "x"])), to: folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: victim.path) == ["file.txt"])
        #expect(try String(contentsOf: victim.file("file.txt"), encoding: .utf8) == "untouched")
    }

    @Test("a bundle whose names are file and folder at once is refused")
    func fileAndFolder() throws {
        let folder = try TemporaryDirectory("out")
        let bundle = try BundleReader(bytes: makeBundle(["/a": "x", "/a/b": "y"]))
        #expect(throws: WebViewBundle.Error.self) {
            try BundleUnpacker().unpack(bundle, to: folder.path + "/x")
        }
    }

    @Test("a damaged archive leaves nothing behind")
    func damaged() throws {
        let folder = try TemporaryDirectory("out")
        var bytes = try makeBundle(["/a": "a", "/b": "b"])
        bytes[bytes.count - 1] ^= 1
        #expect(throws: BundleFormatError.self) {
            try BundleUnpacker().unpack(BundleReader(bytes: bytes), to: folder.path + "/x")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
