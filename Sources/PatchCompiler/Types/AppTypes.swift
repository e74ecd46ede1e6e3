import SwiftSyntax

/// Every type that the app declares, with what the written declaration says about it.
struct AppTypes {
    enum Kind { case structure, enumeration, other(String) }

    struct Entry {
        var kind: Kind
        var module: String
        var path: [String]
        var file: Int
        var node: DeclSyntax
        var members: MemberBlockItemListSyntax
        /// Access as written at every level of the path, outermost first.
        var levels: [Access]
        /// What stands against values of it, whatever they hold.
        var obstacle: String?
        var inherited: [String]
        /// Paths in which names inside it are looked up, innermost first.
        var scopes: [[String]]
        var hasOwnInitializer: Bool

        var isClass: Bool {
            if case .other("class") = kind { true } else { false }
        }
    }

    struct Alias {
        var module: String
        var type: TypeSyntax
        var scopes: [[String]]
        var file: Int
        var isAmbiguous = false
    }

    enum Access: String { case hidden = "private", file = "fileprivate", module, package, everyone }

    private(set) var entries: [String: Entry] = [:]
    private(set) var aliases: [String: Alias] = [:]
    /// Names that mean something else in places: associated types and generic parameters.
    private(set) var unclear: Set<String> = []
    /// Conformances that extensions add, by path.
    private(set) var extensions: [String: [String]] = [:]
    /// Paths of types with an initialiser that may give nil.
    private(set) var mayFail: Set<String> = []
    /// Last names of what classes inherit from or conform to.
    private(set) var ancestors: Set<String> = []
    let modules: [String]
    /// Modules that each file imports.
    let imports: [Set<String>]

    init(_ tree: SourceTree) {
        modules = Array(Set(tree.files.map(\.module))).sorted()
        imports = tree.files.map { file in
            Set(
                file.tree.statements.compactMap {
                    $0.item.as(ImportDeclSyntax.self)?.path.first?.name.text
                })
        }
        for (number, file) in tree.files.enumerated() {
            var walk = Walk(module: file.module, file: number)
            walk.visit(file.tree.statements)
            for entry in walk.entries {
                let key = Self.key(entry.module, entry.path)
                if entries[key] != nil {
                    entries[key]?.obstacle = "is declared more than once"
                } else {
                    entries[key] = entry
                }
            }
            for (key, alias) in walk.aliases {
                if let other = aliases[key],
                    other.type.trimmedDescription != alias.type.trimmedDescription
                {
                    aliases[key]?.isAmbiguous = true
                } else {
                    aliases[key] = alias
                }
            }
            unclear.formUnion(walk.unclear)
            mayFail.formUnion(walk.mayFail)
            for entry in walk.entries where entry.isClass {
                ancestors.formUnion(entry.inherited.map(Self.lastName))
            }
            extensions.merge(walk.extensions) { $0 + $1 }
        }
    }

    /// `Shop.Base<Int>` is called `Base`.
    static func lastName(_ written: String) -> String {
        let plain = written.split(separator: "<").first.map(String.init) ?? written
        return plain.split(separator: ".").last.map(String.init) ?? plain
    }

    static func key(_ module: String, _ path: [String]) -> String {
        module + "." + path.joined(separator: ".")
    }

    // MARK: - One file

    private struct Walk {
        let module: String
        let file: Int
        var entries: [Entry] = []
        var aliases: [(String, Alias)] = []
        var unclear: Set<String> = []
        var extensions: [String: [String]] = [:]
        var mayFail: Set<String> = []

        struct Context {
            var path: [String] = []
            var levels: [Access] = []
            var scopes: [[String]] = []
            var obstacle: String?
            /// What a member without an access modifier gets.
            var standard = Access.module
        }

        mutating func visit(_ items: CodeBlockItemListSyntax) {
            for item in items {
                if let node = item.item.as(DeclSyntax.self) { visit(node, Context()) }
            }
        }

        private mutating func visit(_ node: DeclSyntax, _ context: Context) {
            switch node.as(DeclSyntaxEnum.self) {
            case .structDecl(let type):
                enter(type, node, type.name, .structure, type.genericParameterClause, context)
            case .enumDecl(let type):
                enter(type, node, type.name, .enumeration, type.genericParameterClause, context)
            case .classDecl(let type):
                enter(
                    type, node, type.name, .other("class"), type.genericParameterClause, context)
            case .actorDecl(let type):
                enter(
                    type, node, type.name, .other("actor"), type.genericParameterClause, context)
            case .protocolDecl(let type):
                enter(type, node, type.name, .other("protocol"), nil, context)
            case .extensionDecl(let type):
                var inner = context
                inner.path = type.extendedType.trimmedDescription.split(separator: ".")
                    .map(String.init)
                inner.levels = inner.path.map { _ in .module }
                inner.scopes = [inner.path]
                inner.standard = Self.access(type.modifiers) ?? .module
                if inner.standard == .hidden { inner.standard = .file }
                extensions[AppTypes.key(module, inner.path), default: []] +=
                    Self.names(type.inheritanceClause)
                for member in type.memberBlock.members { visit(member.decl, inner) }
            case .typeAliasDecl(let alias):
                let path = context.path + [FunctionScanner.plain(alias.name)]
                guard alias.genericParameterClause == nil, context.obstacle == nil else {
                    unclear.insert(FunctionScanner.plain(alias.name))
                    return
                }
                aliases.append(
                    (
                        AppTypes.key(module, path),
                        Alias(
                            module: module, type: alias.initializer.value,
                            scopes: context.scopes, file: file)
                    ))
            case .initializerDecl(let initializer):
                if initializer.optionalMark != nil {
                    mayFail.insert(context.path.joined(separator: "."))
                }
            case .associatedTypeDecl(let type):
                unclear.insert(FunctionScanner.plain(type.name))
            case .ifConfigDecl(let condition):
                var inner = context
                inner.obstacle = "depends on #if"
                for clause in condition.clauses {
                    switch clause.elements {
                    case .statements(let items):
                        for item in items {
                            if let node = item.item.as(DeclSyntax.self) { visit(node, inner) }
                        }
                    case .decls(let members): for member in members { visit(member.decl, inner) }
                    default: break
                    }
                }
            default: break
            }
        }

        private mutating func enter(
            _ type: some DeclGroupSyntax, _ node: DeclSyntax, _ token: TokenSyntax, _ kind: Kind,
            _ generics: GenericParameterClauseSyntax?, _ context: Context
        ) {
            let name = FunctionScanner.plain(token)
            var inner = context
            inner.path.append(name)
            inner.levels.append(Self.access(type.modifiers) ?? context.standard)
            inner.scopes = [inner.path] + context.scopes
            inner.standard = .module
            if case .other("protocol") = kind {
                // Its members are as visible as it is.
            } else if let generics {
                inner.obstacle = inner.obstacle ?? "is generic"
                for parameter in generics.parameters { unclear.insert(parameter.name.text) }
            }
            let inherited = Self.names(type.inheritanceClause)
            if inherited.contains(where: { $0.hasPrefix("~") }) {
                inner.obstacle = inner.obstacle ?? "cannot be copied"
            }
            if let attribute = Self.refusedAttribute(
                type.attributes, isClass: type.is(ClassDeclSyntax.self))
            {
                inner.obstacle = inner.obstacle ?? "has the attribute \(attribute)"
            }
            entries.append(
                Entry(
                    kind: kind, module: module, path: inner.path, file: file, node: node,
                    members: type.memberBlock.members, levels: inner.levels,
                    obstacle: inner.obstacle, inherited: inherited, scopes: inner.scopes,
                    hasOwnInitializer: type.memberBlock.members.contains {
                        $0.decl.is(InitializerDeclSyntax.self)
                    }))
            for member in type.memberBlock.members { visit(member.decl, inner) }
        }

        private static func access(_ modifiers: DeclModifierListSyntax) -> Access? {
            for modifier in modifiers where modifier.detail == nil {
                switch modifier.name.text {
                case "private": return .hidden
                case "fileprivate": return .file
                case "package": return .package
                case "public", "open": return .everyone
                case "internal": return .module
                default: break
                }
            }
            return nil
        }

        private static func names(_ clause: InheritanceClauseSyntax?) -> [String] {
            clause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
        }

        /// Attributes with which values can still be made and read anywhere.
        private static let harmless: Set<String> = [
            "frozen", "Sendable", "usableFromInline", "dynamicMemberLookup", "preconcurrency",
        ]

        /// Attributes that leave an object what it is for code that only refers to it.
        private static let harmlessForClasses: Set<String> = [
            "MainActor", "objc", "objcMembers",
        ]

        private static func refusedAttribute(
            _ attributes: AttributeListSyntax, isClass: Bool
        ) -> String? {
            for element in attributes {
                guard let attribute = element.as(AttributeSyntax.self) else { return "#if" }
                let name = attribute.attributeName.trimmedDescription
                if isClass, harmlessForClasses.contains(name) { continue }
                if !harmless.contains(name) { return "@" + name }
            }
            return nil
        }
    }
}
