import SwiftSyntax

/// Every declaration of the app.
struct DeclarationIndex {
    let files: [SourceFile]
    private(set) var declarations: [Declaration] = []
    /// Indices by base name.
    private(set) var byName: [String: [Int]] = [:]
    /// Indices of the type itself and its extensions, by type path.
    private(set) var typeParts: [String: [Int]] = [:]

    init(
        _ tree: SourceTree, functions: [RoutableFunction], natives: [RoutableFunction] = [],
        views: [RoutableView] = []
    ) {
        files = tree.files
        let bodies = Dictionary(views.map { ($0.declaration.id, $0) }) { first, _ in first }
        let callable = Dictionary(grouping: natives) { $0.declaration.id }
        let routed = Dictionary(grouping: functions) { $0.declaration.id }
        for (number, file) in tree.files.enumerated() {
            var walk = Walk(file: file, number: number, routed: routed, base: declarations.count)
            walk.views = bodies
            walk.topLevel(file.tree.statements)
            declarations += walk.found
        }
        var seen: [String: Int] = [:]
        for index in declarations.indices {
            declarations[index].natives = callable[declarations[index].node.id] ?? []
            let key = declarations[index].key
            let count = seen[key, default: 0] + 1
            seen[key] = count
            // Only branches of `#if` repeat a key.
            if count > 1 { declarations[index].key = "\(key)#\(count)" }
            for name in declarations[index].names { byName[name, default: []].append(index) }
            if declarations[index].kind == .type || declarations[index].kind == .extensionHeader
                || declarations[index].kind == .protocolType
            {
                typeParts[declarations[index].typePath.joined(separator: "."), default: []]
                    .append(index)
            }
        }
    }

    /// The declaration of a routed function.
    func index(of id: UInt64) -> Int? {
        declarations.firstIndex { $0.routed.contains { $0.id == id } }
    }

    /// The declaration of a routed view's body.
    func index(ofView id: UInt64) -> Int? { declarations.firstIndex { $0.view?.id == id } }

    /// What modules call to reach and make the objects of some classes.
    func accessors(of classes: Set<String>) -> [Int] {
        declarations.indices.filter { position in
            let declaration = declarations[position]
            return (declaration.kind == .storedProperty || declaration.kind == .initializer)
                && !declaration.natives.isEmpty
                && classes.contains(declaration.container.joined(separator: "."))
        }
    }

    /// Whether the app itself declares the type.
    func declaresType(_ path: [String]) -> Bool {
        typeParts[path.joined(separator: ".")]?.contains {
            declarations[$0].kind != .extensionHeader
        } ?? false
    }

    // MARK: - One file

    private struct Walk {
        let file: SourceFile
        let number: Int
        let routed: [SyntaxIdentifier: [RoutableFunction]]
        let base: Int
        var views: [SyntaxIdentifier: RoutableView] = [:]
        var found: [Declaration] = []
        private var script: [Syntax] = []

        init(
            file: SourceFile, number: Int, routed: [SyntaxIdentifier: [RoutableFunction]], base: Int
        ) {
            self.file = file
            self.number = number
            self.routed = routed
            self.base = base
        }

        struct Context {
            var container: [String] = []
            var parent: Int?
            var isConditional = false
        }

        mutating func topLevel(_ items: CodeBlockItemListSyntax) {
            statements(items, Context())
            guard let first = script.first else { return }
            add(.script, [], "top-level code of \(file.path)", first, script, Context())
        }

        private mutating func statements(_ items: CodeBlockItemListSyntax, _ context: Context) {
            for item in items {
                if let declaration = item.item.as(DeclSyntax.self) {
                    visit(declaration, context)
                } else {
                    script.append(Syntax(item))
                }
            }
        }

        private mutating func members(_ block: MemberBlockSyntax, _ context: Context) {
            for member in block.members { visit(member.decl, context) }
        }

        private mutating func visit(_ node: DeclSyntax, _ context: Context) {
            switch node.as(DeclSyntaxEnum.self) {
            case .importDecl: break
            case .functionDecl(let node): function(node, context)
            case .variableDecl(let node): variable(node, context)
            case .structDecl(let node):
                type(node, node.name, .structure, node.inheritanceClause, context)
            case .enumDecl(let node):
                type(node, node.name, .enumeration, node.inheritanceClause, context)
            case .classDecl(let node):
                type(node, node.name, .classType, node.inheritanceClause, context)
            case .actorDecl(let node):
                type(node, node.name, .actorType, node.inheritanceClause, context)
            case .protocolDecl(let node):
                add(.protocolType, [node.name.text], node.name.text, node, [Syntax(node)], context)
            case .extensionDecl(let node): extend(node, context)
            case .initializerDecl(let node):
                add(
                    .initializer, ["init"], "init(\(labels(node.signature)))", node,
                    [Syntax(node)], context, discriminator: signature(node.signature))
            case .subscriptDecl(let node):
                // Without a second name, a parameter of a subscript has no label.
                let labels = node.parameterClause.parameters.map {
                    $0.secondName == nil ? "_" : $0.firstName.text
                }
                add(
                    .subscriptMember, ["subscript", Declaration.subscriptName(labels)],
                    "subscript", node, [Syntax(node)], context,
                    discriminator: node.parameterClause.trimmedDescription)
            case .deinitializerDecl(let node):
                add(.deinitializer, ["deinit"], "deinit", node, [Syntax(node)], context)
            case .enumCaseDecl(let node):
                let names = node.elements.map { FunctionScanner.plain($0.name) }
                add(
                    .enumCase, names, names.joined(separator: ", "), node, [Syntax(node)], context)
            case .typeAliasDecl(let node):
                add(.alias, [node.name.text], node.name.text, node, [Syntax(node)], context)
            case .operatorDecl(let node):
                add(.operatorName, [node.name.text], node.name.text, node, [Syntax(node)], context)
            case .ifConfigDecl(let node):
                var inner = context
                inner.isConditional = true
                for clause in node.clauses {
                    switch clause.elements {
                    case .statements(let items): statements(items, inner)
                    case .decls(let members): for member in members { visit(member.decl, inner) }
                    default: break
                    }
                }
            default:
                add(
                    .other, [], String(node.trimmedDescription.prefix(40)), node, [Syntax(node)],
                    context)
            }
        }

        private mutating func function(_ node: FunctionDeclSyntax, _ context: Context) {
            let name = FunctionScanner.plain(node.name)
            add(
                context.container.isEmpty ? .function : .method, [name],
                "\(name)(\(labels(node.signature)))", node, [Syntax(node)], context,
                discriminator: signature(node.signature)
                    + (node.genericParameterClause?.trimmedDescription ?? ""),
                isStatic: FunctionScanner.isStatic(node.modifiers))
        }

        private mutating func variable(_ node: VariableDeclSyntax, _ context: Context) {
            let names = node.bindings.flatMap { References(in: [Syntax($0.pattern)]).bound }
            let isStatic = FunctionScanner.isStatic(node.modifiers)
            let isComputed = node.bindings.allSatisfy {
                $0.accessorBlock.map(Self.isComputed) ?? false
            }
            let kind: Declaration.Kind
            if !context.container.isEmpty, !isStatic {
                kind = isComputed ? .property : .storedProperty
            } else if isComputed {
                kind = .computed
            } else {
                kind = node.bindingSpecifier.text == "let" ? .constant : .variable
            }
            add(
                kind, names.sorted(), names.sorted().joined(separator: ", "), node, [Syntax(node)],
                context, isStatic: isStatic)
        }

        private static func isComputed(_ block: AccessorBlockSyntax) -> Bool {
            guard case .accessors(let accessors) = block.accessors else { return true }
            return !accessors.contains {
                ["willSet", "didSet"].contains($0.accessorSpecifier.text)
            }
        }

        private mutating func type(
            _ node: some DeclGroupSyntax, _ name: TokenSyntax, _ kind: Declaration.TypeKind,
            _ inheritance: InheritanceClauseSyntax?, _ context: Context
        ) {
            let plain = FunctionScanner.plain(name)
            let parent = add(
                .type, [plain], plain, node, Self.header(node), context,
                omitting: [node.memberBlock.id])
            found[parent - base].typeKind = kind
            found[parent - base].inherited = Self.names(inheritance)
            var inner = context
            inner.container.append(plain)
            inner.parent = parent
            members(node.memberBlock, inner)
        }

        private mutating func extend(_ node: ExtensionDeclSyntax, _ context: Context) {
            var inner = context
            inner.container = node.extendedType.trimmedDescription.split(separator: ".")
                .map(String.init)
            let parent = add(
                .extensionHeader, [], "extension \(node.extendedType.trimmedDescription)", node,
                Self.header(node), inner, omitting: [node.memberBlock.id],
                discriminator: (node.inheritanceClause?.trimmedDescription ?? "")
                    + (node.genericWhereClause?.trimmedDescription ?? ""))
            found[parent - base].inherited = Self.names(node.inheritanceClause)
            inner.parent = parent
            members(node.memberBlock, inner)
        }

        private static func names(_ clause: InheritanceClauseSyntax?) -> [String] {
            clause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
        }

        private static func header(_ node: some DeclGroupSyntax) -> [Syntax] {
            node.children(viewMode: .sourceAccurate).filter { !$0.is(MemberBlockSyntax.self) }
        }

        private func labels(_ signature: FunctionSignatureSyntax) -> String {
            signature.parameterClause.parameters.map { $0.firstName.text + ":" }.joined()
        }

        /// Parameter and result types, which tell overloads apart.
        private func signature(_ signature: FunctionSignatureSyntax) -> String {
            signature.parameterClause.parameters.map { $0.type.trimmedDescription }
                .joined(separator: ",") + "->"
                + (signature.returnClause?.type.trimmedDescription ?? "")
        }

        @discardableResult
        private mutating func add(
            _ kind: Declaration.Kind, _ names: [String], _ path: String,
            _ node: some SyntaxProtocol, _ parts: [Syntax], _ context: Context,
            omitting: Set<SyntaxIdentifier> = [], discriminator: String = "",
            isStatic: Bool = false
        ) -> Int {
            let syntax = Syntax(node)
            let functions = routed[syntax.id] ?? []
            let view = views[syntax.id]
            let omitted = omitting.union(functions.map(\.body.id)).union(
                view.map { [$0.body.id] } ?? [])
            // What a type or extension mentions beside its members is its header.
            let references = References(in: parts)
            let isContainer = kind == .extensionHeader
            let full =
                isContainer ? path : (context.container + [path]).joined(separator: ".")
            found.append(
                Declaration(
                    kind: kind, names: names, path: full,
                    key: [file.module, kind.rawValue, full, discriminator].joined(separator: "|"),
                    container: context.container, parent: context.parent, file: number,
                    node: syntax, place: file.place(of: node),
                    hash: TokenHash.hex16(parts, omitting: omitted), references: references,
                    routed: functions, isStatic: isStatic, isConditional: context.isConditional,
                    attributes: Self.attributes(of: syntax)))
            found[found.count - 1].view = view
            found[found.count - 1].isOverride =
                syntax.asProtocol((any WithModifiersSyntax).self)?.modifiers
                .contains { $0.name.text == "override" } ?? false
            return base + found.count - 1
        }

        private static func attributes(of node: Syntax) -> [String] {
            guard let attributed = node.asProtocol((any WithAttributesSyntax).self) else {
                return []
            }
            return attributed.attributes.compactMap {
                $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription
            }
        }
    }
}
