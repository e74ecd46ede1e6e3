import SwiftSyntax

/// Finds code whose result depends on the width of `Int`, for modules with 32-bit words
/// (formats.md, "Module"). What merely overflows traps there and is served natively; this is
/// about what would go on with another value.
final class WordSizeLinter: SyntaxVisitor {
    private var found: [String] = []

    /// What in `node` depends on the word, in words.
    static func findings(in node: Syntax) -> [String] {
        let linter = WordSizeLinter(viewMode: .sourceAccurate)
        linter.walk(node)
        var seen = Set<String>()
        return linter.found.filter { seen.insert($0).inserted }
    }

    private static let operators: Set<String> = [
        "&+", "&-", "&*", "&+=", "&-=", "&*=", "<<", ">>", "<<=", ">>=", "&<<", "&>>", "&<<=",
        "&>>=", "~",
    ]

    private static let members: Set<String> = [
        "max", "min", "bitWidth", "hashValue", "leadingZeroBitCount", "nonzeroBitCount",
        "byteSwapped", "bigEndian", "littleEndian", "multipliedReportingOverflow",
        "addingReportingOverflow", "subtractingReportingOverflow", "multipliedFullWidth",
    ]

    /// Whose members `max`, `min` and the like are about the word.
    private static let wordTypes: Set<String> = ["Int", "UInt"]

    override func visit(_ node: BinaryOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        note(operator: node.operator)
        return .visitChildren
    }

    override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        note(operator: node.operator)
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.declName.baseName.text
        guard Self.members.contains(name) else { return .visitChildren }
        let base = node.base?.trimmedDescription
        // `.max` alone may be a word's, and so may `count.bitWidth`; `values.max()` is not.
        let isCall = node.parent?.is(FunctionCallExprSyntax.self) == true
        if ["max", "min"].contains(name) {
            if base.map(Self.wordTypes.contains) ?? !isCall {
                found.append("'\(base ?? "").\(name)'")
            }
        } else {
            found.append("'\(name)'")
        }
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if ["MemoryLayout", "Hasher"].contains(node.baseName.text) {
            found.append("'\(node.baseName.text)'")
        }
        return .visitChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let text = node.literal.text.filter { $0 != "_" }.lowercased()
        let value: UInt64?
        switch text.prefix(2) {
        case "0x": value = UInt64(text.dropFirst(2), radix: 16)
        case "0o": value = UInt64(text.dropFirst(2), radix: 8)
        case "0b": value = UInt64(text.dropFirst(2), radix: 2)
        default: value = UInt64(text)
        }
        if value.map({ $0 >= 1 << 31 }) ?? true { found.append("the literal \(node.literal.text)") }
        return .visitChildren
    }

    private func note(operator token: TokenSyntax) {
        if Self.operators.contains(token.text) { found.append("the operator \(token.text)") }
    }
}
