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
        _ modifiers: DeclModifierListSyntax
    ) throws {
        if context.isConditional { throw Reason(.conditionalCompilation) }
        if let refusal = context.refusal { throw Reason(refusal.reason, refusal.detail) }
        if let attribute = TypeContext.refusedAttribute(attributes) {
            throw Reason(.attribute, attribute)
        }
        for modifier in modifiers where !Self.harmlessModifiers.contains(modifier.name.text) {
            throw Reason(.modifier, modifier.name.text)
        }
    }

    /// What a member works on; nil for what works on nothing.
    func receiver(
        _ context: TypeContext, _ modifiers: DeclModifierListSyntax, isStatic: Bool,
        isMutating: Bool
    ) throws -> RoutableFunction.Receiver? {
        guard !context.isFileLevel, !isStatic else { return nil }
        let place = place(context)
        let name = context.path.joined(separator: ".")
        guard let type = types.readerWithObjects.receiver(context.path, at: place) else {
            let entry = types.reader.entry(context.path, at: place)
            let why = entry.flatMap { types.refusals[AppTypes.key($0.module, $0.path)] }
            throw Reason(.needsInstance, "'\(name)'" + (why.map { " (it \($0))" } ?? ""))
        }
        return RoutableFunction.Receiver(type: type, isMutating: isMutating)
    }

    /// The parameters, as far as all of them cross.
    func parameters(
        _ clause: FunctionParameterClauseSyntax, _ context: TypeContext
    ) throws -> [RoutableFunction.Parameter] {
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
            var written = parameter.type
            var isInout = false
            if let attributed = written.as(AttributedTypeSyntax.self) {
                let specifiers = attributed.specifiers.map(\.trimmedDescription)
                let isEscaping =
                    specifiers.isEmpty && attributed.baseType.is(FunctionTypeSyntax.self)
                    && TypeContext.names(attributed.attributes) == ["escaping"]
                guard isEscaping || specifiers == ["inout"] && attributed.attributes.isEmpty else {
                    throw Reason(.parameterAttribute, attributed.trimmedDescription)
                }
                written = attributed.baseType
                isInout = !isEscaping
            }
            if written.is(SomeOrAnyTypeSyntax.self) {
                throw Reason(.isGeneric, written.trimmedDescription)
            }
            let label = parameter.firstName
            return RoutableFunction.Parameter(
                label: label.tokenKind == .wildcard ? nil : label.text, name: name.text,
                type: try read(written, context, or: .parameterType), isInout: isInout)
        }
    }

    /// The result type, as far as it crosses; nil for none.
    func result(_ type: TypeSyntax?, _ context: TypeContext) throws -> ABIType? {
        guard let type, !["Void", "()"].contains(type.trimmedDescription) else { return nil }
        return try read(type, context, or: .resultType)
    }

    /// How a function throws.
    func throwing(
        _ clause: ThrowsClauseSyntax?, _ context: TypeContext
    ) throws -> RoutableFunction.Throwing {
        guard let clause else { return .never }
        guard clause.throwsSpecifier.text == "throws" else {
            throw Reason(.isThrowing, clause.throwsSpecifier.text)
        }
        guard let type = clause.type else { return .untyped }
        if type.trimmedDescription == "Never" { return .never }
        return .typed(try read(type, context, or: .errorType))
    }

    /// Refuses a body that throws something of a type that does not cross, as far as it shows.
    func checkThrows(_ body: Syntax, _ context: TypeContext) throws {
        let finder = ThrownTypes(viewMode: .sourceAccurate)
        finder.walk(body)
        let place = place(context)
        for path in finder.paths {
            let entry = types.reader.entry(path, at: place)
            let key = entry.map { AppTypes.key($0.module, $0.path) }
            if let key, types.known[key] != nil { continue }
            let why = key.flatMap {
                types.holders[$0] == nil ? types.refusals[$0] : "is or holds an object"
            }
            throw Reason(
                .errorType,
                "'\(path.joined(separator: "."))'" + (why.map { " (it \($0))" } ?? ""))
        }
    }

    private func read(
        _ type: TypeSyntax, _ context: TypeContext, or reason: Refusal.Reason
    ) throws -> ABIType {
        let place = place(context)
        if let read = types.readerWithObjects.read(type, at: place) { return read }
        let why = types.explanation(type, at: place)
        throw Reason(reason, "'\(type.trimmedDescription)'" + (why.map { " (it \($0))" } ?? ""))
    }

    func place(_ context: TypeContext) -> TypeReader.Place {
        TypeReader.Place(
            module: context.module, file: context.file, scopes: context.scopes,
            own: context.isFileLevel ? nil : context.path)
    }

    /// From where all types of a signature can be named.
    func home(_ types: [ABIType]) throws -> ValueType.Home {
        var home = ValueType.Home.anywhere
        for type in types.flatMap(\.named) {
            switch (home, self.types.type(type)?.home ?? .anywhere) {
            case (_, .anywhere): break
            case (.anywhere, let other): home = other
            case (.file, let other): home = other
            case (.inside, .file): break
            case (.inside(let one), .inside(let other)):
                if one != other { throw Reason(.hiddenTypes, "'\(one)' and '\(other)'") }
            }
        }
        return home
    }

    static func isStatic(_ modifiers: DeclModifierListSyntax) -> Bool {
        modifiers.contains { $0.name.text == "static" || $0.name.text == "class" }
    }

    /// How calls of a function are written.
    static func form(_ node: FunctionDeclSyntax) -> RoutableFunction.Form {
        guard node.name.tokenKind.isOperator else { return .named }
        let modifiers = node.modifiers.map(\.name.text)
        if modifiers.contains("postfix") { return .postfix }
        return node.signature.parameterClause.parameters.count == 1 ? .prefix : .infix
    }

    /// The labels that a use of a subscript has; `_` for none.
    static func subscriptLabels(_ node: SubscriptDeclSyntax) -> [String] {
        node.parameterClause.parameters.map {
            $0.secondName == nil ? "_" : $0.firstName.text
        }
    }

    /// A name without backticks.
    static func plain(_ name: TokenSyntax) -> String {
        String(name.text.filter { $0 != "`" })
    }

    /// The body of one accessor.
    struct Accessor {
        var items: CodeBlockItemListSyntax
        var brace: TokenSyntax
        var isMutating = false
        var isAsync = false
        /// The name of the new value in a setter.
        var parameter = "newValue"
        var throwsClause: ThrowsClauseSyntax?
    }

    /// The accessors of a computed property.
    static func accessors(
        _ block: AccessorBlockSyntax
    ) throws -> (getter: Accessor, setter: Result<Accessor, Reason>?) {
        switch block.accessors {
        case .getter(let items): return (Accessor(items: items, brace: block.leftBrace), nil)
        case .accessors(let list):
            var getter: Accessor?
            var setter: Result<Accessor, Reason>?
            for accessor in list {
                switch accessor.accessorSpecifier.text {
                case "get": getter = try Self.accessor(accessor)
                case "set": setter = Result { () throws(Reason) in try Self.accessor(accessor) }
                default: throw Reason(.observer)
                }
            }
            guard let getter else { throw Reason(.observer) }
            return (getter, setter)
        @unknown default: throw Reason(.observer)
        }
    }

    private static func accessor(_ node: AccessorDeclSyntax) throws(Reason) -> Accessor {
        guard node.attributes.isEmpty, node.modifier == nil else { throw Reason(.observer) }
        guard let body = node.body else { throw Reason(.noBody) }
        return Accessor(
            items: body.statements, brace: body.leftBrace,
            isMutating: node.accessorSpecifier.text == "set",
            isAsync: node.effectSpecifiers?.asyncSpecifier != nil,
            parameter: node.parameters?.name.text ?? "newValue",
            throwsClause: node.effectSpecifiers?.throwsClause)
    }

    private static let harmlessModifiers: Set<String> = [
        "public", "package", "internal", "fileprivate", "private", "open", "static", "class",
        "final", "nonisolated", "override", "mutating", "nonmutating", "prefix", "postfix",
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

/// The types that `throw` statements name.
private final class ThrownTypes: SyntaxVisitor {
    var paths: [[String]] = []

    override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind {
        // `CartError.empty`, `CartError.limit(3)` and `Invalid(field: "name")`.
        let text = node.expression.trimmedDescription.prefix {
            $0.isLetter || $0.isNumber || $0 == "_" || $0 == "."
        }
        let path = text.split(separator: ".").map(String.init)
            .prefix { $0.first?.isUppercase == true }
        if !path.isEmpty { paths.append(Array(path)) }
        return .visitChildren
    }
}
