/// Shows control characters as text, so that what others wrote cannot steer a terminal.
enum ControlCharacters {
    /// The parameters of the sequences that ``Style`` writes.
    private static let styles = ["0", "1", "2", "31", "32", "33", "36"].map { Array($0.utf8) }

    /// `text` with every control character but line feed and tab as `\u{1B}`.
    /// - Parameter keepingStyles: leaves the sequences that ``Style`` writes as they are.
    static func shown(_ text: String, keepingStyles: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: isHarmful) else { return text }
        let scalars = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            if keepingStyles, let end = styleEnd(scalars, from: index) {
                result.append(contentsOf: scalars[index..<end])
                index = end
                continue
            }
            index += 1
            guard isHarmful(scalar) else {
                result.append(scalar)
                continue
            }
            // The line feed after it says the same.
            if scalar == "\r", index < scalars.count, scalars[index] == "\n" { continue }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            result.append(contentsOf: "\\u{\(digits)}".unicodeScalars)
        }
        return String(result)
    }

    /// A JSON document with the control characters that JSON leaves as they are escaped: U+007F to
    /// U+009F, which can only stand within its strings.
    static func shownInJSON(_ document: String) -> String {
        func isLeft(_ scalar: Unicode.Scalar) -> Bool { (0x7F...0x9F).contains(scalar.value) }
        guard document.unicodeScalars.contains(where: isLeft) else { return document }
        var result = String.UnicodeScalarView()
        for scalar in document.unicodeScalars {
            guard isLeft(scalar) else {
                result.append(scalar)
                continue
            }
            result.append(
                contentsOf: "\\u00\(String(scalar.value, radix: 16))".unicodeScalars)
        }
        return String(result)
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0..<0x20, 0x7F...0x9F: true
        default: false
        }
    }

    /// Where a sequence of ``Style`` that begins at `start` ends.
    private static func styleEnd(_ scalars: [Unicode.Scalar], from start: Int) -> Int? {
        guard scalars[start] == "\u{1B}", start + 1 < scalars.count, scalars[start + 1] == "["
        else { return nil }
        for style in styles {
            let end = start + 2 + style.count
            guard end < scalars.count, scalars[end] == "m",
                scalars[start + 2..<end].map(\.value) == style.map(UInt32.init)
            else { continue }
            return end + 1
        }
        return nil
    }
}
