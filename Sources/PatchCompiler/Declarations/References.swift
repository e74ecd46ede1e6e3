import SwiftSyntax

/// The names that a piece of code mentions. Without types nothing more is known, so whatever
/// stands on these takes too many declarations rather than too few.
struct References {
    /// Names that stand alone: functions, values, types, operators.
    var free: Set<String> = []
    /// Names behind a dot.
    var members: Set<String> = []
    /// Names that are bound inside, as parameters or local values.
    var bound: Set<String> = []
    /// Names that stand alone in front of a dot, with what follows the dot.
    var qualified: [String: Set<String>] = [:]
    /// Names that stand alone and are used otherwise: called, passed on, written as a type.
    var whole: Set<String> = []

    /// Every name mentioned.
    var all: Set<String> { free.union(members) }

    init() {}

    init(in nodes: [Syntax]) {
        let collector = Collector(viewMode: .sourceAccurate)
        for node in nodes { collector.walk(node) }
        self = collector.references
    }

    mutating func formUnion(_ other: References) {
        free.formUnion(other.free)
        members.formUnion(other.members)
        bound.formUnion(other.bound)
        qualified.merge(other.qualified) { $0.union($1) }
        whole.formUnion(other.whole)
    }

    private final class Collector: SyntaxVisitor {
        var references = References()

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            let name = Self.plain(node.baseName)
            guard let access = node.parent?.as(MemberAccessExprSyntax.self) else {
                references.free.insert(name)
                references.whole.insert(name)
                return .visitChildren
            }
            if access.declName.id == node.id {
                references.members.insert(name)
            } else {
                references.free.insert(name)
                references.qualified[name, default: []].insert(Self.plain(access.declName.baseName))
            }
            return .visitChildren
        }

        override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
            references.free.insert(Self.plain(node.name))
            references.whole.insert(Self.plain(node.name))
            return .visitChildren
        }

        override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
            references.members.insert(Self.plain(node.name))
            references.whole.insert(Self.plain(node.name))
            return .visitChildren
        }

        override func visit(_ node: KeyPathPropertyComponentSyntax) -> SyntaxVisitorContinueKind {
            references.members.insert(Self.plain(node.declName.baseName))
            return .visitChildren
        }

        override func visit(_ node: BinaryOperatorExprSyntax) -> SyntaxVisitorContinueKind {
            references.free.insert(node.operator.text)
            return .visitChildren
        }

        override func visit(_ node: PrefixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
            references.free.insert(node.operator.text)
            return .visitChildren
        }

        override func visit(_ node: PostfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
            references.free.insert(node.operator.text)
            return .visitChildren
        }

        /// `case value:` asks an operator.
        override func visit(_ node: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind {
            references.free.insert("~=")
            return .visitChildren
        }

        override func visit(_ node: SubscriptCallExprSyntax) -> SyntaxVisitorContinueKind {
            references.members.insert(
                Declaration.subscriptName(node.arguments.map { $0.label?.text ?? "_" }))
            return .visitChildren
        }

        override func visit(_ node: ExpressionSegmentSyntax) -> SyntaxVisitorContinueKind {
            references.members.insert("appendInterpolation")
            return .visitChildren
        }

        override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
            references.bound.insert(Self.plain(node.identifier))
            return .visitChildren
        }

        override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
            references.bound.insert(Self.plain(node.secondName ?? node.firstName))
            return .visitChildren
        }

        override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
            references.bound.insert(Self.plain(node.name))
            return .visitChildren
        }

        override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
            references.bound.insert(Self.plain(node.secondName ?? node.firstName))
            return .visitChildren
        }

        private static func plain(_ token: TokenSyntax) -> String {
            token.text.contains("`") ? String(token.text.filter { $0 != "`" }) : token.text
        }
    }
}
