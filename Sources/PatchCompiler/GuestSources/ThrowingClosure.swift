import SwiftSyntax

/// Says what a closure throws. Without that, the compiler takes it to throw any error, which a
/// module lacks.
enum ThrowingClosure {
    /// What to insert, and where: `throws`, and the parameters when they have no names yet.
    static func heading(_ node: ClosureExprSyntax) -> [(offset: Int, text: String)] {
        let finder = Finder(viewMode: .sourceAccurate)
        finder.walk(node.statements)
        guard finder.throwsErrors else { return [] }
        let clause = "throws(\(ThrowRewriter.typeName))"
        if let signature = node.signature {
            guard signature.effectSpecifiers == nil,
                let parameters = signature.parameterClause
            else { return [] }
            return [(parameters.endPositionBeforeTrailingTrivia.utf8Offset, " \(clause)")]
        }
        let brace = node.leftBrace.endPositionBeforeTrailingTrivia.utf8Offset
        guard let last = finder.shorthands.map(\.number).max() else {
            // Called where it stands, it takes nothing; elsewhere nobody knows.
            let isCalled =
                node.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id
                == ExprSyntax(node).id
            return isCalled ? [(brace, " () \(clause) in")] : []
        }
        // Letters before a number make a name of it.
        let names = (0...last).map { "op_$\($0)" }.joined(separator: ", ")
        return [(brace, " \(names) \(clause) in")]
            + finder.shorthands.map { ($0.offset, "op_") }
    }

    private final class Finder: SyntaxVisitor {
        var throwsErrors = false
        var shorthands: [(number: Int, offset: Int)] = []

        override func visit(_ node: TryExprSyntax) -> SyntaxVisitorContinueKind {
            if node.questionOrExclamationMark == nil { throwsErrors = true }
            return .visitChildren
        }

        override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind {
            throwsErrors = true
            return .visitChildren
        }

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            if case .dollarIdentifier(let text) = node.baseName.tokenKind,
                let number = Int(text.dropFirst())
            {
                shorthands.append(
                    (number, node.positionAfterSkippingLeadingTrivia.utf8Offset))
            }
            return .visitChildren
        }

        override func visit(_ node: DoStmtSyntax) -> SyntaxVisitorContinueKind {
            guard !node.catchClauses.isEmpty else { return .visitChildren }
            // What is thrown in it is caught; names are looked for all the same.
            let inner = Finder(viewMode: .sourceAccurate)
            inner.walk(node.body)
            shorthands += inner.shorthands
            for clause in node.catchClauses { walk(clause) }
            return .skipChildren
        }

        override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
            .skipChildren
        }

        override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
            .skipChildren
        }
    }
}
