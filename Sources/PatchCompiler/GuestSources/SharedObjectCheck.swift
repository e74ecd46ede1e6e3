import SwiftSyntax

/// Whether a constant that holds one of Foundation's formatters can be another object in a module:
/// only when the app does nothing with it but ask.
enum SharedObjectCheck {
    /// Classes of Foundation whose objects are set up once and then asked.
    private static let classes: Set<String> = [
        "NumberFormatter", "DateFormatter", "ISO8601DateFormatter", "JSONDecoder", "JSONEncoder",
    ]

    /// What asks.
    fileprivate static let questions: Set<String> = [
        "string", "date", "number", "decode", "encode", "map", "compactMap",
    ]

    /// The class of which a constant holds an object, when something else is done with it.
    static func changedClass(
        _ position: Int, in index: DeclarationIndex
    ) -> String? {
        let constant = index.declarations[position]
        guard let name = constant.references.free.intersection(classes).sorted().first else {
            return nil
        }
        let names = Set(constant.names)
        // `.percent` without a type before it can only mean a member of the class itself.
        let isMemberOfClass = constant.container.last.map(classes.contains) ?? false
        for (other, declaration) in index.declarations.enumerated()
        where other != position && declaration.kind != .type
            && declaration.kind != .extensionHeader
        {
            guard
                !names.isDisjoint(with: declaration.references.free)
                    || !names.isDisjoint(with: declaration.references.members)
            else { continue }
            let finder = Finder(
                names, locals: declaration.references.bound, countsImplicit: isMemberOfClass)
            finder.walk(declaration.node)
            if finder.found { return name }
        }
        return nil
    }

    private final class Finder: SyntaxVisitor {
        var found = false
        private let names: Set<String>
        private let locals: Set<String>
        private let countsImplicit: Bool

        init(_ names: Set<String>, locals: Set<String>, countsImplicit: Bool) {
            self.names = names
            self.locals = locals
            self.countsImplicit = countsImplicit
            super.init(viewMode: .sourceAccurate)
        }

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            let name = FunctionScanner.plain(node.baseName)
            guard names.contains(name) else { return .visitChildren }
            var expression = Syntax(node)
            // `Self.formatter` and `Type.formatter` name it as `formatter` does.
            if let access = node.parent?.as(MemberAccessExprSyntax.self),
                access.declName.id == node.id
            {
                if access.base == nil, !countsImplicit { return .visitChildren }
                expression = Syntax(access)
            } else if locals.contains(name) {
                return .visitChildren
            }
            guard let access = expression.parent?.as(MemberAccessExprSyntax.self),
                access.base?.id == expression.as(ExprSyntax.self)?.id,
                SharedObjectCheck.questions.contains(access.declName.baseName.text)
            else {
                found = true
                return .skipChildren
            }
            return .visitChildren
        }
    }
}
