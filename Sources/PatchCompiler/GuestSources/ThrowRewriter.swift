import SwiftSyntax

/// Gives functions that say no more than `throws` a type to throw.
///
/// Embedded Swift has no `any Error`. In a module such functions throw one enum, generated over
/// the errors of the app in reach; what is thrown is put into it and what is caught taken out.
/// Where that does not fit, the module does not compile, so nothing changes its meaning silently.
struct ThrowRewriter {
    static let typeName = "op_Error"

    /// The case of the enum that holds errors of a type.
    static func caseName(_ type: ValueType) -> String { "e_" + type.suffix }

    private let errors: [ValueType]
    /// Names of functions that throw one type of their own.
    private let typed: Set<String>
    private let untyped: Set<String>

    init(errors: [ValueType], in declarations: [Declaration]) {
        self.errors = errors
        var typed: Set<String> = []
        var untyped: Set<String> = []
        for declaration in declarations {
            switch Self.throwsClause(of: declaration.node) {
            case .none: break
            case .some(let clause) where clause.type == nil: untyped.formUnion(declaration.names)
            case .some: typed.formUnion(declaration.names)
            }
        }
        self.typed = typed
        self.untyped = untyped
    }

    /// Whether a declaration throws what it does not name.
    static func isUntyped(_ node: Syntax) -> Bool {
        throwsClause(of: node).map { $0.type == nil } ?? false
    }

    private static func throwsClause(of node: Syntax) -> ThrowsClauseSyntax? {
        if let function = node.as(FunctionDeclSyntax.self) {
            return function.signature.effectSpecifiers?.throwsClause
        }
        if let initializer = node.as(InitializerDeclSyntax.self) {
            return initializer.signature.effectSpecifiers?.throwsClause
        }
        guard let variable = node.as(VariableDeclSyntax.self),
            case .accessors(let accessors)? = variable.bindings.first?.accessorBlock?.accessors
        else { return nil }
        return accessors.lazy.compactMap { $0.effectSpecifiers?.throwsClause }.first
    }

    func apply(to node: Syntax, on page: inout Page) {
        let visitor = Visitor(self)
        visitor.walk(node)
        for (offset, text) in visitor.insertions { page.insert(text, at: offset) }
        for (node, text) in visitor.replacements { page.replace(node, with: text) }
    }

    /// The enum, for a source of its own.
    static func enumText(_ errors: [ValueType]) -> String {
        let cases = errors.map { "    case \(caseName($0))(\($0.reference.path))\n" }
        let initializers = errors.map {
            "    init(_ error: \($0.reference.path)) { self = .\(caseName($0))(error) }\n"
        }
        let branches = errors.map {
            "        case .\(caseName($0))(let error): writer.uint(\(ErrorCode.key($0))); "
                + "\(TypeCode.encoder($0.reference))(error, &writer)\n"
        }
        let readers = errors.map {
            "        case \(ErrorCode.key($0)): self = .\(caseName($0))"
                + "(\(TypeCode.decoder($0.reference))(&reader))\n"
        }
        return """
            import PatchGuest

            enum \(typeName): Error {
            \(cases.joined())    /// What native code threw and this module does not know, by number.
                case op_native(UInt64)
            \(initializers.joined())    init(_ error: \(typeName)) { self = error }

                init(op_read reader: inout PatchGuest.GuestReader) {
                    _ = reader.arrayHeader()
                    let number = reader.integer(UInt64.self)
                    switch reader.integer(UInt64.self) {
            \(readers.joined())        default: self = .op_native(number)
                    }
                }

                func op_write(_ writer: inout PatchGuest.GuestWriter) {
                    writer.arrayHeader(2)
                    switch self {
                    case .op_native(let number): writer.uint(0); writer.uint(number)
            \(branches.joined())        }
                }
            }

            """
    }

    // MARK: - Walk

    private func error(named path: String) -> ValueType? {
        errors.first { $0.reference.path == path }
            ?? errors.first { $0.reference.path.hasSuffix("." + path) }
    }

    private final class Visitor: SyntaxVisitor {
        let rewriter: ThrowRewriter
        var insertions: [(offset: Int, text: String)] = []
        var replacements: [(node: Syntax, text: String)] = []

        init(_ rewriter: ThrowRewriter) {
            self.rewriter = rewriter
            super.init(viewMode: .sourceAccurate)
        }

        override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
            for (offset, text) in ThrowingClosure.heading(node) {
                insertions.append((offset, text))
            }
            return .visitChildren
        }

        override func visit(_ node: ThrowsClauseSyntax) -> SyntaxVisitorContinueKind {
            if node.type == nil, node.throwsSpecifier.text == "throws" {
                insertions.append(
                    (
                        node.throwsSpecifier.endPositionBeforeTrailingTrivia.utf8Offset,
                        "(\(typeName))"
                    ))
            }
            return .visitChildren
        }

        override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind {
            guard isBoxed(Syntax(node)) else { return .visitChildren }
            let start = node.expression.positionAfterSkippingLeadingTrivia.utf8Offset
            let end = node.expression.endPositionBeforeTrailingTrivia.utf8Offset
            insertions.append((start, "\(typeName)("))
            insertions.append((end, ")"))
            return .visitChildren
        }

        override func visit(_ node: CatchItemSyntax) -> SyntaxVisitorContinueKind {
            guard let pattern = node.pattern,
                let block = node.parent?.parent?.parent?.parent?.as(DoStmtSyntax.self),
                isBoxed(block)
            else { return .visitChildren }
            rewrite(pattern)
            return .visitChildren
        }

        private func rewrite(_ pattern: PatternSyntax) {
            var words = pattern.trimmedDescription.split(separator: " ").map(String.init)
            if words.count == 4, words[0] == "let", words[2] == "as",
                let error = rewriter.error(named: words[3])
            {
                replacements.append(
                    (Syntax(pattern), "\(typeName).\(caseName(error))(let \(words[1]))"))
                return
            }
            if words.count == 2, words[0] == "is", let error = rewriter.error(named: words[1]) {
                replacements.append((Syntax(pattern), "\(typeName).\(caseName(error))(_)"))
                return
            }
            var start = pattern.positionAfterSkippingLeadingTrivia.utf8Offset
            if let first = words.first, ["let", "var"].contains(first) {
                guard let binding = pattern.as(ValueBindingPatternSyntax.self) else { return }
                start = binding.pattern.positionAfterSkippingLeadingTrivia.utf8Offset
                words.removeFirst()
            }
            // `CartError.empty(let x)`: the type is all but the last name.
            let names = words.joined(separator: " ").prefix { $0 != "(" && $0 != " " }
                .split(separator: ".")
            guard names.count > 1,
                let error = rewriter.error(named: names.dropLast().joined(separator: "."))
            else { return }
            insertions.append((start, "\(typeName).\(caseName(error))("))
            insertions.append((pattern.endPositionBeforeTrailingTrivia.utf8Offset, ")"))
        }

        /// Whether what is thrown at a place has to be the generated enum.
        private func isBoxed(_ node: Syntax) -> Bool {
            var inner = node
            while let outer = inner.parent {
                if let block = outer.as(DoStmtSyntax.self), block.body.id == inner.id,
                    !block.catchClauses.isEmpty
                {
                    return isBoxed(block)
                }
                if let function = outer.as(FunctionDeclSyntax.self) {
                    return function.signature.effectSpecifiers?.throwsClause?.type == nil
                }
                if let initializer = outer.as(InitializerDeclSyntax.self) {
                    return initializer.signature.effectSpecifiers?.throwsClause?.type == nil
                }
                if let accessor = outer.as(AccessorDeclSyntax.self) {
                    return accessor.effectSpecifiers?.throwsClause?.type == nil
                }
                if let closure = outer.as(ClosureExprSyntax.self) {
                    return closure.signature?.effectSpecifiers?.throwsClause?.type == nil
                }
                inner = outer
            }
            return true
        }

        /// Whether a block with catches throws the enum: unless all that it tries names its error.
        private func isBoxed(_ block: DoStmtSyntax) -> Bool {
            if block.throwsClause?.type != nil { return false }
            let finder = TryFinder(viewMode: .sourceAccurate)
            finder.walk(block.body)
            let isTyped = !finder.names.isDisjoint(with: rewriter.typed)
            return !isTyped || !finder.names.isDisjoint(with: rewriter.untyped)
        }
    }

    /// Names of what is called behind `try`.
    private final class TryFinder: SyntaxVisitor {
        var names: Set<String> = []
        private var depth = 0

        override func visit(_ node: TryExprSyntax) -> SyntaxVisitorContinueKind {
            depth += 1
            return .visitChildren
        }

        override func visitPost(_ node: TryExprSyntax) { depth -= 1 }

        override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
            if depth > 0 { names.insert(FunctionScanner.plain(node.baseName)) }
            return .visitChildren
        }

        // A block inside that catches everything keeps its errors to itself.
        override func visit(_ node: DoStmtSyntax) -> SyntaxVisitorContinueKind {
            node.catchClauses.isEmpty ? .visitChildren : .skipChildren
        }
    }
}

/// Finds casts of errors, which would fail silently in a module, where errors have another type.
final class ErrorCastFinder: SyntaxVisitor {
    private let names: Set<String>
    private var found = false

    private init(_ names: Set<String>) {
        self.names = names
        super.init(viewMode: .sourceAccurate)
    }

    static func castsError(_ node: Syntax, to names: Set<String>) -> Bool {
        let finder = ErrorCastFinder(names)
        finder.walk(node)
        return finder.found
    }

    override func visit(_ node: CatchItemSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let elements = Array(node.elements)
        for (index, element) in elements.enumerated()
        where element.is(UnresolvedAsExprSyntax.self) || element.is(UnresolvedIsExprSyntax.self) {
            guard index + 1 < elements.count,
                let type = elements[index + 1].as(TypeExprSyntax.self),
                let last = type.trimmedDescription.split(separator: ".").last
            else { continue }
            if names.contains(String(last)) { found = true }
        }
        return .visitChildren
    }
}
