import SwiftSyntax

/// What a body of statements needs so that a statement can be put before it.
///
/// A body of one expression returns it without saying so; once a statement stands before it, it
/// has to say `return`.
enum BodyShape {
    /// Several statements, or one that is no value: nothing to do.
    case statements
    /// One expression, which becomes `return expression`.
    case expression(ExprSyntax)
    /// One `#if`, whose branches may be expressions: left alone.
    case conditional

    init(_ items: CodeBlockItemListSyntax, neverReturning: Set<String>) {
        guard items.count == 1, let item = items.first?.item else {
            self = .statements
            return
        }
        if item.is(IfConfigDeclSyntax.self) {
            self = .conditional
        } else if let expression = Self.expression(of: item), Self.isValue(expression),
            !Self.neverReturns(expression, neverReturning)
        {
            self = .expression(expression)
        } else {
            self = .statements
        }
    }

    private static func expression(of item: CodeBlockItemSyntax.Item) -> ExprSyntax? {
        if let statement = item.as(ExpressionStmtSyntax.self) { return statement.expression }
        return item.as(ExprSyntax.self)
    }

    /// Whether an `if` or `switch` gives a value in every branch (SE-0380); any other expression
    /// does.
    private static func isValue(_ expression: ExprSyntax) -> Bool {
        if let choice = expression.as(IfExprSyntax.self) {
            guard branchIsValue(choice.body.statements), let other = choice.elseBody else {
                return false
            }
            switch other {
            case .codeBlock(let block): return branchIsValue(block.statements)
            case .ifExpr(let next): return isValue(ExprSyntax(next))
            @unknown default: return false
            }
        }
        if let choice = expression.as(SwitchExprSyntax.self) {
            return !choice.cases.isEmpty
                && choice.cases.allSatisfy {
                    $0.as(SwitchCaseSyntax.self).map { branchIsValue($0.statements) } ?? false
                }
        }
        return true
    }

    private static func branchIsValue(_ items: CodeBlockItemListSyntax) -> Bool {
        guard items.count == 1, let item = items.first?.item else { return false }
        if item.is(ThrowStmtSyntax.self) { return true }
        guard let expression = expression(of: item) else { return false }
        return isValue(expression)
    }

    /// A call of a function that never returns is a body on its own, but no value to return.
    private static func neverReturns(_ expression: ExprSyntax, _ names: Set<String>) -> Bool {
        guard let call = expression.as(FunctionCallExprSyntax.self) else { return false }
        if let name = call.calledExpression.as(DeclReferenceExprSyntax.self) {
            return names.contains(name.baseName.text)
        }
        if let member = call.calledExpression.as(MemberAccessExprSyntax.self) {
            return names.contains(member.declName.baseName.text)
        }
        return false
    }

    /// Names of functions that are declared to return `Never`, the library's included.
    static func neverReturningNames(in tree: SourceTree) -> Set<String> {
        let collector = NeverCollector(viewMode: .sourceAccurate)
        for file in tree.files { collector.walk(file.tree) }
        return collector.names.union(["fatalError", "preconditionFailure", "exit", "abort"])
    }

    private final class NeverCollector: SyntaxVisitor {
        var names: Set<String> = []

        override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
            if node.signature.returnClause?.type.trimmedDescription == "Never" {
                names.insert(node.name.text)
            }
            return .visitChildren
        }
    }
}
