import SwiftSyntax

/// Replacements in a file's text. A replacement keeps the line breaks of what it replaces, so that
/// every line stays where it is and the compiler's messages point into the developer's file.
struct SourceEdits {
    private struct Edit {
        var start: Int
        var end: Int
        var text: String
    }

    private let bytes: [UInt8]
    private var edits: [Edit] = []
    private var ending = ""

    init(_ text: String) { bytes = Array(text.utf8) }

    /// Replaces a node without the space around it.
    mutating func replace(_ node: some SyntaxProtocol, with text: String) {
        replace(
            node.positionAfterSkippingLeadingTrivia
                .utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset, with: text)
    }

    /// Replaces bytes of the file.
    mutating func replace(_ range: Range<Int>, with text: String) {
        let breaks = bytes[range].filter { $0 == UInt8(ascii: "\n") }.count
        let own = text.utf8.filter { $0 == UInt8(ascii: "\n") }.count
        let rest = String(repeating: "\n", count: max(0, breaks - own))
        edits.append(Edit(start: range.lowerBound, end: range.upperBound, text: text + rest))
    }

    /// Takes a node out.
    mutating func blank(_ node: some SyntaxProtocol) { replace(node, with: "") }

    /// Puts text before a byte of the file.
    mutating func insert(_ text: String, at offset: Int) {
        edits.append(Edit(start: offset, end: offset, text: text))
    }

    /// Puts text behind the last line.
    mutating func append(_ text: String) { ending += text }

    /// The text with all replacements. Of two that overlap, the outer one counts.
    var result: String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 256)
        var place = 0
        for edit in edits.sorted(by: { ($0.start, -$0.end) < ($1.start, -$1.end) }) {
            guard edit.start >= place else { continue }
            output += bytes[place..<edit.start]
            output += Array(edit.text.utf8)
            place = edit.end
        }
        output += bytes[place...]
        if !ending.isEmpty {
            if output.last != UInt8(ascii: "\n") { output.append(UInt8(ascii: "\n")) }
            output += Array(ending.utf8)
        }
        return String(decoding: output, as: UTF8.self)
    }
}
