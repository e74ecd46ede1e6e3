import SwiftSyntax

/// A reason thrown on the way through one declaration.
struct Reason: Error {
    var reason: Refusal.Reason
    var detail: String

    init(_ reason: Refusal.Reason, _ detail: String = "") {
        self.reason = reason
        self.detail = detail
    }
}

extension FunctionScanner {
    /// Refuses what the surroundings, attributes or modifiers rule out.
    func check(
        _ context: TypeContext, _ attributes: AttributeListSyntax,
        _ modifiers: DeclModifierListSyntax,
        isStatic: Bool
    ) throws {
        if context.isConditional { throw Reason(.conditionalCompilation) }
        if let refusal = context.refusal { throw Reason(refusal.reason, refusal.detail) }
        if let attribute = TypeContext.refusedAttribute(attributes) {
            throw Reason(.attribute, attribute)
        }
        for modifier in modifiers where !Self.harmlessModifiers.contains(modifier.name.text) {
            throw Reason(.modifier, modifier.name.text)
        }
        if !context.isFileLevel, !isStatic {
            throw Reason(.needsInstance, context.path.joined(separator: "."))
        }
    }

    /// The parameters, as far as all of them cross.
    func parameters(_ clause: FunctionParameterClauseSyntax) throws -> [RoutableFunction.Parameter]
    {
        guard clause.parameters.count <= Self.maximumParameters else {
            throw Reason(.tooManyParameters)
        }
        return try clause.parameters.map { parameter in
            let name = parameter.secondName ?? parameter.firstName
            if name.tokenKind == .wildcard { throw Reason(.unnamedParameter) }
            if let attribute = parameter.attributes.first {
                throw Reason(.parameterAttribute, attribute.trimmedDescription)
            }
            if let modifier = parameter.modifiers.first {
                throw Reason(.parameterAttribute, modifier.trimmedDescription)
            }
            if parameter.ellipsis != nil { throw Reason(.variadicParameter, name.text) }
            if let attributed = parameter.type.as(AttributedTypeSyntax.self) {
                let specifiers = attributed.specifiers.map(\.trimmedDescription)
                if specifiers.contains("inout") { throw Reason(.inoutParameter, name.text) }
                throw Reason(.parameterAttribute, attributed.trimmedDescription)
            }
            if parameter.type.is(SomeOrAnyTypeSyntax.self) {
                throw Reason(.isGeneric, parameter.type.trimmedDescription)
            }
            guard let type = readType(parameter.type) else {
                throw Reason(.parameterType, parameter.type.trimmedDescription)
            }
            let label = parameter.firstName
            return RoutableFunction.Parameter(
                label: label.tokenKind == .wildcard ? nil : label.text, name: name.text, type: type)
        }
    }

    /// The result type, as far as it crosses.
    func result(_ type: TypeSyntax?) throws -> ABIType {
        guard let type, !["Void", "()"].contains(type.trimmedDescription) else {
            throw Reason(.noResult)
        }
        guard let read = readType(type) else { throw Reason(.resultType, type.trimmedDescription) }
        return read
    }

    static func isStatic(_ modifiers: DeclModifierListSyntax) -> Bool {
        modifiers.contains { $0.name.text == "static" || $0.name.text == "class" }
    }

    /// A name without backticks.
    static func plain(_ name: TokenSyntax) -> String {
        String(name.text.filter { $0 != "`" })
    }

    /// The one getter of a computed property.
    static func getter(
        _ block: AccessorBlockSyntax
    ) throws -> (items: CodeBlockItemListSyntax, brace: TokenSyntax) {
        switch block.accessors {
        case .getter(let items): return (items, block.leftBrace)
        case .accessors(let accessors):
            for accessor in accessors {
                switch accessor.accessorSpecifier.text {
                case "get": break
                case "set": throw Reason(.setter)
                default: throw Reason(.observer)
                }
            }
            guard accessors.count == 1, let accessor = accessors.first else {
                throw Reason(.observer)
            }
            if let effects = accessor.effectSpecifiers {
                if effects.asyncSpecifier != nil { throw Reason(.isAsync) }
                if effects.throwsClause != nil { throw Reason(.isThrowing) }
            }
            guard accessor.modifier == nil, accessor.attributes.isEmpty else {
                throw Reason(.observer)
            }
            guard let body = accessor.body else { throw Reason(.noBody) }
            return (body.statements, body.leftBrace)
        @unknown default: throw Reason(.observer)
        }
    }

    private static let harmlessModifiers: Set<String> = [
        "public", "package", "internal", "fileprivate", "private", "open", "static", "class",
        "final", "nonisolated", "override",
    ]
}

extension TokenKind {
    var isOperator: Bool {
        switch self {
        case .binaryOperator, .prefixOperator, .postfixOperator: true
        default: false
        }
    }
}

/// Looks for `#if` in a body.
final class ConditionalFinder: SyntaxAnyVisitor {
    private var found = false

    static func isConditional(_ node: Syntax) -> Bool {
        let finder = ConditionalFinder(viewMode: .sourceAccurate)
        finder.walk(node)
        return finder.found
    }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        found = true
        return .skipChildren
    }
}

/// The app's own types by path; true for generic types and protocols, whose extensions stay
/// native.
enum DeclaredTypes {
    static func find(in tree: SourceTree) -> [String: Bool] {
        let collector = Collector(viewMode: .sourceAccurate)
        for file in tree.files { collector.walk(file.tree) }
        return collector.types
    }

    private final class Collector: SyntaxVisitor {
        var types: [String: Bool] = [:]
        private var path: [String] = []
        private var generic: [Bool] = []

        private func enter(_ name: String, _ isGeneric: Bool) -> SyntaxVisitorContinueKind {
            path += name.split(separator: ".").map(String.init)
            generic.append(isGeneric || generic.last == true)
            let full = path.joined(separator: ".")
            types[full] = generic.last == true || types[full] == true
            return .visitChildren
        }

        private func leave(_ name: String) {
            path.removeLast(name.split(separator: ".").count)
            generic.removeLast()
        }

        override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
            enter(node.name.text, node.genericParameterClause != nil)
        }
        override func visitPost(_ node: StructDeclSyntax) { leave(node.name.text) }
        override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
            enter(node.name.text, node.genericParameterClause != nil)
        }
        override func visitPost(_ node: EnumDeclSyntax) { leave(node.name.text) }
        override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
            enter(node.name.text, node.genericParameterClause != nil)
        }
        override func visitPost(_ node: ClassDeclSyntax) { leave(node.name.text) }
        override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
            enter(node.name.text, node.genericParameterClause != nil)
        }
        override func visitPost(_ node: ActorDeclSyntax) { leave(node.name.text) }
        override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
            enter(node.name.text, true)
        }
        override func visitPost(_ node: ProtocolDeclSyntax) { leave(node.name.text) }
        override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
            path += node.extendedType.trimmedDescription.split(separator: ".").map(String.init)
            generic.append(node.genericWhereClause != nil)
            return .visitChildren
        }
        override func visitPost(_ node: ExtensionDeclSyntax) {
            leave(node.extendedType.trimmedDescription)
        }
        override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    }
}
