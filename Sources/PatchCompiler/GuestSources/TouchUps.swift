import SwiftSyntax

/// Rewrites what Embedded Swift lacks into what means the same.
enum TouchUps {
    /// A key path that stands where a function is wanted, `names.map(\.count)`, as a closure.
    ///
    /// A parameter of type `KeyPath` becomes a function of the root, and `root[keyPath: path]` its
    /// call; where a key path is wanted for anything else the module does not compile, so nothing
    /// changes its meaning silently.
    static func apply(to node: Syntax, on page: inout Page) {
        let finder = KeyPathFinder(viewMode: .sourceAccurate)
        finder.walk(node)
        for (path, replacement) in finder.found { page.replace(path, with: replacement) }
        for token in finder.unowned { page.replace(token, with: "unowned(unsafe)") }
    }

    private final class KeyPathFinder: SyntaxVisitor {
        var found: [(Syntax, String)] = []
        /// References without ownership. A module has no counterpart that traps when the object is
        /// gone; a program that runs natively never meets that.
        var unowned: [TokenSyntax] = []

        override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
            if node.name.text == "unowned", node.detail == nil { unowned.append(node.name) }
            return .visitChildren
        }

        override func visit(_ node: ClosureCaptureSpecifierSyntax) -> SyntaxVisitorContinueKind {
            if node.specifier.text == "unowned", node.detail == nil {
                unowned.append(node.specifier)
            }
            return .visitChildren
        }

        override func visit(_ node: KeyPathExprSyntax) -> SyntaxVisitorContinueKind {
            // `case \.isLetter:`, compared by an operator of the app.
            let isPattern = node.parent?.is(ExpressionPatternSyntax.self) == true
            let argument = node.parent?.as(LabeledExprSyntax.self)
            let isArgument =
                argument != nil && argument?.label?.text != "keyPath"
                && argument?.parent?.parent?.is(FunctionCallExprSyntax.self) == true
                && !isOfEnvironment(argument)
            guard isPattern || isArgument else { return .visitChildren }
            let components = node.components.trimmedDescription
            // A closure over several lines would move the lines that follow.
            guard !components.contains("\n") else { return .skipChildren }
            let access = components.hasPrefix(".") ? components : "." + components
            found.append((Syntax(node), access == ".self" ? "{ $0 }" : "{ $0\(access) }"))
            return .skipChildren
        }

        /// `.environment(\.locale, value)`, which the views' own touch-ups know how to say.
        private func isOfEnvironment(_ argument: LabeledExprSyntax?) -> Bool {
            argument?.parent?.parent?.as(FunctionCallExprSyntax.self)?.calledExpression
                .as(MemberAccessExprSyntax.self)?.declName.baseName.text == "environment"
        }

        override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
            guard let type = node.type.as(IdentifierTypeSyntax.self), type.name.text == "KeyPath",
                let arguments = type.genericArgumentClause.map({ Array($0.arguments) }),
                arguments.count == 2
            else { return .visitChildren }
            let words = arguments.map(\.argument.trimmedDescription)
            guard !words.contains(where: { $0.contains("\n") }) else { return .visitChildren }
            found.append((Syntax(type), "(\(words[0])) -> \(words[1])"))
            return .visitChildren
        }

        override func visit(_ node: SubscriptCallExprSyntax) -> SyntaxVisitorContinueKind {
            guard node.arguments.count == 1, let argument = node.arguments.first,
                argument.label?.text == "keyPath",
                let path = argument.expression.as(DeclReferenceExprSyntax.self),
                node.calledExpression.is(DeclReferenceExprSyntax.self)
            else { return .visitChildren }
            let root = node.calledExpression.trimmedDescription
            found.append((Syntax(node), "\(path.trimmedDescription)(\(root))"))
            return .skipChildren
        }
    }
}
