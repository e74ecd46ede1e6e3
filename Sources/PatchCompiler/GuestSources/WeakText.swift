import SwiftSyntax

/// Rewrites weak references as `PatchGuest.Weak`, since Embedded Swift has none.
///
/// What a closure captures weakly is looked at once, when the closure begins, and lives at least
/// as long as it runs. A capture of a protocol's objects does not compile, so nothing changes its
/// meaning silently.
enum WeakText {
    static func apply(to node: Syntax, on page: inout Page) {
        let visitor = Visitor(viewMode: .sourceAccurate)
        visitor.walk(node)
        for (node, text) in visitor.replacements { page.replace(node, with: text) }
        for (offset, text) in visitor.insertions { page.insert(text, at: offset) }
    }

    static func isUsed(in node: Syntax) -> Bool {
        node.tokens(viewMode: .sourceAccurate).contains { $0.text == "weak" }
    }

    private final class Visitor: SyntaxVisitor {
        var replacements: [(Syntax, String)] = []
        var insertions: [(Int, String)] = []

        override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
            if node.name.text == "weak" {
                replacements.append((Syntax(node.name), "@PatchGuest.Weak"))
            }
            return .visitChildren
        }

        override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
            guard let signature = node.signature, let captures = signature.capture?.items else {
                return .visitChildren
            }
            let weak = captures.filter { $0.specifier?.specifier.text == "weak" }
            for capture in weak {
                let name = capture.name.text
                let value = capture.initializer?.value.trimmedDescription ?? name
                let holder = Self.holder(name)
                replacements.append(
                    (
                        Syntax(capture),
                        "\(holder) = PatchGuest.Weak(wrappedValue: \(value))"
                            + (capture.trailingComma == nil ? "" : ",")
                    ))
                // One expression is the closure's value, so nothing can stand before it.
                if node.statements.count == 1, let only = node.statements.first,
                    only.item.is(ExprSyntax.self)
                {
                    let finder = NameFinder(name)
                    finder.walk(only)
                    replacements += finder.found.map { ($0, "\(holder).wrappedValue") }
                } else {
                    insertions.append(
                        (
                            signature.inKeyword.endPositionBeforeTrailingTrivia.utf8Offset,
                            " let `\(name)` = \(holder).wrappedValue;"
                        ))
                }
            }
            return .visitChildren
        }

        private static func holder(_ name: String) -> String {
            "op_weak_" + name.filter { $0 != "`" }
        }
    }

    private final class NameFinder: SyntaxVisitor {
        let name: String
        var found: [Syntax] = []

        init(_ name: String) {
            self.name = name
            super.init(viewMode: .sourceAccurate)
        }

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            if node.baseName.text == name,
                node.parent?.as(MemberAccessExprSyntax.self)?.declName.id != node.id
            {
                found.append(Syntax(node))
            }
            return .visitChildren
        }
    }
}
