import SwiftSyntax

/// Takes `async` and `await` out of what goes into a module. There every function is an ordinary
/// one, and the host suspends the module where it waits for native code (decision 0120).
enum AsyncText {
    static func apply(to node: Syntax, on page: inout Page) {
        let finder = Finder(viewMode: .sourceAccurate)
        finder.walk(node)
        for token in finder.found { page.blank(token) }
    }

    private final class Finder: SyntaxVisitor {
        var found: [TokenSyntax] = []

        override func visit(_ node: AwaitExprSyntax) -> SyntaxVisitorContinueKind {
            found.append(node.awaitKeyword)
            return .visitChildren
        }

        override func visit(_ node: FunctionEffectSpecifiersSyntax) -> SyntaxVisitorContinueKind {
            if let token = node.asyncSpecifier { found.append(token) }
            return .visitChildren
        }

        override func visit(_ node: AccessorEffectSpecifiersSyntax) -> SyntaxVisitorContinueKind {
            if let token = node.asyncSpecifier { found.append(token) }
            return .visitChildren
        }

        override func visit(_ node: TypeEffectSpecifiersSyntax) -> SyntaxVisitorContinueKind {
            if let token = node.asyncSpecifier { found.append(token) }
            return .visitChildren
        }
    }
}
