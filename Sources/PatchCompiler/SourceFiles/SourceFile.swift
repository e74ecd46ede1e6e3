import Foundation
import SwiftParser
import SwiftSyntax

/// One Swift file of the app, as the developer wrote it: marks of `prepare` are taken out before
/// anything looks at it.
struct SourceFile {
    /// The Swift module it belongs to.
    let module: String
    /// Path from the project's folder, with `/`.
    let path: String
    /// Where it lies.
    let url: URL
    /// What lies on disk.
    let stored: [UInt8]
    /// The developer's text, in UTF-8.
    let bytes: [UInt8]
    let tree: SourceFileSyntax
    private let locations: SourceLocationConverter

    /// - Throws: ``PatchProjectError``: `not_utf8` or `damaged_marks`.
    init(module: String, path: String, url: URL, stored: [UInt8]) throws {
        self.module = module
        self.path = path
        self.url = url
        self.stored = stored
        bytes = try Marks.strip(stored, file: path)
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else {
            throw PatchProjectError(
                .notUTF8, "the file is not UTF-8; save it in that encoding",
                at: [SourcePlace(file: path, line: 0)])
        }
        tree = Parser.parse(source: text)
        locations = SourceLocationConverter(fileName: path, tree: tree)
    }

    /// The line of the first character of `node`, from 1.
    func line(of node: some SyntaxProtocol) -> Int {
        locations.location(for: node.positionAfterSkippingLeadingTrivia).line
    }

    /// The line of a byte, from 1.
    func line(at offset: Int) -> Int {
        locations.location(for: AbsolutePosition(utf8Offset: offset)).line
    }

    func place(of node: some SyntaxProtocol) -> SourcePlace {
        SourcePlace(file: path, line: line(of: node))
    }

    /// Whether the file has a top-level program (`main.swift`).
    var isScript: Bool { url.lastPathComponent == "main.swift" }

    /// Whether a module named `name` is imported, under any attribute.
    func imports(_ name: String) -> Bool {
        tree.statements.contains {
            $0.item.as(ImportDeclSyntax.self)?.path.first?.name.text == name
        }
    }
}
