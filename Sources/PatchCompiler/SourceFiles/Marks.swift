import SwiftParser
import SwiftSyntax

/// The comments that enclose what `prepare` inserts (formats.md, "Routing").
enum Marks {
    static let end = "/*openpatch:end*/"
    /// Stands in the first line of every file that `prepare` writes.
    static let generated = "openpatch:generated v1"

    private static let beginStart = "/*openpatch:begin v1 "
    private static let beginEnd = "*/"

    static func begin(_ id: String) -> String { beginStart + id + beginEnd }

    /// Stands in the place of an id where a block of whole lines begins at the end of a file.
    private static let blockID = "0000000000000000"
    /// The same, where the line break before it is not the developer's.
    private static let blockIDWithBreak = "0000000000000001"

    /// Lines that follow a file's last one.
    static func block(_ lines: String, after bytes: [UInt8]) -> String {
        // A comment that ends the file would swallow the mark.
        let isWholeLine = bytes.isEmpty || bytes.last == 0x0a
        return (isWholeLine ? begin(blockID) : "\n" + begin(blockIDWithBreak)) + "\n" + lines + end
    }

    /// The text without marks and what they enclose.
    ///
    /// Only comments count: the same characters in a string literal are the developer's own.
    /// - Throws: ``PatchProjectError`` `damaged_marks` when a mark has lost its partner.
    static func strip(_ bytes: [UInt8], file: String) throws -> [UInt8] {
        guard contains(bytes, "/*openpatch:") else { return bytes }
        let tree = Parser.parse(source: String(decoding: bytes, as: UTF8.self))
        var removed: [Range<Int>] = []
        var open: Int?
        func damaged(_ offset: Int) -> PatchProjectError {
            let line = 1 + bytes[..<offset].reduce(0) { $0 + ($1 == 0x0a ? 1 : 0) }
            return PatchProjectError(
                .damagedMarks,
                "a mark of `patchcli prepare` has lost its partner; restore the line, or remove "
                    + "the whole text from openpatch:begin to openpatch:end",
                at: [SourcePlace(file: file, line: line)])
        }
        for token in tree.tokens(viewMode: .sourceAccurate) {
            for comment in comments(of: token) {
                if isBegin(comment.text) {
                    guard open == nil else { throw damaged(comment.offset) }
                    open = comment.offset
                } else if comment.text == end {
                    guard var start = open else { throw damaged(comment.offset) }
                    if bytes[start...].starts(with: Array(begin(blockIDWithBreak).utf8)) {
                        guard start > 0 else { throw damaged(comment.offset) }
                        start -= 1
                    }
                    removed.append(start..<comment.offset + end.utf8.count)
                    open = nil
                }
            }
        }
        if let open { throw damaged(open) }
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var position = 0
        for range in removed {
            kept += bytes[position..<range.lowerBound]
            position = range.upperBound
        }
        return kept + bytes[position...]
    }

    /// Whether a file's text says that `prepare` wrote it.
    static func isGenerated(_ bytes: some Collection<UInt8>) -> Bool {
        contains(Array(bytes.prefix(200)), generated)
    }

    private static func isBegin(_ comment: String) -> Bool {
        guard comment.hasPrefix(beginStart), comment.hasSuffix(beginEnd) else { return false }
        let id = comment.utf8.dropFirst(beginStart.utf8.count).dropLast(beginEnd.utf8.count)
        return id.count == 16
            && id.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    private static func comments(of token: TokenSyntax) -> [(offset: Int, text: String)] {
        var found: [(offset: Int, text: String)] = []
        var offset = token.position.utf8Offset
        func walk(_ trivia: Trivia) {
            for piece in trivia {
                if case .blockComment(let text) = piece { found.append((offset, text)) }
                offset += piece.sourceLength.utf8Length
            }
        }
        walk(token.leadingTrivia)
        offset = token.endPositionBeforeTrailingTrivia.utf8Offset
        walk(token.trailingTrivia)
        return found
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let needle = Array(text.utf8)
        guard bytes.count >= needle.count else { return false }
        return (0...bytes.count - needle.count).contains {
            bytes[$0] == needle[0] && bytes[$0..<$0 + needle.count].elementsEqual(needle)
        }
    }
}
