import Testing

@testable import PatchServer

@Suite struct FramingTests {
    private func problem(_ fields: [(String, String)]) -> String? {
        var headers = HTTPHeaders()
        for (name, value) in fields { headers.add(name, value) }
        return RequestGuard.problem(with: HTTPRequest(method: "POST", path: "/", headers: headers))?
            .code
    }

    @Test("framing that two parties could read differently is refused")
    func framing() {
        #expect(problem([("Host", "a"), ("Content-Length", "5")]) == nil)
        #expect(problem([("Host", "a"), ("Transfer-Encoding", "chunked")]) == nil)
        #expect(
            problem([("Content-Length", "5"), ("content-length", "5")])
                == "duplicate_content_length")
        #expect(
            problem([("Content-Length", "5"), ("Transfer-Encoding", "chunked")])
                == "ambiguous_framing")
        #expect(problem([("Host", "a"), ("HOST", "a")]) == "duplicate_host")
        for value in ["", "+5", "-5", "5,5", "0x5", "5 ", "1234567890123456789"] {
            #expect(problem([("Content-Length", value)]) == "bad_content_length", "\(value)")
        }
        for value in ["gzip", "chunked, gzip", "x-chunked", ""] {
            #expect(problem([("Transfer-Encoding", value)]) == "bad_transfer_encoding", "\(value)")
        }
        #expect(
            problem([("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")])
                == "bad_transfer_encoding")
    }

    @Test("header names must be tokens and values free of control characters")
    func names() {
        for name in ["", "Content-Length ", "a b", "a:b", "ä", "a\u{0}"] {
            #expect(problem([(name, "x")]) == "bad_header", "\(name)")
        }
        #expect(problem([("X", "a\rb")]) == "bad_header")
        #expect(problem([("X", "a\u{0}b")]) == "bad_header")
        #expect(problem([("X", "a\tb")]) == nil)
        #expect(problem((0..<65).map { ("X-\($0)", "") }) == "too_many_headers")
    }

    @Test("one range of bytes is understood, everything else sends the whole")
    func ranges() {
        func parse(_ header: String?, _ size: UInt64 = 100) -> ByteRange {
            ByteRange.parse(header, size: size)
        }
        #expect(parse("bytes=0-9") == .part(0..<10))
        #expect(parse("bytes=90-") == .part(90..<100))
        #expect(parse("bytes=-10") == .part(90..<100))
        #expect(parse("bytes=-1000") == .part(0..<100))
        #expect(parse("bytes=99-200") == .part(99..<100))
        #expect(parse("Bytes= 0 - 9 ") == .part(0..<10))
        #expect(parse("bytes=100-") == .unsatisfiable)
        #expect(parse("bytes=-0") == .unsatisfiable)
        #expect(parse("bytes=0-", 0) == .unsatisfiable)
        #expect(parse("bytes=99999999999999999999999-") == .unsatisfiable)
        #expect(parse("bytes=0-99999999999999999999999") == .part(0..<100))
        for whole in ["bytes=9-0", "bytes=0-1,4-5", "items=0-9", "bytes=a-b", "bytes=", "bytes=-"] {
            #expect(parse(whole) == .whole, "\(whole)")
        }
        #expect(parse(nil) == .whole)
    }

    @Test("a range never leaves the representation, whatever the numbers")
    func rangeProperty() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = Seeded(seed)
        for _ in 0..<5_000 {
            let size = generator.next() % 1_000
            let first = generator.next() % 5 == 0 ? "" : String(generator.next() % 1_200)
            let last = generator.next() % 5 == 0 ? "" : String(generator.next() % 1_200)
            switch ByteRange.parse("bytes=\(first)-\(last)", size: size) {
            case .part(let range):
                #expect(range.upperBound <= size && !range.isEmpty, "seed \(seed)")
            case .whole, .unsatisfiable: break
            }
        }
    }

    @Test("entity tags are compared weakly and in lists")
    func tags() {
        #expect(EntityTag.matches("\"a\"", tag: "\"a\""))
        #expect(EntityTag.matches("W/\"a\"", tag: "\"a\""))
        #expect(EntityTag.matches("\"b\" ,\t\"a\" ", tag: "\"a\""))
        #expect(EntityTag.matches("*", tag: "\"a\""))
        #expect(!EntityTag.matches("\"b\"", tag: "\"a\""))
        #expect(!EntityTag.matches("a", tag: "\"a\""))
        #expect(!EntityTag.matches(nil, tag: "\"a\""))
    }

    @Test("brotli is sent to those who name it with a quality above zero")
    func brotli() {
        #expect(StaticTree.acceptsBrotli("gzip, br"))
        #expect(StaticTree.acceptsBrotli("br;q=0.5"))
        #expect(!StaticTree.acceptsBrotli("br;q=0"))
        #expect(!StaticTree.acceptsBrotli("br; q=0.0, gzip"))
        #expect(!StaticTree.acceptsBrotli("gzip"))
        #expect(!StaticTree.acceptsBrotli("identity"))
        #expect(!StaticTree.acceptsBrotli(nil))
    }

    @Test("a path outside a tree has no spelling")
    func paths() {
        func path(_ text: String) -> TreePath? {
            TreePath(text.split(separator: "/", omittingEmptySubsequences: false))
        }
        let key = "pak_0123456789abcdef"
        #expect(path("\(key)/metadata/1.root.json")?.relative == "1.root.json")
        #expect(path("\(key)/metadata/1.root.json")?.lifetime == .immutable)
        #expect(path("\(key)/metadata/timestamp.json")?.lifetime == .revalidate)
        let digest = String(repeating: "0f", count: 32)
        #expect(path("\(key)/targets/m/x/\(digest).1.0.wasm")?.digest == digest)
        #expect(path("\(key)/targets/m/x/1.0.wasm")?.digest == nil)
        for bad in [
            "\(key)/metadata/../app.json", "\(key)/metadata/..", "\(key)/metadata/.",
            "\(key)/metadata/",
            "\(key)/metadata/a/b", "\(key)/metadata/%2e%2e", "\(key)/metadata/a%00.json",
            "\(key)/metadata/.hidden", "\(key)/metadata/a\\b", "\(key)/secrets/app.json",
            "\(key)/targets//x", "\(key)/targets/a/../../../app.json", "../\(key)/metadata/x.json",
            "pak_/metadata/x.json", "pak_ABCDEFGHIJKL/metadata/x", "\(key)/metadata/ä.json",
            "\(key)/metadata", "\(key)",
            "\(key)/targets/" + String(repeating: "a/", count: 20) + "b",
            "\(key)/metadata/" + String(repeating: "a", count: 300),
        ] {
            #expect(path(bad) == nil, "\(bad)")
        }
    }

    @Test("log lines cannot be forged or broken")
    func log() {
        #expect(ServerLog.quoted("plain-1.0") == "plain-1.0")
        #expect(ServerLog.quoted("") == "\"\"")
        #expect(ServerLog.quoted("a b") == "\"a b\"")
        #expect(ServerLog.quoted("a\nlevel=x") == "\"a\\u{a}level=x\"")
        #expect(ServerLog.quoted("\"\\") == "\"\\\"\\\\\"")
    }
}

struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 16
    }
}
