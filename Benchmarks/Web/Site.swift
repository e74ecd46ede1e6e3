import Foundation

/// A site as a build tool leaves it: pages, scripts, styles, and pictures that no compressor makes
/// smaller. The same bytes on every run.
enum Site {
    private struct Numbers {
        var state: UInt64 = 1

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    private static let words = [
        "const", "return", "function", "import", "export", "class", "this", "props", "state",
        "render", "async", "await", "null", "true", "div", "span", "button", "header", "price",
        "cart", "item", "list", "user", "value", "index", "length", "map", "filter", "=>", "{", "}",
        "(", ")", ";", ",", "=", "+", "&&",
    ]

    static func make(in folder: String, size: Int) throws {
        var numbers = Numbers()
        let parts = 60
        let each = size / 1000
        var head = "<!doctype html><meta charset=utf-8><title>bench</title>\n"
        var body = "<h1>A page with \(parts) parts</h1>\n"
        for number in 0..<1000 {
            let name: String
            let bytes: [UInt8]
            switch number {
            case 0: continue
            case _ where number % 5 == 0:
                name = "noise\(number).bin"
                bytes = (0..<each).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            case _ where number % 5 == 1 && number < parts * 5:
                name = "style\(number).css"
                bytes = text(
                    ".c\(number) { color: #123456; margin: 0 }\n", each, &numbers, css: true)
                head += "<link rel=stylesheet href=\(name)>\n"
            default:
                name = "part\(number).js"
                bytes = text("window.p\(number) = \(number);\n", each, &numbers, css: false)
                if number % 5 == 2, number < parts * 5 {
                    body += "<script src=\(name)></script>\n"
                }
            }
            try write(bytes, folder, name)
        }
        try write(Array((head + body).utf8), folder, "index.html")
    }

    /// Words in a comment, behind something that the browser runs.
    private static func text(
        _ start: String, _ size: Int, _ numbers: inout Numbers, css: Bool
    ) -> [UInt8] {
        var text = start + "/*\n"
        while text.utf8.count < size {
            text += words[Int(numbers.next() % UInt64(words.count))]
            text += numbers.next() % 9 == 0 ? "\(numbers.next() % 100_000)\n" : " "
        }
        return Array((text + "\n*/\n").utf8)
    }

    private static func write(_ bytes: [UInt8], _ folder: String, _ name: String) throws {
        let url = URL(fileURLWithPath: folder).appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }
}
