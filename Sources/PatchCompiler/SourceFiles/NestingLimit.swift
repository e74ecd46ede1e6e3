/// Refuses lines whose brackets nest so deeply that parsing them would not end.
///
/// SwiftParser looks ahead behind every `[` of a type, and again inside, so each level doubles its
/// work: 12 levels take a fifth of a second, 18 take two, 200 never end. Real types stay below 5.
enum NestingLimit {
    /// How many `[` may be open at once on one line.
    static let brackets = 12

    /// The first line, counted from 1, that goes beyond the limit.
    static func firstLineBeyond(_ bytes: [UInt8]) -> Int? {
        var line = 1
        var depth = 0
        var isText = false
        var isComment = false
        var previous: UInt8 = 0
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                line += 1
                (depth, isText, isComment) = (0, false, false)
            } else if isComment || (isText && byte != UInt8(ascii: "\"")) {
                // Brackets in texts and comments cost nothing.
            } else {
                switch byte {
                case UInt8(ascii: "\"") where previous != UInt8(ascii: "\\"): isText.toggle()
                case UInt8(ascii: "/") where previous == byte: isComment = true
                case UInt8(ascii: "["):
                    depth += 1
                    if depth > brackets { return line }
                case UInt8(ascii: "]"): depth = max(0, depth - 1)
                default: break
                }
            }
            previous = byte
        }
        return nil
    }
}
