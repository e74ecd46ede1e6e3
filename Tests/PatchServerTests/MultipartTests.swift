import Testing

@testable import PatchServer

@Suite struct MultipartTests {
    struct Part: Equatable {
        var head: MultipartHead
        var bytes: [UInt8] = []
        var isWhole = false
    }

    private func parse(
        _ pieces: [[UInt8]], boundary: String = "b", maximumParts: Int = 10
    ) throws -> (parts: [Part], isComplete: Bool) {
        var parser = try MultipartParser(
            contentType: "multipart/form-data; boundary=\(boundary)", maximumParts: maximumParts)
        var parts: [Part] = []
        for piece in pieces {
            try piece.withUnsafeBytes { bytes in
                try parser.feed(bytes) { event in
                    switch event {
                    case .began(let head): parts.append(Part(head: head))
                    case .data(let bytes): parts[parts.count - 1].bytes += bytes
                    case .ended: parts[parts.count - 1].isWhole = true
                    }
                }
            }
        }
        return (parts, parser.isComplete)
    }

    private var sample: Form {
        var form = Form()
        form.boundary = "b"
        form.parts = [
            ("metadata", "1.root.json", Array("{}".utf8)),
            ("target", "modules/x/1.wasm", Array("\r\n--a\r\n--\r\n-\r\n--".utf8)),
            ("target", "empty", []),
        ]
        return form
    }

    @Test("a form reads the same however it is cut into pieces")
    func pieces() throws {
        let body = sample.encoded()
        let whole = try parse([body])
        #expect(whole.isComplete && whole.parts.count == 3)
        #expect(whole.parts.map(\.bytes) == sample.parts.map(\.bytes))
        #expect(whole.parts.map(\.head.filename) == sample.parts.map(\.filename))
        for cut in 0...body.count {
            let two = try parse([Array(body[..<cut]), Array(body[cut...])])
            #expect(two.parts == whole.parts && two.isComplete, "cut at \(cut)")
        }
        let bytes = try parse(body.map { [$0] })
        #expect(bytes.parts == whole.parts && bytes.isComplete)
    }

    @Test("a form that is cut off at any byte is not complete")
    func truncated() throws {
        let body = sample.encoded()
        // The line break after the closing delimiter is not needed.
        for count in 0..<(body.count - 2) {
            #expect(!(try parse([Array(body[..<count])]).isComplete), "\(count) bytes")
        }
    }

    @Test("preamble, epilogue and blanks after a delimiter mean nothing")
    func surroundings() throws {
        let text =
            "hello\r\n--b \t\r\ncontent-disposition: form-data; name=\"a\"; "
            + "filename=\"x\\\"y;z\"\r\n\r\nv\r\n--b--\r\nbye --b\r\n"
        let found = try parse([Array(text.utf8)])
        #expect(found.isComplete && found.parts.count == 1)
        #expect(found.parts.first?.head == MultipartHead(name: "a", filename: "x\"y;z"))
        #expect(found.parts.first?.bytes == Array("v".utf8))
    }

    @Test(
        "what does not follow the form is refused",
        arguments: [
            "--b\r\n\r\nno head\r\n--b--", "--b\r\nnonsense\r\n\r\nx\r\n--b--",
            "--bX\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b--",
            "--b\r\ncontent-disposition: form-data\r\n\r\nx\r\n--b--",
            "--b\r\ncontent-type: text/plain\r\n\r\nx\r\n--b--",
            "--b\r\ncontent-disposition: form-data; name=\"" + String(repeating: "a", count: 5_000),
        ])
    func malformed(text: String) {
        #expect(throws: APIError.self) { try parse([Array(text.utf8)]) }
    }

    @Test("the number of parts is bounded")
    func bounded() {
        var form = Form()
        form.boundary = "b"
        form.parts = (0..<11).map { ("target", "t\($0)", []) }
        #expect(throws: APIError.self) { try parse([form.encoded()]) }
    }

    @Test(
        "a content type without a usable boundary is refused",
        arguments: [
            nil, "application/json", "multipart/form-data", "multipart/form-data; boundary=",
            "multipart/form-data; boundary=\"a b\"",
            "multipart/form-data; boundary=" + String(repeating: "x", count: 71),
        ])
    func contentTypes(type: String?) {
        #expect(throws: APIError.self) {
            try MultipartParser(contentType: type, maximumParts: 1)
        }
    }

    @Test("random bytes never crash the parser, and what it keeps stays small")
    func fuzz() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = Seeded(seed)
        let pool: [[UInt8]] = [
            "\r\n--b", "--b", "--", "\r\n", "content-disposition: form-data; ",
            "name=\"a\"", "; filename=\"", "\"", "\r\n\r\n", "x", " ", "\u{0}",
        ].map { Array($0.utf8) }
        for _ in 0..<2_000 {
            let pieces = (0..<Int(generator.next() % 12)).map { _ in
                pool[Int(generator.next() % UInt64(pool.count))]
            }
            _ = try? parse(pieces)
        }
    }
}
