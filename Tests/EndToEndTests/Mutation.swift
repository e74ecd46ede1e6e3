import Foundation
import SwiftParser
import SwiftSyntax
import TestSupport

/// One small change of a program, drawn from a seed.
struct Mutation: CustomStringConvertible {
    enum Kind: CaseIterable { case constant, operation, branch, helper, field }

    var kind: Kind
    var file: URL
    var description: String
    /// Lines that it touches.
    var lines: ClosedRange<Int>
    private var edits: [(range: Range<Int>, text: String)]

    /// Where its first change begins, in UTF-8.
    var start: Int { edits.map(\.range.lowerBound).min() ?? 0 }

    /// Whether it changes nothing outside of `range`.
    func isInside(_ range: Range<Int>) -> Bool {
        edits.allSatisfy {
            range.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= range.upperBound
        }
    }

    /// Makes the change.
    func apply() throws {
        var bytes = [UInt8](try Data(contentsOf: file))
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(edit.range, with: Array(edit.text.utf8))
        }
        try Data(bytes).write(to: file)
    }

    /// Every mutation of a kind that some files allow.
    static func candidates(_ kind: Kind, in files: [URL]) throws -> [Mutation] {
        try files.flatMap { file in
            let text = try String(contentsOf: file, encoding: .utf8)
            let finder = Finder(kind, text)
            return finder.found.map { edits in
                let lines = edits.map { edit in
                    1 + text.utf8.prefix(edit.range.lowerBound).count { $0 == 0x0a }
                }
                let line = lines.min() ?? 1
                let words = edits.map { edit in
                    let old = String(decoding: Array(text.utf8)[edit.range], as: UTF8.self)
                    return old.isEmpty ? "+ \(edit.text)" : "\(old) becomes \(edit.text)"
                }
                return Mutation(
                    kind: kind, file: file,
                    description: "\(kind) at \(file.lastPathComponent):\(line): "
                        + words.joined(separator: "; ").replacingOccurrences(of: "\n", with: " "),
                    lines: line...max(line, lines.max() ?? line), edits: edits)
            }
        }
    }

    /// Looks for places where a change of one kind can be made.
    private final class Finder: SyntaxVisitor {
        typealias Edits = [(range: Range<Int>, text: String)]
        private(set) var found: [Edits] = []
        private let kind: Kind
        private let end: Int
        private var types: [StructDeclSyntax] = []
        private var isInMember = 0

        init(_ kind: Kind, _ text: String) {
            self.kind = kind
            end = text.utf8.count
            super.init(viewMode: .sourceAccurate)
            walk(Parser.parse(source: text))
        }

        private func range(_ node: some SyntaxProtocol) -> Range<Int> {
            let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
            return start..<start + node.trimmedLength.utf8Length
        }

        override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
            types.append(node)
            return .visitChildren
        }

        override func visitPost(_ node: StructDeclSyntax) { types.removeLast() }

        override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
            let isStatic = node.modifiers.contains { $0.name.text == "static" }
            if !types.isEmpty, !isStatic { isInMember += 1 }
            return .visitChildren
        }

        override func visitPost(_ node: FunctionDeclSyntax) {
            let isStatic = node.modifiers.contains { $0.name.text == "static" }
            if !types.isEmpty, !isStatic { isInMember -= 1 }
        }

        override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
            guard let value = Int(node.literal.text.filter { $0 != "_" }) else {
                return .skipChildren
            }
            switch kind {
            case .constant: found.append([(range(node), String(value + 1))])
            case .helper:
                found.append([
                    (range(node), "strangely(\(value))"),
                    (
                        end..<end,
                        "\nprivate func strangely(_ value: Int) -> Int { value &* 3 &- 1 }\n"
                    ),
                ])
            case .field:
                guard let type = types.last, isInMember > 0 else { break }
                let brace = type.memberBlock.rightBrace.positionAfterSkippingLeadingTrivia
                    .utf8Offset
                found.append([
                    (range(node), "(\(value) + extra)"),
                    (brace..<brace, "    var extra = 2\n"),
                ])
            default: break
            }
            return .skipChildren
        }

        override func visit(_ node: BinaryOperatorExprSyntax) -> SyntaxVisitorContinueKind {
            if kind == .operation, let other = Self.operators[node.operator.text] {
                found.append([(range(node), other)])
            }
            return .skipChildren
        }

        override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
            if kind == .branch, case .expression(let condition) = node.condition {
                found.append([(range(condition), "!(\(condition.trimmedDescription))")])
            }
            return .visitChildren
        }

        override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
            if kind == .branch {
                found.append([
                    (range(node.condition), "!(\(node.condition.trimmedDescription))")
                ])
            }
            return .visitChildren
        }

        override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
            if kind == .constant {
                found.append([(range(node), node.literal.text == "true" ? "false" : "true")])
            }
            return .skipChildren
        }

        override func visit(_ node: StringSegmentSyntax) -> SyntaxVisitorContinueKind {
            let isPlain = !node.content.text.isEmpty && !node.content.text.contains("\n")
            if kind == .constant, isPlain {
                found.append([(range(node), node.content.text + "~")])
            }
            return .skipChildren
        }

        private static let operators = [
            "+": "-", "-": "+", "*": "+", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=",
            "!=": "==", "&&": "||", "||": "&&",
        ]
    }
}
