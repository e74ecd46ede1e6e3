/// One block of textual encoding (RFC 7468).
struct PEM {
    let label: String
    let bytes: [UInt8]

    /// The first block of `text`.
    /// - Throws: ``CryptoError`` `bad_pem`.
    init(_ text: String) throws {
        guard text.utf8.count <= 2 * DER.maximumSize else {
            throw CryptoError(.badPEM, "The PEM text is far too long for a key.")
        }
        var label: String?
        var base64: [UInt8] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let line = Self.trimmed(line)
            if let begun = label {
                if line == "-----END \(begun)-----" {
                    guard let bytes = Base64.decode(base64) else {
                        throw CryptoError(.badPEM, "The base64 inside the PEM block is broken.")
                    }
                    self.label = begun
                    self.bytes = bytes
                    return
                }
                base64 += line.utf8
            } else if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----"), line.utf8.count > 16 {
                label = String(line.dropFirst(11).dropLast(5))
            }
        }
        throw CryptoError(
            .badPEM,
            label == nil
                ? "There is no PEM block in the text; a key file starts with -----BEGIN."
                : "The PEM block has no END line; the file is cut short.")
    }

    static func encode(_ bytes: [UInt8], label: String) -> String {
        var lines = ["-----BEGIN \(label)-----"]
        let text = Base64.encode(bytes)
        var rest = text[...]
        while !rest.isEmpty {
            lines.append(String(decoding: rest.prefix(64), as: UTF8.self))
            rest = rest.dropFirst(64)
        }
        lines.append("-----END \(label)-----")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func trimmed(_ line: Substring) -> Substring {
        var line = line
        while let last = line.last, last == " " || last == "\t" { line.removeLast() }
        while let first = line.first, first == " " || first == "\t" { line.removeFirst() }
        return line
    }
}

/// Base64 with padding (RFC 4648 §4), strict.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var word = 0
            for index in 0..<3 {
                word = word << 8 | (index < count ? Int(bytes[start + index]) : 0)
            }
            for index in 0..<4 {
                text.append(
                    index <= count ? alphabet[word >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
            }
        }
        return text
    }

    static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        for start in stride(from: 0, to: text.count, by: 4) {
            var group = text[start..<start + 4]
            while group.last == UInt8(ascii: "="), start + 4 == text.count, group.count > 2 {
                group.removeLast()
            }
            var word = 0
            for digit in group {
                guard let value = value(digit) else { return nil }
                word = word << 6 | value
            }
            word <<= 6 * (4 - group.count)
            let triple = [
                UInt8(word >> 16 & 255), UInt8(word >> 8 & 255), UInt8(word & 255),
            ]
            // The bits beyond the last byte must be zero, so that one value has one text.
            let kept = group.count - 1
            guard triple[kept...].allSatisfy({ $0 == 0 }) else { return nil }
            bytes += triple[..<kept]
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> Int? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit) - 97 + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 48 + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
