import Foundation
import TestSupport
import Testing

@testable import WebViewBundle

@Suite("The .wvb format")
struct FormatTests {
    private let site: [UInt8]

    init() throws {
        site = try makeBundle(
            [
                "/index.html": "<!doctype html><p>hello</p>",
                "/assets/app.js": String(repeating: "console.log('hello');\n", count: 30),
                "/empty.txt": "",
            ],
            headers: ["/index.html": [HeaderField("Cache-Control", "no-cache")]])
    }

    @Test("checksums follow the published test values of xxHash")
    func checksums() {
        #expect(XXH32.hash([]) == 0x02CC_5D05)
        #expect(XXH32.hash(Array("a".utf8)) == 0x550D_7456)
        #expect(XXH32.hash(Array("abc".utf8)) == 0x32D1_53FF)
        #expect(
            XXH32.hash(Array("Nobody inspects the spammish repetition".utf8)) == 0xE229_3B2F)
    }

    @Test("the header of an index of 1234 bytes is the golden one")
    func goldenHeader() {
        let header = BundleFormat.magic + [1] + BigEndian.bytes(1234)
        #expect(BigEndian.bytes(XXH32.hash(header)) == [0x31, 0x38, 0x03, 0x10])
    }

    @Test("the index of one entry is the golden one")
    func goldenIndex() {
        var index = IndexWriter()
        index.integer(1)
        index.text("/index.jsx")
        index.integer(0)
        index.integer(0)
        index.text("application/javascript")
        index.integer(55)
        index.integer(0)
        #expect(BigEndian.bytes(XXH32.hash(index.bytes)) == [0xC6, 0x06, 0xDB, 0x50])
    }

    @Test(
        "integers take the shortest form and come back",
        arguments: [
            (0, 1), (250, 1), (251, 3), (65_535, 3), (65_536, 5), (0xFFFF_FFFF, 5),
            (0x1_0000_0000, 9), (.max, 9),
        ] as [(UInt64, Int)])
    func integers(value: UInt64, size: Int) throws {
        var writer = IndexWriter()
        writer.integer(value)
        #expect(writer.bytes.count == size)
        try writer.bytes.withUnsafeBytes {
            var reader = IndexReader($0)
            let read = try reader.integer()
            #expect(read == value)
            #expect(reader.remaining == 0)
        }
    }

    @Test("longer forms of an integer than needed are read")
    func longIntegers() throws {
        try ([251, 0, 7, 253, 0, 0, 0, 0, 0, 0, 0, 9] as [UInt8]).withUnsafeBytes {
            var reader = IndexReader($0)
            let values = [try reader.integer(), try reader.integer()]
            #expect(values == [7, 9])
        }
    }

    @Test("the order in which entries and headers are added does not change the bytes")
    func deterministic() throws {
        let files = (0..<40).map { ("/f/\($0).txt", Array("file \($0)".utf8)) }
        let headers = [HeaderField("B", "2"), HeaderField("a", "1"), HeaderField("b", "1")]
        func pack(_ files: [(String, [UInt8])], _ headers: [HeaderField]) throws -> [UInt8] {
            var builder = BundleBuilder()
            for (path, data) in files {
                try builder.insertEntry(path, data: data, headers: headers)
            }
            return try builder.build()
        }
        let one = try pack(files, headers)
        let other = try pack(files.reversed(), [headers[1], headers[0], headers[2]])
        #expect(one == other)
        let entry = try #require(BundleReader(bytes: one).entry(at: "/f/3.txt"))
        #expect(entry.headers.map { "\($0.name)=\($0.value)" } == ["a=1", "b=2", "b=1"])
    }

    @Test("an entry added twice is replaced, and can be taken out again")
    func editing() throws {
        var builder = BundleBuilder()
        let replaced = [
            try builder.insertEntry("/a", data: [1]), try builder.insertEntry("/a", data: [2]),
        ]
        #expect(replaced == [false, true])
        #expect(builder.containsEntry("/a"))
        #expect(try BundleReader(bytes: builder.build()).contents(at: "/a") == [2])
        let removed = builder.removeEntry("/a")
        #expect(removed)
        #expect(try builder.build().count == 22, "an empty archive has 22 bytes")
    }

    @Test(
        "a path that could leave its folder or name another one is not packed",
        arguments: [
            "", "a", "/", "//", "/a/", "/a//b", "/.", "/..", "/a/../b", "/a/./b", "/a/..", "\\a",
            "/a\\b", "/a\0b", "/a\nb", "/a\rb", "/\u{7F}",
        ])
    func badPaths(path: String) {
        var builder = BundleBuilder()
        let code = BundleFormatError.Code.thrown { try builder.insertEntry(path, data: []) }
        #expect(code == .badPath)
    }

    @Test("paths with dots, blanks and letters of any script are packed")
    func goodPaths() throws {
        var builder = BundleBuilder()
        for path in ["/...", "/.well-known/x", "/a b", "/한글/ü.txt", "/a..b", "/LICENSE"] {
            try builder.insertEntry(path, data: Array(path.utf8))
        }
        let reader = try BundleReader(bytes: builder.build())
        for path in builder.entryPaths {
            #expect(try reader.contents(at: path) == Array(path.utf8))
        }
    }

    @Test("headers and content types that would break a response are not packed")
    func badHeaders() {
        for header in [
            HeaderField("", "x"), HeaderField("a b", "x"), HeaderField("a", "x\r\ny: z"),
            HeaderField("a:", "x"), HeaderField("a", "\0"),
        ] {
            var builder = BundleBuilder()
            #expect(
                BundleFormatError.Code.thrown {
                    try builder.insertEntry("/a", data: [], headers: [header])
                } == .badHeader)
        }
        var builder = BundleBuilder()
        #expect(
            BundleFormatError.Code.thrown {
                try builder.insertEntry("/a", data: [], contentType: "text/html\r\nx: y")
            } == .badContentType)
    }

    @Test("a changed byte anywhere in an archive is noticed")
    func everyByteIsGuarded() throws {
        for position in site.indices {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var damaged = site
                damaged[position] ^= mask
                #expect(
                    BundleFormatError.Code.thrown { try readWhole(damaged) } != nil,
                    "byte \(position), mask \(mask)")
            }
        }
    }

    @Test("an archive cut short is refused at every byte, and so is one with more at its end")
    func everyCutIsNoticed() throws {
        for cut in 0..<site.count {
            #expect(
                BundleFormatError.Code.thrown { try readWhole(Array(site[..<cut])) } != nil,
                "cut at \(cut)")
        }
        #expect(
            BundleFormatError.Code.thrown { try readWhole(site + [0]) } == .unclaimedBytes)
    }

    // An attacker computes the checksums anew, so they are no help here.
    @Test("random changes under right checksums never crash, and leave a readable archive or none")
    func mutationsUnderRightChecksums() throws {
        let seed: UInt64 = 20_250_731
        var random = SplitMix(seed: seed)
        var refused = 0
        for round in 0..<6_000 {
            let mutant = Archive(site).mutated(&random)
            do {
                let reader = try BundleReader(bytes: mutant)
                for entry in reader.entries {
                    #expect(entry.path.hasPrefix("/"))
                    if let contents = try? reader.contents(of: entry) {
                        #expect(contents.count == entry.contentLength, "seed \(seed) \(round)")
                    }
                }
            } catch is BundleFormatError {
                refused += 1
            }
        }
        #expect(refused > 3_000)
    }

    @Test("limits are held before anything is allocated")
    func limits() throws {
        func code(_ change: (inout BundleLimits) -> Void) -> BundleFormatError.Code? {
            var limits = BundleLimits()
            change(&limits)
            return BundleFormatError.Code.thrown { try readWhole(site, limits: limits) }
        }
        #expect(code { $0.bundleSize = site.count - 1 } == .bundleTooLarge)
        #expect(code { $0.indexSize = 20 } == .indexTooLarge)
        #expect(code { $0.entryCount = 2 } == .entryCount)
        #expect(code { $0.pathLength = 10 } == .textTooLong)
        #expect(code { $0.headerCount = 0 } == .badHeader)
        #expect(code { $0.entrySize = 100 } == .entryTooLarge)
        #expect(code { $0.totalSize = 670 } == .contentTooLarge)
        #expect(code { $0.ratio = 1 } == .impossibleRatio)
        #expect(code { _ in } == nil)
    }

    @Test("a file that is cut short while it is open gives an error and no crash")
    func shrinkingFile() throws {
        let folder = try TemporaryDirectory("wvb")
        let file = folder.file("a.wvb")
        try Data(site).write(to: file)
        let reader = try BundleReader(path: file.path)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(site.count - 8))
        try handle.close()
        #expect(BundleFormatError.Code.thrown { try reader.verify() } == .truncated)
    }

    @Test("an open archive stays readable after its file was removed")
    func removedFile() throws {
        let folder = try TemporaryDirectory("wvb")
        let file = folder.file("a.wvb")
        try Data(site).write(to: file)
        let reader = try BundleReader(path: file.path)
        try FileManager.default.removeItem(at: file)
        try reader.verify()
    }

    @Test("what is no archive file at all is refused with a reason")
    func notFiles() throws {
        let folder = try TemporaryDirectory("wvb")
        for (path, code) in [
            (folder.path, BundleFormatError.Code.unreadable),
            (folder.path + "/absent", .unreadable),
        ] {
            #expect(BundleFormatError.Code.thrown { _ = try BundleReader(path: path) } == code)
        }
        #expect(BundleFormatError.Code.thrown { try readWhole([]) } == .notABundle)
        #expect(
            BundleFormatError.Code.thrown { try readWhole(Array("PK\u{3}\u{4}".utf8)) }
                == .notABundle)
        #expect(BundleFormatError.Code.thrown { try readWhole(Array(site[..<12])) } == .truncated)
        var newer = site
        newer[8] = 2
        #expect(BundleFormatError.Code.thrown { try readWhole(newer) } == .unsupportedVersion)
    }

    @Test("media types come from the extension, else from the first bytes")
    func contentTypes() {
        #expect(ContentType.infer(path: "/a/b.HTML") == "text/html")
        #expect(ContentType.infer(path: "/a.b/c") == "application/octet-stream")
        #expect(ContentType.infer(path: "/x.wasm") == "application/wasm")
        #expect(ContentType.infer(path: "/font.woff2") == "font/woff2")
        #expect(ContentType.infer(path: "/x", contents: Array("GIF89a".utf8)) == "image/gif")
        #expect(ContentType.served("text/html") == "text/html; charset=utf-8")
        #expect(ContentType.served("text/css; Charset=latin1") == "text/css; Charset=latin1")
        #expect(ContentType.served("image/png") == "image/png")
        #expect(ContentType.served("image/svg+xml") == "image/svg+xml; charset=utf-8")
    }
}
