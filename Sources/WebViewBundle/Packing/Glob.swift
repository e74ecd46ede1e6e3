/// A pattern over relative paths: `*` and `?` stay within a segment, `**` crosses them.
///
/// A pattern without a slash is compared with the file's name, one with a slash with the whole
/// path; one that ends in a slash means all that lies below.
public struct Glob: Sendable, Equatable {
    private let pattern: [UInt8]
    private let isForName: Bool

    /// Reads a pattern. Every text is one.
    public init(_ text: String) {
        var text = text[...]
        if text.hasPrefix("/") { text = text.dropFirst() }
        isForName = !text.contains("/")
        pattern = Array((text.hasSuffix("/") ? text + "**" : text).utf8)
    }

    /// Whether it fits a path, given with or without a leading slash.
    public func matches(_ path: String) -> Bool {
        var path = path[...]
        if path.hasPrefix("/") { path = path.dropFirst() }
        let text = isForName ? path.split(separator: "/").last ?? "" : path
        return Self.matches(pattern, Array(text.utf8))
    }

    /// Row by row over the pattern, so that the time is bounded by the product of the lengths
    /// whatever the pattern is.
    private static func matches(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
        var reached = [Bool](repeating: false, count: text.count + 1)
        reached[0] = true
        var position = 0
        while position < pattern.count {
            var next = [Bool](repeating: false, count: text.count + 1)
            let isStar = pattern[position] == UInt8(ascii: "*")
            let isDouble =
                isStar && position + 1 < pattern.count
                && pattern[position + 1] == UInt8(ascii: "*")
            if isStar {
                for index in 0...text.count {
                    let comes = index > 0 && next[index - 1]
                    let crosses = isDouble || (index > 0 && text[index - 1] != UInt8(ascii: "/"))
                    next[index] = reached[index] || (comes && crosses)
                }
                position += isDouble ? 2 : 1
                // `**/` also means no folder at all.
                if isDouble, position < pattern.count, pattern[position] == UInt8(ascii: "/") {
                    let mayStart = (0...text.count).map { index in
                        next[index] && (index == 0 || text[index - 1] == UInt8(ascii: "/"))
                    }
                    next = mayStart
                    position += 1
                }
            } else {
                for index in 1..<max(1, text.count + 1) where reached[index - 1] {
                    let byte = text[index - 1]
                    next[index] =
                        pattern[position] == byte
                        || (pattern[position] == UInt8(ascii: "?") && byte != UInt8(ascii: "/"))
                }
                position += 1
            }
            reached = next
        }
        return reached[text.count]
    }
}
