import SwiftSyntax

/// Reads written types as types that cross.
struct TypeReader {
    /// Names of all types that the app declares itself: they hide the library's of the same name.
    private let declared: Set<String>
    /// The app's type aliases on file level.
    private let aliases: [String: TypeSyntax]

    init(_ tree: SourceTree) {
        let collector = Collector(viewMode: .sourceAccurate)
        for file in tree.files { collector.walk(file.tree) }
        declared = collector.declared
        aliases = collector.aliases
    }

    /// The type, or nil when its values cannot cross (yet).
    func read(_ type: TypeSyntax) -> ABIType? { read(type, depth: 0) }

    private func read(_ type: TypeSyntax, depth: Int) -> ABIType? {
        // An alias may name itself.
        guard depth < 32 else { return nil }
        func inner(_ type: TypeSyntax) -> ABIType? { read(type, depth: depth + 1) }
        if let optional = type.as(OptionalTypeSyntax.self) {
            return inner(optional.wrappedType).map { .optional($0) }
        }
        if let array = type.as(ArrayTypeSyntax.self) {
            return inner(array.element).map(Self.array)
        }
        if let dictionary = type.as(DictionaryTypeSyntax.self) {
            return Self.dictionary(inner(dictionary.key), inner(dictionary.value))
        }
        if let tuple = type.as(TupleTypeSyntax.self) { return read(tuple, inner) }
        if let named = type.as(IdentifierTypeSyntax.self) {
            let name = named.name.text
            if let arguments = named.genericArgumentClause {
                guard !declared.contains(name) else { return nil }
                return generic(name, arguments, inner)
            }
            if let alias = aliases[name] { return inner(alias) }
            return declared.contains(name) ? nil : Self.plain(name)
        }
        if let member = type.as(MemberTypeSyntax.self),
            member.baseType.trimmedDescription == "Swift", !declared.contains("Swift")
        {
            if let arguments = member.genericArgumentClause {
                return generic(member.name.text, arguments, inner)
            }
            return Self.plain(member.name.text)
        }
        return nil
    }

    private func read(
        _ tuple: TupleTypeSyntax, _ inner: (TypeSyntax) -> ABIType?
    ) -> ABIType? {
        let elements = Array(tuple.elements)
        if elements.count == 1, elements[0].firstName == nil { return inner(elements[0].type) }
        guard (2...16).contains(elements.count) else { return nil }
        var read: [ABIType.Element] = []
        for element in elements {
            guard element.inoutKeyword == nil, element.ellipsis == nil, element.secondName == nil,
                let type = inner(element.type)
            else { return nil }
            read.append(ABIType.Element(label: element.firstName?.text, type: type))
        }
        return .tuple(read)
    }

    private func generic(
        _ name: String, _ clause: GenericArgumentClauseSyntax, _ inner: (TypeSyntax) -> ABIType?
    ) -> ABIType? {
        let arguments = clause.arguments.map { argument in
            TypeSyntax(argument.argument).flatMap(inner)
        }
        switch (name, arguments.count) {
        case ("Optional", 1): return arguments[0].map { .optional($0) }
        case ("Array", 1): return arguments[0].map(Self.array)
        case ("Set", 1): return arguments[0].flatMap { $0.isHashable ? .set($0) : nil }
        case ("Dictionary", 2): return Self.dictionary(arguments[0], arguments[1])
        default: return nil
        }
    }

    private static func plain(_ name: String) -> ABIType? {
        switch name {
        case "Bool": .bool
        case "Float", "Float32": .float
        case "Double", "Float64": .double
        case "String": .string
        default: ABIType.Integer(rawValue: name).map { .integer($0) }
        }
    }

    private static func array(_ element: ABIType) -> ABIType {
        element == .integer(.UInt8) ? .bytes : .array(element)
    }

    private static func dictionary(_ key: ABIType?, _ value: ABIType?) -> ABIType? {
        guard let key, let value, key.isHashable else { return nil }
        return .dictionary(key, value)
    }

    private final class Collector: SyntaxVisitor {
        var declared: Set<String> = []
        var aliases: [String: TypeSyntax] = [:]

        override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
            declare(node.name)
        }
        override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
            declare(node.name)
        }
        override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
            declare(node.name)
        }
        override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
            declare(node.name)
        }
        override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
            declare(node.name)
        }
        override func visit(_ node: AssociatedTypeDeclSyntax) -> SyntaxVisitorContinueKind {
            declare(node.name)
        }
        override func visit(_ node: GenericParameterSyntax) -> SyntaxVisitorContinueKind {
            declare(node.name)
        }
        override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
            _ = declare(node.name)
            let isOnFileLevel =
                node.parent?.is(CodeBlockItemSyntax.self) == true
                && node.parent?.parent?.parent?.is(SourceFileSyntax.self) == true
            if isOnFileLevel, node.genericParameterClause == nil {
                // Two files may have private aliases of one name; then neither is followed.
                let value = node.initializer.value
                if let other = aliases[node.name.text],
                    other.trimmedDescription != value.trimmedDescription
                {
                    ambiguous.insert(node.name.text)
                }
                aliases[node.name.text] = value
                for name in ambiguous { aliases[name] = nil }
            }
            return .visitChildren
        }

        private var ambiguous: Set<String> = []

        private func declare(_ name: TokenSyntax) -> SyntaxVisitorContinueKind {
            declared.insert(name.text)
            return .visitChildren
        }
    }
}
