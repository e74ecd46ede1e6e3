import ModuleABI
import SwiftSyntax

/// Finds the views whose bodies can be routed. The others are shown by a module only inside of a
/// view that can.
struct ViewScanner {
    private let types: PropertyTypes
    private let file: SourceFile
    private let number: Int
    private(set) var views: [RoutableView] = []

    /// All views of the app.
    static func scan(_ tree: SourceTree, _ types: ValueTypes) -> [RoutableView] {
        tree.files.enumerated().flatMap { number, file -> [RoutableView] in
            guard file.imports("SwiftUI") else { return [] }
            var scanner = ViewScanner(
                types: PropertyTypes(types: types), file: file, number: number)
            for item in file.tree.statements {
                if let node = item.item.as(DeclSyntax.self) { scanner.visit(node, []) }
            }
            return scanner.views
        }
    }

    private init(types: PropertyTypes, file: SourceFile, number: Int) {
        self.types = types
        self.file = file
        self.number = number
    }

    private mutating func visit(_ node: DeclSyntax, _ path: [String]) {
        switch node.as(DeclSyntaxEnum.self) {
        case .structDecl(let type):
            guard type.genericParameterClause == nil else { return }
            let inner = path + [FunctionScanner.plain(type.name)]
            if let view = view(type, inner) { views.append(view) }
            members(type.memberBlock, inner)
        case .enumDecl(let type):
            guard type.genericParameterClause == nil else { return }
            members(type.memberBlock, path + [FunctionScanner.plain(type.name)])
        case .extensionDecl(let type):
            members(
                type.memberBlock,
                type.extendedType.trimmedDescription.split(separator: ".").map(String.init))
        default: break
        }
    }

    private mutating func members(_ block: MemberBlockSyntax, _ path: [String]) {
        for member in block.members { visit(member.decl, path) }
    }

    private func view(_ type: StructDeclSyntax, _ path: [String]) -> RoutableView? {
        let conformances = (type.inheritanceClause?.inheritedTypes ?? [])
            .map { $0.type.trimmedDescription }
        guard conformances.contains("View") || conformances.contains("SwiftUI.View"),
            // Not there on every system, so a block at the end of the file cannot name it.
            !TypeContext.names(type.attributes).contains("available"),
            !type.memberBlock.members.contains(where: {
                $0.decl.is(InitializerDeclSyntax.self) || $0.decl.is(IfConfigDeclSyntax.self)
            }), !(path.count > 1 && TypeContext.isHidden(type.modifiers)),
            let (declaration, block) = Self.body(type)
        else { return nil }
        guard case .getter(let items) = block.accessors else { return nil }
        let place = TypeReader.Place(module: file.module, file: number, inside: path)
        guard let (properties, states) = properties(type, place) else { return nil }
        return RoutableView(
            id: RoutableView.id(module: file.module, path: path.joined(separator: ".")),
            module: file.module, path: path.joined(separator: "."),
            place: file.place(of: declaration), declaration: Syntax(declaration),
            body: Syntax(items), bodyHash: TokenHash.hex16([Syntax(items)]),
            openOffset: block.leftBrace.endPositionBeforeTrailingTrivia.utf8Offset,
            closeOffset: block.rightBrace.positionAfterSkippingLeadingTrivia.utf8Offset,
            properties: properties, states: states)
    }

    private static func body(
        _ type: StructDeclSyntax
    ) -> (VariableDeclSyntax, AccessorBlockSyntax)? {
        for member in type.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self),
                variable.bindings.count == 1, let binding = variable.bindings.first,
                binding.pattern.trimmedDescription == "body",
                binding.typeAnnotation?.type.trimmedDescription == "some View",
                let block = binding.accessorBlock
            else { continue }
            return (variable, block)
        }
        return nil
    }

    /// Wrappers that a module's view has for itself.
    private static let own: Set<String> = [
        "State", "Environment", "FocusState", "StateObject", "ScaledMetric", "Namespace",
        "GestureState", "AppStorage",
    ]

    /// Nil when something does not cross that the view is made with.
    private func properties(
        _ type: StructDeclSyntax, _ place: TypeReader.Place
    ) -> ([RoutableView.Property], [RoutableView.State])? {
        var properties: [RoutableView.Property] = []
        var states: [RoutableView.State] = []
        for member in type.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isStored,
                !variable.modifiers.contains(where: { $0.name.text == "static" })
            else { continue }
            guard !variable.modifiers.contains(where: { $0.name.text == "lazy" }) else {
                return nil
            }
            let wrapper = variable.propertyWrapper
            for binding in variable.bindings {
                guard
                    let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier
                else { return nil }
                let found = types.type(of: binding, at: place)
                let isMade =
                    binding.initializer != nil
                    || binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) ?? false
                switch wrapper {
                case "State", "SceneStorage":
                    // One that is given from outside is no state of this view alone.
                    guard isMade else { return nil }
                    if let found { states.append(.init(name: token.text, type: found)) }
                case "Binding":
                    guard let found else { return nil }
                    properties.append(.init(name: token.text, type: found, isBinding: true))
                case .some(let name):
                    guard Self.own.contains(name) else { return nil }
                case nil:
                    let isConstant = variable.bindingSpecifier.text == "let"
                    if isConstant, binding.initializer != nil { continue }
                    guard let found else { return nil }
                    properties.append(.init(name: token.text, type: found))
                }
            }
        }
        return (properties, states)
    }
}

extension VariableDeclSyntax {
    /// The name of its property wrapper; nil without one.
    var propertyWrapper: String? {
        attributes.lazy.compactMap { attribute -> String? in
            guard let name = attribute.as(AttributeSyntax.self)?.attributeName.trimmedDescription,
                name.first?.isUppercase == true, name != "ViewBuilder", name != "MainActor"
            else { return nil }
            // `FocusState<Field?>` is the wrapper FocusState.
            return String(name.prefix { $0 != "<" && $0 != "(" })
        }.first
    }
}
