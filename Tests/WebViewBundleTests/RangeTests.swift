import Testing

@testable import WebViewBundle

@Suite("Ranges")
struct RangeTests {
    private let handler: BundleRequestHandler
    private let size = 10

    init() throws {
        let bundle = try BundleReader(
            bytes: makeBundle(["/d.bin": "0123456789", "/empty.txt": "", "/t.txt": "text"]))
        handler = BundleRequestHandler { _ in bundle }
    }

    private func get(_ path: String, _ headers: [String: String], method: String = "GET") throws
        -> BundleResponse
    {
        let request = try #require(
            BundleRequest(
                method: method, url: "app://app" + path,
                headers: headers.map { HeaderField($0.key, $0.value) }))
        return handler.respond(to: request)
    }

    @Test(
        "one range is answered with exactly its bytes",
        arguments: [
            ("bytes=0-0", "0", "0-0"), ("bytes=2-5", "2345", "2-5"), ("bytes=7-", "789", "7-9"),
            ("bytes=-3", "789", "7-9"), ("bytes=-99", "0123456789", "0-9"),
            ("bytes=5-99", "56789", "5-9"), ("Bytes = 1-2", "12", "1-2"),
            ("bytes=1-2,", "12", "1-2"), ("bytes=1-2,50-60", "12", "1-2"),
            ("bytes=0-99999999999999999999", "0123456789", "0-9"),
        ])
    func single(header: String, body: String, range: String) throws {
        let response = try get("/d.bin", ["Range": header])
        #expect(response.status == 206)
        #expect(String(decoding: response.body, as: UTF8.self) == body)
        #expect(response.headers.first("content-range") == "bytes \(range)/10")
        #expect(response.headers.first("content-length") == "\(body.count)")
        #expect(response.headers.first("content-type") == "application/octet-stream")
        #expect(response.headers.first("etag") != nil)
    }

    @Test("every range of a small file is right")
    func exhaustive() {
        for first in 0..<12 {
            for last in first..<13 {
                let expected: ByteRanges =
                    first < size ? .parts([first..<min(last + 1, size)]) : .unsatisfiable
                #expect(ByteRanges("bytes=\(first)-\(last)", size: size) == expected)
            }
        }
    }

    @Test(
        "a header that is no byte range is ignored, as the specification allows",
        arguments: [
            "", "bytes", "bytes=", "bytes=,", "bytes=a-b", "bytes=5-2", "bytes=--5", "bytes=-",
            "items=0-1", "bytes=1", "bytes=1-2-3", "bytes=+1-2", "bytes=0x1-2", "bytes=1-2;3-4",
        ])
    func ignored(header: String) throws {
        let response = try get("/d.bin", ["Range": header])
        #expect(response.status == 200)
        #expect(response.body.count == 10)
        #expect(response.headers.first("content-range") == nil)
    }

    @Test(
        "a range outside the file is 416 with the file's size",
        arguments: [("/d.bin", "bytes=10-"), ("/d.bin", "bytes=-0"), ("/d.bin", "bytes=50-60,11-")])
    func unsatisfiable(path: String, header: String) throws {
        let response = try get(path, ["Range": header])
        #expect(response.status == 416)
        #expect(response.headers.first("content-range") == "bytes */10")
    }

    @Test("an empty file has no range", arguments: ["bytes=0-", "bytes=-5", "bytes=0-0"])
    func emptyFile(header: String) throws {
        let response = try get("/empty.txt", ["Range": header])
        #expect(response.status == 416)
        #expect(response.headers.first("content-range") == "bytes */0")
    }

    @Test("several ranges are a multipart body of the length that is announced")
    func several() throws {
        let response = try get("/t.txt", ["Range": "bytes=0-0, 2-3"])
        #expect(response.status == 206)
        let type = try #require(response.headers.first("content-type"))
        let boundary = try #require(type.split(separator: "=").last)
        #expect(type == "multipart/byteranges; boundary=\(boundary)")
        let part = "Content-Type: text/plain; charset=utf-8\r\nContent-Range: bytes"
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == "--\(boundary)\r\n\(part) 0-0/4\r\n\r\nt\r\n"
                + "--\(boundary)\r\n\(part) 2-3/4\r\n\r\nxt\r\n--\(boundary)--\r\n")
        #expect(response.headers.first("content-length") == "\(response.body.count)")
        #expect(response.headers.first("content-range") == nil)
    }

    @Test("overlapping ranges, or more than anyone needs, are answered with the whole file")
    func abusive() throws {
        #expect(try get("/d.bin", ["Range": "bytes=0-5,3-9"]).status == 200)
        let many = "bytes=" + (0..<100).map { "\($0)-\($0)" }.joined(separator: ",")
        #expect(ByteRanges(many, size: 1_000) == .everything)
        let few = "bytes=" + (0..<32).map { "\($0)-\($0)" }.joined(separator: ",")
        #expect(ByteRanges(few, size: 1_000) != .everything)
    }

    @Test("a range holds only for the version that the client has")
    func ifRange() throws {
        let etag = try #require(try get("/d.bin", [:]).headers.first("etag"))
        #expect(try get("/d.bin", ["Range": "bytes=0-1", "If-Range": etag]).status == 206)
        #expect(try get("/d.bin", ["Range": "bytes=0-1", "If-Range": "\"old\""]).status == 200)
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(try get("/d.bin", ["Range": "bytes=0-1", "If-Range": date]).status == 200)
        #expect(try get("/d.bin", ["Range": "bytes=0-1", "If-None-Match": etag]).status == 304)
    }

    @Test("a range is no part of HEAD")
    func head() throws {
        let response = try get("/d.bin", ["Range": "bytes=0-1"], method: "HEAD")
        #expect(response.status == 200)
        #expect(response.headers.first("content-length") == "10")
    }

    @Test("random headers never crash, and what is answered lies inside the file")
    func random() {
        var random = SplitMix(seed: 4)
        let alphabet = Array("bytes=0123456789-, ")
        for _ in 0..<20_000 {
            let text = String((0..<random.place(20)).map { _ in alphabet[random.place(19)] })
            if case .parts(let parts) = ByteRanges("bytes=" + text, size: size) {
                #expect(parts.allSatisfy { !$0.isEmpty && $0.upperBound <= size })
            }
        }
    }
}
