import SwiftSyntax

/// Rewrites what Embedded Swift lacks into what means the same.
enum TouchUps {
    /// A key path that stands where a function is wanted, `names.map(\.count)`, as a closure.
    ///
    /// Where a key path itself is wanted the closure does not compile, so nothing changes its
    /// meaning silently.
    static func apply(to node: Syntax, on page: inout Page) {
        let finder = KeyPathFinder(viewMode: .sourceAccurate)
        finder.walk(node)
        for (path, replacement) in finder.found { page.replace(path, with: replacement) }
    }

    private final class KeyPathFinder: SyntaxVisitor {
        var found: [(KeyPathExprSyntax, String)] = []

        override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
            guard let argument = node.parent?.as(LabeledExprSyntax.self),
                argument.label?.text != "keyPath",
                argument.parent?.parent?.is(FunctionCallExprSyntax.self) == true
            else { return .visitChildren }
            let components = node.components.trimmedDescription
            // A closure over several lines would move the lines that follow.
            guard !components.contains("\n") else { return .skipChildren }
            let access = components.hasPrefix(".") ? components : "." + components
            found.append((node, access == ".self" ? "{ $0 }" : "{ $0\(access) }"))
            return .skipChildren
        }
    }
}
